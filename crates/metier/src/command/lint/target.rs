//! Which files a path given to `lint` means, and how each is read: everything goes through the
//! store, so lint sees exactly the skills that discovery sees.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use metier_format::limits::MAX_FILE_BYTES;
use metier_format::lint::Neighbour;
use metier_format::text::visible_line;
use metier_format::{Code, Diagnostic};
use metier_store::store::{LoadError, Location, ReadError, Resources};
use metier_store::{Discovery, FileStore, Layer, Root, RootId, Store as _};

use crate::env::{self, PathKind};
use crate::error::CommandError;
use crate::settings::Settings;
use crate::ui::Ui;

/// What a skill's file is called.
const SKILL_FILE: &str = "SKILL.md";

/// Most bytes read of one file.
const MAX_BYTES: u64 = MAX_FILE_BYTES as u64;

/// The files to lint and where they are read.
#[derive(Debug)]
pub(crate) struct Targets {
    store: FileStore,
    list: Vec<Target>,
    remarks: Vec<String>,
}

/// One file to lint.
#[derive(Debug)]
pub(crate) struct Target {
    /// The file as reports name it.
    pub(crate) shown: String,
    /// The file on disk.
    pub(crate) file: PathBuf,
    /// The name of its directory, which the skill's name is held against.
    pub(crate) directory: Option<String>,
    at: Location,
    /// Whether the file was named by hand and need not be called `SKILL.md`.
    alone: bool,
}

/// A file as it was read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Its bytes; none when it cannot be read.
    pub(crate) source: Option<Vec<u8>>,
    /// The files around it, when all of them are known.
    pub(crate) files: Option<Vec<Neighbour>>,
    /// What is wrong with the file rather than with its text.
    pub(crate) faults: Vec<Diagnostic>,
}

/// A path somebody typed, and the directory it makes a root of.
struct Typed<'a> {
    path: &'a Path,
    root: PathBuf,
    /// The file, when a file was named.
    file: Option<String>,
}

impl Targets {
    /// The files that `paths` mean; those below the working directory when there are none.
    pub(crate) fn find(paths: &[PathBuf], settings: &Settings) -> Result<Self, CommandError> {
        let here = [PathBuf::from(".")];
        let asked = if paths.is_empty() { &here[..] } else { paths };
        let typed: Vec<Typed<'_>> =
            asked.iter().map(|path| Typed::read(path, settings)).collect::<Result<_, _>>()?;
        let roots = typed.iter().map(|typed| Root::given(Layer::Personal, &typed.root)).collect();
        let mut targets =
            Self { store: FileStore::new(roots), list: Vec::new(), remarks: Vec::new() };
        for (index, typed) in typed.iter().enumerate() {
            let id = u16::try_from(index).map(RootId).map_err(|_| too_many(asked.len()))?;
            match &typed.file {
                Some(name) => targets.list.push(Target::alone(id, typed, name)),
                None => targets.search(id, typed, settings, !paths.is_empty()),
            }
        }
        let mut seen = BTreeSet::new();
        targets.list.retain(|target| seen.insert(target.file.clone()));
        targets.list.sort_by(|a, b| a.shown.cmp(&b.shown));
        Ok(targets)
    }

    /// The files, by the names reports have for them.
    pub(crate) fn list(&self) -> &[Target] {
        &self.list
    }

    /// Says what the search could not look into.
    pub(crate) fn remark(&self, ui: &mut Ui) {
        for remark in &self.remarks {
            ui.note(&format!("warning: {}", visible_line(remark)));
        }
    }

    /// Reads one of the files, once.
    pub(crate) fn read(&self, target: &Target) -> Reading {
        if target.alone {
            return self.read_alone(target);
        }
        match self.store.load(&target.at) {
            Ok(skill) => Reading {
                source: Some(skill.source),
                files: neighbours(&skill.resources),
                faults: skill.diagnostics.into_iter().filter(is_about_file).collect(),
            },
            Err(LoadError::Invalid { path, diagnostics }) => {
                self.read_invalid(target, &path, diagnostics)
            }
            Err(LoadError::NotFound(_)) => missing(),
            Err(LoadError::Io { source, .. }) => unreadable(&source.to_string()),
        }
    }

    /// Finds the skills below a directory. One that was named by hand and holds none was meant to
    /// be one.
    fn search(&mut self, id: RootId, typed: &Typed<'_>, settings: &Settings, named: bool) {
        let only = FileStore::new(vec![Root::given(Layer::Personal, &typed.root)]);
        let Discovery { found, skipped, notes, .. } = only.discover(&settings.limits);
        self.remarks.extend(notes.into_iter().map(|note| note.diagnostic.message));
        if found.is_empty() && skipped.is_empty() && named {
            self.list.push(Target::within(id, typed, Path::new(""), SKILL_FILE));
        }
        for found in found {
            let file = self.spelling(id, &found.path, &found.diagnostics);
            self.list.push(Target::within(id, typed, &found.path, &file));
        }
        for skipped in skipped {
            let directory = skipped.path.parent().unwrap_or(Path::new(""));
            let file = skipped.path.file_name().unwrap_or_default().to_string_lossy();
            self.list.push(Target::within(id, typed, directory, &file));
        }
    }

    /// What the skill's file is called: `SKILL.md`, unless a finding says it is not.
    fn spelling(&self, id: RootId, path: &Path, diagnostics: &[Diagnostic]) -> String {
        let at = Location { root: id, path: path.into() };
        let others = ["skill.md", "Skill.md", "SKILL.MD", "Skill.MD"];
        let misnamed = diagnostics.iter().any(|d| d.code == Code::FileName);
        let there = |name: &&str| self.store.read(&at, name, MAX_BYTES).is_ok();
        let other = if misnamed { others.into_iter().find(there) } else { None };
        other.unwrap_or(SKILL_FILE).to_owned()
    }

    fn read_invalid(&self, target: &Target, path: &Path, diagnostics: Vec<Diagnostic>) -> Reading {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match self.store.read(&target.at, &name, MAX_BYTES) {
            Ok(resource) => Reading {
                source: Some(resource.bytes),
                files: None,
                faults: diagnostics.into_iter().filter(is_about_file).collect(),
            },
            Err(_) => Reading { faults: diagnostics, ..Reading::default() },
        }
    }

    fn read_alone(&self, target: &Target) -> Reading {
        let name = target.file.file_name().unwrap_or_default().to_string_lossy();
        match self.store.read(&target.at, &name, MAX_BYTES) {
            Ok(resource) => {
                let message = format!("the file is called `{}`", visible_line(&name));
                let fault = Diagnostic::new(Code::FileName, message);
                Reading { source: Some(resource.bytes), files: None, faults: vec![fault] }
            }
            Err(ReadError::NotFound(_)) => missing(),
            Err(error @ ReadError::TooLarge { .. }) => {
                fault(Diagnostic::new(Code::FileTooLarge, error.to_string()))
            }
            Err(error @ ReadError::LeavesSkill(_)) => {
                fault(Diagnostic::new(Code::LinkLeavesSkill, error.to_string()))
            }
            Err(ReadError::Io { source, .. }) => unreadable(&source.to_string()),
            Err(error) => unreadable(&error.to_string()),
        }
    }
}

impl<'a> Typed<'a> {
    fn read(path: &'a Path, settings: &Settings) -> Result<Self, CommandError> {
        let full = settings.environment.directory.join(path);
        let not_there = || {
            let message = format!("`{}` does not exist", path.display());
            CommandError::failed(message)
                .hint("give a SKILL.md, a skill's directory, or a directory with skills below")
        };
        let real = |path: &Path| env::real_path(path).ok_or_else(not_there);
        match env::kind_of(&full) {
            PathKind::Missing => Err(not_there()),
            PathKind::Directory => Ok(Self { path, root: real(&full)?, file: None }),
            PathKind::Other => {
                let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let parent = full.parent().unwrap_or(Path::new("/"));
                Ok(Self { path, root: real(parent)?, file: Some(name) })
            }
        }
    }
}

impl Target {
    /// A file named by hand. One that is called right is read as the skill it belongs to.
    fn alone(root: RootId, typed: &Typed<'_>, name: &str) -> Self {
        Self {
            shown: typed.path.display().to_string(),
            file: typed.root.join(name),
            directory: directory_name(&typed.root),
            at: Location { root, path: Path::new("").into() },
            alone: name != SKILL_FILE,
        }
    }

    /// The file of a skill below a directory that was named.
    fn within(root: RootId, typed: &Typed<'_>, path: &Path, file: &str) -> Self {
        let shown =
            if typed.path == Path::new(".") { PathBuf::new() } else { typed.path.to_owned() };
        let directory =
            if path.as_os_str().is_empty() { typed.root.clone() } else { typed.root.join(path) };
        Self {
            shown: shown.join(path).join(file).display().to_string(),
            file: directory.join(file),
            directory: directory_name(&directory),
            at: Location { root, path: path.into() },
            alone: false,
        }
    }
}

fn directory_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The list lint wants; none when it is not complete, since what is not in it would be called
/// missing.
fn neighbours(resources: &Resources) -> Option<Vec<Neighbour>> {
    if resources.omitted > 0 {
        return None;
    }
    let mut all = BTreeSet::new();
    let paths = resources.files.iter().map(|file| &file.path).chain(&resources.refused);
    for path in paths {
        let parents = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        all.extend(parents.map(|parent| Neighbour { path: parent.to_owned(), directory: true }));
        all.insert(Neighbour { path: path.clone(), directory: false });
    }
    Some(all.into_iter().collect())
}

/// Whether a finding is about the file rather than about the text in it.
fn is_about_file(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == Code::FileName
}

fn fault(diagnostic: Diagnostic) -> Reading {
    Reading { faults: vec![diagnostic], ..Reading::default() }
}

fn missing() -> Reading {
    fault(Diagnostic::new(Code::MissingFile, Code::MissingFile.title()))
}

fn unreadable(why: &str) -> Reading {
    fault(Diagnostic::new(Code::Unreadable, format!("{}: {why}", Code::Unreadable.title())))
}

fn too_many(count: usize) -> CommandError {
    CommandError::usage(format!("{count} paths are too many")).hint("name a directory above them")
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
