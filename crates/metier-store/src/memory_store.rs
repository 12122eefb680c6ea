//! A store made of bytes: the skills shipped inside metier, an application's own backend, tests.
//! It walks by the same rules as the disk (`walk`) and judges by the same functions (`candidate`,
//! `load`), so that the same files give the same result.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use metier_format::limits::MAX_PREFIX_BYTES;
use metier_format::{Code, Diagnostic};
use rustix::fs::FileType;

use crate::candidate::{self, SKILL_FILE, Spot, is_skill_file};
use crate::contained::{ContainedPath, Refusal};
use crate::digest::{Tree, TreeFile, TreeKind, sha256};
use crate::discover::{Discovery, Note, ScanLimits, join};
use crate::disk::special;
use crate::file_store::is_below;
use crate::layer::{Layer, Root, RootId};
use crate::level::{Child, Reached};
use crate::limits::MAX_RESOURCE_DEPTH;
use crate::load::{self, MAX_SKILL_BYTES, Source};
use crate::paths::{joined, path_of};
use crate::resources::is_left_out;
use crate::store::{
    FileStamp, LoadError, Location, ReadError, Resource, Resources, Skill, Store, TreeError,
};
use crate::walk::{Desk, Directory, Ground, Plan, is_hidden, may_be_listed, walk};

/// Skills held in memory, all in one root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryStore {
    root: Root,
    files: BTreeMap<Box<str>, File>,
    /// Paths that were given and cannot be paths; discovery names them.
    invalid: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    bytes: Cow<'static, [u8]>,
    executable: bool,
}

impl MemoryStore {
    /// An empty store, whose root is called like its layer.
    #[must_use]
    pub fn new(layer: Layer) -> Self {
        Self::with_root(Root {
            layer,
            path: PathBuf::from(layer.as_str()),
            client_order: 0,
            immediate_only: false,
            trusted: true,
            optional: false,
            within: None,
        })
    }

    /// An empty store with this root, whose path is a name and not a place on disk.
    #[must_use]
    pub fn with_root(root: Root) -> Self {
        Self { root, files: BTreeMap::new(), invalid: Vec::new() }
    }

    /// The same store with one file more, its path relative to the root. A path that cannot be one
    /// is reported at discovery.
    #[must_use]
    pub fn file(self, path: &str, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        self.with(path, File { bytes: bytes.into(), executable: false })
    }

    /// The same store with one file more that has the execute bit.
    #[must_use]
    pub fn executable(self, path: &str, bytes: impl Into<Cow<'static, [u8]>>) -> Self {
        self.with(path, File { bytes: bytes.into(), executable: true })
    }

    /// Every file with its path, bytes and execute bit, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8], bool)> {
        self.files.iter().map(|(path, file)| (&**path, &*file.bytes, file.executable))
    }

    fn with(mut self, path: &str, file: File) -> Self {
        match ContainedPath::parse(path) {
            Ok(path) => {
                self.files.insert(path.as_str().into(), file);
            }
            Err(_) => self.invalid.push(path.to_owned()),
        }
        self
    }

    /// The files below `directory`, each with its path relative to it.
    fn below<'a>(&'a self, directory: &str) -> impl Iterator<Item = (&'a str, &'a File)> {
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        self.files
            .range::<str, _>((Bound::Included(&*prefix), Bound::Unbounded))
            .map_while(move |(path, file)| Some((path.strip_prefix(&*prefix)?, file)))
    }

    /// The file at `path`, or what it is instead.
    fn get(&self, path: &str) -> Result<&File, Refusal> {
        match self.files.get(path) {
            Some(file) => Ok(file),
            None if self.below(path).next().is_some() => Err(Refusal::Special(FileType::Directory)),
            None => Err(Refusal::Missing),
        }
    }

    /// The skill's directory as text, when it can be in this store and holds anything.
    fn skill_directory<'a>(&self, at: &'a Location) -> Option<&'a str> {
        let path = at.path.to_str().filter(|_| at.root == RootId(0) && is_below(&at.path))?;
        self.below(path).next().is_some().then_some(path)
    }

    fn path(&self, at: &Location) -> PathBuf {
        join(std::slice::from_ref(&self.root), at.root, &at.path)
    }

    /// The name of the skill's file in `directory`, in any spelling, the right one first.
    fn skill_file(&self, directory: &str) -> Option<&str> {
        let names = || self.below(directory).map(|(name, _)| name);
        let right = names().find(|name| name.split('/').next() == Some(SKILL_FILE));
        right.map(|_| SKILL_FILE).or_else(|| names().find(|name| is_skill_file(name.as_bytes())))
    }

    /// The file becomes a candidate or a skipped file.
    fn take(&self, at: Directory<'_>, name: &str, desk: &mut Desk<'_>) {
        let path = joined(at.path, name.as_bytes());
        let outcome = match self.get(&String::from_utf8_lossy(&path)) {
            Ok(file) => {
                desk.harvest.stats.files += 1;
                self.judge(at, name, &file.bytes, desk)
            }
            Err(_) => Err(vec![special(FileType::Directory, &path)]),
        };
        match outcome {
            Ok(found) => desk.found(found),
            Err(why) => desk.skipped(at, path_of(&path), why),
        }
    }

    fn judge(
        &self,
        at: Directory<'_>,
        name: &str,
        bytes: &[u8],
        desk: &mut Desk<'_>,
    ) -> Result<crate::Found, Vec<Diagnostic>> {
        let start = bytes.get(..MAX_PREFIX_BYTES).unwrap_or(bytes);
        desk.harvest.stats.bytes_read += start.len() as u64;
        let root = self.root.path.file_name().map(|name| name.as_encoded_bytes());
        let mut parsed = candidate::parsed(start, candidate::directory_name(at.path, root));
        parsed.diagnostics.splice(0..0, candidate::misnamed(name));
        let spot = Spot { root: desk.plan.root, path: at.path, identity: at.identity };
        candidate::candidate(start, parsed, spot)
    }
}

impl Ground for MemoryStore {
    fn look(&self, at: Directory<'_>, desk: &mut Desk<'_>) {
        let path = String::from_utf8_lossy(at.path);
        let file = self.skill_file(&path).filter(|_| !desk.is_bare_root(at));
        match file {
            // On disk, only a listing would show another spelling.
            Some(name) if name == SKILL_FILE || may_be_listed(at.path) => {
                return self.take(at, name, desk);
            }
            _ if !may_be_listed(at.path) => return,
            _ => {}
        }
        let directories: BTreeSet<&str> =
            self.below(&path).filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
        let mut group = desk.children(at);
        for name in directories.into_iter().map(str::as_bytes).filter(|name| !is_hidden(name)) {
            desk.child(&mut group, at, Child { name, identity: (0, 0), reached: Reached::Plainly });
        }
        desk.close(group, at);
    }
}

impl Store for MemoryStore {
    fn roots(&self) -> &[Root] {
        std::slice::from_ref(&self.root)
    }

    fn discover(&self, limits: &ScanLimits) -> Discovery {
        // Nothing is waited for, so one thread does.
        let limits = ScanLimits { threads: 1, ..*limits };
        let plan = Plan::new(RootId(0), self.root.immediate_only, &limits);
        let harvest = walk(self, &plan, (0, 0));
        let mut discovery = Discovery {
            roots: vec![self.root.clone()],
            found: harvest.found,
            skipped: harvest.skipped.into_iter().map(|(_, skipped)| skipped).collect(),
            notes: harvest.notes,
            stats: harvest.stats,
        };
        discovery.found.shrink_to_fit();
        discovery.notes.extend(self.invalid.iter().map(|path| invalid_note(path)));
        discovery
    }

    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp> {
        let read = self.read(at, path, MAX_SKILL_BYTES).ok()?;
        Some(FileStamp::of_bytes(&read.bytes))
    }

    fn directory(&self, _: &Location) -> Option<PathBuf> {
        None
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        let directory = self.path(at);
        let missing = || LoadError::NotFound(directory.clone());
        let path = self.skill_directory(at).ok_or_else(missing)?;
        let file = self.skill_file(path).ok_or_else(missing)?;
        let at_file =
            String::from_utf8_lossy(&joined(path.as_bytes(), file.as_bytes())).into_owned();
        let invalid =
            |why| LoadError::Invalid { path: directory.join(file), diagnostics: vec![why] };
        let found = self.get(&at_file);
        let found = found.map_err(|_| invalid(special(FileType::Directory, file.as_bytes())))?;
        let size = found.bytes.len() as u64;
        if size > MAX_SKILL_BYTES {
            return Err(load::too_large(&directory.join(file), size));
        }
        let name = directory.file_name().map(|name| name.to_string_lossy().into_owned());
        let (file, bytes) = (file.to_owned(), found.bytes.to_vec());
        let source = Source { directory: directory.clone(), file: file.clone(), name, bytes };
        load::skill(source, || Ok(self.resources(path, &file)))
    }

    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError> {
        let path = ContainedPath::parse(path)?;
        let refused = |refusal: Refusal| refusal.into_read_error(&path, max_bytes);
        let skill = self.skill_directory(at).ok_or_else(|| refused(Refusal::Missing))?;
        let whole = joined(skill.as_bytes(), path.as_str().as_bytes());
        let file = self.get(&String::from_utf8_lossy(&whole)).map_err(refused)?;
        let size = file.bytes.len() as u64;
        if size > max_bytes {
            return Err(refused(Refusal::TooLarge { size }));
        }
        load::resource(path.as_str(), file.bytes.to_vec())
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        let path = self.skill_directory(at).ok_or_else(|| TreeError::NotFound(self.path(at)))?;
        let file = |(path, file): (&str, &File)| TreeFile {
            path: path.as_bytes().into(),
            kind: if file.executable { TreeKind::Executable } else { TreeKind::File },
            size: file.bytes.len() as u64,
            digest: sha256(&file.bytes),
        };
        Ok(Tree::new(self.below(path).map(file).collect()))
    }
}

impl MemoryStore {
    fn resources(&self, directory: &str, skill_file: &str) -> Resources {
        let mut resources = Resources::default();
        for (path, file) in self.below(directory).filter(|(path, _)| *path != skill_file) {
            let above = Path::new(path).parent();
            let mut names = above.into_iter().flat_map(Path::components);
            if names.any(|name| is_left_out(name.as_os_str().as_encoded_bytes())) {
                continue;
            }
            if path.split('/').count() > MAX_RESOURCE_DEPTH + 1 {
                resources.omitted += 1;
            } else {
                resources.add(path, file.bytes.len() as u64, file.executable);
            }
        }
        resources.sorted()
    }
}

fn invalid_note(path: &str) -> Note {
    let shown = metier_format::text::visible_line(path);
    let message = format!("`{shown}` is not a path inside the store");
    let diagnostic = Diagnostic::new(Code::DirectoryUnreadable, message);
    Note { root: RootId(0), path: PathBuf::from(path), diagnostic }
}

#[cfg(test)]
#[path = "memory_store_tests.rs"]
mod tests;
