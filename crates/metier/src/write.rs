//! The only place of the command that writes files: one file replaced whole or not at all, and a
//! temporary directory that disappears with its owner.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door for writing files; it reads back what it is about to replace"
)]

use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

/// Why a file was not replaced. In every case it is as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    /// The system said no.
    #[error("cannot write `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its permissions say it is not to be changed.
    #[error("`{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It is a link to somewhere else.
    #[error("`{}` is a link that leaves its directory", .0.display())]
    LeavesDirectory(PathBuf),
    /// Somebody else changed it since it was read.
    #[error("`{}` changed while it was being looked at", .0.display())]
    Changed(PathBuf),
}

/// Replaces the content of `path`, which was `old`, by `new`: written to a file beside it with the
/// same mode and owner, flushed to disk, then renamed over it. A link is followed as long as it
/// stays below the file's own directory.
pub(crate) fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), WriteError> {
    let wrap = |source| WriteError::Io { path: path.to_owned(), source };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let home = parent.unwrap_or(Path::new(".")).canonicalize().map_err(wrap)?;
    let target = path.canonicalize().map_err(wrap)?;
    let Some(directory) = target.parent().filter(|parent| parent.starts_with(&home)) else {
        return Err(WriteError::LeavesDirectory(path.to_owned()));
    };
    let metadata = std::fs::metadata(&target).map_err(wrap)?;
    if metadata.permissions().readonly() {
        return Err(WriteError::ReadOnly(path.to_owned()));
    }
    let mut file = NamedTempFile::with_prefix_in(".metier-", directory).map_err(wrap)?;
    file.write_all(new).map_err(wrap)?;
    file.as_file().set_permissions(metadata.permissions()).map_err(wrap)?;
    // Only root can give a file away, and only root would otherwise take one: for everybody else
    // the owner is the same already or cannot be kept.
    let _ = fchown(file.as_file(), Some(metadata.uid()), Some(metadata.gid()));
    file.as_file().sync_all().map_err(wrap)?;
    if std::fs::read(&target).map_err(wrap)? != old {
        return Err(WriteError::Changed(path.to_owned()));
    }
    file.persist(&target).map_err(|error| wrap(error.error))?;
    std::fs::File::open(directory).and_then(|directory| directory.sync_all()).map_err(wrap)
}

/// A directory for one run, removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch(TempDir);

impl Scratch {
    /// An empty one.
    pub(crate) fn new() -> Result<Self, WriteError> {
        let made = TempDir::with_prefix("metier-");
        made.map(Self).map_err(|source| WriteError::Io { path: std::env::temp_dir(), source })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file below it, with the directories on the way.
    pub(crate) fn write(&self, path: &str, bytes: &[u8]) -> Result<PathBuf, WriteError> {
        let full = self.path().join(path);
        let wrap = |source| WriteError::Io { path: full.clone(), source };
        if let Some(parent) = full.parent() {
            std::fs::create_dir_all(parent).map_err(wrap)?;
        }
        std::fs::write(&full, bytes).map_err(wrap)?;
        Ok(full)
    }

    /// Replaces the first `old` in a file below it by `new`.
    pub(crate) fn edit(&self, path: &str, old: &str, new: &str) -> Result<(), WriteError> {
        let full = self.path().join(path);
        let text = std::fs::read_to_string(&full);
        let text = text.map_err(|source| WriteError::Io { path: full, source })?;
        self.write(path, text.replacen(old, new, 1).as_bytes()).map(drop)
    }

    /// Removes it, saying so when that fails.
    pub(crate) fn remove(self) -> Result<(), WriteError> {
        let path = self.path().to_owned();
        self.0.close().map_err(|source| WriteError::Io { path, source })
    }
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
