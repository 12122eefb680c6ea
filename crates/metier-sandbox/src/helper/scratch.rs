//! The private directory on the machine's disk: made fresh, measured, and removed whatever the child
//! did to it.

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::{Errno, Result};

/// Makes the directory, for this user only. It must not be there yet.
pub(super) fn make(path: &Path) -> Result<()> {
    rustix::fs::mkdir(path, Mode::RWXU)
}

/// What the directory holds: bytes on disk and entries. Stops at either bound; what lies too deep to
/// be named is beyond any bound. Directories the child closed to itself are opened.
pub(super) fn measure(path: &Path, bytes: u64, entries: u64) -> (u64, u64) {
    let Ok(root) = open_directory(CWD.as_fd(), path) else { return (0, 0) };
    let (mut used, mut seen) = (0_u64, 0_u64);
    let mut waiting = vec![PathBuf::from(".")];
    while let Some(place) = waiting.pop() {
        let directory = match open_forced(&root, &place) {
            Ok(directory) => directory,
            Err(Errno::NAMETOOLONG) => return (u64::MAX, seen),
            Err(_) => continue,
        };
        for (name, kind) in list(&directory).unwrap_or_default() {
            let stat = rustix::fs::statat(&directory, &name, AtFlags::SYMLINK_NOFOLLOW);
            used = used.saturating_add(stat.map_or(0, |stat| on_disk(&stat)));
            seen += 1;
            if used > bytes || seen > entries {
                return (used, seen);
            }
            if kind == FileType::Directory {
                waiting.push(place.join(OsStr::from_bytes(name.to_bytes())));
            }
        }
    }
    (used, seen)
}

/// Bytes a file takes on disk.
pub(super) fn on_disk(stat: &Stat) -> u64 {
    u64::try_from(stat.st_blocks).unwrap_or(0).saturating_mul(512)
}

/// Removes the directory and all in it. Never deeper than two levels at a time: what lies deeper is
/// moved up first, so no depth a child can make exhausts stack or descriptors. Costs one rename per
/// directory.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let root = match open_directory(CWD.as_fd(), path) {
        Err(Errno::NOENT) => return Ok(()),
        root => root?,
    };
    let mut moved = 0_u64;
    loop {
        let entries = list(&root)?;
        if entries.is_empty() {
            return rustix::fs::unlinkat(CWD, path, AtFlags::REMOVEDIR);
        }
        for (name, kind) in entries {
            match kind {
                FileType::Directory => empty(&root, &name, &mut moved)?,
                _ => rustix::fs::unlinkat(&root, &name, AtFlags::empty())?,
            }
        }
    }
}

/// Removes one directory of the root; its own directories become siblings.
fn empty(root: &OwnedFd, name: &CStr, moved: &mut u64) -> Result<()> {
    // The child may have taken every right from itself.
    rustix::fs::chmodat(root, name, Mode::RWXU, AtFlags::empty())?;
    let directory = open_directory(root.as_fd(), name)?;
    for (inner, kind) in list(&directory)? {
        if kind == FileType::Directory {
            rustix::fs::chmodat(&directory, &inner, Mode::RWXU, AtFlags::empty())?;
            *moved += 1;
            rename_up(root, &directory, &inner, moved)?;
        } else {
            rustix::fs::unlinkat(&directory, &inner, AtFlags::empty())?;
        }
    }
    rustix::fs::unlinkat(root, name, AtFlags::REMOVEDIR)
}

/// The child may have used the very name; then the next one is tried.
fn rename_up(root: &OwnedFd, from: &OwnedFd, name: &CStr, moved: &mut u64) -> Result<()> {
    loop {
        let fresh = format!(".{moved}");
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(from, name, root, &fresh, flags) {
            Err(Errno::EXIST) => *moved += 1,
            done => return done,
        }
    }
}

fn open_directory(at: impl AsFd, path: impl rustix::path::Arg) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, path, flags, Mode::empty())
}

/// Opens a directory beneath the root, through no link, giving its owner the right to if need be.
fn open_forced(root: &OwnedFd, place: &Path) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let strict = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    match rustix::fs::openat2(root, place, flags, Mode::empty(), strict) {
        Err(Errno::ACCESS) => {
            let path = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let closed = rustix::fs::openat2(root, place, path, Mode::empty(), strict)?;
            // Through the descriptor: by name a link put there meanwhile would be followed.
            let name = format!("/proc/self/fd/{}", closed.as_raw_fd());
            rustix::fs::chmod(name, Mode::RWXU)?;
            rustix::fs::openat2(root, place, flags, Mode::empty(), strict)
        }
        opened => opened,
    }
}

fn list(directory: &OwnedFd) -> Result<Vec<(CString, FileType)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => {
                let stat = rustix::fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(stat.st_mode)
            }
            known => known,
        };
        found.push((name.to_owned(), kind));
    }
    Ok(found)
}

#[cfg(test)]
#[path = "scratch_tests.rs"]
mod tests;
