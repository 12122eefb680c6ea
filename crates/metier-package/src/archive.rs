//! Archives on this machine: `.tar.gz`, `.zip`, and `.skill`, which is either. Read entry by entry by
//! readers that know one way to read each byte and refuse what has two; nothing is unpacked by a path
//! that has not been checked.
//!
//! The content of files is laid down in a directory of ours that is gone again afterwards; links are
//! kept as what they say. So the rest of fetching sees what it sees of a directory.

mod pack;
mod tar;
mod zip;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

pub use pack::{Packed, pack};

use metier_store::digest::{hex, sha256};
use rustix::fs::{CWD, Mode, OFlags, openat};

use crate::directory::Directory;
use crate::entry::{Amounts, Checker, Entry, Kind};
use crate::fetch::{Fetch, FetchError};
use crate::hazard::{At, Hazard, shown};
use crate::limits::{MAX_ARCHIVE_BYTES, MAX_RATIO, RATIO_FREE_BYTES};
use crate::staging::{Area, missing_space};

/// Where content lies while an archive is looked at.
const UNPACKED: &str = ".unpacked";

/// Why reading an archive stopped.
#[derive(Debug)]
enum Stop {
    Hazard(At),
    System(FetchError),
}

impl From<At> for Stop {
    fn from(at: At) -> Self {
        Self::Hazard(at)
    }
}

/// Is given each entry of an archive with its content.
type Take<'a> = &'a mut dyn FnMut(Entry, &[u8]) -> Result<(), Stop>;

/// The files, directories and links in these bytes of an archive, sorted, when all of them may be in
/// a package. Nothing is written.
pub fn list(bytes: &[u8]) -> Result<Vec<String>, At> {
    let entries = unpack(bytes, &mut |_, _, _| Ok(())).map_err(|stop| match stop {
        Stop::Hazard(at) => at,
        Stop::System(_) => malformed("it cannot be read"),
    })?;
    Ok(entries.iter().map(|entry| shown(&entry.path)).collect())
}

/// Whether the archive's bytes have this SHA-256 in hex. `place` is where it is from.
pub(crate) fn check(path: &Path, expected: &str, place: &str) -> Result<(), FetchError> {
    let found = hex(&sha256(&read(path)?));
    if found == expected {
        return Ok(());
    }
    let (place, expected) = (place.to_owned(), expected.to_owned());
    Err(FetchError::Digest { place, expected, found })
}

/// Lays the archive's content down, has it used, and removes it.
pub(crate) fn with_unpacked<T>(
    path: &Path,
    settings: &Fetch<'_>,
    then: &mut dyn FnMut(&mut Directory) -> Result<T, FetchError>,
) -> Result<T, FetchError> {
    let bytes = read(path)?;
    if let Some(missing) = missing_space(settings.staging, bytes.len() as u64) {
        return Err(FetchError::NoSpace { missing, path: settings.staging.to_owned() });
    }
    let at = settings.staging.join(UNPACKED);
    let mut area = Area::new(at.clone()).map_err(|error| FetchError::io(&at, error))?;
    let entries = unpack(&bytes, &mut |path, executable, content| {
        let wrote = area.write(path, executable, content);
        wrote.map_err(|error| Stop::System(FetchError::io(&area.path().join(path), error)))
    })
    .map_err(|stop| match stop {
        Stop::Hazard(at) => FetchError::Refused(at),
        Stop::System(error) => error,
    })?;
    drop(bytes);
    then(&mut Directory::with_entries(area.path(), entries)?)
}

/// Is given each file of an archive: its checked path, whether it is executable, and its content.
type Write<'a> = &'a mut dyn FnMut(&str, bool, &[u8]) -> Result<(), Stop>;

fn unpack(bytes: &[u8], write: Write<'_>) -> Result<Vec<Entry>, Stop> {
    let mut checker = Checker::new(Amounts::ARCHIVE);
    let mut entries = Vec::new();
    let mut take = |mut entry: Entry, content: &[u8]| {
        let Some(path) = inner_path(&entry) else { return Ok(()) };
        entry.path = path;
        let path = checker.admit(&entry)?;
        if let Kind::File { executable } = entry.kind {
            write(&path, executable, content)?;
        }
        entries.push(entry);
        Ok(())
    };
    match bytes {
        [0x1f, 0x8b, ..] => tar::read(bytes, &mut take)?,
        [b'P', b'K', ..] => zip::read(bytes, &mut take)?,
        // A skill of one file comes as that file.
        [b'-', b'-', b'-', ..] => take(lone(bytes), bytes)?,
        _ => {
            return Err(
                malformed("it is neither a gzipped tar, nor a zip file, nor a `SKILL.md`").into()
            );
        }
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(entries)
}

/// A `SKILL.md` that comes by itself.
fn lone(bytes: &[u8]) -> Entry {
    let kind = Kind::File { executable: false };
    Entry { path: (*b"SKILL.md").into(), kind, size: bytes.len() as u64 }
}

/// The path without the `./` that many programs put in front and the `/` they put behind
/// directories; none for the archive's own directory.
fn inner_path(entry: &Entry) -> Option<Box<[u8]>> {
    let path = entry.path.strip_prefix(b"./").unwrap_or(&entry.path);
    let path = match entry.kind {
        Kind::Directory => path.strip_suffix(b"/").unwrap_or(path),
        Kind::File { .. } | Kind::Link(_) | Kind::Refused(_) => path,
    };
    let root = entry.kind == Kind::Directory && matches!(path, b"" | b".");
    (!root).then(|| path.into())
}

/// The bytes of a file that is no larger than an archive may be.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, FetchError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            FetchError::NotFound { place: path.display().to_string() }
        }
        _ => FetchError::io(path, error),
    };
    // A fifo would keep us waiting for its other end.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = openat(CWD, path, flags, Mode::empty());
    let file = File::from(opened.map_err(|errno| failed(errno.into()))?);
    let data = file.metadata().map_err(failed)?;
    if !data.is_file() {
        let what = match data.is_dir() {
            true => "a directory, and called like an archive",
            false => "no file, and called like an archive",
        };
        return Err(FetchError::NoSource { place: path.display().to_string(), what });
    }
    let mut bytes = Vec::new();
    file.take(MAX_ARCHIVE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_ARCHIVE_BYTES {
        return Err(FetchError::Refused(Hazard::TooLarge(MAX_ARCHIVE_BYTES).at(b".")));
    }
    Ok(bytes)
}

fn malformed(why: &str) -> At {
    Hazard::Malformed(why.to_owned()).at(b".")
}

/// The most that so many packed bytes may become.
fn most_unpacked(packed: u64) -> u64 {
    packed.saturating_mul(MAX_RATIO).saturating_add(RATIO_FREE_BYTES)
}

/// What the mode of a file in an archive says it is, links and directories aside.
fn file_kind(mode: u64) -> Kind {
    match mode & 0o6000 {
        0 => Kind::File { executable: mode & 0o111 != 0 },
        _ => Kind::Refused(Hazard::SetUser),
    }
}

#[cfg(test)]
#[path = "archive_tests.rs"]
mod tests;
