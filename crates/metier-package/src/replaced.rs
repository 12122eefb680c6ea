//! Copies somebody had changed, and which metier put the right content in the place of. They are
//! what a person wrote, perhaps the only copy of it: each is kept, and noted here so that nothing
//! collects it unasked. Knows digests and directories; who replaces is `sync`.

use std::path::Path;

use metier_store::digest::is_digest;
use serde::{Deserialize, Serialize};

use crate::atomic::{DiskError, Folder, is_whole_line};
use crate::difference::{compare, shown};
use crate::home::Home;
use crate::keep::read_tree;
use crate::limits::MAX_RECORD_BYTES;
use crate::pinned::Pinned;
use crate::records::{RecordError, text};

/// The file of notes, one to a line.
pub(crate) const FILE: &str = "replaced.jsonl";

/// What was replaced, and where it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replaced {
    /// The digest of what was there, hexadecimal.
    pub tree: String,
    /// The directory that has it now.
    pub kept: String,
    /// How it differed from what should have been there.
    pub differences: Vec<String>,
}

impl Replaced {
    /// What is kept as `tree`, which stood where `before` should have been.
    pub(crate) fn of(home: &Home, tree: &str, before: Option<&Pinned>) -> Self {
        let kept = home.kept(tree);
        let found = read_tree(&kept).ok().zip(before);
        let differences = found.map(|(found, before)| shown(&compare(&before.files, &found)));
        Self {
            tree: tree.to_owned(),
            kept: kept.to_string_lossy().into_owned(),
            differences: differences.unwrap_or_default(),
        }
    }
}

/// One note.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    /// The digest of what was replaced.
    tree: String,
    /// Where it was.
    directory: String,
}

/// Notes that `tree` is what somebody had made of what is in `directory`, once.
pub(crate) fn note(home: &Home, tree: &str, directory: &Path) -> Result<(), RecordError> {
    if trees(home)?.iter().any(|known| known == tree) {
        return Ok(());
    }
    let directory = directory.to_string_lossy().into_owned();
    let mut line =
        serde_json::to_vec(&Note { tree: tree.to_owned(), directory }).unwrap_or_default();
    line.push(b'\n');
    let written: Result<(), DiskError> =
        Folder::make_all(home.path()).and_then(|folder| folder.append(FILE, &line, 0o600));
    Ok(written?)
}

/// The digests of everything that was replaced. A line that a crash cut short was never finished,
/// unless it lacks nothing but its end; any other that is no note may stand for something somebody wrote, so it is an error.
pub(crate) fn trees(home: &Home) -> Result<Vec<String>, RecordError> {
    let Some(text) = text(home.path(), FILE, MAX_RECORD_BYTES)? else { return Ok(Vec::new()) };
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.pop_if(|tail| !is_whole_line(tail.as_bytes()));
    let lines = lines.into_iter().filter(|line| !line.is_empty());
    lines
        .map(|line| match serde_json::from_str::<Note>(line) {
            Ok(note) if is_digest(&note.tree) => Ok(note.tree),
            _ => Err(RecordError::Damaged {
                path: home.path().join(FILE).to_string_lossy().into_owned(),
                reason: "a line is no note of what was replaced".to_owned(),
            }),
        })
        .collect()
}

#[cfg(test)]
#[path = "replaced_tests.rs"]
mod tests;
