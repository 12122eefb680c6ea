//! Settings files of other programs, changed so that it can be taken back byte for byte: what was
//! there is kept, what was written is known by its digest, and what somebody changed since is left
//! alone. Knows bytes, not what they mean: whoever calls merges.

use std::path::{Path, PathBuf};

use metier_store::digest::{hex, sha256};
use serde::{Deserialize, Serialize};

use crate::agents::real;
use crate::atomic::{Folder, failed};
use crate::change::{ChangeError, Hand};
use crate::home::Home;
use crate::limits::{MAX_FOREIGN_BYTES, MAX_RECORD_BYTES};
use crate::records::{RecordError, existing, parse, text, to_json};

/// The file of edits.
pub(crate) const FILE: &str = "edits.json";

/// Where what was there is kept.
pub(crate) const BACKUPS: &str = "backups";

/// One file of another program that metier changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// For which agent.
    pub agent: String,
    /// The file, links resolved.
    pub path: PathBuf,
    /// The digest of what was there; none when there was no file.
    pub before: Option<String>,
    /// The digest of what was written.
    pub after: String,
}

/// What became of a file that was to be as before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "became", content = "path")]
pub enum Restored {
    /// It is as it was, to the byte.
    AsBefore(PathBuf),
    /// Somebody changed it since, so it is left as it is.
    Left(PathBuf),
}

/// The files that are changed now.
pub fn edited(home: &Home) -> Result<Vec<Edited>, RecordError> {
    match text(home.path(), FILE, MAX_RECORD_BYTES)? {
        Some(text) => parse(&home.path().join(FILE), &text),
        None => Ok(Vec::new()),
    }
}

/// What is in a settings file; none when there is none. Links are followed, as the program does.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, ChangeError> {
    let (parent, name) = split(&real(path))?;
    match existing(&parent)? {
        Some(folder) => Ok(folder.read(&name, MAX_FOREIGN_BYTES)?),
        None => Ok(None),
    }
}

/// Makes `bytes` what is in the file at `path`, for `agent`. False when it is already. `seen` is
/// what the caller merged with: when something else is there by now, nothing is done.
pub fn edit(
    home: &Home,
    agent: &str,
    path: &Path,
    (seen, bytes): (Option<&[u8]>, &[u8]),
) -> Result<bool, ChangeError> {
    let _hand = Hand::take(home)?;
    let path = real(path);
    let current = read(&path)?;
    if current.as_deref() == Some(bytes) {
        return Ok(false);
    }
    if current.as_deref() != seen {
        return Err(ChangeError::Drifted(path.display().to_string()));
    }
    let mut edits = edited(home)?;
    let now = current.as_deref().map(digest);
    let known =
        edits.iter().position(|edit| edit.path == path && Some(&edit.after) == now.as_ref());
    // What was there before the first change is what is gone back to.
    let before = match known.and_then(|at| edits.get(at)) {
        Some(first) => first.before.clone(),
        None => now,
    };
    if let (None, Some(current)) = (known, &current) {
        let backups = Folder::make_all(&home.path().join(BACKUPS))?;
        backups.replace(&digest(current), current, 0o600)?;
    }
    let edit = Edited { agent: agent.to_owned(), path: path.clone(), before, after: digest(bytes) };
    // Both are written down until the file is there: whichever it is, it is known.
    edits.push(edit.clone());
    write(home, &edits)?;
    put(&path, Some(bytes))?;
    edits.retain(|one| one.path != path || *one == edit);
    write(home, &edits)?;
    Ok(true)
}

/// Puts every file that was changed for `agent` back as it was, if it still is as it was left.
pub fn restore(home: &Home, agent: &str) -> Result<Vec<Restored>, ChangeError> {
    let _hand = Hand::take(home)?;
    let mut edits = edited(home)?;
    let mut paths: Vec<PathBuf> =
        edits.iter().filter(|edit| edit.agent == agent).map(|edit| edit.path.clone()).collect();
    paths.sort();
    paths.dedup();
    let mut restored = Vec::new();
    for path in paths {
        let now = read(&path)?.as_deref().map(digest);
        let of_path = || edits.iter().filter(|edit| edit.path == path);
        let written = of_path().find(|edit| Some(&edit.after) == now.as_ref()).cloned();
        let is_before = of_path().any(|edit| edit.before == now);
        match written {
            Some(edit) => {
                let bytes = backup(home, edit.before.as_deref())?;
                put(&path, bytes.as_deref())?;
                restored.push(Restored::AsBefore(path.clone()));
            }
            None if is_before => restored.push(Restored::AsBefore(path.clone())),
            None => restored.push(Restored::Left(path.clone())),
        }
        edits.retain(|edit| edit.path != path);
        write(home, &edits)?;
    }
    Ok(restored)
}

/// What was kept under this digest, which it must have.
fn backup(home: &Home, digest_of: Option<&str>) -> Result<Option<Vec<u8>>, ChangeError> {
    let Some(wanted) = digest_of else { return Ok(None) };
    let folder = existing(&home.path().join(BACKUPS))?;
    let bytes = match folder {
        Some(folder) => folder.read(wanted, MAX_FOREIGN_BYTES)?,
        None => None,
    };
    let sound = bytes.filter(|bytes| digest(bytes) == wanted);
    sound.map(Some).ok_or_else(|| ChangeError::NotKept(wanted.to_owned()))
}

fn put(path: &Path, bytes: Option<&[u8]>) -> Result<(), ChangeError> {
    let (parent, name) = split(path)?;
    let folder = Folder::make_all(&parent)?;
    // Who may read it stays as it was; a new one is nobody else's business.
    let stat = rustix::fs::statat(folder.fd(), &name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW);
    let mode = stat.map_or(0o600, |stat| stat.st_mode & 0o777);
    match bytes {
        Some(bytes) => folder.replace(&name, bytes, mode)?,
        None => folder.unlink(&name).and_then(|()| folder.sync())?,
    }
    Ok(())
}

fn write(home: &Home, edits: &[Edited]) -> Result<(), ChangeError> {
    let text = to_json(FILE, edits)?;
    let folder = Folder::make_all(home.path())?;
    Ok(folder.replace(FILE, text.as_bytes(), 0o600)?)
}

fn split(path: &Path) -> Result<(PathBuf, String), ChangeError> {
    let parts = path.parent().zip(path.file_name().and_then(|name| name.to_str()));
    let parts = parts.map(|(parent, name)| (parent.to_owned(), name.to_owned()));
    parts.ok_or_else(|| failed("name", path, rustix::io::Errno::INVAL).into())
}

fn digest(bytes: &[u8]) -> String {
    hex(&sha256(bytes))
}

#[cfg(test)]
#[path = "settings_file_tests.rs"]
mod tests;
