//! The only place of the command that writes files: one file replaced whole or not at all, and a
//! temporary directory that disappears with its owner.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door for writing files; it reads back what it is about to replace"
)]

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, XattrFlags, fgetxattr, flistxattr, fsetxattr, openat, renameat,
    unlinkat,
};
use rustix::io::Errno;
use tempfile::TempDir;

/// Names tried for the file that is written first. Only somebody who makes them on purpose can be
/// in the way of more than one.
const MAX_DRAFT_NAMES: u32 = 100;

/// Most bytes of the names of a file's extended attributes, and of one value: the system's limit.
const MAX_ATTRIBUTE_BYTES: usize = 64 * 1024;

/// How a directory is opened to reach what lies in it. No link is followed.
const OPEN_STEP: OFlags =
    OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

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
    /// A link leads to somewhere else.
    #[error("`{}` is reached by a link that leaves `{}`", path.display(), directory.display())]
    LeavesDirectory {
        /// The file.
        path: PathBuf,
        /// Where it should lie.
        directory: PathBuf,
    },
    /// Somebody else changed it since it was read.
    #[error("`{}` changed while it was being looked at", .0.display())]
    Changed(PathBuf),
}

/// Replaces the content of `path`, which was `old`, by `new`: written to a file beside it with the
/// same mode, owner and extended attributes, flushed to disk, then renamed over it. A link to the file is followed as
/// long as it stays below the file's own directory, one on the way to it as long as it stays below
/// `within`. Whoever swaps directories meanwhile changes nothing: everything happens in the one
/// that was opened.
pub(crate) fn replace(
    within: &Path,
    path: &Path,
    old: &[u8],
    new: &[u8],
) -> Result<(), WriteError> {
    let wrap = |source: io::Error| WriteError::Io { path: path.to_owned(), source };
    let place = Place::find(within, path)?;
    let (file, metadata, _) = place.read(old.len()).map_err(wrap)?;
    if metadata.permissions().readonly() {
        return Err(WriteError::ReadOnly(path.to_owned()));
    }
    let mut draft = Draft::beside(&place).map_err(wrap)?;
    draft.file.write_all(new).map_err(wrap)?;
    draft.file.set_permissions(metadata.permissions()).map_err(wrap)?;
    // Only root can give a file away, and only root would otherwise take one: for everybody else
    // it is the same already or cannot be kept.
    let _ = fchown(&draft.file, Some(metadata.uid()), Some(metadata.gid()));
    keep_attributes(&file, &draft.file).map_err(wrap)?;
    draft.file.sync_all().map_err(wrap)?;
    let (_, _, now) = place.read(old.len()).map_err(wrap)?;
    if now != old {
        return Err(WriteError::Changed(path.to_owned()));
    }
    draft.publish().map_err(wrap)?;
    place.sync().map_err(wrap)
}

/// Puts `bytes` where `name` is in `folder`, which is made when its parent is there. Whole or not at
/// all for whoever reads it; not flushed, since what is kept like this can be found out again.
pub(crate) fn keep(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    match rustix::fs::mkdir(folder, Mode::RWXU) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno.into()),
    }
    let directory = openat(CWD, folder, OPEN_STEP, Mode::empty())?;
    let place = Place { directory, name: name.into() };
    let mut draft = Draft::beside(&place)?;
    draft.file.write_all(bytes)?;
    draft.publish()
}

/// Where a file really is: its directory, held open, and its name there.
struct Place {
    directory: OwnedFd,
    name: OsString,
}

impl Place {
    fn find(within: &Path, path: &Path) -> Result<Self, WriteError> {
        let wrap = |source: io::Error| WriteError::Io { path: path.to_owned(), source };
        let leaves = |directory: &Path| WriteError::LeavesDirectory {
            path: path.to_owned(),
            directory: directory.to_owned(),
        };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let home = parent.unwrap_or(Path::new(".")).canonicalize().map_err(wrap)?;
        let top = within.canonicalize().map_err(wrap)?;
        let target = path.canonicalize().map_err(wrap)?;
        let (Some(directory), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(leaves(&home));
        };
        if !directory.starts_with(&home) {
            return Err(leaves(&home));
        }
        let below = directory.strip_prefix(&top).map_err(|_| leaves(within))?;
        // The paths are without links now; whoever puts one there meanwhile is not followed.
        let mut directory =
            openat(CWD, &top, OPEN_STEP, Mode::empty()).map_err(|e| wrap(e.into()))?;
        for step in below {
            let next = openat(&directory, step, OPEN_STEP, Mode::empty());
            directory = next.map_err(|e| wrap(e.into()))?;
        }
        Ok(Self { directory, name: name.to_owned() })
    }

    /// What the file is and its content, of which no more is read than tells whether it has
    /// `expected` bytes.
    fn read(&self, expected: usize) -> io::Result<(File, Metadata, Vec<u8>)> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.directory, &self.name, flags, Mode::empty())?);
        let metadata = file.metadata()?;
        let mut bytes = Vec::with_capacity(expected + 1);
        (&file).take(expected as u64 + 1).read_to_end(&mut bytes)?;
        Ok((file, metadata, bytes))
    }

    fn sync(&self) -> io::Result<()> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        File::from(openat(&self.directory, ".", flags, Mode::empty())?).sync_all()
    }
}

/// Gives `to` the extended attributes of `from`. Those that only the system may set, and those the
/// file system does not have, cannot be kept and need not be: the system sets its own.
fn keep_attributes(from: &File, to: &File) -> io::Result<()> {
    let mut names = vec![0; MAX_ATTRIBUTE_BYTES];
    let length = match flistxattr(from, &mut names[..]) {
        Ok(length) => length,
        Err(Errno::NOTSUP) => return Ok(()),
        Err(errno) => return Err(errno.into()),
    };
    let mut value = vec![0; MAX_ATTRIBUTE_BYTES];
    let names = names.get(..length).unwrap_or_default().split(|byte| *byte == 0);
    for name in names.filter(|name| !name.is_empty()) {
        let length = fgetxattr(from, name, &mut value[..])?;
        let value = value.get(..length).unwrap_or_default();
        match fsetxattr(to, name, value, XattrFlags::empty()) {
            Ok(()) | Err(Errno::PERM | Errno::NOTSUP | Errno::ACCESS) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

/// The new content beside the old one, removed when dropped unless published.
struct Draft<'a> {
    place: &'a Place,
    name: String,
    file: File,
    published: bool,
}

impl<'a> Draft<'a> {
    fn beside(place: &'a Place) -> io::Result<Self> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let private = Mode::RUSR | Mode::WUSR;
        for number in 0..MAX_DRAFT_NAMES {
            let name = format!(".metier-{}-{number}", std::process::id());
            match openat(&place.directory, &name, flags, private) {
                Ok(fd) => return Ok(Self { place, name, file: File::from(fd), published: false }),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Err(Errno::EXIST.into())
    }

    /// Puts the draft where the file is.
    fn publish(mut self) -> io::Result<()> {
        let directory = &self.place.directory;
        renameat(directory, &self.name, directory, &self.place.name)?;
        self.published = true;
        Ok(())
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.published {
            // Why there is a draft to remove is the error that is reported.
            let _ = unlinkat(&self.place.directory, &self.name, AtFlags::empty());
        }
    }
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
