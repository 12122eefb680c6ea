//! Reading a journal back: frames in order, and the first place where it is not as it was written.

#![expect(clippy::disallowed_methods, reason = "this file is the journal's door to the disk")]

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::Path;

use super::JournalError;
use super::chain::{Chain, Line, next_line};
use super::checkpoint::{Checkpoint, Identity};
use super::file::{Head, beside, parse_head};
use super::frame::{Frame, FrameError};
use crate::state::State;

/// A journal as read.
#[derive(Debug, Default)]
pub struct Reading {
    /// The frames before the first fault, in file order.
    pub frames: Vec<Frame>,
    /// What they come to, by session.
    pub states: BTreeMap<String, State>,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
    /// Bytes of a last line without a line break: what a crash leaves, never acknowledged.
    pub torn: Option<u64>,
}

/// Where a journal is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The frame, counted from 0 over the whole file.
    pub frame: u64,
    /// What is wrong.
    pub kind: FaultKind,
}

/// How a journal can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The line itself.
    #[error("{0}")]
    Line(FrameError),
    /// The line is sound and does not belong here: something was removed, moved or put in before
    /// it.
    #[error("it does not follow the frame before it")]
    Broken,
    /// The number in its session is not the next one.
    #[error("its sequence number is {found} and not {expected}")]
    Sequence {
        /// The number it has.
        found: u64,
        /// The number it should have.
        expected: u64,
    },
    /// The head or the checkpoint names a line that is not there.
    #[error("the journal ends before the last frame that is known of it")]
    CutOff,
    /// The checkpoint does not say what the frames before it come to.
    #[error("the checkpoint beside the journal does not say what the frames before it say")]
    Checkpoint,
}

/// How far somebody followed a journal that is read line by line as it grows. Looks at the chain
/// alone; whoever wants more reads the whole of it.
#[derive(Clone, Debug)]
pub struct Followed {
    frames: u64,
    digest: String,
}

impl Default for Followed {
    fn default() -> Self {
        Self { frames: 0, digest: Frame::origin() }
    }
}

impl Followed {
    /// How many frames there were so far.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The frame that `line`, without its line break, tells, when it follows the one before it.
    pub fn take(&mut self, line: &[u8]) -> Result<Frame, FaultKind> {
        let frame = Frame::parse(line).map_err(FaultKind::Line)?;
        if frame.prev != self.digest {
            return Err(FaultKind::Broken);
        }
        self.frames += 1;
        self.digest.clone_from(&frame.digest);
        Ok(frame)
    }
}

/// What stands beside a journal and says how far it went.
struct Witnesses {
    head: Option<Head>,
    checkpoint: Option<Checkpoint>,
}

/// Reads the journal at `path` and verifies it from the first line. Linear in its length; one line
/// in memory at a time besides the frames.
pub fn read(path: &Path) -> Result<Reading, JournalError> {
    let io = |source| JournalError::Io { act: "read", path: path.to_owned(), source };
    // Looked at before the lines, so that a line written meanwhile is in them.
    let head = std::fs::read_to_string(beside(path, "head")).ok().and_then(|t| parse_head(&t));
    let file = std::fs::File::open(path).map_err(|source| match &head {
        Some(head) => head.unopened(path, source),
        None => io(source),
    })?;
    let identity = Identity::of(&file.metadata().map_err(io)?);
    let witnesses = Witnesses { head, checkpoint: Checkpoint::read(path, identity) };
    read_lines(BufReader::new(file), witnesses).map_err(io)
}

/// Reads a journal from its bytes, without what stands beside a file.
#[must_use]
pub fn read_bytes(bytes: &[u8]) -> Reading {
    let nothing = Witnesses { head: None, checkpoint: None };
    // Memory does not fail to be read.
    read_lines(bytes, nothing).unwrap_or_default()
}

fn read_lines(
    mut lines: impl std::io::BufRead,
    mut witnesses: Witnesses,
) -> std::io::Result<Reading> {
    let mut reading = Reading::default();
    let mut chain = Chain::empty();
    let mut line = Vec::new();
    witnesses.meet(&chain);
    loop {
        match next_line(&mut lines, &mut line)? {
            Line::End => break,
            Line::Torn => {
                reading.torn = Some(line.len() as u64);
                break;
            }
            Line::Whole => {}
        }
        let taken = chain.take(&line).and_then(|frame| {
            reading.frames.push(frame);
            if witnesses.meet(&chain) { Ok(()) } else { Err(FaultKind::Checkpoint) }
        });
        if let Err(kind) = taken {
            reading.fault = Some(Fault { frame: chain.frames, kind });
            break;
        }
    }
    if reading.fault.is_none() && !witnesses.all_met(&chain) {
        reading.fault = Some(Fault { frame: chain.frames, kind: FaultKind::CutOff });
    }
    reading.states = chain.states;
    Ok(reading)
}

impl Witnesses {
    /// Forgets those that end where `chain` ends and agree with it. False when the checkpoint ends
    /// there, or within the last line, and does not agree.
    fn meet(&mut self, chain: &Chain) -> bool {
        let met = |head: &Head| head.bytes == chain.bytes && head.digest == chain.digest;
        if self.head.as_ref().is_some_and(|head| head.bytes == 0 || met(head)) {
            self.head = None;
        }
        match self.checkpoint.take_if(|checkpoint| checkpoint.bytes() <= chain.bytes) {
            Some(checkpoint) => checkpoint.agrees(chain),
            None => true,
        }
    }

    /// Whether none misses anything, or the power was lost and that explains it.
    fn all_met(&self, chain: &Chain) -> bool {
        match &self.head {
            Some(head) => head.excuses(chain.bytes),
            None => self.checkpoint.is_none(),
        }
    }
}
