//! A journal in a file. Any number of processes may append to it: each append takes the file's
//! lock, catches up with what others wrote since, and writes one line with one call.
//!
//! Beside the journal stands `NAME.head`, which names the last line written. A chain alone cannot
//! tell that its end was cut off; the head can.

#![expect(clippy::disallowed_methods, reason = "this file is the journal's door to the disk")]

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::frame::{self, Frame, Ids};
use super::{Beat, Journal, JournalError};
use crate::clock::Clock;
use crate::event::Event;
use crate::limits::MAX_FRAME_BYTES;

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
    file: File,
    head: File,
    durability: Durability,
    clock: Arc<dyn Clock>,
    known: Known,
    torn: Option<u64>,
}

/// What this process knows of the file: everything up to `bytes`.
#[derive(Default)]
struct Known {
    bytes: u64,
    frames: u64,
    digest: String,
    next: BTreeMap<String, u64>,
}

impl FileJournal {
    /// Opens or creates the journal at `path`. A torn last line, left by a crash, is cut off and
    /// kept beside the journal; anything else that is not as written is an error.
    pub fn open(
        path: &Path,
        durability: Durability,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, JournalError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|e| io("create the folder of", path, e))?;
        }
        let open = |path: &Path| {
            OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
        };
        let head_path = beside(path, "head");
        let head = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&head_path)
            .map_err(|e| io("open the head of", path, e))?;
        let file = open(path).map_err(|e| io("open", path, e))?;
        let known = Known { digest: Frame::origin(), ..Known::default() };
        let mut journal =
            Self { path: path.to_owned(), file, head, durability, clock, known, torn: None };
        journal.locked(|journal| {
            journal.catch_up()?;
            journal.check_head()
        })?;
        Ok(journal)
    }

    /// How many bytes of a torn last line were cut off when the journal was opened.
    #[must_use]
    pub fn torn(&self) -> Option<u64> {
        self.torn
    }

    /// Runs `act` while no other process appends.
    fn locked<T>(
        &mut self,
        act: impl FnOnce(&mut Self) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        self.file.lock().map_err(|e| io("lock", &self.path, e))?;
        let result = act(self);
        // Closing the file releases the lock as well; a failure here cannot lose a frame.
        let _ = self.file.unlock();
        result
    }

    /// Reads what others appended since. Linear in what is new.
    fn catch_up(&mut self) -> Result<(), JournalError> {
        let length = self.file.metadata().map_err(|e| io("look at", &self.path, e))?.len();
        if length == self.known.bytes {
            return Ok(());
        }
        if length < self.known.bytes {
            return Err(self.changed("its end was cut off"));
        }
        let mut new = Vec::new();
        self.file.seek(SeekFrom::Start(self.known.bytes)).map_err(|e| io("read", &self.path, e))?;
        (&self.file)
            .take(length - self.known.bytes)
            .read_to_end(&mut new)
            .map_err(|e| io("read", &self.path, e))?;
        let mut rest = new.as_slice();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = (&rest[..end], &rest[end + 1..]);
            if let Err(reason) = self.known.take(line) {
                return if after.is_empty() && self.head_allows_cut() {
                    self.cut(rest)
                } else {
                    Err(self.changed(&reason))
                };
            }
            rest = after;
        }
        if rest.is_empty() { Ok(()) } else { self.cut(rest) }
    }

    /// Whether the head does not name a line beyond what is known, so that what follows was never
    /// acknowledged.
    fn head_allows_cut(&self) -> bool {
        read_head(&self.head).is_none_or(|head| head.bytes <= self.known.bytes)
    }

    /// Cuts off a torn tail, keeping its bytes beside the journal.
    fn cut(&mut self, tail: &[u8]) -> Result<(), JournalError> {
        let keep = beside(&self.path, "torn");
        let mut kept = OpenOptions::new()
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&keep)
            .map_err(|e| io("keep the torn tail of", &self.path, e))?;
        let written = kept.write_all(tail).and_then(|()| kept.write_all(b"\n"));
        written.map_err(|e| io("keep the torn tail of", &self.path, e))?;
        self.file.set_len(self.known.bytes).map_err(|e| io("cut", &self.path, e))?;
        self.torn = Some(tail.len() as u64);
        Ok(())
    }

    fn check_head(&self) -> Result<(), JournalError> {
        match read_head(&self.head) {
            Some(head) if head.bytes > self.known.bytes => Err(self.changed("its end was cut off")),
            _ => Ok(()),
        }
    }

    fn changed(&self, reason: &str) -> JournalError {
        JournalError::Changed {
            path: self.path.clone(),
            frame: self.known.frames,
            reason: reason.to_owned(),
        }
    }

    fn write(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        self.catch_up()?;
        let mut frame = Frame {
            seq: self.known.next.get(&ids.session).copied().unwrap_or(0),
            ids: ids.clone(),
            time: self.clock.now(),
            kind: event.name().to_owned(),
            payload: event.payload(),
            extra: serde_json::Map::new(),
            prev: self.known.digest.clone(),
            digest: String::new(),
        };
        let mut line = frame.seal();
        if line.len() > MAX_FRAME_BYTES {
            return Err(JournalError::TooLarge(line.len()));
        }
        line.push('\n');
        if let Err(error) = self.put(&line, beat) {
            // Take back what was written, so that nothing is half recorded.
            let _ = self.file.set_len(self.known.bytes);
            return Err(io("append to", &self.path, error));
        }
        self.known.advance(&frame, line.len());
        if let Err(error) = write_head(&self.head, &self.known) {
            return Err(io("write the head of", &self.path, error));
        }
        Ok(frame)
    }

    /// One line, durable as far as was asked for.
    fn put(&mut self, line: &str, beat: Beat) -> std::io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        let sync = match self.durability {
            Durability::EachFrame => true,
            Durability::EachAct => beat == Beat::Result,
            Durability::System => false,
        };
        if sync { self.file.sync_data() } else { Ok(()) }
    }
}

impl Journal for FileJournal {
    fn append(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        self.locked(|journal| journal.write(ids, event, beat))
    }

    fn count(&mut self, session: &str) -> Result<u64, JournalError> {
        self.locked(Self::catch_up)?;
        Ok(self.known.next.get(session).copied().unwrap_or(0))
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        if self.count(session)? == 0 {
            return Ok(Vec::new());
        }
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

impl Known {
    /// Takes one line into account, or says why it does not follow.
    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        let frame = Frame::parse(line).map_err(|error| error.to_string())?;
        if frame.prev != self.digest {
            return Err("it does not follow the frame before it".into());
        }
        let expected = self.next.get(&frame.ids.session).copied().unwrap_or(0);
        if frame.seq != expected {
            return Err(format!("its sequence number is {} and not {expected}", frame.seq));
        }
        self.advance(&frame, line.len() + 1);
        Ok(())
    }

    fn advance(&mut self, frame: &Frame, bytes: usize) {
        self.bytes += bytes as u64;
        self.frames += 1;
        self.digest.clone_from(&frame.digest);
        self.next.insert(frame.ids.session.clone(), frame.seq + 1);
    }
}

/// What the head file says.
pub(super) struct Head {
    /// Length of the journal when the head was written.
    pub(super) bytes: u64,
    /// Digest of its last line.
    pub(super) digest: String,
}

/// Fixed width, so that one write replaces it whole.
fn write_head(file: &File, known: &Known) -> std::io::Result<()> {
    let text = format!("{:020} {:020} {}\n", known.bytes, known.frames, known.digest);
    file.write_all_at(text.as_bytes(), 0)
}

fn read_head(file: &File) -> Option<Head> {
    let mut bytes = [0; 20 + 1 + 20 + 1 + 64 + 1];
    file.read_exact_at(&mut bytes, 0).ok()?;
    parse_head(std::str::from_utf8(&bytes).ok()?)
}

/// The head's text; none when it is not one.
pub(super) fn parse_head(text: &str) -> Option<Head> {
    let mut words = text.split_whitespace();
    let bytes = words.next()?.parse().ok()?;
    let _frames: u64 = words.next()?.parse().ok()?;
    let digest = words.next()?.to_owned();
    (digest.len() == 64).then_some(Head { bytes, digest })
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
