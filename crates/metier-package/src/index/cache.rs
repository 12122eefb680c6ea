//! Which indexes there are, in metier's own directory, and what each listed last, beside the other
//! things that may be deleted at any time. The list is read, changed and written in one turn, so
//! that of two processes that add an index at once neither loses what the other added.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Contents, Index, IndexError};
use crate::atomic::Folder;
use crate::home::Home;
use crate::limits::{MAX_INDEXES, MAX_RECORD_BYTES};
use crate::records::{to_json, to_json_line};
use crate::turn::Turn;

/// The file that names the indexes, in metier's own directory.
pub(crate) const FILE: &str = "indexes.json";

/// The version of the file that names the indexes.
const VERSION: u64 = 1;

/// The version of what an index listed. From the second on it is said what each skill is.
const CONTENTS_VERSION: u64 = 2;

#[derive(Serialize, Deserialize)]
struct Document<T> {
    v: u64,
    #[serde(flatten)]
    inner: T,
}

#[derive(Default, Serialize, Deserialize)]
struct Names {
    indexes: Vec<Index>,
    /// Members this version does not know, kept.
    #[serde(flatten)]
    more: serde_json::Map<String, Value>,
}

/// The indexes somebody added, by name.
pub fn list(home: &Home) -> Result<Vec<Index>, IndexError> {
    Ok(names(home)?.indexes)
}

/// Adds an index.
pub fn add(home: &Home, index: &Index) -> Result<(), IndexError> {
    let _turn = Turn::take(home)?;
    let mut names = names(home)?;
    if names.indexes.iter().any(|known| known.name == index.name) {
        return Err(IndexError::Exists(index.name.clone()));
    }
    if names.indexes.len() >= MAX_INDEXES {
        return Err(IndexError::TooMany);
    }
    names.indexes.push(index.clone());
    names.indexes.sort_by(|a, b| a.name.cmp(&b.name));
    write(home, names)
}

/// Removes the index called `name`, and what it listed.
pub fn remove(home: &Home, name: &str) -> Result<Index, IndexError> {
    let _turn = Turn::take(home)?;
    let mut names = names(home)?;
    let at = names.indexes.iter().position(|known| known.name == name);
    let at = at.ok_or_else(|| IndexError::Missing(name.chars().take(64).collect()))?;
    let index = names.indexes.remove(at);
    write(home, names)?;
    let folder = Folder::make_all(&directory(home))?;
    if folder.kind(file(&index))?.is_some() {
        folder.unlink(file(&index))?;
    }
    Ok(index)
}

/// What the index listed last; none when that is not known, or cannot be read any more.
pub fn cached(home: &Home, index: &Index) -> Result<Option<Contents>, IndexError> {
    let folder = match Folder::open(&directory(home)) {
        Err(error) if error.is_missing() => return Ok(None),
        other => other?,
    };
    let bytes = folder.read(&file(index), MAX_RECORD_BYTES)?;
    let read = bytes.and_then(|bytes| serde_json::from_slice::<Document<Contents>>(&bytes).ok());
    // A cache that cannot be read is one that is not there.
    Ok(read.filter(|document| document.v == CONTENTS_VERSION).map(|document| document.inner))
}

/// Keeps what the index listed.
pub fn save(home: &Home, index: &Index, contents: &Contents) -> Result<(), IndexError> {
    let document = Document { v: CONTENTS_VERSION, inner: contents };
    let text = to_json_line(&file(index), &document)?;
    Ok(Folder::make_all(&directory(home))?.replace(&file(index), text.as_bytes(), 0o644)?)
}

fn directory(home: &Home) -> PathBuf {
    home.path().join("cache").join("indexes")
}

fn file(index: &Index) -> String {
    format!("{}.json", index.name)
}

fn names(home: &Home) -> Result<Names, IndexError> {
    let folder = match Folder::open(home.path()) {
        Err(error) if error.is_missing() => return Ok(Names::default()),
        other => other?,
    };
    let Some(bytes) = folder.read(FILE, MAX_RECORD_BYTES)? else { return Ok(Names::default()) };
    let read: Document<Names> =
        serde_json::from_slice(&bytes).map_err(|error| IndexError::Damaged(error.to_string()))?;
    match read.v {
        VERSION => Ok(read.inner),
        newer => Err(IndexError::Damaged(format!("it has version {newer}"))),
    }
}

fn write(home: &Home, names: Names) -> Result<(), IndexError> {
    let document = Document { v: VERSION, inner: names };
    let text = to_json(FILE, &document)?;
    Ok(Folder::make_all(home.path())?.replace(FILE, text.as_bytes(), 0o644)?)
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
