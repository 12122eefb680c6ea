//! Where files are put before anybody sees them: a directory of ours, written file by file, gone
//! again unless everything went well. The only place of fetching that writes content.
//!
//! Files are made new, never opened; every path has passed [`entry`](crate::entry).

#![expect(
    clippy::disallowed_methods,
    reason = "the one place where fetched files are written, into a directory nobody sees"
)]

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use metier_store::digest::{Tree, TreeFile, TreeKind, sha256};

use crate::limits::SPARE_BYTES;

/// A directory being filled. Dropped without [`Area::keep`], it and everything in it is gone.
#[derive(Debug)]
pub(crate) struct Area {
    path: PathBuf,
    files: Vec<TreeFile>,
    kept: bool,
}

impl Area {
    /// A new directory at `path`, whose parents are made as needed.
    pub(crate) fn new(path: PathBuf) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            make_directories(parent)?;
        }
        DirBuilder::new().mode(0o755).create(&path)?;
        Ok(Self { path, files: Vec::new(), kept: false })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one file at a checked path.
    pub(crate) fn write(&mut self, path: &str, executable: bool, bytes: &[u8]) -> io::Result<()> {
        let full = self.path.join(path);
        if let Some(parent) = full.parent() {
            make_directories(parent)?;
        }
        let mode = if executable { 0o755 } else { 0o644 };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&full)?;
        file.write_all(bytes)?;
        // What the caller keeps from others by its mask is not what a skill's file is.
        file.set_permissions(Permissions::from_mode(mode))?;
        let kind = if executable { TreeKind::Executable } else { TreeKind::File };
        let (size, digest) = (bytes.len() as u64, sha256(bytes));
        self.files.push(TreeFile { path: path.as_bytes().into(), kind, size, digest });
        Ok(())
    }

    /// What was written so far.
    pub(crate) fn tree(&self) -> Tree {
        Tree::new(self.files.clone())
    }

    /// Keeps what was written, and says what it is.
    pub(crate) fn keep(mut self) -> (PathBuf, Tree) {
        self.kept = true;
        (std::mem::take(&mut self.path), Tree::new(std::mem::take(&mut self.files)))
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        if !self.kept {
            // What cannot be removed is found by the next cleaning of the staging directory.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Makes a directory and those above it, open to read for everybody whatever the caller's mask.
pub(crate) fn make_directories(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Removes a directory with everything in it; that there is none is as good.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether anything is at `path`.
pub(crate) fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Removes a directory if nothing is in it.
pub(crate) fn remove_if_empty(path: &Path) {
    let _ = fs::remove_dir(path);
}

/// How many bytes are missing on the disk of `path` for `wanted` more; none when they fit. Asked of
/// the nearest directory that is there; a system that does not know does not stop anybody.
pub(crate) fn missing_space(path: &Path, wanted: u64) -> Option<u64> {
    let there = path.ancestors().find_map(|place| rustix::fs::statvfs(place).ok())?;
    let free = there.f_bavail.saturating_mul(there.f_frsize);
    let needed = wanted.saturating_add(SPARE_BYTES);
    needed.checked_sub(free).filter(|missing| *missing > 0)
}

#[cfg(test)]
#[path = "staging_tests.rs"]
mod tests;
