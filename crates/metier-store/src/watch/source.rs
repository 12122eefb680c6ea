//! The door to the system's file notifications (inotify): what is watched, and what is told about it.
//!
//! Directories are watched one by one and never recursively. A recursive watch would also take every
//! resource directory of every skill, every `node_modules` and `.git`, of a number that is limited
//! for the whole machine; a scan knows which directories can matter. Nor is the system asked to tell
//! of files that are merely opened: our own scans open thousands, and would fill its queue.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};
use rustix::fs::inotify::{self, CreateFlags, Event, ReadFlags, Reader, WatchFlags};
use rustix::io::{Errno, write};

use super::tree::Happening;
use super::{WatchError, lock};
use crate::limits::NOTIFICATION_BYTES;

/// What the system is asked to tell of a directory.
const WANTED: WatchFlags = WatchFlags::CREATE
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// What the system says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// Something happened to a path.
    Happened(&'a Path, Happening),
    /// Some events were lost.
    Lost,
    /// Watching no longer works.
    Failed(WatchError),
}

/// The system's notifications, heard on a thread of their own until this is dropped.
pub(super) struct Source {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    inotify: OwnedFd,
    /// Written to when the thread has to stop, to wake it.
    bell: OwnedFd,
    stopped: AtomicBool,
    names: Mutex<Names>,
}

/// The system names a watched directory by a number, the same one as long as the directory is the
/// same, whatever path it was watched by.
#[derive(Default)]
struct Names {
    paths: BTreeMap<i32, PathBuf>,
    numbers: BTreeMap<PathBuf, i32>,
}

impl Source {
    /// Starts listening. `hear` is called on a thread of its own, one word at a time.
    pub(super) fn new(hear: impl Fn(Word<'_>) + Send + 'static) -> Result<Self, WatchError> {
        let shared = Arc::new(Shared {
            inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
            bell: eventfd(0, EventfdFlags::CLOEXEC)?,
            stopped: AtomicBool::new(false),
            names: Mutex::default(),
        });
        let listening = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("metier-notify".to_owned())
            .spawn(move || listening.listen(hear))
            .map_err(|error| WatchError::System(error.to_string()))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Watches one directory. Harmless when it is watched already.
    pub(super) fn watch(&self, directory: &Path) -> Result<(), WatchError> {
        // Held until the number is known by name: events may come before the call returns.
        let mut names = lock(&self.shared.names);
        let number = inotify::add_watch(&self.shared.inotify, directory, WANTED)?;
        if let Some(stale) = names.add(number, directory) {
            let _ = inotify::remove_watch(&self.shared.inotify, stale);
        }
        Ok(())
    }

    /// Stops watching a directory. The system forgets one that is gone by itself.
    pub(super) fn unwatch(&self, directory: &Path) {
        if let Some(number) = lock(&self.shared.names).remove(directory) {
            let _ = inotify::remove_watch(&self.shared.inotify, number);
        }
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        let _ = write(&self.shared.bell, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            // A panic there was reported by the runtime already; dropping must not start another.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn listen(&self, hear: impl Fn(Word<'_>)) {
        let mut buffer = vec![MaybeUninit::uninit(); NOTIFICATION_BYTES];
        let mut events = Reader::new(&self.inotify, &mut buffer);
        while !self.stopped.load(Ordering::Relaxed) {
            match events.next() {
                Ok(event) => self.tell(&event, &hear),
                Err(Errno::AGAIN) => self.wait(),
                Err(Errno::INTR) => {}
                Err(errno) => return hear(Word::Failed(errno.into())),
            }
        }
    }

    /// Waits for events, or for the bell.
    fn wait(&self) {
        let mut both =
            [PollFd::new(&self.inotify, PollFlags::IN), PollFd::new(&self.bell, PollFlags::IN)];
        // Whatever it returns, the next read says what is the matter.
        let _ = poll(&mut both, None);
    }

    fn tell(&self, event: &Event<'_>, hear: &impl Fn(Word<'_>)) {
        let flags = event.events();
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            return hear(Word::Lost);
        }
        if flags.contains(ReadFlags::IGNORED) {
            return lock(&self.names).forget(event.wd());
        }
        let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
        let Some(path) = lock(&self.names).path(event.wd(), name) else { return };
        hear(Word::Happened(&path, happening(flags)));
    }
}

impl Names {
    /// The path of an entry of a watched directory, or of the directory itself.
    fn path(&self, number: i32, name: Option<&OsStr>) -> Option<PathBuf> {
        let directory = self.paths.get(&number)?;
        Some(name.map_or_else(|| directory.clone(), |name| directory.join(name)))
    }

    /// Notes a number. Returns another one that the path had: of a directory that was there before.
    fn add(&mut self, number: i32, path: &Path) -> Option<i32> {
        if let Some(before) = self.paths.insert(number, path.to_owned()).filter(|b| b != path) {
            self.numbers.remove(&before);
        }
        let stale = self.numbers.insert(path.to_owned(), number).filter(|n| *n != number)?;
        self.paths.remove(&stale).map(|_| stale)
    }

    /// Forgets a path. Returns its number, if it still had one.
    fn remove(&mut self, path: &Path) -> Option<i32> {
        let number = self.numbers.remove(path)?;
        self.paths.remove(&number).map(|_| number)
    }

    /// Forgets a number that the system has forgotten.
    fn forget(&mut self, number: i32) {
        if let Some(path) = self.paths.remove(&number) {
            self.numbers.remove(&path);
        }
    }
}

impl From<Errno> for WatchError {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOSPC => Self::SystemLimit,
            other => Self::System(std::io::Error::from(other).to_string()),
        }
    }
}

fn happening(flags: ReadFlags) -> Happening {
    if flags.intersects(ReadFlags::MODIFY | ReadFlags::CLOSE_WRITE) {
        Happening::Content
    } else {
        Happening::Entry
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
