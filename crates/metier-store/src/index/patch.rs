//! A part of a discovery replaced by what a later look at that part found.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use crate::discover::Discovery;
use crate::layer::RootId;
use crate::store::Location;

/// What a look at one directory and everything below it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// The directory looked at.
    pub at: Location,
    /// What was found there. Its paths are relative to the root, and its roots are not looked at.
    pub part: Discovery,
}

/// Puts each patch in the place of what was known there. The statistics then say how much the
/// patches did. Takes O(p log n) and what moving the entries behind each place costs.
pub(super) fn apply_all(discovery: &mut Discovery, patches: Vec<Patch>) {
    let links = discovery.stats.links;
    discovery.stats = crate::discover::ScanStats { links, ..Default::default() };
    for Patch { at, part } in patches {
        let range = places(&discovery.found, &at, |found| (found.root, &found.path));
        discovery.found.splice(range, part.found);
        let range = places(&discovery.skipped, &at, |skipped| (skipped.root, &skipped.path));
        discovery.skipped.splice(range, part.skipped);
        let range = places(&discovery.notes, &at, |note| (note.root, &note.path));
        discovery.notes.splice(range, part.notes);
        discovery.stats += part.stats;
    }
}

/// Where in `list`, which is sorted by root and then by path component by component, everything at
/// and below a directory stands: in one piece, since a directory sorts right before what is in it.
pub(crate) fn places<T>(
    list: &[T],
    at: &Location,
    key: impl Fn(&T) -> (RootId, &Path),
) -> Range<usize> {
    let order = |item: &T| {
        let (root, path) = key(item);
        root.cmp(&at.root).then_with(|| {
            if path.starts_with(&at.path) { Ordering::Equal } else { path.cmp(&at.path) }
        })
    };
    let start = list.partition_point(|item| order(item) == Ordering::Less);
    let length = list
        .get(start..)
        .map_or(0, |rest| rest.partition_point(|item| order(item) == Ordering::Equal));
    start..start + length
}

#[cfg(test)]
#[path = "patch_tests.rs"]
mod tests;
