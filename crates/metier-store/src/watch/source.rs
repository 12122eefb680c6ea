//! The door to the system's file notifications: what is watched, and what is told about it.
//!
//! Directories are watched one by one and never recursively. A recursive watch would also take every
//! resource directory of every skill, every `node_modules` and `.git`, of a number that is limited
//! for the whole machine; a scan knows which directories can matter.
//!
//! The backend also tells of every file that is opened, by us too; those are dropped here.

use std::path::Path;

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::WatchError;
use super::tree::Happening;

/// What the system says.
pub(super) enum Word<'a> {
    /// Something happened to a path.
    Happened(&'a Path, Happening),
    /// Some events were lost.
    Lost,
    /// Watching no longer works.
    Failed(WatchError),
}

/// The system's notifications.
pub(super) struct Source(RecommendedWatcher);

impl Source {
    /// Starts listening. `hear` is called on a thread of its own, one word at a time.
    pub(super) fn new(hear: impl Fn(Word<'_>) + Send + 'static) -> Result<Self, WatchError> {
        let handler = move |event: notify::Result<Event>| match event {
            Ok(event) if event.need_rescan() => hear(Word::Lost),
            Ok(event) => {
                if let Some(happening) = happening(event.kind) {
                    event.paths.iter().for_each(|path| hear(Word::Happened(path, happening)));
                }
            }
            Err(error) => hear(Word::Failed(error.into())),
        };
        let watcher = RecommendedWatcher::new(handler, notify::Config::default())?;
        Ok(Self(watcher))
    }

    /// Watches one directory. Harmless when it is watched already.
    pub(super) fn watch(&mut self, directory: &Path) -> Result<(), WatchError> {
        Ok(self.0.watch(directory, RecursiveMode::NonRecursive)?)
    }

    /// Stops watching a directory. One that is gone was dropped by the system already.
    pub(super) fn unwatch(&mut self, directory: &Path) {
        let _ = self.0.unwatch(directory);
    }
}

impl From<notify::Error> for WatchError {
    fn from(error: notify::Error) -> Self {
        match &error.kind {
            ErrorKind::MaxFilesWatch => Self::SystemLimit,
            ErrorKind::Io(source) => Self::System(source.to_string()),
            ErrorKind::Generic(message) => Self::System(message.clone()),
            ErrorKind::PathNotFound | ErrorKind::WatchNotFound | ErrorKind::InvalidConfig(_) => {
                Self::System(error.to_string())
            }
        }
    }
}

fn happening(kind: EventKind) -> Option<Happening> {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Modify(ModifyKind::Data(_)) => Some(Happening::Content),
        EventKind::Access(_) => None,
        _ => Some(Happening::Entry),
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
