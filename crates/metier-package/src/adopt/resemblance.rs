//! Whether a directory is what another tool's record says, as far as such a record can tell.

use metier_store::digest::{Tree, TreeKind, hex, sha256};
use serde::Serialize;

use crate::atomic::{DiskError, Folder};
use crate::git_tree;
use crate::limits::MAX_FILE_BYTES;

/// Whether a directory is what a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resemblance {
    /// It is.
    Same,
    /// It is not. The record may be of the source rather than of what was installed, so that means
    /// little.
    Different,
    /// The record does not say.
    Unsaid,
}

impl Resemblance {
    /// It as a sentence has it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "as recorded",
            Self::Different => "not as recorded",
            Self::Unsaid => "nothing recorded to compare with",
        }
    }
}

/// Holds what is in `folder` against `hash`: git's name of the tree, or SHA-256 over names and
/// bytes.
pub(super) fn of(folder: &Folder, tree: &Tree, hash: Option<&str>) -> Resemblance {
    let found = match hash.map(|hash| (hash, hash.len())) {
        Some((hash, 40)) => git_tree::name(folder, tree).map(|name| name == hash),
        Some((hash, 64)) => run_together(folder, tree).map(|sums| sums.iter().any(|s| s == hash)),
        _ => return Resemblance::Unsaid,
    };
    match found {
        Ok(true) => Resemblance::Same,
        Ok(false) => Resemblance::Different,
        Err(_) => Resemblance::Unsaid,
    }
}

/// The sum over names and bytes without anything between them, in the order of dictionaries and in
/// that of bytes: which one was used depends on the machine.
fn run_together(folder: &Folder, tree: &Tree) -> Result<[String; 2], DiskError> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for file in tree.files() {
        let path = String::from_utf8_lossy(&file.path).into_owned();
        if path.split('/').any(|part| part == ".git" || part == "node_modules") {
            continue;
        }
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let inside = if parent.is_empty() { None } else { Some(folder.find_beneath(parent)?) };
        if file.kind != TreeKind::Link {
            let bytes = inside.as_ref().unwrap_or(folder).read(name, MAX_FILE_BYTES)?;
            files.push((path, bytes.unwrap_or_default()));
        }
    }
    let by_bytes = sum(&files);
    files.sort_by_cached_key(|(path, _)| collated(path));
    Ok([sum(&files), by_bytes])
}

fn sum(files: &[(String, Vec<u8>)]) -> String {
    let parts = files.iter().flat_map(|(path, bytes)| [path.as_bytes(), bytes.as_slice()]);
    hex(&sha256(&parts.collect::<Vec<_>>().concat()))
}

/// What a name is sorted by in a dictionary: marks before digits before letters, and small letters
/// before large ones only where nothing else differs.
fn collated(path: &str) -> (Vec<usize>, Vec<bool>) {
    const MARKS: &str = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";
    let place = |c: char| {
        let mark = MARKS.chars().position(|mark| mark == c);
        mark.unwrap_or_else(|| MARKS.len() + c.to_lowercase().next().unwrap_or(c) as usize)
    };
    (path.chars().map(place).collect(), path.chars().map(char::is_uppercase).collect())
}

#[cfg(test)]
#[path = "resemblance_tests.rs"]
mod tests;
