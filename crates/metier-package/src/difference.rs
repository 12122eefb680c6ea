//! What two things differ in: a tree and its record file by file, two texts line by line. Pure.

use std::collections::BTreeMap;
use std::fmt;

use metier_store::digest::{Tree, hex};
use serde::Serialize;

use crate::limits::{MAX_DIFF_EDITS, MAX_DIFF_LINES, MAX_DIFFERENCES};
use crate::pinned::{FileMode, PinnedFile};

/// How one file is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The file's path inside the skill.
    pub path: String,
    /// What is different.
    pub kind: DifferenceKind,
}

/// What is different about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceKind {
    /// Its bytes.
    Changed,
    /// It is not there.
    Missing,
    /// It should not be there.
    Extra,
    /// It is executable and should not be, or the other way round, or it has rights that no file of
    /// a skill has.
    Mode,
    /// It is a link and should be a file, or the other way round, or something else altogether.
    Kind,
}

/// One line of a difference between two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old one.
    Old(&'a str),
    /// Only in the new one.
    New(&'a str),
}

impl DifferenceKind {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::Extra => "extra",
            Self::Mode => "mode",
            Self::Kind => "kind",
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.as_str(), self.path)
    }
}

/// How `found` differs from the files it should have, sorted by path.
#[must_use]
pub fn compare(expected: &[PinnedFile], found: &Tree) -> Vec<Difference> {
    let mut rest: BTreeMap<String, (FileMode, String)> = BTreeMap::new();
    for file in found.files() {
        let path = String::from_utf8_lossy(&file.path).into_owned();
        rest.insert(path, (FileMode::of(file.kind), hex(&file.digest)));
    }
    let mut differences = Vec::new();
    let mut differ =
        |path: &str, kind| differences.push(Difference { path: path.to_owned(), kind });
    for file in expected {
        let Some((mode, digest)) = rest.remove(&file.path) else {
            differ(&file.path, DifferenceKind::Missing);
            continue;
        };
        let is_link = |mode| mode == FileMode::Link;
        if is_link(mode) != is_link(file.mode) {
            differ(&file.path, DifferenceKind::Kind);
            continue;
        }
        if digest != file.sha256 {
            differ(&file.path, DifferenceKind::Changed);
        }
        if mode != file.mode {
            differ(&file.path, DifferenceKind::Mode);
        }
    }
    for path in rest.keys() {
        differ(path, DifferenceKind::Extra);
    }
    differences.sort();
    differences
}

/// At most a few of them, as they are shown.
#[must_use]
pub fn shown(differences: &[Difference]) -> Vec<String> {
    let mut lines: Vec<String> =
        differences.iter().take(MAX_DIFFERENCES).map(ToString::to_string).collect();
    let more = differences.len().saturating_sub(MAX_DIFFERENCES);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

/// How `new` differs from `old`, line by line, with the fewest edits: time and memory grow with the
/// number of edits squared, so texts that are far apart are shown as replaced whole.
#[must_use]
pub fn lines<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let a: Vec<&str> = old.lines().collect();
    let b: Vec<&str> = new.lines().collect();
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let tail = tail.min(a.len().min(b.len()) - head);
    let middle = |all: &[&'a str]| -> Vec<&'a str> {
        all.get(head..all.len() - tail).unwrap_or_default().to_vec()
    };
    let (old_middle, new_middle) = (middle(&a), middle(&b));
    let mut out: Vec<Line<'a>> = a.iter().take(head).map(|line| Line::Same(line)).collect();
    out.extend(edits(&old_middle, &new_middle));
    out.extend(a.iter().skip(a.len() - tail).map(|line| Line::Same(line)));
    out
}

/// The shortest way from `a` to `b`, found by how far each number of edits reaches on each diagonal.
fn edits<'a>(a: &[&'a str], b: &[&'a str]) -> Vec<Line<'a>> {
    let whole = || {
        let old = a.iter().map(|line| Line::Old(line));
        old.chain(b.iter().map(|line| Line::New(line))).collect()
    };
    if a.len().max(b.len()) > MAX_DIFF_LINES {
        return whole();
    }
    match reaches(a, b) {
        Some(reaches) => walk_back(a, b, &reaches),
        None => whole(),
    }
}

/// For each number of edits, how far along `a` every diagonal is reached; none when there are too
/// many edits. Diagonal `k` is at index `k + edits + 1`.
fn reaches(a: &[&str], b: &[&str]) -> Option<Vec<Vec<usize>>> {
    let most = (a.len() + b.len()).min(MAX_DIFF_EDITS);
    let mut all: Vec<Vec<usize>> = Vec::new();
    for edits in 0..=most {
        let last = all.last();
        // The row before is one narrower on each side.
        let before = |k: usize| last.and_then(|row| row.get(k)).copied();
        let mut row = vec![0; 2 * edits + 1];
        for index in (0..=2 * edits).step_by(2) {
            let down = before(index);
            let right = index.checked_sub(2).and_then(before).map(|x| x + 1);
            let mut x = match (down, right) {
                (Some(down), Some(right)) => down.max(right),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => 0,
            };
            while let Some(y) = (x + edits).checked_sub(index)
                && x < a.len()
                && a.get(x) == b.get(y)
            {
                x += 1;
            }
            if let Some(place) = row.get_mut(index) {
                *place = x;
            }
            let y = (x + edits).checked_sub(index);
            if x >= a.len() && y.is_some_and(|y| y >= b.len()) {
                all.push(row);
                return Some(all);
            }
        }
        all.push(row);
    }
    None
}

/// The edits that lead to the last reach, in order.
fn walk_back<'a>(a: &[&'a str], b: &[&'a str], reaches: &[Vec<usize>]) -> Vec<Line<'a>> {
    let (mut x, mut y) = (a.len(), b.len());
    let mut out = Vec::new();
    for edits in (1..reaches.len()).rev() {
        let index = (x + edits) - y;
        let before = |k: Option<usize>| {
            k.and_then(|k| reaches.get(edits - 1).and_then(|row| row.get(k))).copied()
        };
        let down = before(Some(index));
        let right = before(index.checked_sub(2));
        let comes_down = match (down, right) {
            (Some(down), Some(right)) => down > right,
            (Some(_), None) => true,
            _ => false,
        };
        let start = if comes_down { down } else { right.map(|x| x + 1) }.unwrap_or(0);
        while x > start {
            x -= 1;
            y -= 1;
            out.extend(a.get(x).map(|line| Line::Same(line)));
        }
        if comes_down {
            y -= 1;
            out.extend(b.get(y).map(|line| Line::New(line)));
        } else {
            x -= 1;
            out.extend(a.get(x).map(|line| Line::Old(line)));
        }
    }
    while x > 0 {
        x -= 1;
        out.extend(a.get(x).map(|line| Line::Same(line)));
    }
    out.reverse();
    out
}

#[cfg(test)]
#[path = "difference_tests.rs"]
mod tests;
