//! The directories of one level of a walk, in order, their paths side by side in one buffer: a
//! directory that is looked at and left again costs no allocation of its own.
//!
//! Knows nothing of files or of how a directory is listed; see `walk` for how levels follow each
//! other.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::ops::Range;

use crate::paths::{joined, path_order};

/// What a directory is on disk: device and inode. Zeros when it is not on disk.
pub(crate) type Identity = (u64, u64);

/// The directories of one level.
#[derive(Debug, Default)]
pub(crate) struct Level {
    paths: Vec<u8>,
    entries: Vec<Entry>,
    /// Whether a link led to one of them, so that one may be here twice.
    linked: bool,
}

/// One directory: where its path stands in the buffer, and what it is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    end: u32,
    identity: Identity,
    reached: Reached,
}

/// How a directory was come by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    /// It lies where it was listed.
    Plainly,
    /// A link was followed to it.
    ByLink,
    /// A link led to it when a scan looked last. Nobody has followed it since, so that what it is has
    /// to be confirmed by whoever looks at it.
    Supposedly,
}

/// A subdirectory as a listing shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<'a> {
    /// Its name.
    pub(crate) name: &'a [u8],
    /// What it is.
    pub(crate) identity: Identity,
    /// How it was come by.
    pub(crate) reached: Reached,
}

/// The subdirectories of one directory, while they are being added at the end of a level.
#[derive(Debug)]
pub(crate) struct Siblings {
    first: usize,
    first_byte: usize,
    /// Bytes of the parent's path with its slash, the same for all siblings.
    prefix: usize,
    /// How many are kept; the rest only counted.
    cap: usize,
    cut: u64,
    /// Those that lie too deep to be kept at all.
    pub(crate) deep: Tally,
}

/// Directories that were left out: how many, and the first of them in order.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many.
    pub(crate) count: u64,
    /// The first one's path.
    pub(crate) first: Option<Box<[u8]>>,
}

/// Every directory of a walk so far. Costs next to nothing until a link appears, since without one
/// no directory is met twice.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    plain: Vec<Identity>,
    /// Once there was a link: what each directory is, and how it was come by.
    all: Option<BTreeMap<Identity, Reached>>,
}

impl Level {
    /// The level of one directory alone; the root's path is empty.
    pub(crate) fn of(path: &[u8], identity: Identity, reached: Reached) -> Self {
        let only = Entry { start: 0, end: offset(path.len()), identity, reached };
        let linked = reached != Reached::Plainly;
        Self { paths: path.to_vec(), entries: vec![only], linked }
    }

    /// How many directories.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The path of directory `index` relative to the root, what it is and how it was come by.
    pub(crate) fn get(&self, index: usize) -> Option<(&[u8], Identity, Reached)> {
        let entry = self.entries.get(index)?;
        Some((self.path(entry), entry.identity, entry.reached))
    }

    /// Starts adding the subdirectories of `parent`, of which `cap` are kept.
    pub(crate) fn siblings(&self, parent: &[u8], cap: usize) -> Siblings {
        let prefix = if parent.is_empty() { 0 } else { parent.len() + 1 };
        let (first, first_byte) = (self.len(), self.paths.len());
        Siblings { first, first_byte, prefix, cap, cut: 0, deep: Tally::default() }
    }

    /// Adds one subdirectory of `parent`.
    pub(crate) fn add(&mut self, group: &mut Siblings, parent: &[u8], child: Child<'_>) {
        let start = offset(self.paths.len());
        if !parent.is_empty() {
            self.paths.extend_from_slice(parent);
            self.paths.push(b'/');
        }
        self.paths.extend_from_slice(child.name);
        let end = offset(self.paths.len());
        let Child { identity, reached, .. } = child;
        self.entries.push(Entry { start, end, identity, reached });
        self.linked |= reached != Reached::Plainly;
        // Memory stays bounded however many there are; cutting at twice the cap keeps it linear.
        if self.len() - group.first > group.cap.saturating_mul(2).saturating_add(1024) {
            self.sort(group);
            self.keep_first(group);
        }
    }

    /// Ends adding: the siblings are in order, those past the cap counted and gone.
    pub(crate) fn close(&mut self, mut group: Siblings) -> (Range<usize>, u64) {
        self.sort(&group);
        self.keep_first(&mut group);
        (group.first..self.len(), group.cut)
    }

    /// Forgets the siblings added so far.
    pub(crate) fn discard(&mut self, group: &Siblings) {
        self.entries.truncate(group.first);
        self.paths.truncate(group.first_byte);
    }

    /// Adds directories `range` of `other` at the end.
    pub(crate) fn append(&mut self, other: &Self, range: Range<usize>) {
        self.linked |= other.linked;
        for entry in other.entries.get(range).unwrap_or_default() {
            let start = offset(self.paths.len());
            self.paths.extend_from_slice(other.path(entry));
            let end = offset(self.paths.len());
            self.entries.push(Entry { start, end, ..*entry });
        }
    }

    /// Keeps the first `budget` directories and counts the others.
    pub(crate) fn cut(&mut self, budget: usize) -> Tally {
        let count = self.len().saturating_sub(budget) as u64;
        let first = self.entries.get(budget).map(|entry| self.path(entry).into());
        self.entries.truncate(budget);
        Tally { count, first }
    }

    fn path(&self, entry: &Entry) -> &[u8] {
        self.paths.get(entry.start as usize..entry.end as usize).unwrap_or_default()
    }

    /// Siblings share a parent, so their names alone decide.
    fn sort(&mut self, group: &Siblings) {
        let (paths, prefix) = (&self.paths, group.prefix);
        let name = |entry: &Entry| {
            paths.get(entry.start as usize + prefix..entry.end as usize).unwrap_or_default()
        };
        if let Some(siblings) = self.entries.get_mut(group.first..) {
            siblings.sort_unstable_by(|a, b| name(a).cmp(name(b)));
        }
    }

    fn keep_first(&mut self, group: &mut Siblings) {
        let kept = group.first.saturating_add(group.cap);
        if self.len() <= kept {
            return;
        }
        group.cut += (self.len() - kept) as u64;
        self.entries.truncate(kept);
        let mut packed = Vec::new();
        for entry in self.entries.get_mut(group.first..).unwrap_or_default() {
            let start = group.first_byte + packed.len();
            let old = entry.start as usize..entry.end as usize;
            packed.extend_from_slice(self.paths.get(old).unwrap_or_default());
            (entry.start, entry.end) = (offset(start), offset(group.first_byte + packed.len()));
        }
        self.paths.truncate(group.first_byte);
        self.paths.extend_from_slice(&packed);
    }
}

impl Tally {
    /// One directory more, called `name` in `parent`. Its path is put together only when it comes
    /// first.
    pub(crate) fn add(&mut self, parent: &[u8], name: &[u8]) {
        self.count += 1;
        let later = self.first.as_ref().is_some_and(|first| {
            let below = if parent.is_empty() {
                Some(&**first)
            } else {
                first.strip_prefix(parent).and_then(|rest| rest.strip_prefix(b"/"))
            };
            match below {
                Some(other) => path_order(other, name) != Ordering::Greater,
                None => path_order(first, parent) != Ordering::Greater,
            }
        });
        if !later {
            self.first = Some(joined(parent, name).into());
        }
    }

    /// Both together.
    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        if let Some(path) = other.first {
            self.put_first(path);
        }
    }

    fn put_first(&mut self, path: Box<[u8]>) {
        match &self.first {
            Some(first) if path_order(first, &path) != Ordering::Greater => {}
            Some(_) | None => self.first = Some(path),
        }
    }
}

impl Seen {
    /// Drops the directories of `level` that were seen before, on this level or above it. False when
    /// one was dropped, or kept instead of another, by what it is only supposed to be.
    pub(crate) fn admit(&mut self, level: &mut Level) -> bool {
        if self.all.is_none() && !level.linked {
            self.plain.extend(level.entries.iter().map(|entry| entry.identity));
            return true;
        }
        let mut is_sure = true;
        let plain = std::mem::take(&mut self.plain).into_iter();
        let all = self
            .all
            .get_or_insert_with(|| plain.map(|identity| (identity, Reached::Plainly)).collect());
        // Two entries of directories that are no links cannot be the same directory; a stacked
        // filesystem may give them the same number all the same.
        level.entries.retain(|entry| match all.entry(entry.identity) {
            Slot::Vacant(slot) => {
                slot.insert(entry.reached);
                true
            }
            Slot::Occupied(earlier) => {
                let both = [*earlier.get(), entry.reached];
                is_sure &= !both.contains(&Reached::Supposedly);
                both == [Reached::Plainly; 2]
            }
        });
        is_sure
    }
}

/// An offset in the buffer. A level is cut to at most a million paths, and a path of the length
/// that would be needed to fill 4 GiB with them is one the kernel does not open.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "level_tests.rs"]
mod tests;
