//! Stamps: what the file system says of every file and directory of a tree without anybody reading
//! it. As long as all of them are what they were when the tree was hashed, it holds what it held.
//!
//! A stamp that is as young as the look at it proves nothing: a file may be written twice within
//! one tick of the file system's clock. Such stamps are not kept. Times of change cannot be set
//! back by whoever sets back times of modification.
//!
//! The stamps of all trees are one file that may be deleted at any time; the next look hashes again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use metier_store::digest::is_digest;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use crate::atomic::{Folder, Kind, kind_of};
use crate::difference::{Difference, DifferenceKind};
use crate::limits::RACY_NANOSECONDS;
use crate::sorted;

/// The first line of the file; another one is another format and read as nothing.
const HEADING: &str = "metier-stamps-1";

/// Rights that no file of a skill has: to run as its owner, or to be written by anybody.
const ODD_RIGHTS: u32 = 0o7002;

/// Stamps of a tree so small that its directory is not worth opening.
const FEW_STAMPS: usize = 4;

/// Room for a path in such a tree.
const FEW_BYTES: usize = 64;

/// What the file system says of one file or directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Its path inside the tree; empty for the tree's own directory.
    path: String,
    device: u64,
    inode: u64,
    size: i64,
    mode: u32,
    modified: i128,
    changed: i128,
}

/// The stamps of one tree, and the digest it had then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamped {
    /// The digest, hexadecimal.
    pub(crate) tree: String,
    stamps: Vec<Stamp>,
}

/// The stamps of many trees, by the key of their directory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stamps {
    /// Those of the file, as it has them behind its heading: sorted, and not taken apart until
    /// somebody asks.
    written: String,
    /// Those that were found out since.
    fresh: BTreeMap<String, Stamped>,
}

impl Stamped {
    /// Stamps for a tree that was hashed between two looks, unless they prove nothing: when the
    /// looks differ, or something is not older than `now`, in nanoseconds.
    pub(crate) fn new(tree: &str, before: Vec<Stamp>, after: &[Stamp], now: i128) -> Option<Self> {
        let sound = before == after && before.iter().all(|stamp| stamp.is_older_than(now));
        sound.then(|| Self { tree: tree.to_owned(), stamps: before })
    }

    /// Whether everything in `directory` still has its stamp. A directory's own stamp says which
    /// names are in it, so nothing is listed. What is small is asked for by its whole path: to open
    /// a directory and close it again takes as long as two more questions. It comes to the same,
    /// since a stamp says which file it is of.
    pub(crate) fn holds(&self, directory: &Path) -> bool {
        if self.stamps.len() <= FEW_STAMPS {
            let mut place = PathBuf::with_capacity(directory.as_os_str().len() + FEW_BYTES);
            place.push(directory);
            return self.all_hold(|path| match path {
                "" => statat(CWD, &place, AtFlags::empty()),
                path => {
                    place.push(path);
                    let stat = statat(CWD, &place, AtFlags::SYMLINK_NOFOLLOW);
                    place.clear();
                    place.push(directory);
                    stat
                }
            });
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(root) = openat(CWD, directory, flags, Mode::empty()) else { return false };
        self.all_hold(|path| match path {
            "" => fstat(&root),
            path => statat(&root, path, AtFlags::SYMLINK_NOFOLLOW),
        })
    }

    fn all_hold(&self, mut stat: impl FnMut(&str) -> Result<Stat, Errno>) -> bool {
        self.stamps.iter().all(|stamp| {
            stat(&stamp.path).is_ok_and(|now| Stamp::of(String::new(), &now).is_like(stamp))
        })
    }
}

impl Stamp {
    /// The stamp of the regular file `name` in `folder`, when there is one.
    pub(crate) fn of_file(folder: &Folder, name: &str) -> Option<Self> {
        let stat = statat(folder.fd(), name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        (kind_of(&stat) == Kind::File).then(|| Self::of(name.to_owned(), &stat))
    }

    /// Whether it is so much older than `now`, in nanoseconds, that it can be believed later.
    pub(crate) fn is_older_than(&self, now: i128) -> bool {
        self.changed() < now - RACY_NANOSECONDS
    }

    /// When anything about it changed last, in nanoseconds.
    pub(crate) fn changed(&self) -> i128 {
        self.modified.max(self.changed)
    }

    fn of(path: String, stat: &Stat) -> Self {
        let time = |seconds: i64, nanoseconds: u64| {
            i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)
        };
        Self {
            path,
            device: stat.st_dev,
            inode: stat.st_ino,
            size: stat.st_size,
            mode: stat.st_mode,
            modified: time(stat.st_mtime, stat.st_mtime_nsec),
            changed: time(stat.st_ctime, stat.st_ctime_nsec),
        }
    }

    fn is_like(&self, other: &Self) -> bool {
        let facts = |stamp: &Self| {
            let Self { device, inode, size, mode, modified, changed, .. } = stamp;
            (*device, *inode, *size, *mode, *modified, *changed)
        };
        facts(self) == facts(other)
    }
}

impl Stamps {
    /// The stamps in a file's `text`; none when it is not ours.
    pub(crate) fn read(text: &str) -> Self {
        let behind = text.strip_prefix(HEADING).and_then(|rest| rest.strip_prefix('\n'));
        Self { written: behind.unwrap_or_default().to_owned(), fresh: BTreeMap::new() }
    }

    /// The stamps of the tree at `key`; none where they cannot be read.
    pub(crate) fn get(&self, key: &str) -> Option<Cow<'_, Stamped>> {
        if let Some(stamped) = self.fresh.get(key) {
            return Some(Cow::Borrowed(stamped));
        }
        let entry = sorted::find(&self.written, "\nt ", key, key_of)?;
        tree(entry).map(|(_, stamped)| Cow::Owned(stamped))
    }

    /// Has these for the tree at `key` instead. A key that no line can spell, which would be read
    /// back as an entry about another tree, has none: such a tree is hashed every time.
    pub(crate) fn insert(&mut self, key: &str, stamped: Stamped) {
        if !key.contains(['\n', '\r']) {
            self.fresh.insert(key.to_owned(), stamped);
        }
    }

    /// The whole file.
    pub(crate) fn text(&self) -> String {
        let mut all = BTreeMap::new();
        let mut rest = self.written.as_str();
        while !rest.is_empty() {
            let end = rest.find("\nt ").map_or(rest.len(), |at| at + 1);
            let (entry, behind) = rest.split_at(end);
            all.extend(tree(entry));
            rest = behind;
        }
        all.extend(self.fresh.iter().map(|(key, stamped)| (key.as_str(), stamped.clone())));
        let mut text = format!("{HEADING}\n");
        for (key, tree) in all {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "t {} {key}", tree.tree);
            for stamp in &tree.stamps {
                let _ = writeln!(text, "s {stamp}");
            }
        }
        text
    }
}

/// The key of an entry.
fn key_of(entry: &str) -> Option<&str> {
    let (first, _) = cut(entry, b'\n')?;
    cut(first.strip_prefix("t ")?, b' ').map(|(_, key)| key)
}

/// The tree an entry is about, when all of it can be read.
fn tree(entry: &str) -> Option<(&str, Stamped)> {
    let mut lines = entry.lines();
    let (tree, key) = cut(lines.next()?.strip_prefix("t ")?, b' ')?;
    let stamps = lines.map(|line| stamp(line.strip_prefix("s ")?)).collect::<Option<_>>()?;
    is_digest(tree).then(|| (key, Stamped { tree: tree.to_owned(), stamps }))
}

impl std::fmt::Display for Stamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, device, inode, size, mode, modified, changed } = self;
        write!(f, "{device} {inode} {size} {mode} {modified} {changed} {path}")
    }
}

/// The text before and behind the first `separator`, which is ASCII. Parts of a few bytes are found
/// in half the time of a search made for long texts.
pub(crate) fn cut(text: &str, separator: u8) -> Option<(&str, &str)> {
    let at = text.bytes().position(|byte| byte == separator)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

fn stamp(line: &str) -> Option<Stamp> {
    let mut rest = line;
    let mut next = || {
        let (part, behind) = cut(rest, b' ')?;
        rest = behind;
        Some(part)
    };
    let stamp = Stamp {
        device: next()?.parse().ok()?,
        inode: next()?.parse().ok()?,
        size: next()?.parse().ok()?,
        mode: next()?.parse().ok()?,
        modified: nanoseconds(next()?)?,
        changed: nanoseconds(next()?)?,
        path: String::new(),
    };
    Some(Stamp { path: rest.to_owned(), ..stamp })
}

/// A time. Those since 1970 fit into less, which is read in a fraction of the time.
fn nanoseconds(text: &str) -> Option<i128> {
    text.parse::<u64>().map(i128::from).or_else(|_| text.parse()).ok()
}

/// The stamps of everything in `directory`, sorted by path. A name that no line can spell is an
/// error: such a tree is hashed every time.
pub(crate) fn look(directory: &Path) -> Result<Vec<Stamp>, Errno> {
    let root = Folder::open(directory).map_err(|error| errno(&error.source))?;
    let mut stamps = vec![Stamp::of(String::new(), &fstat(root.fd())?)];
    look_into(&root, "", &mut stamps)?;
    stamps.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(stamps)
}

/// Files with rights that no file of a skill has.
pub(crate) fn odd_rights(stamps: &[Stamp]) -> Vec<Difference> {
    let is_odd = |stamp: &&Stamp| {
        let is_link = stamp.mode & 0o170_000 == 0o120_000;
        !is_link && stamp.mode & ODD_RIGHTS != 0
    };
    let difference = |stamp: &Stamp| {
        let path = if stamp.path.is_empty() { ".".to_owned() } else { stamp.path.clone() };
        Difference { path, kind: DifferenceKind::Mode }
    };
    stamps.iter().filter(is_odd).map(difference).collect()
}

fn look_into(folder: &Folder, path: &str, stamps: &mut Vec<Stamp>) -> Result<(), Errno> {
    if stamps.len() > metier_store::limits::MAX_RESOURCE_ENTRIES
        || path.split('/').count() > metier_store::limits::MAX_RESOURCE_DEPTH + 1
    {
        return Err(Errno::OVERFLOW);
    }
    let listing = rustix::fs::Dir::read_from(folder.fd())?;
    for entry in listing {
        let entry = entry?;
        let name = entry.file_name().to_str().map_err(|_| Errno::ILSEQ)?;
        if name == "." || name == ".." {
            continue;
        }
        if name.contains(['\n', '\r']) {
            return Err(Errno::ILSEQ);
        }
        let below = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let stat = statat(folder.fd(), name, AtFlags::SYMLINK_NOFOLLOW)?;
        stamps.push(Stamp::of(below.clone(), &stat));
        if kind_of(&stat) == Kind::Directory {
            let child = folder.child(name).map_err(|error| errno(&error.source))?;
            look_into(&child, &below, stamps)?;
        }
    }
    Ok(())
}

fn errno(error: &std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}

#[cfg(test)]
#[path = "stamp_tests.rs"]
mod tests;
