//! Turns: whoever decides by what a journal says and then appends to it does both in one turn, so
//! that two processes cannot both activate the same skill. Only processes that act take turns;
//! those that look do not wait.

#![expect(clippy::disallowed_methods, reason = "this file is the turns' door to the disk")]

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use super::JournalError;
use super::file::beside;

/// How long one waits between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// How often one tries: an act takes milliseconds, so ten seconds mean that somebody hangs.
const TRIES: u32 = 2000;

/// The right to decide and append. It ends when dropped, and with the process, however that ends.
#[derive(Debug)]
pub struct Turn {
    _file: File,
}

impl Turn {
    /// Waits for a turn on the journal at `path`, which need not exist yet.
    pub fn take(path: &Path) -> Result<Self, JournalError> {
        Self::take_within(path, TRIES)
    }

    fn take_within(path: &Path, tries: u32) -> Result<Self, JournalError> {
        let io = |source| JournalError::Io { act: "take a turn on", path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(io)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(beside(path, "turn")).map_err(io)?;
        for _ in 0..tries {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(io(error)),
            }
        }
        let held = "another process has held it for too long";
        Err(io(std::io::Error::new(std::io::ErrorKind::TimedOut, held)))
    }
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
