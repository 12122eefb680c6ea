//! The files of a skill as lint asks about them: is there such a path, and which one was meant?

use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use super::Neighbour;
use crate::text::quoted;

/// Most paths compared letter by letter over one file. Suggestions past it are simply not made.
const MAX_COMPARISONS: usize = 20_000;

/// Longest path compared letter by letter, in characters.
const MAX_COMPARED_CHARS: usize = 128;

/// Most letters that may differ in a suggestion.
const MAX_DISTANCE: usize = 2;

/// An index over the files of a skill.
pub(super) struct Files<'a> {
    files: BTreeSet<&'a str>,
    directories: BTreeSet<&'a str>,
    /// What is only asked when a path does not exist.
    folded: OnceCell<Folded<'a>>,
    comparisons: Cell<usize>,
}

/// The paths without their case.
struct Folded<'a> {
    /// Lowercase path to the path as it is spelled.
    by_path: BTreeMap<String, &'a str>,
    /// Lowercase base name to the only path that has it, or to nothing when several do.
    by_base: BTreeMap<String, Option<&'a str>>,
}

/// A path that was probably meant, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant<'a> {
    /// The same letters in another case.
    Case(&'a str),
    /// The same name in another directory.
    Elsewhere(&'a str),
    /// Almost the same letters.
    Similar(&'a str),
}

impl<'a> Files<'a> {
    pub(super) fn new(neighbours: &'a [Neighbour]) -> Self {
        let mut files = BTreeSet::from(["SKILL.md"]);
        let mut directories = BTreeSet::new();
        for neighbour in neighbours {
            let path = neighbour.path.as_str();
            if neighbour.directory {
                directories.insert(path);
            } else {
                files.insert(path);
            }
            directories.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)));
        }
        Self { files, directories, folded: OnceCell::new(), comparisons: Cell::new(0) }
    }

    /// Whether `path`, relative to the skill and without `.` and `..`, is a file or a directory.
    pub(super) fn has(&self, path: &str) -> bool {
        path.is_empty() || self.files.contains(path) || self.directories.contains(path)
    }

    /// Whether `path` is a directory.
    pub(super) fn has_directory(&self, path: &str) -> bool {
        self.directories.contains(path)
    }

    /// Every file, sorted.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a str> {
        self.files.iter().copied()
    }

    /// What somebody who wrote `path` probably meant.
    pub(super) fn meant(&self, path: &str) -> Option<Meant<'a>> {
        let lower = path.to_lowercase();
        let folded = self.folded();
        if let Some(real) = folded.by_path.get(&lower) {
            return Some(Meant::Case(real));
        }
        if let Some(Some(real)) = folded.by_base.get(base_name(&lower)) {
            return Some(Meant::Elsewhere(real));
        }
        self.similar(&lower).map(Meant::Similar)
    }

    fn folded(&self) -> &Folded<'a> {
        self.folded.get_or_init(|| {
            let mut by_path = BTreeMap::new();
            let mut by_base = BTreeMap::new();
            for path in self.files.iter().chain(&self.directories) {
                by_path.entry(path.to_lowercase()).or_insert(*path);
            }
            for path in &self.files {
                by_base
                    .entry(base_name(path).to_lowercase())
                    .and_modify(|only| *only = None)
                    .or_insert(Some(*path));
            }
            Folded { by_path, by_base }
        })
    }

    /// The path nearest to `lower`, when it is near. The first in order among equals.
    fn similar(&self, lower: &str) -> Option<&'a str> {
        let wanted: Vec<char> = lower.chars().collect();
        // In a short path every letter counts: one may differ in five, two in ten.
        let most = MAX_DISTANCE.min(wanted.len() / 5);
        if most == 0 || wanted.len() > MAX_COMPARED_CHARS {
            return None;
        }
        let mut best: Option<(usize, &'a str)> = None;
        for (folded, real) in &self.folded().by_path {
            if folded.len().abs_diff(lower.len()) > most * 4 {
                continue;
            }
            let spent = self.comparisons.get() + 1;
            self.comparisons.set(spent);
            if spent > MAX_COMPARISONS {
                return None;
            }
            let limit = best.map_or(most, |(distance, _)| distance.saturating_sub(1));
            if let Some(distance) = distance_within(&wanted, folded, limit)
                && best.is_none_or(|(least, _)| distance < least)
            {
                best = Some((distance, real));
            }
        }
        best.map(|(_, real)| real)
    }
}

impl Meant<'_> {
    /// The help line of a finding about a path that does not exist.
    pub(super) fn help(&self) -> String {
        match self {
            Self::Case(real) => format!("the file is spelled {}", quoted(real)),
            Self::Elsewhere(real) | Self::Similar(real) => {
                format!("did you mean {}?", quoted(real))
            }
        }
    }
}

/// The last component of `path`.
pub(super) fn base_name(path: &str) -> &str {
    // Asked about every word of a body, so it is not worth setting up a search.
    let start = path.bytes().rposition(|byte| byte == b'/').map_or(0, |slash| slash + 1);
    path.get(start..).unwrap_or(path)
}

/// How many letters must be inserted, deleted or replaced to get from `a` to `b`, when that is at
/// most `limit`. Only the diagonal band that wide is computed.
fn distance_within(a: &[char], b: &str, limit: usize) -> Option<usize> {
    let b: Vec<char> = b.chars().take(MAX_COMPARED_CHARS + 1).collect();
    if b.len() > MAX_COMPARED_CHARS || a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let beyond = limit + 1;
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut next = vec![beyond; b.len() + 1];
        let from = i.saturating_sub(limit);
        let until = (i + limit + 1).min(b.len());
        if i < limit
            && let Some(first) = next.first_mut()
        {
            *first = i + 1;
        }
        for j in from..until {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(beyond);
            let replace = at(&row, j) + usize::from(b.get(j) != Some(left));
            let best = replace.min(at(&row, j + 1) + 1).min(at(&next, j) + 1);
            if let Some(cell) = next.get_mut(j + 1) {
                *cell = best;
            }
        }
        row = next;
    }
    row.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
