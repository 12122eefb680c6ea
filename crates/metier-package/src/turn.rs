//! Turns: whoever changes what is installed does it alone. Any number of processes may wait; those
//! that only look do not.
//!
//! The turn is the kernel's lock on one file in the home, so it ends with its owner, however that
//! ends. The owner also writes down who it is (process, its start and the boot it runs in), for
//! whoever waits too long, and strikes it out when done: what still stands there was left by
//! somebody who did not come to an end.

use std::fmt;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat, ftruncate, openat, stat};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::atomic::{DiskError, Folder};
use crate::home::Home;
use crate::limits::{TURN_PAUSE, TURN_TRIES};

/// The file that is locked.
pub(crate) const FILE: &str = "packages.turn";

/// The right to change what is installed.
#[derive(Debug)]
pub struct Turn {
    file: OwnedFd,
    left: Option<Owner>,
}

/// Who has the turn, or had it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The process.
    pub pid: u32,
    /// When it started, in the kernel's ticks since boot: ids of processes are used again.
    #[serde(default)]
    pub start: u64,
    /// Which boot: after the next one neither means anything.
    #[serde(default)]
    pub boot: String,
}

/// Why there is no turn.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// Somebody has had it for too long.
    #[error("another process is changing skills and does not come to an end: {0}")]
    Busy(String),
    /// The file cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl Turn {
    /// Waits for the turn in `home`.
    pub fn take(home: &Home) -> Result<Self, TurnError> {
        Self::take_within(home, TURN_TRIES)
    }

    /// The turn, if nobody has it.
    pub fn try_take(home: &Home) -> Result<Self, TurnError> {
        Self::take_within(home, 1)
    }

    /// Whoever had the turn before and did not come to an end.
    #[must_use]
    pub fn left(&self) -> Option<&Owner> {
        self.left.as_ref()
    }

    pub(crate) fn take_within(home: &Home, tries: u32) -> Result<Self, TurnError> {
        let folder = Folder::make_all(home.path())?;
        for attempt in 1..=tries.max(1) {
            let file = open(&folder)?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if is_still(&file, &folder) => return Ok(Self::begin(file)),
                // Somebody removed the file meanwhile; a lock on it excludes nobody.
                Ok(()) => {}
                Err(Errno::AGAIN | Errno::INTR) if attempt < tries => {
                    std::thread::sleep(TURN_PAUSE);
                }
                Err(Errno::AGAIN | Errno::INTR) => break,
                Err(errno) => return Err(folder.failed("take a turn at", FILE, errno).into()),
            }
        }
        let owner = open(&folder).map(|file| recorded(&file));
        Err(TurnError::Busy(owner?.map_or("nobody said who".to_owned(), |o| o.to_string())))
    }

    fn begin(file: OwnedFd) -> Self {
        let left = recorded(&file);
        let me = serde_json::to_vec(&Owner::this()).unwrap_or_default();
        // Only for those who wait: whether it can be written changes nothing about the lock.
        let _ = ftruncate(&file, 0).and_then(|()| rustix::io::pwrite(&file, &me, 0));
        Self { file, left }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = ftruncate(&self.file, 0);
    }
}

impl Owner {
    /// This process.
    #[must_use]
    pub fn this() -> Self {
        let pid = std::process::id();
        Self { pid, start: start_of(pid).unwrap_or(0), boot: boot() }
    }

    /// Whether the process is still there.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.boot == boot() && start_of(self.pid) == Some(self.start)
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alive = if self.is_alive() { "running" } else { "gone" };
        write!(f, "process {} ({alive})", self.pid)
    }
}

/// Whoever is written down as having the turn, and where; looked at without taking it.
pub(crate) fn written(home: &Home) -> Option<(Owner, std::path::PathBuf)> {
    let folder = Folder::open(home.path()).ok()?;
    let text = folder.read(FILE, 4096).ok()??;
    Some((serde_json::from_slice(&text).ok()?, home.path().join(FILE)))
}

fn open(folder: &Folder) -> Result<OwnedFd, DiskError> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(folder.fd(), FILE, flags, Mode::from_bits_truncate(0o600))
        .map_err(|errno| folder.failed("open", FILE, errno))
}

/// Whether the file that was locked is the one that has the name.
fn is_still(file: &OwnedFd, folder: &Folder) -> bool {
    match (fstat(file), stat(folder.path().join(FILE))) {
        (Ok(held), Ok(named)) => (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino),
        _ => false,
    }
}

/// Who is written down in the file.
fn recorded(file: &OwnedFd) -> Option<Owner> {
    let mut text = [0; 256];
    let count = rustix::io::pread(file, &mut text, 0).ok()?;
    serde_json::from_slice(text.get(..count)?).ok()
}

/// When a process started, in ticks since boot: the twenty-second field, counted behind the name,
/// which may hold anything.
fn start_of(pid: u32) -> Option<u64> {
    let text = proc_text(&format!("/proc/{pid}/stat"))?;
    let behind = text.rsplit_once(") ")?.1;
    behind.split(' ').nth(19)?.parse().ok()
}

fn boot() -> String {
    let text = proc_text("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

fn proc_text(path: &str) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let fd = rustix::fs::open(Path::new(path), flags, Mode::empty()).ok()?;
    let mut text = String::new();
    File::from(fd).take(4096).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
