//! A tree copied file by file, every byte held against the digest it should have. Copies exactly
//! the files of the tree it is told, follows no link, and leaves an incomplete copy to whoever asked.

use std::path::Path;

use metier_store::digest::{Tree, TreeFile, TreeKind, hex, sha256};
use rustix::fs::{Mode, OFlags, ResolveFlags, openat2, readlinkat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::atomic::{DiskError, Folder};
use crate::limits::COPY_BYTES;

/// Why a tree could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The source is not what its digest says.
    #[error("`{0}` changed while it was being copied")]
    Changed(String),
    /// A name that is not text, which no lockfile can spell.
    #[error("`{0}` has a name that is not text")]
    NotText(String),
    /// The disk said no.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// How a copy is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Making {
    /// Whether nobody is to write to it: the kept copy.
    pub(crate) read_only: bool,
    /// Whether each file is flushed on its own. Otherwise the caller flushes all at once.
    pub(crate) flush: bool,
}

/// Copies the files of `tree` from the directory `from` into `to`, which is empty.
pub(crate) fn copy(tree: &Tree, from: &Path, to: &Folder, how: Making) -> Result<(), CopyError> {
    let from = Folder::open(from)?;
    let mut made: Vec<String> = Vec::new();
    for file in tree.files() {
        let path = text(file)?;
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        make_parents(parent, to, &mut made)?;
        let folder = if parent.is_empty() { None } else { Some(to.find_beneath(parent)?) };
        copy_file(file, &from, folder.as_ref().unwrap_or(to), name, how)?;
    }
    // The deepest first: a directory is finished when everything below it is.
    made.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in &made {
        finish(&to.find_beneath(path)?, how)?;
    }
    Ok(finish(to, how)?)
}

/// The path of a file of a tree as text.
pub(crate) fn text(file: &TreeFile) -> Result<&str, CopyError> {
    std::str::from_utf8(&file.path)
        .map_err(|_| CopyError::NotText(String::from_utf8_lossy(&file.path).into_owned()))
}

fn make_parents(parent: &str, to: &Folder, made: &mut Vec<String>) -> Result<(), DiskError> {
    if parent.is_empty() || made.iter().any(|known| known == parent) {
        return Ok(());
    }
    let ends = parent.match_indices('/').map(|(at, _)| at).chain([parent.len()]);
    for end in ends {
        let path = parent.get(..end).unwrap_or(parent);
        if !made.iter().any(|known| known == path) {
            to.make(path, 0o755)?;
            made.push(path.to_owned());
        }
    }
    Ok(())
}

fn finish(folder: &Folder, how: Making) -> Result<(), DiskError> {
    if how.read_only {
        folder.set_mode(0o555)?;
    }
    if how.flush { folder.sync() } else { Ok(()) }
}

fn copy_file(
    file: &TreeFile,
    from: &Folder,
    to: &Folder,
    name: &str,
    how: Making,
) -> Result<(), CopyError> {
    let path = text(file)?;
    let changed = || CopyError::Changed(path.to_owned());
    let mode = match (file.kind, how.read_only) {
        (TreeKind::Link, _) => {
            let target = readlinkat(from.fd(), path, Vec::new()).map_err(|_| changed())?;
            if sha256(target.as_bytes()) != file.digest {
                return Err(changed());
            }
            return Ok(to.link(name, target.as_bytes())?);
        }
        (TreeKind::File, true) => 0o444,
        (TreeKind::File, false) => 0o644,
        (TreeKind::Executable, true) => 0o555,
        (TreeKind::Executable, false) => 0o755,
    };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let source = match openat2(from.fd(), path, flags, Mode::empty(), inside) {
        Ok(fd) => fd,
        Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR | Errno::NXIO) => return Err(changed()),
        Err(errno) => return Err(from.failed("read", path, errno).into()),
    };
    let mut hash = Sha256::new();
    to.create(name, mode, |draft| {
        let mut block =
            vec![0; usize::try_from(file.size).unwrap_or(COPY_BYTES).clamp(1, COPY_BYTES)];
        let mut left = file.size;
        // One byte more than it should have is enough to know that it is not what it was.
        while let Some(count) = read(&source, &mut block, from, path)? {
            let bytes = block.get(..count).unwrap_or_default();
            hash.update(bytes);
            draft.write(bytes)?;
            match left.checked_sub(count as u64) {
                Some(rest) => left = rest,
                None => break,
            }
        }
        if how.flush { draft.sync() } else { Ok(()) }
    })?;
    if hex(&hash.finalize()) != hex(&file.digest) {
        return Err(changed());
    }
    Ok(())
}

/// Reads the next bytes; none at the end.
fn read(
    source: &impl std::os::fd::AsFd,
    block: &mut [u8],
    from: &Folder,
    path: &str,
) -> Result<Option<usize>, DiskError> {
    loop {
        match rustix::io::read(source, &mut *block) {
            Ok(0) => return Ok(None),
            Ok(count) => return Ok(Some(count)),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(from.failed("read", path, errno)),
        }
    }
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;
