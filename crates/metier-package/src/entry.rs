//! One file of a package before it is anywhere: the one check that archives, git trees and local
//! directories go through. Pure; what passes can be written below a directory of ours on any system
//! and read back under the same name.
//!
//! Start reading at [`Checker::admit`].

use std::collections::BTreeMap;

use metier_format::text::is_hidden;
use unicode_normalization::UnicodeNormalization;

use crate::hazard::{At, Hazard, shown};
use crate::limits::{
    MAX_COMPONENT_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_FILE_BYTES, MAX_PATH_BYTES,
    MAX_SOURCE_ENTRIES, MAX_TOTAL_BYTES,
};

/// One thing that a source offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its path, `/` between components, as the source writes it.
    pub(crate) path: Box<[u8]>,
    /// What it is.
    pub(crate) kind: Kind,
    /// Bytes it has, where that is known before it is read.
    pub(crate) size: u64,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A file; any execute bit makes it executable.
    File { executable: bool },
    /// A directory. Only archives and disks have these; in git they are implied.
    Directory,
    /// A link and what it says, where that is known already.
    Link(Option<Box<[u8]>>),
    /// What no skill may hold.
    Refused(Hazard),
}

/// How much may come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amounts {
    entries: usize,
    depth: usize,
    file_bytes: u64,
    total_bytes: u64,
}

impl Amounts {
    /// For one skill.
    pub(crate) const SKILL: Self = Self {
        entries: MAX_ENTRIES,
        depth: MAX_DEPTH,
        file_bytes: MAX_FILE_BYTES,
        total_bytes: MAX_TOTAL_BYTES,
    };

    /// For a whole archive, which may hold many.
    pub(crate) const ARCHIVE: Self = Self { entries: MAX_SOURCE_ENTRIES, ..Self::SKILL };
}

/// Checks entry after entry against the rules and against each other. Costs, for each entry, its
/// depth times the logarithm of how many there are.
#[derive(Debug)]
pub(crate) struct Checker {
    amounts: Amounts,
    /// Every path admitted and every directory it implies, by what all systems take as its name.
    seen: BTreeMap<String, Seen>,
    entries: usize,
    bytes: u64,
}

#[derive(Debug)]
struct Seen {
    spelling: Box<str>,
    directory: bool,
    /// Whether the entry itself was met, and not only something inside it.
    met: bool,
}

impl Checker {
    pub(crate) fn new(amounts: Amounts) -> Self {
        Self { amounts, seen: BTreeMap::new(), entries: 0, bytes: 0 }
    }

    /// Admits one entry, or says what is wrong with it. Gives its path, which can be written.
    pub(crate) fn admit(&mut self, entry: &Entry) -> Result<String, At> {
        self.try_admit(entry).map_err(|hazard| hazard.at(&entry.path))
    }

    /// What can be said only once everything is there.
    pub(crate) fn finish(&self) -> Result<(), At> {
        let is_directory = |path: String| self.seen.get(&path).is_some_and(|seen| seen.directory);
        for (key, seen) in &self.seen {
            let Some(directory) = key.strip_suffix("head") else { continue };
            if seen.directory || !(directory.is_empty() || directory.ends_with('/')) {
                continue;
            }
            let stores = ["objects", "refs"].map(|name| is_directory(format!("{directory}{name}")));
            let elsewhere = self.seen.contains_key(&format!("{directory}commondir"));
            if stores == [true, true] || elsewhere {
                let place = directory.trim_end_matches('/');
                let place = if place.is_empty() { "." } else { place };
                return Err(
                    Hazard::BareRepository(shown(place.as_bytes())).at(seen.spelling.as_bytes())
                );
            }
        }
        Ok(())
    }

    /// Counts bytes that turn out to come, where an entry's size is not known before.
    pub(crate) fn count(&mut self, size: u64) -> Result<(), Hazard> {
        let limit = self.amounts.file_bytes;
        if size > limit {
            return Err(Hazard::FileTooLarge { size, limit });
        }
        self.bytes = self.bytes.saturating_add(size);
        let limit = self.amounts.total_bytes;
        if self.bytes > limit { Err(Hazard::TooLarge(limit)) } else { Ok(()) }
    }

    fn try_admit(&mut self, entry: &Entry) -> Result<String, Hazard> {
        self.entries += 1;
        if self.entries > self.amounts.entries {
            return Err(Hazard::TooMany(self.amounts.entries));
        }
        let path = check_path(&entry.path, self.amounts.depth)?;
        if let Kind::Refused(hazard) = &entry.kind {
            return Err(hazard.clone());
        }
        self.place(path, entry.kind == Kind::Directory)?;
        match entry.kind {
            Kind::File { .. } => self.count(entry.size)?,
            Kind::Directory | Kind::Link(_) | Kind::Refused(_) => {}
        }
        Ok(path.to_owned())
    }

    /// Finds the path its place among the others.
    fn place(&mut self, path: &str, directory: bool) -> Result<(), Hazard> {
        for (end, _) in path.match_indices('/') {
            let parent = path.get(..end).unwrap_or_default();
            self.take(parent, Seen { spelling: parent.into(), directory: true, met: false })?;
        }
        self.take(path, Seen { spelling: path.into(), directory, met: true })
    }

    fn take(&mut self, path: &str, new: Seen) -> Result<(), Hazard> {
        let key = key(path);
        let Some(old) = self.seen.get_mut(&key) else {
            self.seen.insert(key, new);
            return Ok(());
        };
        if old.spelling != new.spelling {
            let other = shown(old.spelling.as_bytes());
            let by_case = old.spelling.to_lowercase() == new.spelling.to_lowercase();
            return Err(match by_case {
                true => Hazard::CaseCollision(other),
                false => Hazard::FormCollision(other),
            });
        }
        if old.directory != new.directory {
            return Err(Hazard::FileAndDirectory(shown(new.spelling.as_bytes())));
        }
        if old.met && new.met {
            return Err(Hazard::Duplicate);
        }
        old.met |= new.met;
        Ok(())
    }
}

/// What every system takes as the same name: case and form of Unicode folded.
fn key(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Folding may bring forms that are not normal, so it is done between two normalisations.
    let folded: String = path.nfkc().collect::<String>().to_lowercase();
    let folded: String = folded.nfkc().collect();
    folded.to_uppercase().to_lowercase().nfkc().collect()
}

/// The path as text, when every system would find the same file by it.
pub(crate) fn check_path(path: &[u8], depth: usize) -> Result<&str, Hazard> {
    let first = path.first().copied();
    if first == Some(b'/') {
        return Err(Hazard::Absolute);
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(Hazard::TooLong(MAX_PATH_BYTES));
    }
    let text = std::str::from_utf8(path).map_err(|_| Hazard::NotText)?;
    if text.split('/').count() > depth {
        return Err(Hazard::TooDeep(depth));
    }
    text.split('/').try_for_each(check_component)?;
    Ok(text)
}

/// Whether every system takes `name` as the name of one file.
pub(crate) fn check_component(name: &str) -> Result<(), Hazard> {
    match name {
        "" | "." => return Err(Hazard::Empty),
        ".." => return Err(Hazard::Traversal),
        _ => {}
    }
    if name.split('\\').any(|part| part == "..") {
        return Err(Hazard::Traversal);
    }
    if let Some(bad) = name.chars().find(|c| c.is_control()) {
        return Err(Hazard::Control(bad));
    }
    if let Some(bad) = name.chars().find(|c| is_hidden(*c)) {
        return Err(Hazard::Hidden(bad));
    }
    if is_git(name) {
        return Err(Hazard::GitDirectory(shown(name.as_bytes())));
    }
    if let Some(bad) = name.chars().find(|c| "\\:<>\"|?*".contains(*c)) {
        return Err(Hazard::Unportable(bad));
    }
    if name.len() > MAX_COMPONENT_BYTES {
        return Err(Hazard::TooLong(MAX_COMPONENT_BYTES));
    }
    if name.starts_with('-') {
        return Err(Hazard::OptionLike);
    }
    if name.ends_with(['.', ' ']) {
        return Err(Hazard::TrailingDot);
    }
    if is_device(name) { Err(Hazard::Reserved(shown(name.as_bytes()))) } else { Ok(()) }
}

/// Whether some system takes `name` for `.git`: in another case, with what Windows drops at the end,
/// with a stream's name after it, or by the short name Windows gives it.
fn is_git(name: &str) -> bool {
    let key = key(name);
    let before_stream = key.split([':', '\\']).next().unwrap_or_default();
    let bare = before_stream.trim_end_matches(['.', ' ']);
    let short = bare.strip_prefix("git~").is_some_and(|n| n.len() == 1);
    bare == ".git" || short
}

/// Whether Windows keeps `name` for a device, whatever stands after a dot or a space.
fn is_device(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let key = key(name);
    let stem = key.split('.').next().unwrap_or_default().trim_end();
    let port = ["com", "lpt"].iter().filter_map(|kind| stem.strip_prefix(kind));
    let numbered = |n: &str| n.len() == 1 && n.bytes().all(|digit| digit.is_ascii_digit());
    DEVICES.contains(&stem) || port.into_iter().any(numbered)
}

/// Where a link of a skill leads, as a path inside the same skill.
pub(crate) fn link_target(link: &str, target: &[u8]) -> Result<String, Hazard> {
    let leaves = || Hazard::LinkLeaves(shown(target));
    let text = std::str::from_utf8(target).map_err(|_| leaves())?;
    if text.starts_with('/') || text.contains(['\\', '\0']) {
        return Err(leaves());
    }
    let mut place: Vec<&str> = link.split('/').collect();
    place.pop();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => place.pop().map(drop).ok_or_else(leaves)?,
            name => place.push(name),
        }
    }
    Ok(place.join("/"))
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
