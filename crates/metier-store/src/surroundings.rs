//! Which roots are surely not there. Every agent has a directory of its own beside all the others', and
//! a person has two or three of fifty: one list of what is there says no to the rest at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, RawDir, openat};

use crate::layer::Root;
use crate::paths::bytes_of;

/// Roots that must lie around a directory before it is listed: each costs what listing a few dozen
/// names does.
const WORTH_A_LIST: usize = 8;

/// Names in a directory of which the list is kept. In one with more nothing is known: to read it to its
/// end would cost more than it saves.
const MAX_NAMES: usize = 256;

/// Bytes of a list that are read at once: about as many names.
const LIST_BYTES: usize = 8 * 1024;

/// The names in the directories around which many roots lie, in lowercase, since some file systems do
/// not care.
///
/// Compared byte by byte, which is several times faster than path by path.
pub(crate) struct Surroundings<'a>(BTreeMap<&'a [u8], BTreeSet<Vec<u8>>>);

impl<'a> Surroundings<'a> {
    /// Lists what is worth it for these roots.
    pub(crate) fn of(roots: &'a [Root]) -> Self {
        let mut counts: BTreeMap<&[u8], usize> = BTreeMap::new();
        for around in
            roots.iter().filter(|root| root.optional).filter_map(|root| around(&root.path))
        {
            *counts.entry(around.0).or_default() += 1;
        }
        let worth = counts.into_iter().filter(|(_, count)| *count >= WORTH_A_LIST);
        Self(worth.filter_map(|(path, _)| names(path).map(|names| (path, names))).collect())
    }

    /// Whether the root at `path` is not there.
    pub(crate) fn lack(&self, path: &Path) -> bool {
        let Some((around, name)) = around(path) else { return false };
        self.0.get(around).is_some_and(|names| !names.contains(&name.to_ascii_lowercase()))
    }
}

/// The directory two above `path`, and the name in it on the way to `path`; none for a path that is
/// not written plainly.
fn around(path: &Path) -> Option<(&[u8], &[u8])> {
    let split = |path: &'_ [u8]| path.iter().rposition(|byte| *byte == b'/');
    let path = bytes_of(path);
    let above = path.get(..split(path)?).filter(|above| above.len() + 1 < path.len())?;
    let (around, name) = above.split_at_checked(split(above)?)?;
    let name = name.get(1..)?;
    // What folds otherwise than in ASCII nobody here can tell.
    let is_plain = name.is_ascii() && !matches!(name, b"" | b"." | b"..");
    (is_plain && !around.is_empty()).then_some((around, name))
}

/// The names in the directory; none when they cannot be listed, or are too many.
fn names(path: &[u8]) -> Option<BTreeSet<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, path, flags, Mode::empty()).ok()?;
    let mut buffer: Vec<u8> = Vec::with_capacity(LIST_BYTES);
    let mut entries = RawDir::new(&directory, buffer.spare_capacity_mut());
    let mut names = BTreeSet::new();
    while let Some(entry) = entries.next() {
        names.insert(entry.ok()?.file_name().to_bytes().to_ascii_lowercase());
        if names.len() > MAX_NAMES {
            return None;
        }
    }
    Some(names)
}

#[cfg(test)]
#[path = "surroundings_tests.rs"]
mod tests;
