//! The one door through which this crate changes the disk: whole or not at all.
//!
//! Everything happens in a [`Folder`] that is held open, by plain names, so that whoever swaps
//! directories or plants links meanwhile changes nothing. A file appears by being renamed into
//! place after its bytes are safe on disk. Every call that changes something can be made to fail in
//! tests, one by one; that is how the crash tables are made. Nothing here knows what a skill is.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, ResolveFlags, Stat, fchmod, fstat, fsync,
    ftruncate, mkdirat, openat, openat2, readlinkat, renameat_with, statat, symlinkat, syncfs,
    unlinkat,
};
use rustix::io::Errno;

use crate::limits::{MAX_DRAFT_NAMES, TAIL_BYTES};

/// How a directory is held.
const OPEN_DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// How a file that may turn out to be anything is opened.
const OPEN_FILE: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW);

/// A path never gets lost from what the system said.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} `{}`", path.display())]
pub struct DiskError {
    /// What was tried.
    pub act: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
}

/// A directory, held open.
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A link.
    Link,
    /// Something else.
    Other,
}

/// How a rename treats what stands at its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// There must be nothing.
    Empty,
    /// A file or link there is replaced.
    Replaced,
    /// Both change places.
    Exchanged,
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Folder").field(&self.path).finish()
    }
}

impl Folder {
    /// The directory at `path`, made with everything above it when it is not there. Links on the
    /// way are followed: this is for places the user named.
    pub(crate) fn make_all(path: &Path) -> Result<Self, DiskError> {
        match Self::open(path) {
            Err(error) if error.is_missing() => {}
            other => return other,
        }
        let Some((parent, name)) = path.parent().zip(path.file_name()) else {
            return Err(failed("make", path, Errno::INVAL));
        };
        let parent = Self::make_all(parent)?;
        parent.make(name, 0o755)?;
        parent.sync()?;
        Self::open(path)
    }

    /// The directory at `path`, which must be there.
    pub(crate) fn open(path: &Path) -> Result<Self, DiskError> {
        let flags = OPEN_DIRECTORY.difference(OFlags::NOFOLLOW);
        let fd = openat(CWD, path, flags, Mode::empty());
        Ok(Self { fd: fd.map_err(|errno| failed("open", path, errno))?, path: path.to_owned() })
    }

    /// The directory at `relative` below this one, made when it is not there. No link on the way
    /// may leave this directory.
    pub(crate) fn beneath(&self, relative: &str) -> Result<Self, DiskError> {
        let mut reached = String::new();
        for step in relative.split('/') {
            if !reached.is_empty() {
                reached.push('/');
            }
            reached.push_str(step);
            match self.find_beneath(&reached) {
                Err(error) if error.is_missing() => {
                    self.make(&reached, 0o755)?;
                    self.sync()?;
                }
                other => drop(other?),
            }
        }
        self.find_beneath(relative)
    }

    /// The directory at `relative` below this one, when it is there and no link leaves.
    pub(crate) fn find_beneath(&self, relative: &str) -> Result<Self, DiskError> {
        let path = self.path.join(relative);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        match openat2(&self.fd, relative, flags, Mode::empty(), inside) {
            Ok(fd) => Ok(Self { fd, path }),
            Err(errno) => Err(failed("open", &path, errno)),
        }
    }

    /// The directory called `name` in this one; a link is not followed.
    pub(crate) fn child(&self, name: impl AsRef<Path>) -> Result<Self, DiskError> {
        let path = self.path.join(&name);
        match openat(&self.fd, name.as_ref(), OPEN_DIRECTORY, Mode::empty()) {
            Ok(fd) => Ok(Self { fd, path }),
            Err(errno) => Err(failed("open", &path, errno)),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The descriptor, to look around.
    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// What stands under `name`; none when nothing does.
    pub(crate) fn kind(&self, name: impl AsRef<Path>) -> Result<Option<Kind>, DiskError> {
        match statat(&self.fd, name.as_ref(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(kind_of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.failed("look at", name, errno)),
        }
    }

    /// What the link `name` points at; none when there is no such link.
    pub(crate) fn target(&self, name: &str) -> Result<Option<PathBuf>, DiskError> {
        match readlinkat(&self.fd, name, Vec::new()) {
            Ok(target) => Ok(Some(PathBuf::from(target.to_string_lossy().into_owned()))),
            Err(Errno::NOENT | Errno::INVAL) => Ok(None),
            Err(errno) => Err(self.failed("look at", name, errno)),
        }
    }

    /// The names in it, sorted, `.` and `..` aside. Names that are not text are left out.
    pub(crate) fn names(&self) -> Result<Vec<String>, DiskError> {
        let mut names = Vec::new();
        let listing = rustix::fs::Dir::read_from(&self.fd);
        let wrap = |errno| self.failed("list", ".", errno);
        for entry in listing.map_err(wrap)? {
            let entry = entry.map_err(wrap)?;
            match entry.file_name().to_str() {
                Ok("." | "..") | Err(_) => {}
                Ok(name) => names.push(name.to_owned()),
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The bytes of the regular file `name`, at most `max` of them; none when there is no file. A
    /// link is not followed.
    pub(crate) fn read(&self, name: &str, max: u64) -> Result<Option<Vec<u8>>, DiskError> {
        let fd = match openat(&self.fd, name, OPEN_FILE, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(None),
            Err(errno) => return Err(self.failed("read", name, errno)),
        };
        let stat = fstat(&fd).map_err(|errno| self.failed("read", name, errno))?;
        if kind_of(&stat) != Kind::File {
            let what = io::Error::new(io::ErrorKind::InvalidInput, "it is not a file");
            return Err(self.failed("read", name, what));
        }
        // Room for one byte more, so that the end is seen without making room.
        let length = u64::try_from(stat.st_size).unwrap_or(0).min(max) + 1;
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        let read = File::from(fd).take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|source| self.failed("read", name, source))?;
        if bytes.len() as u64 > max {
            return Err(self.failed("read", name, Errno::FBIG));
        }
        Ok(Some(bytes))
    }

    /// Whether the last byte of the regular file `name` ends a line, or there is none.
    pub(crate) fn ends_with_line(&self, name: &str) -> Result<bool, DiskError> {
        let fd = match openat(&self.fd, name, OPEN_FILE, Mode::empty()) {
            Ok(fd) => fd,
            Err(Errno::NOENT) => return Ok(true),
            Err(errno) => return Err(self.failed("read", name, errno)),
        };
        let last = fstat(&fd).map(|stat| u64::try_from(stat.st_size).unwrap_or(0));
        let last = last.and_then(|length| tail_of(&fd, length.saturating_sub(1), length));
        let last = last.map_err(|errno| self.failed("read", name, errno))?;
        Ok(last.iter().all(|byte| *byte == b'\n'))
    }

    /// Makes the directory `name`, unless it is there.
    pub(crate) fn make(&self, name: impl AsRef<Path>, mode: u32) -> Result<(), DiskError> {
        let made = step("mkdir").and_then(|()| mkdirat(&self.fd, name.as_ref(), Mode::from(mode)));
        match made {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(errno) => Err(self.failed("make", name, errno)),
        }
    }

    /// Makes the file `name`, which must not be there, for `fill` to write.
    pub(crate) fn create(
        &self,
        name: &str,
        mode: u32,
        fill: impl FnOnce(&mut Draft<'_>) -> Result<(), DiskError>,
    ) -> Result<(), DiskError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let made = step("create")
            .and_then(|()| openat(&self.fd, name, flags, Mode::from_bits_truncate(0o600)));
        let fd = made.map_err(|errno| self.failed("make", name, errno))?;
        let mut draft = Draft { file: File::from(fd), folder: self, name };
        fill(&mut draft)?;
        let chmod = step("fchmod").and_then(|()| fchmod(&draft.file, Mode::from(mode)));
        chmod.map_err(|errno| self.failed("set the mode of", name, errno))
    }

    /// Puts `bytes` where `name` is, whole: written beside it, flushed, renamed over it.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8], mode: u32) -> Result<(), DiskError> {
        let draft = self.draft(name, |draft| {
            self.create(draft, mode, |file| {
                file.write(bytes)?;
                file.sync()
            })
        })?;
        let renamed = self.rename(&draft, name, Goal::Replaced).and_then(|()| self.sync());
        if renamed.is_err() {
            // Why there is a draft to remove is the error that is reported.
            let _ = self.unlink(&draft);
        }
        renamed
    }

    /// Makes the link `name` point at `target`, whatever link was there before. The caller flushes
    /// the directory: there may be many.
    pub(crate) fn point(&self, name: &str, target: &str) -> Result<(), DiskError> {
        let draft = self.draft(name, |draft| {
            let made = step("symlink").and_then(|()| symlinkat(target, &self.fd, draft));
            made.map_err(|errno| self.failed("make", draft, errno))
        })?;
        let renamed = self.rename(&draft, name, Goal::Replaced);
        if renamed.is_err() {
            let _ = self.unlink(&draft);
        }
        renamed
    }

    /// Makes the link `name`, which must not be there.
    pub(crate) fn link(&self, name: &str, target: &[u8]) -> Result<(), DiskError> {
        let made = step("symlink").and_then(|()| symlinkat(target, &self.fd, name));
        made.map_err(|errno| self.failed("make", name, errno))
    }

    /// Adds `bytes`, which are lines of JSON, to the end of the file `name` and flushes them. A last
    /// line that lacks nothing but its end gets it. What else a crash left of a line was never
    /// written: it goes first, so that nobody ever takes it for a line, and is kept beside the file.
    pub(crate) fn append(&self, name: &str, bytes: &[u8], mode: u32) -> Result<(), DiskError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened =
            step("open to append").and_then(|()| openat(&self.fd, name, flags, Mode::from(mode)));
        let fd = opened.map_err(|errno| self.failed("open", name, errno))?;
        let io = |errno: Errno| self.failed("write", name, errno);
        let length = u64::try_from(fstat(&fd).map_err(io)?.st_size).unwrap_or(0);
        let mut end = end_of_lines(&fd, length).map_err(io)?;
        let mut bytes = Cow::Borrowed(bytes);
        if end < length {
            let tail = tail_of(&fd, end, length).map_err(io)?;
            if is_whole_line(&tail) {
                end = length;
                bytes = Cow::Owned([b"\n", &*bytes].concat());
            } else {
                self.keep_torn(name, &tail)?;
                step("ftruncate").and_then(|()| ftruncate(&fd, end)).map_err(io)?;
            }
        }
        let written = step("pwrite").and_then(|()| rustix::io::pwrite(&fd, &bytes, end));
        if written.map_err(io)? != bytes.len() {
            return Err(io(Errno::NOSPC));
        }
        step("fsync").and_then(|()| fsync(&fd)).map_err(io)?;
        if length == 0 { self.sync() } else { Ok(()) }
    }

    /// Keeps what a crash left of a line of the file `name` in another file beside it.
    fn keep_torn(&self, name: &str, tail: &[u8]) -> Result<(), DiskError> {
        let torn = format!("{name}{TORN}");
        let io = |errno: Errno| self.failed("write", &torn, errno);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND;
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let opened = step("open to keep")
            .and_then(|()| openat(&self.fd, &*torn, flags, Mode::from_bits_truncate(0o600)));
        let mut file = File::from(opened.map_err(io)?);
        step("write").map_err(io)?;
        let written = file.write_all(&[tail, b"\n"].concat());
        written.map_err(|source| self.failed("write", &torn, source))?;
        step("fsync").and_then(|()| fsync(&file)).map_err(io)
    }

    /// Renames `from` to `to` in this directory.
    pub(crate) fn rename(&self, from: &str, to: &str, goal: Goal) -> Result<(), DiskError> {
        let flags = match goal {
            Goal::Empty => RenameFlags::NOREPLACE,
            Goal::Replaced => RenameFlags::empty(),
            Goal::Exchanged => RenameFlags::EXCHANGE,
        };
        let renamed =
            step("rename").and_then(|()| renameat_with(&self.fd, from, &self.fd, to, flags));
        renamed.map_err(|errno| self.failed("rename to", to, errno))
    }

    /// Removes the file or link `name`, unless it is gone.
    pub(crate) fn unlink(&self, name: impl AsRef<Path>) -> Result<(), DiskError> {
        let name = name.as_ref();
        let removed = step("unlink").and_then(|()| unlinkat(&self.fd, name, AtFlags::empty()));
        match removed {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(self.failed("remove", name, errno)),
        }
    }

    /// Removes whatever stands under `name`, with everything in it; links are not followed.
    pub(crate) fn remove(&self, name: impl AsRef<Path>) -> Result<(), DiskError> {
        let name = name.as_ref();
        match self.kind(name)? {
            None => return Ok(()),
            Some(Kind::Directory) => {}
            Some(_) => return self.unlink(name),
        }
        let folder = self.child(name)?;
        // A tree that is kept is read-only, its directories too.
        let io = |errno| self.failed("empty", name, errno);
        step("fchmod").and_then(|()| fchmod(&folder.fd, Mode::RWXU)).map_err(io)?;
        folder.empty()?;
        let removed = step("rmdir").and_then(|()| unlinkat(&self.fd, name, AtFlags::REMOVEDIR));
        removed.map_err(|errno| self.failed("remove", name, errno))
    }

    /// Removes the directory `name`, unless there is something in it or it is none.
    pub(crate) fn remove_empty(&self, name: &str) -> Result<(), DiskError> {
        let removed = step("rmdir").and_then(|()| unlinkat(&self.fd, name, AtFlags::REMOVEDIR));
        match removed {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => Ok(()),
            Err(errno) => Err(self.failed("remove", name, errno)),
        }
    }

    /// Flushes the directory itself: which names are in it.
    pub(crate) fn sync(&self) -> Result<(), DiskError> {
        let synced = step("fsync").and_then(|()| fsync(&self.fd));
        synced.map_err(|errno| self.failed("flush", ".", errno))
    }

    /// Flushes everything on this file system, in one call.
    pub(crate) fn sync_all(&self) -> Result<(), DiskError> {
        let synced = step("syncfs").and_then(|()| syncfs(&self.fd));
        synced.map_err(|errno| self.failed("flush", ".", errno))
    }

    /// Sets the directory's own mode.
    pub(crate) fn set_mode(&self, mode: u32) -> Result<(), DiskError> {
        let set = step("fchmod").and_then(|()| fchmod(&self.fd, Mode::from(mode)));
        set.map_err(|errno| self.failed("set the mode of", ".", errno))
    }

    /// Sets the mode of the file or directory `name`; a link is not followed.
    pub(crate) fn set_mode_of(&self, name: &str, mode: u32) -> Result<(), DiskError> {
        let wrap = |errno| self.failed("set the mode of", name, errno);
        let fd = openat(&self.fd, name, OPEN_FILE, Mode::empty()).map_err(wrap)?;
        step("fchmod").and_then(|()| fchmod(&fd, Mode::from(mode))).map_err(wrap)
    }

    /// A failure that names `name` in this directory.
    pub(crate) fn failed(
        &self,
        act: &'static str,
        name: impl AsRef<Path>,
        source: impl Into<io::Error>,
    ) -> DiskError {
        let name = name.as_ref();
        let path = if name == Path::new(".") { self.path.clone() } else { self.path.join(name) };
        DiskError { act, path, source: in_words(source.into()) }
    }

    /// Removes everything in the directory, also what has a name that is not text.
    fn empty(&self) -> Result<(), DiskError> {
        let wrap = |errno| self.failed("list", ".", errno);
        let listing = rustix::fs::Dir::read_from(&self.fd).map_err(wrap)?;
        for entry in listing {
            let entry = entry.map_err(wrap)?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                self.remove(OsStr::from_bytes(name.to_bytes()))?;
            }
        }
        Ok(())
    }

    /// Calls `make` with names beside `name` until one is free, and gives that name.
    fn draft(
        &self,
        name: &str,
        make: impl Fn(&str) -> Result<(), DiskError>,
    ) -> Result<String, DiskError> {
        for number in 0..MAX_DRAFT_NAMES {
            let draft = format!("{DRAFT}{}-{number}-{name}", std::process::id());
            match make(&draft) {
                Ok(()) => return Ok(draft),
                Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let _ = self.unlink(&draft);
                    return Err(error);
                }
            }
        }
        Err(self.failed("make", name, Errno::EXIST))
    }
}

/// What names of drafts begin with, so that whoever comes later knows what to clear away.
pub(crate) const DRAFT: &str = ".metier-draft-";

/// What stands behind a file's name in that of the file beside it that has its torn lines.
pub(crate) const TORN: &str = ".torn";

/// A file being written.
pub(crate) struct Draft<'a> {
    file: File,
    folder: &'a Folder,
    name: &'a str,
}

impl Draft<'_> {
    /// Writes `bytes` behind what was written.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        let io = |source: io::Error| self.folder.failed("write", self.name, source);
        step("write").map_err(|errno| io(errno.into()))?;
        self.file.write_all(bytes).map_err(io)
    }

    /// Flushes what was written.
    pub(crate) fn sync(&self) -> Result<(), DiskError> {
        let synced = step("fsync").and_then(|()| fsync(self.file.as_fd()));
        synced.map_err(|errno| self.folder.failed("flush", self.name, errno))
    }
}

impl DiskError {
    /// Whether there was nothing there.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }

    /// Whether the disk is full, or the user's share of it.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self.source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

/// Where the last whole line of a file of `length` bytes ends, looked for from its end.
fn end_of_lines(file: &OwnedFd, length: u64) -> Result<u64, Errno> {
    let mut behind = length;
    while behind > 0 {
        let start = behind.saturating_sub(TAIL_BYTES);
        let mut bytes = vec![0; usize::try_from(behind - start).unwrap_or_default()];
        if rustix::io::pread(file, &mut bytes, start)? != bytes.len() {
            // What was not seen must not be taken for a line without its end.
            return Err(Errno::IO);
        }
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + at as u64 + 1);
        }
        behind = start;
    }
    Ok(0)
}

/// The bytes of a file from `start` to its `end`.
fn tail_of(file: &OwnedFd, start: u64, end: u64) -> Result<Vec<u8>, Errno> {
    let mut bytes = vec![0; usize::try_from(end - start).unwrap_or_default()];
    match rustix::io::pread(file, &mut bytes, start)? == bytes.len() {
        true => Ok(bytes),
        false => Err(Errno::IO),
    }
}

/// Whether `tail`, which has no line end, is a whole line of JSON: no part of an object is one.
pub(crate) fn is_whole_line(tail: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(tail).is_ok()
}

/// What kind of thing `stat` describes.
pub(crate) fn kind_of(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Other,
    }
}

/// `path` with every link on the way resolved; none when it does not exist.
#[expect(clippy::disallowed_methods, reason = "where a directory really is, is a record's key")]
pub(crate) fn real_path(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// A failure that names `path`.
pub(crate) fn failed(act: &'static str, path: &Path, source: impl Into<io::Error>) -> DiskError {
    DiskError { act, path: path.to_owned(), source: in_words(source.into()) }
}

/// The error in words that say what is there, where the system's are about something else.
fn in_words(error: io::Error) -> io::Error {
    let words = match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => "it is a link, and links are not followed here",
        Some(Errno::NOTDIR) => "it is a link or a file, and not a directory",
        _ => return error,
    };
    io::Error::new(error.kind(), words)
}

/// Passed before every call that changes the disk. In tests it counts, and fails when told to.
#[cfg(not(test))]
#[inline]
fn step(_call: &'static str) -> Result<(), Errno> {
    Ok(())
}

#[cfg(test)]
pub(crate) use faults::step;

#[cfg(test)]
#[path = "atomic_faults.rs"]
pub(crate) mod faults;

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
