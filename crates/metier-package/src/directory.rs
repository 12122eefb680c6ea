//! A local directory as a source: walked without following a link, read without waiting for a fifo.
//! A repository's own `.git` at the top is not part of what it offers.

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat,
};
use rustix::io::Errno;

use crate::entry::{Entry, Kind};
use crate::fetch::FetchError;
use crate::hazard::Hazard;
use crate::limits::{MAX_FILE_BYTES, MAX_SOURCE_DEPTH, MAX_SOURCE_ENTRIES};
use crate::offer::{Offer, Take};
use crate::skills;

const OPEN: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW);

/// A directory that is looked at once and read from.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    root: OwnedFd,
    entries: Vec<Entry>,
}

impl Directory {
    /// Lists everything below `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, FetchError> {
        let root = open_root(path)?;
        let mut listing = Listing { entries: Vec::new(), root: path };
        listing.directory(&root, &[], (0, false))?;
        let mut entries = listing.entries;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { path: path.to_owned(), root, entries })
    }

    /// The directory at `path`, in which the content of these sorted entries lies.
    pub(crate) fn with_entries(path: &Path, entries: Vec<Entry>) -> Result<Self, FetchError> {
        Ok(Self { path: path.to_owned(), root: open_root(path)?, entries })
    }

    fn read_one(&self, entry: &Entry) -> Result<Vec<u8>, FetchError> {
        let failed = |errno: Errno| {
            let path = self.path.join(String::from_utf8_lossy(&entry.path).as_ref());
            FetchError::io(&path, errno.into())
        };
        let mut parts: Vec<&[u8]> = entry.path.split(|byte| *byte == b'/').collect();
        let name = parts.pop().unwrap_or_default();
        let mut place: Option<OwnedFd> = None;
        for part in parts {
            let at = place.as_ref().unwrap_or(&self.root);
            place =
                Some(openat(at, part, OPEN | OFlags::DIRECTORY, Mode::empty()).map_err(failed)?);
        }
        let at = place.as_ref().unwrap_or(&self.root);
        let file = openat(at, name, OPEN, Mode::empty()).map_err(failed)?;
        read_all(&file).map_err(failed)
    }
}

fn open_root(path: &Path) -> Result<OwnedFd, FetchError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(CWD, path, flags, Mode::empty()).map_err(|errno| match errno {
        Errno::NOENT | Errno::NOTDIR => not_there(path),
        other => FetchError::io(path, other.into()),
    })
}

/// Why there is no directory at `path`: nothing is there, or something else.
fn not_there(path: &Path) -> FetchError {
    let place = path.display().to_string();
    match statat(CWD, path, AtFlags::empty()).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::RegularFile) => {
            FetchError::NoSource { place, what: "a file, and neither a directory nor an archive" }
        }
        Ok(_) => FetchError::NoSource { place, what: "neither a directory nor an archive" },
        Err(_) => FetchError::NotFound { place },
    }
}

impl Offer for Directory {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn prepare(&mut self, _wanted: &[usize]) -> Result<(), FetchError> {
        Ok(())
    }

    fn read(&mut self, wanted: &[usize], take: Take<'_>) -> Result<(), FetchError> {
        for index in wanted {
            if let Some(entry) = self.entries.get(*index) {
                let bytes = self.read_one(entry)?;
                if bytes.len() as u64 != entry.size {
                    let path = String::from_utf8_lossy(&entry.path).into_owned();
                    return Err(FetchError::Changed { path });
                }
                take(*index, &bytes)?;
            }
        }
        Ok(())
    }
}

/// At most one byte more than a file may have; the size that was listed says the rest.
fn read_all(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    let mut block = vec![0; 64 << 10];
    loop {
        match rustix::io::read(file, &mut *block) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(block.get(..count).unwrap_or_default()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Ok(bytes);
        }
    }
}

struct Listing<'a> {
    entries: Vec<Entry>,
    root: &'a Path,
}

impl Listing<'_> {
    /// Lists a directory that is so deep, and inside a skill or not.
    fn directory(
        &mut self,
        fd: &OwnedFd,
        path: &[u8],
        (depth, inside): (usize, bool),
    ) -> Result<(), FetchError> {
        if depth > MAX_SOURCE_DEPTH {
            self.push(path, Kind::Refused(Hazard::TooDeep(MAX_SOURCE_DEPTH)), 0);
            return Ok(());
        }
        let failed = |errno: Errno| FetchError::io(self.root, errno.into());
        let mut names: Vec<Box<[u8]>> = Vec::new();
        for entry in Dir::read_from(fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            names.push(entry.file_name().to_bytes().into());
            if self.entries.len() + names.len() > MAX_SOURCE_ENTRIES {
                let hazard = Hazard::TooMany(MAX_SOURCE_ENTRIES);
                return Err(FetchError::Refused(hazard.at(path)));
            }
        }
        names.sort_unstable();
        let inside = inside || names.iter().any(|name| name.eq_ignore_ascii_case(b"SKILL.md"));
        for name in names.iter().filter(|name| !matches!(&***name, b"." | b"..")) {
            // What a checkout keeps for git is git's; anywhere else it is refused like the rest.
            if depth == 0 && **name == *b".git" {
                continue;
            }
            let whole = if path.is_empty() { name.to_vec() } else { [path, name].join(&b'/') };
            // Only what belongs to a skill has to be looked at whatever it is called.
            if inside || !skills::is_passed_over(&whole) {
                self.entry(fd, name, &whole, (depth, inside))?;
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        parent: &OwnedFd,
        name: &[u8],
        path: &[u8],
        (depth, inside): (usize, bool),
    ) -> Result<(), FetchError> {
        let failed = |errno: Errno| FetchError::io(self.root, errno.into());
        match openat(parent.as_fd(), name, OPEN, Mode::empty()) {
            Ok(fd) => {
                let stat = fstat(&fd).map_err(failed)?;
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Directory => self.directory(&fd, path, (depth + 1, inside))?,
                    FileType::RegularFile => self.file(&stat, path),
                    other => self.push(path, Kind::Refused(Hazard::Special(called(other))), 0),
                }
            }
            Err(Errno::LOOP) => {
                let target = readlinkat(parent, name, Vec::new()).map_err(failed)?.into_bytes();
                self.push(path, Kind::Link(Some(target.into())), 0);
            }
            Err(Errno::NXIO) => self.push(path, Kind::Refused(Hazard::Special("socket")), 0),
            // Nobody asked for what lies beside the skills.
            Err(Errno::ACCESS) if !inside => {}
            Err(errno) => return Err(failed(errno)),
        }
        Ok(())
    }

    fn file(&mut self, stat: &Stat, path: &[u8]) {
        let kind = match stat.st_mode & 0o6000 {
            0 => Kind::File { executable: stat.st_mode & 0o111 != 0 },
            _ => Kind::Refused(Hazard::SetUser),
        };
        self.push(path, kind, u64::try_from(stat.st_size).unwrap_or(0));
    }

    fn push(&mut self, path: &[u8], kind: Kind, size: u64) {
        self.entries.push(Entry { path: path.into(), kind, size });
    }
}

fn called(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "fifo",
        FileType::Socket => "socket",
        FileType::CharacterDevice | FileType::BlockDevice => "device",
        _ => "special file",
    }
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
