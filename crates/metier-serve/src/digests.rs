//! The files of a skill as the MCP skills extension offers them: every file once, with its digest
//! and its size, or the word that there are too many to say.

use metier_store::Store;
use metier_store::digest::{hex, sha256};
use metier_store::store::Location;

use crate::limits::{MAX_SKILL_BYTES, MAX_SKILL_FILES};

/// A skill's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The bytes of its `SKILL.md`.
    pub(crate) source: Vec<u8>,
    /// Every file, `SKILL.md` first; none when they are more than a host has to accept.
    pub(crate) files: Option<Vec<Digested>>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Digested {
    /// Its path inside the skill.
    pub(crate) path: String,
    /// SHA-256 of its bytes, lowercase hex.
    pub(crate) digest: String,
    /// Its size in bytes.
    pub(crate) size: u64,
}

/// Reads the skill at `location`. None when it cannot be loaded any more.
pub(crate) fn manifest(store: &dyn Store, location: &Location) -> Option<Manifest> {
    let skill = store.load(location).ok()?;
    let resources = &skill.resources;
    let whole = resources.omitted == 0 && resources.files.len() < MAX_SKILL_FILES;
    let files = if whole { digested(store, location, &skill) } else { None };
    Some(Manifest { source: skill.source, files })
}

fn digested(
    store: &dyn Store,
    location: &Location,
    skill: &metier_store::store::Skill,
) -> Option<Vec<Digested>> {
    let size = skill.source.len() as u64;
    let digest = skill.digest.clone();
    let mut files = vec![Digested { path: "SKILL.md".to_owned(), digest, size }];
    let mut room = MAX_SKILL_BYTES.checked_sub(size)?;
    for file in &skill.resources.files {
        let read = store.read(location, &file.path, room).ok()?;
        let size = read.bytes.len() as u64;
        room = room.checked_sub(size)?;
        files.push(Digested { path: read.path, digest: hex(&sha256(&read.bytes)), size });
    }
    Some(files)
}

#[cfg(test)]
#[path = "digests_tests.rs"]
mod tests;
