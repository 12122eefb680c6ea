//! A journal in a file. Any number of processes may append to it: each act takes a turn, which is
//! the file's lock, catches up with what others wrote since, and writes each line with one call.
//! A process may keep its journal open for as long as it likes.
//!
//! Beside the journal stands `NAME.head`, which names the last line written. A chain alone cannot
//! tell that its end was cut off; the head can. It also says how much of the journal was made sure to
//! be on disk, and since which start of the machine: lines that were not may be lost when the power
//! is, while the head is not, and that is nobody's doing.

#![expect(clippy::disallowed_methods, reason = "this file is the journal's door to the disk")]

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Weak};

use super::chain::{Chain, Line, next_line};
use super::checkpoint::{self, Checkpoint, Identity, is_due};
use super::frame::{self, Frame, Ids};
use super::{Beat, Journal, JournalError, Turn};
use crate::clock::Clock;
use crate::event::Event;
use crate::limits::MAX_FRAME_BYTES;
use crate::state::State;

/// Most bytes read in one go. Most processes find a few lines.
const LARGEST_BUFFER: usize = 64 * 1024;

/// When a frame is on disk for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Before `append` returns.
    EachFrame,
    /// Before the frame that ends an act returns.
    #[default]
    EachAct,
    /// When the system gets to it; a crash of the process loses nothing, a crash of the machine
    /// may.
    System,
}

/// A journal in a file.
pub struct FileJournal {
    path: PathBuf,
    file: Arc<File>,
    identity: Identity,
    head: File,
    durability: Durability,
    clock: Arc<dyn Clock>,
    /// Everything this process knows of the file.
    chain: Chain,
    /// The turn this process has, while it has one.
    turn: Weak<Turn>,
    /// Frames in the checkpoint.
    checkpointed: u64,
    torn: Option<u64>,
}

impl FileJournal {
    /// Opens or creates the journal at `path`. A torn last line, left by a crash, is cut off and
    /// kept beside the journal; anything else after the checkpoint that is not as written is an
    /// error. Reads the checkpoint and the lines after it, or all lines when there is none.
    pub fn open(
        path: &Path,
        durability: Durability,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, JournalError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| io("create the folder of", path, e))?;
        }
        let mut options = OpenOptions::new();
        options.read(true).create(true).mode(0o600);
        let head = options.clone().write(true).truncate(false).open(beside(path, "head"));
        let head = head.map_err(|e| io("open the head of", path, e))?;
        // Only who has nothing to miss makes a new one.
        let known = read_head(&head).filter(|head| head.bytes > 0);
        let file = options.append(true).create(known.is_none()).open(path);
        let file = file.map_err(|error| match &known {
            Some(head) => head.unopened(path, error),
            None => io("open", path, error),
        })?;
        let identity = Identity::of(&file.metadata().map_err(|e| io("look at", path, e))?);
        let mut journal = Self {
            path: path.to_owned(),
            file: Arc::new(file),
            identity,
            head,
            durability,
            clock,
            chain: Chain::empty(),
            turn: Weak::new(),
            checkpointed: 0,
            torn: None,
        };
        let _turn = journal.take_turn()?;
        let found = Checkpoint::read(path, identity).and_then(|found| found.chain(&journal.file));
        if let Some(chain) = found {
            journal.checkpointed = chain.frames;
            journal.chain = chain;
        }
        journal.catch_up()?;
        journal.check_head()?;
        journal.accept_loss()?;
        journal.checkpoint();
        Ok(journal)
    }

    /// How many bytes of a torn last line were cut off when the journal was opened.
    #[must_use]
    pub fn torn(&self) -> Option<u64> {
        self.torn
    }

    fn take_turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        let turn = Turn::take(&self.file).map_err(|e| io("take a turn on", &self.path, e))?;
        let turn = Arc::new(turn);
        self.turn = Arc::downgrade(&turn);
        Ok(turn)
    }

    /// Reads what others appended since. Linear in what is new. Only within a turn.
    fn catch_up(&mut self) -> Result<(), JournalError> {
        let found = std::fs::metadata(&self.path).map_err(|e| io("look at", &self.path, e))?;
        if Identity::of(&found) != self.identity {
            // Others would act by the new file and this process by the old one.
            return Err(self.changed("another file has taken its place"));
        }
        let length = found.len();
        if length == self.chain.bytes {
            return Ok(());
        }
        if length < self.chain.bytes {
            return Err(self.changed("its end was cut off"));
        }
        let file = Arc::clone(&self.file);
        let wrap = |e| io("read", &self.path, e);
        (&*file).seek(SeekFrom::Start(self.chain.bytes)).map_err(wrap)?;
        let new = length - self.chain.bytes;
        let buffer = usize::try_from(new).unwrap_or(usize::MAX).min(LARGEST_BUFFER);
        let mut lines = BufReader::with_capacity(buffer, (&*file).take(new));
        let mut line = Vec::new();
        loop {
            let found = next_line(&mut lines, &mut line);
            match found.map_err(|e| io("read", &self.path, e))? {
                Line::End => return Ok(()),
                Line::Torn => return self.cut(&line),
                Line::Whole => {}
            }
            // A line is written with one call, its end last: one that ends was written as it is.
            self.chain.take(&line).map_err(|kind| self.changed(&kind.to_string()))?;
        }
    }

    /// Writes a checkpoint when one is due. It may be missing, so a failure is nobody's business.
    fn checkpoint(&mut self) {
        if is_due(&self.chain, self.chain.frames - self.checkpointed.min(self.chain.frames)) {
            let _ = checkpoint::write(&self.path, self.identity, &self.chain);
            self.checkpointed = self.chain.frames;
        }
    }

    /// Cuts off a torn tail, keeping its bytes beside the journal, unless the head knows of a whole
    /// line there: then nothing is touched, for it was no crash that took its end.
    fn cut(&mut self, tail: &[u8]) -> Result<(), JournalError> {
        self.check_head()?;
        let keep = beside(&self.path, "torn");
        let mut kept = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&keep)
            .map_err(|e| io("keep the torn tail of", &self.path, e))?;
        let written = kept.write_all(tail).and_then(|()| kept.write_all(b"\n"));
        written.map_err(|e| io("keep the torn tail of", &self.path, e))?;
        self.file.set_len(self.chain.bytes).map_err(|e| io("cut", &self.path, e))?;
        self.torn = Some(tail.len() as u64);
        Ok(())
    }

    fn check_head(&self) -> Result<(), JournalError> {
        match read_head(&self.head) {
            Some(head) if head.bytes > self.chain.bytes && !head.excuses(self.chain.bytes) => {
                Err(self.changed("its end was cut off"))
            }
            _ => Ok(()),
        }
    }

    /// Goes on from what is there when a crash of the machine took lines: whatever names them is made
    /// to name what is left.
    fn accept_loss(&mut self) -> Result<(), JournalError> {
        let is_short = |head: &Head| head.bytes > self.chain.bytes;
        if !read_head(&self.head).as_ref().is_some_and(is_short) {
            return Ok(());
        }
        let _ = std::fs::remove_file(beside(&self.path, "checkpoint"));
        self.checkpointed = 0;
        let Chain { bytes, frames, digest, .. } = &self.chain;
        let boot = BOOT.clone();
        let head =
            Head { bytes: *bytes, frames: *frames, digest: digest.clone(), sure: *bytes, boot };
        let written = match frames {
            0 => self.head.set_len(0),
            _ => self.head.write_all_at(head.text().as_bytes(), 0),
        };
        written.map_err(|e| io("write the head of", &self.path, e))
    }

    fn changed(&self, reason: &str) -> JournalError {
        JournalError::Changed {
            path: self.path.clone(),
            frame: self.chain.frames,
            reason: reason.to_owned(),
        }
    }

    fn write(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        let mut frame = Frame {
            seq: self.chain.next(&ids.session),
            ids: ids.clone(),
            time: self.clock.now(),
            kind: event.name().to_owned(),
            payload: event.payload(),
            extra: serde_json::Map::new(),
            prev: self.chain.digest.clone(),
            digest: String::new(),
        };
        let mut line = frame.seal();
        if line.len() > MAX_FRAME_BYTES {
            return Err(JournalError::TooLarge(line.len()));
        }
        line.push('\n');
        if let Err(error) = self.put(&line, &frame.digest, beat) {
            // Take back what was written, so that nothing is half recorded.
            let _ = self.file.set_len(self.chain.bytes);
            return Err(io("append to", &self.path, error));
        }
        self.chain.advance(&frame, event, line.len());
        self.checkpoint();
        Ok(frame)
    }

    /// One line, durable as far as was asked for, and the head that names it.
    fn put(&self, line: &str, digest: &str, beat: Beat) -> std::io::Result<()> {
        (&*self.file).write_all(line.as_bytes())?;
        let sync = match self.durability {
            Durability::EachFrame => true,
            Durability::EachAct => beat == Beat::Result,
            Durability::System => false,
        };
        let bytes = self.chain.bytes + line.len() as u64;
        let sure = match sync {
            true => {
                self.file.sync_data()?;
                bytes
            }
            false => read_head(&self.head).map_or(0, |head| head.sure.min(self.chain.bytes)),
        };
        let boot = BOOT.clone();
        let digest = digest.to_owned();
        let head = Head { bytes, frames: self.chain.frames + 1, digest, sure, boot };
        self.head.write_all_at(head.text().as_bytes(), 0)
    }
}

impl Journal for FileJournal {
    fn turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        if let Some(turn) = self.turn.upgrade() {
            return Ok(turn);
        }
        let turn = self.take_turn()?;
        self.catch_up()?;
        Ok(turn)
    }

    fn append(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        let _turn = self.turn()?;
        self.write(ids, event, beat)
    }

    fn news(&mut self, session: &str, frames: u64) -> Option<State> {
        self.chain.states.get(session).filter(|state| state.frames != frames).cloned()
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        let reading = super::read(&self.path)?;
        if let Some(fault) = reading.fault {
            return Err(JournalError::Changed {
                path: self.path.clone(),
                frame: fault.frame,
                reason: fault.kind.to_string(),
            });
        }
        Ok(reading.frames.into_iter().filter(|frame| frame.ids.session == session).collect())
    }
}

/// What the head file says.
pub(super) struct Head {
    /// Length of the journal when the head was written.
    pub(super) bytes: u64,
    /// How many lines it had.
    frames: u64,
    /// Digest of its last line.
    pub(super) digest: String,
    /// How much of it was made sure to be on disk.
    sure: u64,
    /// Names the start of the machine since which the rest was written.
    boot: Option<String>,
}

/// What the system calls the time since the machine was started; none where it has no name for it.
static BOOT: LazyLock<Option<String>> = LazyLock::new(|| {
    let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(name.trim().to_owned()).filter(|name| name.len() == BOOT_CHARS)
});

/// Characters of such a name.
const BOOT_CHARS: usize = 36;

/// Bytes of a head at most.
const HEAD_BYTES: usize = 20 + 1 + 20 + 1 + 64 + 1 + 20 + 1 + BOOT_CHARS + 1;

impl Head {
    /// Whether a crash of the machine explains that the journal ends after so many bytes: all that was
    /// made sure is there, and the machine was started anew since.
    pub(super) fn excuses(&self, bytes: u64) -> bool {
        let is_another = |boot: &String| BOOT.as_ref().is_some_and(|now| now != boot);
        bytes >= self.sure && self.boot.as_ref().is_some_and(is_another)
    }

    /// Fixed width, so that one write replaces it whole.
    fn text(&self) -> String {
        let Self { bytes, frames, digest, sure, boot } = self;
        let boot = boot.as_deref().unwrap_or("-");
        format!("{bytes:020} {frames:020} {digest} {sure:020} {boot:<BOOT_CHARS$}\n")
    }

    /// Why the journal at `path` could not be opened: what was written once is not merely missing.
    pub(super) fn unopened(&self, path: &Path, source: std::io::Error) -> JournalError {
        match source.kind() == std::io::ErrorKind::NotFound && self.bytes > 0 {
            true => JournalError::Gone { path: path.to_owned(), frames: self.frames },
            false => io("open", path, source),
        }
    }
}

fn read_head(file: &File) -> Option<Head> {
    let mut bytes = [0; HEAD_BYTES];
    let length = file.read_at(&mut bytes, 0).ok()?;
    parse_head(std::str::from_utf8(bytes.get(..length)?).ok()?)
}

/// The head's text; none when it is not one.
pub(super) fn parse_head(text: &str) -> Option<Head> {
    let mut words = text.split_whitespace();
    let bytes = words.next()?.parse().ok()?;
    let frames = words.next()?.parse().ok()?;
    let digest = words.next().filter(|digest| digest.len() == 64)?.to_owned();
    // Without the rest nothing is excused.
    let sure = words.next().map_or(Some(bytes), |sure| sure.parse().ok())?;
    let boot = words.next().filter(|boot| boot.len() == BOOT_CHARS).map(str::to_owned);
    Some(Head { bytes, frames, digest, sure, boot })
}

/// A journal and every file that is kept beside it.
#[must_use]
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    let beside = ["head", "checkpoint", "checkpoint.new", "torn"].map(|word| beside(path, word));
    std::iter::once(path.to_owned()).chain(beside).collect()
}

/// `NAME.WORD` beside the journal.
pub(super) fn beside(path: &Path, word: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(word);
    path.with_file_name(name)
}

fn io(act: &'static str, path: &Path, source: std::io::Error) -> JournalError {
    JournalError::Io { act, path: path.to_owned(), source }
}

/// The digest of any bytes, as frames name it.
#[must_use]
pub(crate) fn content_digest(bytes: &[u8]) -> String {
    frame::digest(bytes)
}
