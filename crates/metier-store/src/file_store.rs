//! The store on disk. Finding is `scan`'s, listing `resources`', reading `contained`'s; here they
//! are put together.

use std::path::{Path, PathBuf};

use metier_format::Diagnostic;
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;

use crate::candidate::{self, SKILL_FILE};
use crate::contained::{ContainedPath, Refusal, SkillDirectory};
use crate::digest::Tree;
use crate::discover::{Discovery, ScanLimits, join};
use crate::disk::{self, for_each_entry};
use crate::draft::{Draft, Neighbourhood};
use crate::layer::Root;
use crate::load::{self, MAX_SKILL_BYTES, Source};
use crate::paths::bytes_of;
use crate::resources;
use crate::scan::scan;
use crate::store::{FileStamp, LoadError, Location, ReadError, Resource, Skill, Store, TreeError};
use crate::tree;

/// Skills in directories on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileStore {
    roots: Vec<Root>,
}

impl FileStore {
    /// A store over `roots`, in their order of precedence within a layer.
    #[must_use]
    pub fn new(roots: Vec<Root>) -> Self {
        Self { roots }
    }

    /// The skill's directory, held open. A location says a path below its root, nothing else.
    fn skill_directory(&self, at: &Location) -> Result<SkillDirectory, Errno> {
        let root = self.roots.get(usize::from(at.root.0)).ok_or(Errno::NOENT)?;
        if !is_below(&at.path) || root.path.as_os_str().is_empty() {
            return Err(Errno::NOENT);
        }
        match SkillDirectory::open(CWD, bytes_of(&join(&self.roots, at.root, &at.path))) {
            // Each of the two may be as long as a path can be.
            Err(Errno::NAMETOOLONG) => {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let root = openat(CWD, &root.path, flags, Mode::empty())?;
                SkillDirectory::open(root, bytes_of(&at.path))
            }
            opened => opened,
        }
    }

    /// The skill's file as it is, not yet taken for a skill.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when there is no such file, or it may not be read.
    pub fn draft(&self, at: &Location) -> Result<Draft, LoadError> {
        let directory = self.path(at);
        let skill = self.skill_directory(at).map_err(|errno| not_loaded(&directory, errno))?;
        let (file, bytes) = skill_file(&skill, &directory)?;
        Ok(Draft::new(file, bytes, skill))
    }

    /// The files around the `draft` that lies at `at`.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when the directory cannot be listed.
    pub fn neighbourhood(&self, at: &Location, draft: &Draft) -> Result<Neighbourhood, LoadError> {
        draft.neighbourhood().map_err(|refusal| not_listed(&self.path(at), refusal))
    }

    fn path(&self, at: &Location) -> PathBuf {
        join(&self.roots, at.root, &at.path)
    }
}

impl Store for FileStore {
    fn roots(&self) -> &[Root] {
        &self.roots
    }

    fn discover(&self, limits: &ScanLimits) -> Discovery {
        scan(&self.roots, limits)
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        let directory = self.path(at);
        let skill = self.skill_directory(at).map_err(|errno| not_loaded(&directory, errno))?;
        let (file, bytes) = skill_file(&skill, &directory)?;
        let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
        let source = Source { directory: directory.clone(), file: file.clone(), name, bytes };
        load::skill(source, || {
            resources::list(&skill, &file).map_err(|refusal| not_listed(&directory, refusal))
        })
    }

    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError> {
        let path = ContainedPath::parse(path)?;
        let skill = self.skill_directory(at).map_err(Refusal::from);
        let read = skill.and_then(|skill| skill.read(&path, max_bytes));
        match read {
            Ok((bytes, _)) => load::resource(path.as_str(), bytes),
            Err(refusal) => Err(refusal.into_read_error(&path, max_bytes)),
        }
    }

    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp> {
        let path = ContainedPath::parse(path).ok()?;
        let stat = self.skill_directory(at).ok()?.stat(&path).ok()?;
        Some(FileStamp::of_stat(&stat))
    }

    fn directory(&self, at: &Location) -> Option<PathBuf> {
        is_below(&at.path).then(|| self.path(at))
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        match self.skill_directory(at) {
            Ok(skill) => tree::read(&skill),
            Err(Errno::NOENT | Errno::NOTDIR) => Err(TreeError::NotFound(self.path(at))),
            Err(errno) => Err(TreeError::Io { path: ".".to_owned(), source: errno.into() }),
        }
    }
}

/// The skill's file, by its right name or else another spelling of it, and its bytes.
fn skill_file(skill: &SkillDirectory, directory: &Path) -> Result<(String, Vec<u8>), LoadError> {
    let read = |name: &str| {
        let path = ContainedPath::parse(name).map_err(|_| Refusal::Missing)?;
        skill.read(&path, MAX_SKILL_BYTES).map(|(bytes, _)| (name.to_owned(), bytes))
    };
    match read(SKILL_FILE) {
        Err(Refusal::Missing) => {
            let name = other_spelling(skill);
            let name = name.ok_or_else(|| LoadError::NotFound(directory.to_owned()))?;
            read(&name).map_err(|refusal| refused(refusal, directory, &name))
        }
        other => other.map_err(|refusal| refused(refusal, directory, SKILL_FILE)),
    }
}

/// The first file of the directory that is called `SKILL.md` but for its case.
fn other_spelling(skill: &SkillDirectory) -> Option<String> {
    let fd = skill.directory(None).ok()?;
    let mut name: Option<String> = None;
    let listed = for_each_entry(&fd, &mut Vec::new(), |entry, kind, _| {
        let is_file = kind != rustix::fs::FileType::Directory && candidate::is_skill_file(entry);
        let entry = String::from_utf8_lossy(entry);
        if is_file && name.as_ref().is_none_or(|name| *entry < **name) {
            name = Some(entry.into_owned());
        }
    });
    listed.ok().and(name)
}

fn refused(refusal: Refusal, directory: &Path, file: &str) -> LoadError {
    let path = directory.join(file);
    let invalid =
        |why: Diagnostic| LoadError::Invalid { path: path.clone(), diagnostics: vec![why] };
    match refusal {
        Refusal::Missing => LoadError::NotFound(directory.to_owned()),
        Refusal::Leaves => invalid(disk::refused_link(refusal, file.as_bytes())),
        Refusal::Special(kind) => invalid(disk::special(kind, file.as_bytes())),
        Refusal::TooLarge { size } => load::too_large(&path, size),
        Refusal::System(errno) => LoadError::Io { path, source: errno.into() },
    }
}

fn not_listed(directory: &Path, refusal: Refusal) -> LoadError {
    match refusal {
        Refusal::System(errno) => not_loaded(directory, errno),
        _ => LoadError::NotFound(directory.to_owned()),
    }
}

fn not_loaded(path: &Path, errno: Errno) -> LoadError {
    match errno {
        Errno::NOENT | Errno::NOTDIR => LoadError::NotFound(path.to_owned()),
        other => LoadError::Io { path: path.to_owned(), source: other.into() },
    }
}

/// Whether `path` is relative and never goes up.
pub(crate) fn is_below(path: &Path) -> bool {
    path.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

#[cfg(test)]
#[path = "file_store_tests.rs"]
mod tests;
