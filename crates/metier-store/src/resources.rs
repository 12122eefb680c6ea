//! The files of a skill besides `SKILL.md`: the whole tree, within limits, in order. Directories
//! are entered one by one without following links, so no link can lead the listing outside; a link
//! that stays inside is listed under its own name.

use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use crate::contained::{ContainedPath, Refusal, SkillDirectory, kind_of};
use crate::disk::{for_each_entry, identity_of};
use crate::level::Identity;
use crate::limits::{MAX_RESOURCE_DEPTH, MAX_RESOURCE_ENTRIES, MAX_RESOURCES};
use crate::paths::{joined, shown};
use crate::store::{ResourceFile, Resources};

/// Directories that are never part of what a skill offers: version control's own, and what tools
/// leave behind or can fetch again.
const LEFT_OUT: [&str; 7] = [".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__"];

/// The directories of which [`Resources::one_level`] lists the files.
const ONE_LEVEL: [&str; 3] = ["assets", "references", "scripts"];

impl Resources {
    /// Only the files directly inside `scripts/`, `references/` and `assets/`, without those whose
    /// name starts with a dot.
    #[must_use]
    pub fn one_level(&self) -> Self {
        let shallow = |file: &&ResourceFile| match file.path.split_once('/') {
            Some((directory, name)) => {
                ONE_LEVEL.contains(&directory) && !name.contains('/') && !name.starts_with('.')
            }
            None => false,
        };
        let files = self.files.iter().filter(shallow).cloned().collect();
        Self { files, omitted: self.omitted, refused: self.refused.clone() }
    }

    /// Adds a file, or counts it when there are too many already.
    pub(crate) fn add(&mut self, path: &str, size: u64, executable: bool) {
        if self.files.len() < MAX_RESOURCES {
            self.files.push(ResourceFile { path: path.to_owned(), size, executable });
        } else {
            self.omitted += 1;
        }
    }

    /// Puts everything in order.
    pub(crate) fn sorted(mut self) -> Self {
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.refused.sort();
        self
    }
}

/// Lists the files below `skill` besides `skill_file`.
pub(crate) fn list(skill: &SkillDirectory, skill_file: &str) -> Result<Resources, Refusal> {
    run(Listing::new(skill, skill_file, Detail::Whole))
}

/// Lists them by name alone: what a directory says is a file has size 0 and is not executable.
pub(crate) fn names(skill: &SkillDirectory, skill_file: &str) -> Result<Resources, Refusal> {
    run(Listing::new(skill, skill_file, Detail::Names))
}

fn run(mut listing: Listing<'_>) -> Result<Resources, Refusal> {
    let fd = listing.skill.directory(None)?;
    listing.directory(&fd, &[], Links::Follow).map_err(Refusal::System)?;
    Ok(listing.resources.sorted())
}

/// Whether a directory, or the way to it, belongs to what a skill offers.
pub(crate) fn is_left_out(directory: &[u8]) -> bool {
    LEFT_OUT.iter().any(|name| name.as_bytes() == directory)
}

struct Listing<'a> {
    skill: &'a SkillDirectory,
    skill_file: &'a str,
    detail: Detail,
    resources: Resources,
    /// Directory entries that may still be looked at.
    entries: usize,
    /// A buffer for directory entries.
    names: Vec<u8>,
    /// The directories entered on the way here.
    above: Vec<Identity>,
}

/// A directory entry: its name and what it is.
type Named = (Box<[u8]>, FileType);

/// How much is wanted of a file. A listing says what is a file; all else takes a look at each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    Whole,
    Names,
}

/// Whether links to directories are followed. Behind one that was, no other is: what they lead to
/// is listed under its own path, and so no cycle can arise.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Follow,
    Leave,
}

impl<'a> Listing<'a> {
    fn new(skill: &'a SkillDirectory, skill_file: &'a str, detail: Detail) -> Self {
        Self {
            skill,
            skill_file,
            detail,
            resources: Resources::default(),
            entries: MAX_RESOURCE_ENTRIES,
            names: Vec::new(),
            above: Vec::new(),
        }
    }
}

impl Listing<'_> {
    /// Lists the open directory at `path`.
    fn directory(&mut self, fd: &OwnedFd, path: &[u8], links: Links) -> Result<(), Errno> {
        let identity = identity_of(&fstat(fd)?);
        // A link back to a directory we are in adds nothing.
        if self.above.contains(&identity) {
            return Ok(());
        }
        self.above.push(identity);
        for (name, kind) in self.entries_of(fd)? {
            let path = joined(path, &name);
            let kind = match kind {
                FileType::Unknown => kind_of(&stat_in(fd, &name)?),
                known => known,
            };
            match kind {
                FileType::Directory => self.subdirectory(fd, &name, &path, links),
                FileType::Symlink => self.link(&path, links),
                FileType::RegularFile if self.detail == Detail::Names => self.file(&path, 0, false),
                FileType::RegularFile => match stat_in(fd, &name) {
                    Ok(stat) => self.file_of(&path, &stat),
                    // Gone since it was listed.
                    Err(Errno::NOENT) => {}
                    Err(_) => self.refuse(&path),
                },
                _ => self.refuse(&path),
            }
        }
        self.above.pop();
        Ok(())
    }

    /// The directory's entries, in order. Of more than may be looked at, the first ones.
    fn entries_of(&mut self, fd: &OwnedFd) -> Result<Vec<Named>, Errno> {
        let mut entries: Vec<Named> = Vec::new();
        let mut names = std::mem::take(&mut self.names);
        let (budget, mut cut) = (self.entries, 0);
        let by_name = |a: &Named, b: &Named| a.0.cmp(&b.0);
        let mut trim = |entries: &mut Vec<Named>| {
            entries.sort_unstable_by(by_name);
            cut += entries.len().saturating_sub(budget);
            entries.truncate(budget);
        };
        let listed = for_each_entry(fd, &mut names, |name, kind, _| {
            entries.push((name.into(), kind));
            if entries.len() > budget.saturating_mul(2).saturating_add(1024) {
                trim(&mut entries);
            }
        });
        trim(&mut entries);
        self.names = names;
        self.resources.omitted += cut;
        self.entries -= entries.len();
        listed.map(|()| entries)
    }

    fn subdirectory(&mut self, parent: &OwnedFd, name: &[u8], path: &[u8], links: Links) {
        if is_left_out(name) {
            return;
        }
        if self.above.len() > MAX_RESOURCE_DEPTH {
            self.resources.omitted += 1;
            return;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let listed = openat(parent.as_fd(), name, flags, Mode::empty())
            .and_then(|fd| self.directory(&fd, path, links));
        if listed.is_err() {
            self.refuse(path);
        }
    }

    fn link(&mut self, path: &[u8], links: Links) {
        let Some(contained) = contained(path) else { return self.refuse(path) };
        match self.skill.stat(&contained) {
            Ok(stat) => match kind_of(&stat) {
                FileType::RegularFile => self.file_of(path, &stat),
                FileType::Directory if links == Links::Follow => self.behind(&contained),
                FileType::Directory => {}
                _ => self.refuse(path),
            },
            Err(_) => self.refuse(path),
        }
    }

    /// Lists the directory behind a link that stays inside.
    fn behind(&mut self, path: &ContainedPath) {
        let bytes = path.as_str().as_bytes();
        let listed = self.skill.directory(Some(path)).is_ok_and(|fd| {
            // The directories on the link's own path are not those above its target.
            let above = self.above.len();
            let listed = self.directory(&fd, bytes, Links::Leave).is_ok();
            self.above.truncate(above);
            listed
        });
        if !listed {
            self.refuse(bytes);
        }
    }

    fn file_of(&mut self, path: &[u8], stat: &Stat) {
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        self.file(path, size, stat.st_mode & 0o111 != 0);
    }

    fn file(&mut self, path: &[u8], size: u64, executable: bool) {
        if path == self.skill_file.as_bytes() {
            return;
        }
        match contained(path) {
            Some(path) => self.resources.add(path.as_str(), size, executable),
            // A name that is not text, or that no path to read can spell.
            None => self.refuse(path),
        }
    }

    fn refuse(&mut self, path: &[u8]) {
        if self.resources.refused.len() < MAX_RESOURCES {
            self.resources.refused.push(shown(path));
        } else {
            self.resources.omitted += 1;
        }
    }
}

fn contained(path: &[u8]) -> Option<ContainedPath> {
    ContainedPath::parse(std::str::from_utf8(path).ok()?).ok()
}

fn stat_in(directory: &OwnedFd, name: &[u8]) -> Result<Stat, Errno> {
    statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
}

#[cfg(test)]
#[path = "resources_tests.rs"]
mod tests;
