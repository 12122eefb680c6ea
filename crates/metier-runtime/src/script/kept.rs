//! The environments uv has made, one for each content of a skill: where they lie, which are whole,
//! and how much they may take. This file is the door to the disk for them.
//!
//! `cache/uv/KEY/` holds four things. `asked/` is all that uv reads of the skill, written here; uv
//! writes to `made/` and to nothing else, once; `ready` names the environment in it, is written here
//! after uv has ended, and means that nobody writes to `made/` any more; `lock` is held by whoever
//! makes it. What uv or anything it started says about
//! the environment is not asked: it is found by looking, without following a link.

#![expect(clippy::disallowed_methods, reason = "this file is the door to what uv has made")]

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use metier_sandbox::Cancel;

use super::ground::{self, private_directory};
use crate::journal::{USED_NOW, write_whole};
use crate::limits::{MAX_ENVIRONMENTS, MAX_PREPARED_ENTRIES};

/// Where uv keeps the environments of scripts in its cache.
const ENVIRONMENTS: &str = "environments-v2";

/// The place of one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    place: PathBuf,
}

/// An environment that is whole and that nobody writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Environment {
    /// Its directory: below the place, and reached without a link.
    pub(crate) directory: PathBuf,
    /// Its Python, normally a link to one of the system's or of uv's own.
    pub(crate) python: PathBuf,
}

/// Why what uv made is not kept.
#[derive(Debug)]
pub(crate) enum Unkept {
    /// It is larger than this many bytes, or has too many entries.
    TooLarge(u64),
    /// It is not what uv makes.
    Strange,
    /// The disk said no.
    Disk(io::Error),
}

impl From<io::Error> for Unkept {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

impl Kept {
    /// The place for `key` below `caches`.
    pub(crate) fn new(caches: &Path, key: &str) -> Self {
        Self { place: caches.join(key) }
    }

    /// Where it is.
    pub(crate) fn place(&self) -> &Path {
        &self.place
    }

    /// The one directory uv writes to.
    pub(crate) fn made(&self) -> PathBuf {
        self.place.join("made")
    }

    /// The directory with all that uv reads of the skill, each file where it lies in the skill.
    pub(crate) fn asked(&self) -> PathBuf {
        self.place.join("asked")
    }

    /// Writes a file that uv reads. Its path is one inside a skill, without `..`.
    pub(crate) fn ask(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let file = self.asked().join(path);
        file.parent().map_or(Ok(()), private_directory)?;
        write_whole(&file, bytes, 0o600)
    }

    /// The environment, when it was made before and its Python is still there. It is as old as its
    /// last use.
    pub(crate) fn ready(&self) -> Option<Environment> {
        let mut file = File::open(self.place.join("ready")).ok()?;
        let mut name = String::new();
        file.read_to_string(&mut name).ok()?;
        let found = environment(&self.made(), &OsString::from(name))?;
        let _ = rustix::fs::futimens(&file, &USED_NOW);
        Some(found)
    }

    /// Waits until nobody else makes it, or `cancel` is thrown. Dropping the file lets others go on.
    pub(crate) fn lock(&self, cancel: &Cancel) -> io::Result<File> {
        loop {
            private_directory(&self.place)?;
            match ground::lock(&self.place.join("lock"), cancel) {
                // Somebody needed the room and removed the place meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                other => return other,
            }
        }
    }

    /// Empties the place, and the oldest places where there are too many.
    pub(crate) fn begin(&self) -> io::Result<()> {
        self.clear()?;
        if let Some(caches) = self.place.parent() {
            forget_oldest(caches, &self.place);
        }
        private_directory(&self.asked())?;
        private_directory(&self.made())
    }

    /// Removes what was asked for and what was made.
    pub(crate) fn clear(&self) -> io::Result<()> {
        let gone = |result: io::Result<()>| match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        gone(std::fs::remove_file(self.place.join("ready")))?;
        gone(std::fs::remove_dir_all(self.asked()))?;
        gone(std::fs::remove_dir_all(self.made()))
    }

    /// Whether what lies there takes more than `most` bytes. Linear in the number of its entries.
    pub(crate) fn exceeds(&self, most: u64) -> bool {
        let mut left = (most, MAX_PREPARED_ENTRIES);
        !fits(&self.made(), &mut left)
    }

    /// Keeps what uv made, now that it has ended, and nothing besides the environment.
    pub(crate) fn finish(&self, most: u64) -> Result<Environment, Unkept> {
        if self.exceeds(most) {
            return Err(Unkept::TooLarge(most));
        }
        let made = self.made();
        let name = only_directory(&made.join(ENVIRONMENTS))?.ok_or(Unkept::Strange)?;
        let found = environment(&made, &name).ok_or(Unkept::Strange)?;
        for entry in std::fs::read_dir(&made)? {
            let entry = entry?;
            match entry.file_name() == ENVIRONMENTS {
                true => {}
                false if entry.file_type()?.is_dir() => std::fs::remove_dir_all(entry.path())?,
                false => std::fs::remove_file(entry.path())?,
            }
        }
        let name = name.to_str().ok_or(Unkept::Strange)?;
        write_whole(&self.place.join("ready"), name.as_bytes(), 0o600)?;
        Ok(found)
    }
}

/// The environment `name` below `made`. Every directory on the way is one, not a link to one.
fn environment(made: &Path, name: &OsString) -> Option<Environment> {
    let mut parts = Path::new(name).components();
    let (Some(Component::Normal(only)), None) = (parts.next(), parts.next()) else { return None };
    let environments = made.join(ENVIRONMENTS);
    let directory = environments.join(only);
    let bin = directory.join("bin");
    let real = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let python = bin.join("python");
    let whole = [made, &environments, &directory, &bin].into_iter().all(real);
    (whole && python.exists()).then_some(Environment { directory, python })
}

/// The name of the only directory in `place`; nothing when there is none or more.
fn only_directory(place: &Path) -> io::Result<Option<OsString>> {
    if !std::fs::symlink_metadata(place).is_ok_and(|found| found.is_dir()) {
        return Ok(None);
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name());
        }
    }
    let only = names.pop();
    Ok(if names.is_empty() { only } else { None })
}

/// Takes what lies in `directory` off the bytes and entries that are left; false when they do not
/// reach. What cannot be looked at, because it is being removed, takes nothing.
fn fits(directory: &Path, left: &mut (u64, u64)) -> bool {
    let mut waiting = vec![directory.to_owned()];
    while let Some(next) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let Ok(found) = entry.metadata() else { continue };
            let after =
                (left.0.checked_sub(found.blocks().saturating_mul(512)), left.1.checked_sub(1));
            let (Some(bytes), Some(count)) = after else { return false };
            *left = (bytes, count);
            if found.is_dir() {
                waiting.push(entry.path());
            }
        }
    }
    true
}

/// Removes the environments used longest ago, as many as are too many, and none that somebody makes.
/// One that cannot be removed stays: it is in nobody's way.
fn forget_oldest(caches: &Path, own: &Path) {
    let Ok(entries) = std::fs::read_dir(caches) else { return };
    let mut places: Vec<_> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path != own)
        .map(|path| {
            let changed = |path: &Path| std::fs::symlink_metadata(path).and_then(|m| m.modified());
            // One that is not ready is as old as the last try at making it.
            (changed(&path.join("ready")).or_else(|_| changed(&path)).ok(), path)
        })
        .collect();
    places.sort();
    let mut many = places.len().saturating_sub(MAX_ENVIRONMENTS - 1);
    for (_, place) in places {
        if many == 0 {
            break;
        }
        let Ok(Some(_lock)) = ground::try_lock(&place.join("lock")) else { continue };
        many -= usize::from(std::fs::remove_dir_all(place).is_ok());
    }
}

#[cfg(test)]
#[path = "kept_tests.rs"]
mod tests;
