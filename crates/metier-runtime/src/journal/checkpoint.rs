//! The checkpoint: what a journal comes to up to one of its lines, beside it in `NAME.checkpoint`,
//! so that a process that lives for one call reads a few lines and not all of them.
//!
//! It is derived and may be deleted at any time: whoever finds none, or one that is not about this
//! very file, was written by another version, or does not fit its own checksum, reads the journal
//! from its first line and writes a new one. One that fits is believed only if the journal's line
//! that it ends at is there and has the digest it names; every line after that is verified as ever.
//! Its cost grows with the sessions in the journal, not with their frames, and so does the distance
//! between two of them.
//!
//! # What it costs in trust
//!
//! Neither the chain nor the checkpoint is keyed: they tell damage and clumsy edits, not somebody
//! who may write the user's files and knows how both are made. Such a person could always rewrite
//! the chain from some line on, and the head with it. What a checkpoint changes: an edit of a line
//! *before* it is not seen by the next act, only by whoever reads the whole journal; and who forges
//! the checkpoint itself can lift a restriction without touching the journal. Both are seen by
//! [`super::read`], which `metier replay`, `status`, `metrics` and `release` go through: it verifies
//! from the first line, and a checkpoint that does not say what the lines before it come to is a
//! fault. Who wants every act to verify everything deletes the checkpoint before it.

#![expect(clippy::disallowed_methods, reason = "this file is the checkpoint's door to the disk")]

use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::chain::Chain;
use super::file::beside;
use super::frame::{Frame, digest};
use crate::limits::{CHECKPOINT_EVERY, MAX_CHECKPOINT_BYTES, MAX_FRAME_BYTES};
use crate::state::{STATE_VERSION, State};

/// Which file a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

/// A checkpoint as written. A member more or less than this version writes, and it is of another.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    program: String,
    state: u32,
    file: Identity,
    bytes: u64,
    last: u64,
    frames: u64,
    digest: String,
    sessions: BTreeMap<String, State>,
}

impl Checkpoint {
    /// The checkpoint beside the journal at `path`, when it is sound and about `file`.
    pub(super) fn read(path: &Path, file: Identity) -> Option<Self> {
        let mut text = String::new();
        let stored = File::open(beside(path, "checkpoint")).ok()?;
        stored.take(MAX_CHECKPOINT_BYTES as u64 + 1).read_to_string(&mut text).ok()?;
        let (sum, body) = text.strip_suffix('\n')?.split_once(' ')?;
        if text.len() > MAX_CHECKPOINT_BYTES || digest(body.as_bytes()) != sum {
            return None;
        }
        let found: Self = serde_json::from_str(body).ok()?;
        let own = found.program == env!("CARGO_PKG_VERSION") && found.state == STATE_VERSION;
        (own && found.file == file).then_some(found)
    }

    /// The chain it stands for, when `journal` has the line it ends at.
    pub(super) fn chain(self, journal: &File) -> Option<Chain> {
        let length = usize::try_from(self.bytes.checked_sub(self.last)?).ok()?;
        if length > MAX_FRAME_BYTES + 1 {
            return None;
        }
        let mut line = vec![0; length];
        journal.read_exact_at(&mut line, self.last).ok()?;
        line.pop_if(|byte| *byte == b'\n')?;
        let frame = Frame::parse(&line).ok()?;
        (frame.digest == self.digest).then(|| self.into_chain())
    }

    /// How far into the journal it goes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the lines up to it really come to this.
    pub(super) fn agrees(&self, chain: &Chain) -> bool {
        (self.bytes, self.last, self.frames) == (chain.bytes, chain.last, chain.frames)
            && (&self.digest, &self.sessions) == (&chain.digest, &chain.states)
    }

    fn into_chain(self) -> Chain {
        let Self { bytes, last, frames, digest, sessions, .. } = self;
        Chain { bytes, last, frames, digest, states: sessions }
    }
}

/// Whether a checkpoint is due `since` frames after the last one. With many sessions it is long,
/// and is written the less often.
pub(super) fn is_due(chain: &Chain, since: u64) -> bool {
    since >= CHECKPOINT_EVERY.max(chain.states.len() as u64)
}

/// Writes the checkpoint of `chain`. Only whoever has a turn does. That it fails, or that it
/// would be too long, costs whoever comes next time and nothing else.
pub(super) fn write(path: &Path, file: Identity, chain: &Chain) -> std::io::Result<()> {
    let checkpoint = Checkpoint {
        program: env!("CARGO_PKG_VERSION").to_owned(),
        state: STATE_VERSION,
        file,
        bytes: chain.bytes,
        last: chain.last,
        frames: chain.frames,
        digest: chain.digest.clone(),
        sessions: chain.states.clone(),
    };
    let body = serde_json::to_string(&checkpoint)?;
    let text = format!("{} {body}\n", digest(body.as_bytes()));
    if text.len() > MAX_CHECKPOINT_BYTES {
        return Ok(());
    }
    // Not waited for: after a crash of the machine it fits its checksum or is not used.
    let fresh = beside(path, "checkpoint.new");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    options.open(&fresh)?.write_all(text.as_bytes())?;
    std::fs::rename(&fresh, beside(path, "checkpoint"))
}
