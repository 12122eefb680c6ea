//! The files of a repository in the cache: made by us, held by one process at a time, tidied after a
//! git that was killed, and with a memory of what servers said last.

#![expect(
    clippy::disallowed_methods,
    reason = "the one place where the cache's own files are made, remembered and thrown away"
)]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use metier_store::digest::{hex, sha256};

use crate::git::refs::Pointed;
use crate::reference::is_full_id;
use crate::staging;

/// How long the ids of a repository's objects are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ids {
    /// Forty digits of SHA-1.
    Short,
    /// Sixty-four digits of SHA-256.
    Long,
}

impl Ids {
    /// Those of which this is one.
    pub(crate) fn of(id: &str) -> Self {
        if id.len() == 64 { Self::Long } else { Self::Short }
    }
}

/// Where the repository at `url` lies.
pub(crate) fn place(cache: &Path, url: &str) -> PathBuf {
    let key: String = hex(&sha256(url.as_bytes())).chars().take(32).collect();
    cache.join("git").join(format!("{key}.git"))
}

/// Waits until no other process has the repository, and makes it if it is not there. It is given
/// back when the file is closed, however that happens.
pub(crate) fn take(directory: &Path) -> io::Result<File> {
    if let Some(parent) = directory.parent() {
        staging::make_directories(parent)?;
    }
    let lock = directory.with_extension("lock");
    let turn = OpenOptions::new().create(true).truncate(false).write(true).open(lock)?;
    turn.lock()?;
    tidy(directory)?;
    Ok(turn)
}

/// An empty bare repository instead of whatever is there; whole or not at all.
pub(crate) fn make(directory: &Path, ids: Ids) -> io::Result<()> {
    let new = directory.with_extension("new");
    staging::remove(&new)?;
    for part in ["objects/pack", "objects/info", "refs/metier"] {
        fs::create_dir_all(new.join(part))?;
    }
    let (version, extensions) = match ids {
        Ids::Short => (0, ""),
        Ids::Long => (1, "[extensions]\n\tobjectformat = sha256\n"),
    };
    let core = format!("[core]\n\trepositoryformatversion = {version}\n\tbare = true\n");
    fs::write(new.join("config"), core + extensions)?;
    fs::write(new.join("HEAD"), "ref: refs/heads/none\n")?;
    staging::remove(directory)?;
    fs::rename(&new, directory)
}

/// Makes the repository anew when the server's ids have another length than those here.
pub(crate) fn fit(directory: &Path, ids: Ids) -> io::Result<()> {
    let config = fs::read_to_string(directory.join("config"))?;
    let here = if config.contains("sha256") { Ids::Long } else { Ids::Short };
    if here == ids { Ok(()) } else { make(directory, ids) }
}

/// What the server said last about `requested`.
pub(crate) fn remembered(directory: &Path, requested: Option<&str>) -> Option<Pointed> {
    let text = fs::read_to_string(memory(directory, requested)).ok()?;
    let (object, commit) = text.trim().split_once(' ')?;
    let whole = is_full_id(object) && is_full_id(commit);
    whole.then(|| Pointed { object: object.to_owned(), commit: commit.to_owned() })
}

/// Remembers it for when nobody can be asked.
pub(crate) fn remember(
    directory: &Path,
    requested: Option<&str>,
    pointed: &Pointed,
) -> io::Result<()> {
    let path = memory(directory, requested);
    let text = format!("{} {}\n", pointed.object, pointed.commit);
    if fs::read_to_string(&path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let new = path.with_extension("new");
    fs::create_dir_all(directory.join("asked"))?;
    fs::write(&new, text)?;
    fs::rename(&new, &path)
}

/// Bytes of all files directly in a directory.
pub(crate) fn size_of(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|data| data.len()).sum()
}

/// Removes what a git that was killed left behind, and makes what is missing. We hold the turn, so no
/// other git is at work here.
fn tidy(directory: &Path) -> io::Result<()> {
    if !["HEAD", "config"].iter().all(|name| directory.join(name).is_file()) {
        return make(directory, Ids::Short);
    }
    let left = |name: &str| name.ends_with(".lock") || name.starts_with("tmp_");
    for place in ["", "refs/metier", "objects/pack"] {
        let Ok(entries) = fs::read_dir(directory.join(place)) else { continue };
        for entry in entries.flatten() {
            if left(&entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path())?;
            }
        }
    }
    Ok(())
}

fn memory(directory: &Path, requested: Option<&str>) -> PathBuf {
    let key = hex(&sha256(requested.unwrap_or("HEAD").as_bytes()));
    directory.join("asked").join(key)
}

#[cfg(test)]
#[path = "cache_tests.rs"]
mod tests;
