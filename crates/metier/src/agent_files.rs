//! Agents' settings files, read and written: bounded, whole or not at all, with the mode they had,
//! where links lead. What is in them is decided in `metier-serve`.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door to other programs' settings files and the record of them"
)]

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use metier_package::Owner;
use tempfile::Builder;

/// Longest settings file that is touched; agents' own are a few kilobytes, Claude Code's state a few
/// megabytes.
const MAX_SETTINGS_BYTES: u64 = 32 * 1024 * 1024;

/// What names of drafts begin with, before the process that writes them: whoever comes later knows
/// which of them nobody writes any more.
const DRAFT: &str = ".metier-settings-";

/// For files that were not there: nobody else needs to read them.
const PRIVATE: u32 = 0o600;

/// Why a settings file was not read or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} `{}`", path.display())]
pub(crate) struct AgentFileError {
    act: &'static str,
    path: PathBuf,
    source: io::Error,
}

/// The text of a file; none when there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, AgentFileError> {
    let wrap = |source| AgentFileError { act: "read", path: path.to_owned(), source };
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && is_there(path) => {
            return Err(wrap(leads_nowhere()));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrap(error)),
        Ok(found) if !found.is_file() || found.len() > MAX_SETTINGS_BYTES => {
            let message = "it is not a file of at most 32 MiB";
            return Err(wrap(io::Error::new(ErrorKind::InvalidInput, message)));
        }
        Ok(_) => {}
    }
    let mut text = String::new();
    let file = File::open(path).map_err(wrap)?;
    file.take(MAX_SETTINGS_BYTES).read_to_string(&mut text).map_err(wrap)?;
    Ok(Some(text))
}

/// What an agent may see in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// There is no file, or none that can be read.
    Nothing,
    /// This; whatever is no text stands as a mark, as agents read it.
    Text(String),
    /// More than is looked at.
    TooLong,
}

/// Looks at a file that is not going to be changed.
pub(crate) fn look(path: &Path) -> Looked {
    match fs::metadata(path) {
        Ok(found) if found.is_file() && found.len() > MAX_SETTINGS_BYTES => return Looked::TooLong,
        Ok(found) if found.is_file() => {}
        _ => return Looked::Nothing,
    }
    let mut bytes = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(MAX_SETTINGS_BYTES).read_to_end(&mut bytes));
    match read {
        Ok(_) => Looked::Text(String::from_utf8_lossy(&bytes).into_owned()),
        Err(_) => Looked::Nothing,
    }
}

/// Whether there is such a file.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// The directories that have to be made for a file, the outermost first.
pub(crate) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let folders = path.ancestors().skip(1).take_while(|folder| !is_there(folder));
    let mut folders: Vec<PathBuf> = folders.map(Path::to_owned).collect();
    folders.reverse();
    folders
}

/// Removes those of the directories that nothing is in, whatever their order.
pub(crate) fn remove_empty(folders: &[PathBuf]) {
    let mut folders: Vec<&PathBuf> = folders.iter().collect();
    folders.sort_by_key(|folder| std::cmp::Reverse(folder.components().count()));
    for folder in folders {
        // What is in one is somebody's, and one that is gone is gone.
        let _ = fs::remove_dir(folder);
    }
}

/// Removes what processes that are gone left beside the file at `path` when they were about to replace
/// it; gives how much that was.
pub(crate) fn clear_drafts(path: &Path) -> usize {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = path.parent().and_then(|directory| fs::read_dir(directory).ok());
    let drafts = beside.into_iter().flatten().filter_map(Result::ok).filter(|entry| {
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file && entry.file_name().to_str().is_some_and(is_left_behind)
    });
    // What cannot be removed is in nobody's way, and the next one tries again.
    drafts.filter(|entry| fs::remove_file(entry.path()).is_ok()).count()
}

/// Whether `name` is a draft's, and the process that wrote it is gone.
fn is_left_behind(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(DRAFT) else { return false };
    let mut parts = rest.split('-');
    let (pid, start) = (parts.next(), parts.next());
    let owner = pid.and_then(|pid| pid.parse().ok()).zip(start.and_then(|at| at.parse().ok()));
    owner.is_some_and(|(pid, start)| !Owner { pid, start, ..Owner::this() }.is_alive())
}

/// Makes `text` the file's content, or removes the file when there is none.
pub(crate) fn put(path: &Path, text: Option<&str>) -> Result<(), AgentFileError> {
    exchange(path, text, || Ok(true)).map(drop)
}

/// The same when the file's content is still `old`. Agents write their settings while they run; what
/// one has written since is not lost: nothing is done, and that is said. Between the last look and
/// the exchange there is no time but the system's.
pub(crate) fn replace(
    path: &Path,
    old: Option<&str>,
    text: Option<&str>,
) -> Result<Replaced, AgentFileError> {
    exchange(path, text, || Ok(read(path)?.as_deref() == old))
}

/// Whether a file was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replaced {
    /// It was.
    Done,
    /// Somebody else changed it first, so it was not.
    Changed,
}

/// Puts the text there as soon as it is ready, unless `is_wanted` says no to that then.
fn exchange(
    path: &Path,
    text: Option<&str>,
    is_wanted: impl FnOnce() -> Result<bool, AgentFileError>,
) -> Result<Replaced, AgentFileError> {
    let wrap = |source| AgentFileError { act: "write", path: path.to_owned(), source };
    let Some(text) = text else {
        if !is_wanted()? {
            return Ok(Replaced::Changed);
        }
        return match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(wrap(error)),
            _ => Ok(Replaced::Done),
        };
    };
    // People keep their settings elsewhere and link to them; a link is never replaced.
    let path = match fs::canonicalize(path) {
        Ok(path) => path,
        Err(_) if is_there(path) => return Err(wrap(leads_nowhere())),
        Err(_) => path.to_owned(),
    };
    let directory = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(directory).map_err(wrap)?;
    let mode = fs::metadata(&path).map_or(Permissions::from_mode(PRIVATE), |at| at.permissions());
    let Owner { pid, start, .. } = Owner::this();
    let prefix = format!("{DRAFT}{pid}-{start}-");
    let mut draft = Builder::new().prefix(&prefix).tempfile_in(directory).map_err(wrap)?;
    draft.write_all(text.as_bytes()).map_err(wrap)?;
    draft.as_file().set_permissions(mode).map_err(wrap)?;
    draft.as_file().sync_all().map_err(wrap)?;
    if !is_wanted()? {
        return Ok(Replaced::Changed);
    }
    draft.persist(&path).map_err(|error| wrap(error.error))?;
    File::open(directory).and_then(|at| at.sync_all()).map_err(wrap)?;
    Ok(Replaced::Done)
}

/// That somebody keeps the file elsewhere, and it is not there: what belongs into it nobody knows.
fn leads_nowhere() -> io::Error {
    io::Error::new(ErrorKind::NotFound, "it is a link that leads nowhere")
}

#[cfg(test)]
#[path = "agent_files_tests.rs"]
mod tests;
