//! How git writes down trees and objects, read back. Pure; git is trusted to write its own formats,
//! and what does not parse is a broken cache.

use crate::entry::{Entry, Kind};
use crate::hazard::Hazard;

/// A line of a tree's listing that is no line of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable;

/// The entries of `git ls-tree -r -z`, each with the id of its object, sorted by path.
pub(crate) fn listing(bytes: &[u8]) -> Result<Vec<(Entry, String)>, Unreadable> {
    let lines = bytes.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    let mut entries = lines.map(entry).collect::<Result<Vec<_>, _>>()?;
    entries.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
    Ok(entries)
}

fn entry(line: &[u8]) -> Result<(Entry, String), Unreadable> {
    let tab = line.iter().position(|byte| *byte == b'\t').ok_or(Unreadable)?;
    let (facts, path) = line.split_at_checked(tab).ok_or(Unreadable)?;
    let facts = std::str::from_utf8(facts).map_err(|_| Unreadable)?;
    let mut words = facts.split(' ');
    let (mode, id) = (words.next(), words.nth(1));
    let kind = match mode.ok_or(Unreadable)? {
        "100644" | "100664" => Kind::File { executable: false },
        "100755" => Kind::File { executable: true },
        "120000" => Kind::Link(None),
        "160000" => Kind::Refused(Hazard::Submodule),
        _ => Kind::Refused(Hazard::Special("git object of an unknown kind")),
    };
    let path = path.get(1..).unwrap_or_default();
    let id = id.ok_or(Unreadable)?.to_owned();
    Ok((Entry { path: path.into(), kind, size: 0 }, id))
}

/// What `git cat-file --batch-check` says of each object asked for: its type and size, or nothing.
pub(crate) fn checks(bytes: &[u8]) -> Vec<Option<(String, u64)>> {
    let text = String::from_utf8_lossy(bytes);
    text.lines()
        .map(|line| {
            let mut words = line.rsplitn(3, ' ');
            let (size, kind) = (words.next()?, words.next()?);
            Some((kind.to_owned(), size.parse().ok()?))
        })
        .collect()
}

/// The objects of `git cat-file --batch`, one after the other.
pub(crate) struct Batch<'a>(pub(crate) &'a [u8]);

impl<'a> Batch<'a> {
    /// The next object's content; `None` when what follows is not an object.
    pub(crate) fn next(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let (head, rest) = self.0.split_at_checked(end)?;
        let head = std::str::from_utf8(head).ok()?;
        let size: usize = head.rsplit(' ').next()?.parse().ok()?;
        let content = rest.get(1..size.checked_add(1)?)?;
        self.0 = rest.get(size.checked_add(2)?..)?;
        Some(content)
    }
}

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;
