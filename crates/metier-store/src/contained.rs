//! The one door to a file inside a skill. Nothing that goes through it can end up outside the
//! skill's directory, whatever the path says, wherever links point, and whoever swaps them while
//! it happens.
//!
//! A path is first checked as text ([`ContainedPath`]), then resolved relative to a descriptor of
//! the skill's directory: by the kernel in one step where it can (`openat2`), otherwise by taking
//! one component after the other without following links and resolving those here, as strictly.
//! Then what was opened is looked at, and only a regular file within the size limit is read.
//! Nothing here knows what a skill is.

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, readlinkat};
use rustix::io::Errno;

use crate::limits::{MAX_LINKS, MAX_OPEN_RETRIES, MAX_PATH_BYTES};
use crate::store::ReadError;

/// How a file that may turn out to be anything is opened: never waiting for a fifo's other end,
/// never becoming a terminal's owner.
pub(crate) const OPEN_FILE: OFlags =
    OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// How a directory is opened to reach what lies in it.
const OPEN_STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Bytes made room for before any of a file has been read.
const READ_STEP: usize = 1 << 20;

/// A path that is relative, stays below where it starts, and has no surprises in it: components
/// separated by single slashes, none of them empty or `..`, no backslash, no NUL. A `.` between
/// slashes or in front says nothing and is left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContainedPath(Box<str>);

/// A skill's directory, held open.
#[derive(Debug)]
pub(crate) struct SkillDirectory {
    fd: OwnedFd,
    resolve: Resolve,
}

/// Opens a path below a directory without ever leaving it.
type Resolve = fn(BorrowedFd<'_>, &str, OFlags) -> Result<OwnedFd, Errno>;

/// Why a file was not handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// There is none.
    Missing,
    /// A link leads out of the directory.
    Leaves,
    /// It is not a regular file but this.
    Special(FileType),
    /// It has more bytes than asked for at most.
    TooLarge {
        /// Bytes it has, as far as is known.
        size: u64,
    },
    /// The system said no.
    System(Errno),
}

impl ContainedPath {
    /// `text` as a path inside a directory. Whether anything is there is another question.
    pub fn parse(text: &str) -> Result<Self, ReadError> {
        let invalid = || ReadError::InvalidPath(text.to_owned());
        if text.len() > MAX_PATH_BYTES || text.contains(['\\', '\0']) {
            return Err(invalid());
        }
        let mut path = String::with_capacity(text.len());
        for component in text.split('/') {
            match component {
                "" | ".." => return Err(invalid()),
                "." => {}
                name if path.is_empty() => path.push_str(name),
                name => {
                    path.push('/');
                    path.push_str(name);
                }
            }
        }
        if path.is_empty() { Err(invalid()) } else { Ok(Self(path.into())) }
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ContainedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl SkillDirectory {
    /// The directory at `path` below `root`. Links on the way to it are followed: a skill may be
    /// linked into a root from anywhere.
    pub(crate) fn open(root: impl AsFd, path: &[u8]) -> Result<Self, Errno> {
        let path = if path.is_empty() { b"." } else { path };
        let fd = openat(root, path, OPEN_STEP, Mode::empty())?;
        Ok(Self { fd, resolve: in_one_step })
    }

    /// The file at `path`, open for reading, and what it is: a regular file.
    pub(crate) fn file(&self, path: &ContainedPath) -> Result<(OwnedFd, Stat), Refusal> {
        let fd = match self.resolve(path.as_str(), OPEN_FILE) {
            // A socket, or a device nobody serves. What it is, is known without opening it.
            Err(Errno::NXIO) => return Err(Refusal::Special(kind_of(&self.stat(path)?))),
            other => other.map_err(Refusal::from)?,
        };
        let stat = fstat(&fd).map_err(Refusal::System)?;
        match kind_of(&stat) {
            FileType::RegularFile => Ok((fd, stat)),
            kind => Err(Refusal::Special(kind)),
        }
    }

    /// The bytes of the file at `path`, and what it is. Reads at most one byte more than
    /// `max_bytes`, even when the file grows meanwhile.
    pub(crate) fn read(
        &self,
        path: &ContainedPath,
        max_bytes: u64,
    ) -> Result<(Vec<u8>, Stat), Refusal> {
        let (fd, stat) = self.file(path)?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if size > max_bytes {
            return Err(Refusal::TooLarge { size });
        }
        let bytes = read_bounded(&fd, size, max_bytes).map_err(Refusal::System)?;
        if bytes.len() as u64 > max_bytes {
            return Err(Refusal::TooLarge { size: bytes.len() as u64 });
        }
        Ok((bytes, stat))
    }

    /// What is at `path`, links followed as long as they stay inside.
    pub(crate) fn stat(&self, path: &ContainedPath) -> Result<Stat, Refusal> {
        let fd = self.resolve(path.as_str(), OFlags::PATH | OFlags::CLOEXEC)?;
        fstat(&fd).map_err(Refusal::System)
    }

    /// The directory at `path`, to be listed; the skill's own for none.
    pub(crate) fn directory(&self, path: Option<&ContainedPath>) -> Result<OwnedFd, Refusal> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let path = path.map_or(".", ContainedPath::as_str);
        Ok(self.resolve(path, flags)?)
    }

    fn resolve(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        (self.resolve)(self.fd.as_fd(), path, flags)
    }
}

impl Refusal {
    /// The refusal as [`crate::Store::read`] reports it.
    pub(crate) fn into_read_error(self, path: &ContainedPath, limit: u64) -> ReadError {
        let path = path.as_str().to_owned();
        match self {
            Self::Missing => ReadError::NotFound(path),
            Self::Leaves => ReadError::LeavesSkill(path),
            Self::Special(_) => ReadError::NotAFile(path),
            Self::TooLarge { size } => ReadError::TooLarge { path, size, limit },
            Self::System(errno) => ReadError::Io { path, source: errno.into() },
        }
    }
}

impl From<Errno> for Refusal {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::XDEV => Self::Leaves,
            Errno::NOENT | Errno::NOTDIR => Self::Missing,
            other => Self::System(other),
        }
    }
}

/// What kind of thing `stat` describes.
pub(crate) fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// The kernel refuses whatever leaves `directory`, at any moment of the resolution.
fn in_one_step(directory: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    for _ in 0..MAX_OPEN_RETRIES {
        match openat2(directory, path, flags, Mode::empty(), inside) {
            // A rename elsewhere while `..` of a link was resolved.
            Err(Errno::AGAIN | Errno::INTR) => {}
            // An old kernel, or a container that forbids the call.
            Err(Errno::NOSYS | Errno::PERM) => break,
            other => return other,
        }
    }
    step_by_step(directory, path, flags)
}

/// Opens one component after the other, following no link but resolving it here. `..`, which only
/// a link can bring in, goes back to the directory we came from, and not past `directory`.
fn step_by_step(directory: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut below: Vec<OwnedFd> = Vec::new();
    let mut ahead: Vec<Box<[u8]>> = Vec::new();
    push_components(&mut ahead, path.as_bytes());
    let mut links = 0;
    while let Some(component) = ahead.pop() {
        let here = below.last().map_or(directory, AsFd::as_fd);
        match &*component {
            b"" | b"." => continue,
            b".." => {
                below.pop().ok_or(Errno::XDEV)?;
                continue;
            }
            _ => {}
        }
        let is_last = ahead.is_empty();
        match step(here, &component, if is_last { flags } else { OPEN_STEP })? {
            Step::Opened(fd) if is_last => return Ok(fd),
            Step::Opened(fd) => below.push(fd),
            Step::Link(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(Errno::LOOP);
                }
                if target.starts_with(b"/") {
                    return Err(Errno::XDEV);
                }
                push_components(&mut ahead, &target);
            }
        }
    }
    // The path ended in `.` or `..`: the directory we stand in.
    openat(below.last().map_or(directory, AsFd::as_fd), c".", flags, Mode::empty())
}

enum Step {
    Opened(OwnedFd),
    Link(Vec<u8>),
}

/// Opens `name` in `here`, or reads it when it is a link.
fn step(here: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<Step, Errno> {
    let link = || readlinkat(here, name, Vec::new()).map(|target| Step::Link(target.into_bytes()));
    match openat(here, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        // Opened by path only, a link is opened itself.
        Ok(fd) if flags.contains(OFlags::PATH) && kind_of(&fstat(&fd)?) == FileType::Symlink => {
            link()
        }
        Ok(fd) => Ok(Step::Opened(fd)),
        // A link where none is followed, or something else where a directory should be.
        Err(errno @ (Errno::LOOP | Errno::NOTDIR)) => match link() {
            Err(Errno::INVAL) => Err(errno),
            other => other,
        },
        Err(errno) => Err(errno),
    }
}

/// Puts the components of `path` on top of `ahead`, the first one topmost.
fn push_components(ahead: &mut Vec<Box<[u8]>>, path: &[u8]) {
    ahead.extend(path.rsplit(|byte| *byte == b'/').map(Box::from));
}

fn read_bounded(fd: &OwnedFd, size: u64, max_bytes: u64) -> Result<Vec<u8>, Errno> {
    let most = usize::try_from(max_bytes.saturating_add(1)).unwrap_or(usize::MAX);
    // One byte more than the file has, so that its end shows in the first read; not more than a
    // step at once, since a file may claim any size.
    let expected = usize::try_from(size).unwrap_or(usize::MAX).saturating_add(1).min(most);
    let mut bytes = vec![0; expected.min(READ_STEP)];
    let mut length = 0;
    while length < most {
        if length == bytes.len() {
            bytes.resize(bytes.len().saturating_mul(2).clamp(1, most), 0);
        }
        let Some(free) = bytes.get_mut(length..) else { break };
        match rustix::io::read(fd, free) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
#[path = "contained_tests.rs"]
mod tests;
