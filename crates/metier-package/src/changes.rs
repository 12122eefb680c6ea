//! What becomes of each file when one version of a skill takes another's place: which are new, gone or
//! different, and the texts of those that are text. Reads, decides nothing; [`changes`] is the start.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use metier_store::store::Location;
use metier_store::{FileStore, Layer, Root, RootId, Store as _};
use serde::Serialize;

use crate::keep::read_tree;
use crate::limits::{MAX_COMPARED_BYTES, MAX_COMPARED_FILES};
use crate::pinned::{FileMode, Pinned, PinnedFile, files_of};

/// One version of a skill, and where its files are.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Exactly what.
    pub pinned: &'a Pinned,
    /// The directory that has its files.
    pub directory: &'a Path,
}

/// What becomes of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// Its path inside the skill.
    pub path: String,
    /// What becomes of it.
    pub kind: ChangeKind,
    /// What it was, when it was there.
    pub old_mode: Option<FileMode>,
    /// What it is, when it is there.
    pub new_mode: Option<FileMode>,
    /// The old and the new text, empty on the side where there is no file; none when it is not text,
    /// too long, or not there to be read.
    pub texts: Option<(String, String)>,
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its bytes are others.
    Changed,
    /// It is gone.
    Removed,
    /// Only what it is changes: a file that can be executed, one that cannot, or a link.
    Mode,
}

impl ChangeKind {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
            Self::Mode => "mode",
        }
    }
}

/// Every file that is not the same in `old` and `new`: what can be run first, then `SKILL.md`, then
/// the rest, by path. `scripts` are the paths that count as scripts whatever their mode.
#[must_use]
pub fn changes(old: Version<'_>, new: Version<'_>, scripts: &BTreeSet<String>) -> Vec<FileChange> {
    let old: Side<'_> = (&old.pinned.files, old.directory);
    differing(old, (&new.pinned.files, new.directory), scripts)
}

/// [`changes`] from what is in the directory `old` to what is in `new`; none when either cannot be
/// read whole.
#[must_use]
pub fn between(old: &Path, new: &Path, scripts: &BTreeSet<String>) -> Option<Vec<FileChange>> {
    let files = |directory: &Path| files_of(&read_tree(directory).ok()?).ok();
    Some(differing((&files(old)?, old), (&files(new)?, new), scripts))
}

/// The files of one side, and the directory they are in.
type Side<'a> = (&'a [PinnedFile], &'a Path);

fn differing(old: Side<'_>, new: Side<'_>, scripts: &BTreeSet<String>) -> Vec<FileChange> {
    let mut pairs: BTreeMap<&str, (Option<&PinnedFile>, Option<&PinnedFile>)> = BTreeMap::new();
    for file in old.0 {
        pairs.entry(&file.path).or_default().0 = Some(file);
    }
    for file in new.0 {
        pairs.entry(&file.path).or_default().1 = Some(file);
    }
    let mut changes: Vec<FileChange> =
        pairs.into_iter().filter_map(|(path, (old, new))| change(path, old, new)).collect();
    changes.sort_by_key(|change| rank(change, scripts));
    for change in changes.iter_mut().take(MAX_COMPARED_FILES) {
        change.texts = texts(change, old.1, new.1);
    }
    changes
}

fn change(path: &str, old: Option<&PinnedFile>, new: Option<&PinnedFile>) -> Option<FileChange> {
    let kind = match (old, new) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Removed,
        (Some(old), Some(new)) if old.sha256 != new.sha256 => ChangeKind::Changed,
        (Some(old), Some(new)) if old.mode != new.mode => ChangeKind::Mode,
        (Some(_), Some(_)) => return None,
    };
    Some(FileChange {
        path: path.to_owned(),
        kind,
        old_mode: old.map(|file| file.mode),
        new_mode: new.map(|file| file.mode),
        texts: None,
    })
}

/// What matters most comes first. The sort is stable, so that paths stay in order.
fn rank(change: &FileChange, scripts: &BTreeSet<String>) -> u8 {
    let modes = [change.old_mode, change.new_mode];
    if modes.contains(&Some(FileMode::Executable)) || scripts.contains(&change.path) {
        return 0;
    }
    if change.path == "SKILL.md" { 1 } else { 2 }
}

fn texts(change: &FileChange, old: &Path, new: &Path) -> Option<(String, String)> {
    if change.kind == ChangeKind::Mode {
        return None;
    }
    Some((side(change.old_mode, old, &change.path)?, side(change.new_mode, new, &change.path)?))
}

/// One side of a change: empty when there is no file.
fn side(mode: Option<FileMode>, directory: &Path, path: &str) -> Option<String> {
    match mode {
        None => Some(String::new()),
        // What a link points to is not the skill's own text.
        Some(FileMode::Link) => None,
        Some(FileMode::File | FileMode::Executable) => {
            let store = FileStore::new(vec![Root::given(Layer::Personal, directory)]);
            let at = Location { root: RootId(0), path: Path::new("").into() };
            let read = store.read(&at, path, MAX_COMPARED_BYTES).ok()?;
            String::from_utf8(read.bytes).ok().filter(|text| !text.contains('\0'))
        }
    }
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
