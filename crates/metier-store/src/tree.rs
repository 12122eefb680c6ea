//! A skill's directory read whole for its digest. Follows no link, refuses what is not a file, and
//! unlike the list of resources leaves nothing out: a tree that cannot be read whole has no digest.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, openat, readlinkat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use crate::contained::{OPEN_FILE, Refusal, SkillDirectory, kind_of};
use crate::digest::{Tree, TreeFile, TreeKind, TreeLink, sha256};
use crate::disk::for_each_entry;
use crate::limits::{MAX_RESOURCE_DEPTH, MAX_RESOURCE_ENTRIES, MAX_TREE_BYTES};
use crate::paths::{joined, shown};
use crate::store::TreeError;

/// Bytes of a file hashed at once.
const BLOCK: usize = 64 * 1024;

/// Reads the tree below `skill`.
pub(crate) fn read(skill: &SkillDirectory) -> Result<Tree, TreeError> {
    let io = |errno: Errno| TreeError::Io { path: ".".to_owned(), source: errno.into() };
    let fd = skill.directory(None).map_err(|refusal| match refusal {
        Refusal::System(errno) => io(errno),
        _ => io(Errno::NOENT),
    })?;
    let mut reading = Reading {
        files: Vec::new(),
        links: Vec::new(),
        block: vec![0; BLOCK],
        bytes: MAX_TREE_BYTES,
        entries: MAX_RESOURCE_ENTRIES,
    };
    reading.directory(&fd, &[], 0)?;
    Ok(Tree::new(reading.files).with_links(reading.links))
}

struct Reading {
    files: Vec<TreeFile>,
    links: Vec<TreeLink>,
    block: Vec<u8>,
    /// Bytes of content that may still be read.
    bytes: u64,
    /// Directory entries that may still be met.
    entries: usize,
}

impl Reading {
    fn directory(&mut self, fd: &OwnedFd, path: &[u8], depth: usize) -> Result<(), TreeError> {
        if depth > MAX_RESOURCE_DEPTH {
            return Err(TreeError::TooLarge(shown(path)));
        }
        let mut names: Vec<Box<[u8]>> = Vec::new();
        let left = self.entries;
        let listed = for_each_entry(fd, &mut Vec::new(), |name, _, _| {
            if names.len() <= left {
                names.push(name.into());
            }
        });
        listed.map_err(|errno| failed(path, errno))?;
        let left = left.checked_sub(names.len());
        self.entries = left.ok_or_else(|| TreeError::TooLarge(shown(path)))?;
        names.sort_unstable();
        for name in names {
            self.entry(fd, &name, &joined(path, &name), depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        parent: &OwnedFd,
        name: &[u8],
        path: &[u8],
        depth: usize,
    ) -> Result<(), TreeError> {
        match openat(parent.as_fd(), name, OPEN_FILE | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => {
                let stat = fstat(&fd).map_err(|errno| failed(path, errno))?;
                match kind_of(&stat) {
                    FileType::Directory => self.directory(&fd, path, depth + 1),
                    FileType::RegularFile => self.file(&fd, &stat, path),
                    _ => Err(TreeError::NotAFile(shown(path))),
                }
            }
            Err(Errno::LOOP) => {
                let target = readlinkat(parent, name, Vec::new());
                let target = target.map_err(|errno| failed(path, errno))?.into_bytes();
                let (size, digest) = (target.len() as u64, sha256(&target));
                self.files.push(TreeFile { path: path.into(), kind: TreeKind::Link, size, digest });
                self.links.push(TreeLink { path: path.into(), target: target.into() });
                Ok(())
            }
            Err(Errno::NXIO) => Err(TreeError::NotAFile(shown(path))),
            Err(errno) => Err(failed(path, errno)),
        }
    }

    fn file(&mut self, fd: &OwnedFd, stat: &Stat, path: &[u8]) -> Result<(), TreeError> {
        // Said at once when the size tells; a file that grows meanwhile is caught while reading.
        if u64::try_from(stat.st_size).is_ok_and(|size| size > self.bytes) {
            return Err(TreeError::TooLarge(shown(path)));
        }
        let (mut hash, mut size) = (Sha256::new(), 0u64);
        loop {
            match rustix::io::read(fd, &mut *self.block) {
                Ok(0) => break,
                Ok(count) => {
                    let left = self.bytes.checked_sub(count as u64);
                    self.bytes = left.ok_or_else(|| TreeError::TooLarge(shown(path)))?;
                    size += count as u64;
                    hash.update(self.block.get(..count).unwrap_or_default());
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed(path, errno)),
            }
        }
        let executable = stat.st_mode & 0o111 != 0;
        let kind = if executable { TreeKind::Executable } else { TreeKind::File };
        self.files.push(TreeFile { path: path.into(), kind, size, digest: hash.finalize().into() });
        Ok(())
    }
}

fn failed(path: &[u8], errno: Errno) -> TreeError {
    TreeError::Io { path: shown(path), source: errno.into() }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
