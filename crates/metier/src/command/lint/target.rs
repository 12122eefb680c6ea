//! Which files a path given to `lint` means, and how each is read: everything goes through the
//! store, so lint sees exactly the skills that discovery sees, those in the agents' directories of
//! a project included.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use metier_format::limits::MAX_FILE_BYTES;
use metier_format::lint::Neighbour;
use metier_format::text::visible_line;
use metier_format::{Code, Diagnostic, Parsed, parse};
use metier_store::client::{self, Places};
use metier_store::store::{LoadError, Location, ReadError};
use metier_store::{Discovery, FileStore, Layer, Neighbourhood, Root, RootId, Store as _};

use crate::env::{self, PathKind};
use crate::error::CommandError;
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::{walk_note, walk_remark};

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
    unread: Vec<String>,
}

/// One file to lint.
#[derive(Debug)]
pub(crate) struct Target {
    /// The file as reports name it.
    pub(crate) shown: String,
    /// The file on disk.
    pub(crate) file: PathBuf,
    /// The directory that was named, outside of which nothing is written.
    pub(crate) within: PathBuf,
    /// The name of its directory, which the skill's name is held against.
    pub(crate) directory: Option<String>,
    at: Location,
    /// Whether the file was named by hand and need not be called `SKILL.md`.
    alone: bool,
}

/// A file as it was read.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Its bytes and what the parser makes of them; none when it cannot be read.
    pub(crate) source: Option<(Vec<u8>, Parsed)>,
    /// The files around it, when all of them are known.
    pub(crate) files: Option<Vec<Neighbour>>,
    /// What is wrong with the file rather than with its text.
    pub(crate) faults: Vec<Diagnostic>,
}

/// A path somebody typed, or an agent's directory below it, and the directory it makes a root of.
struct Typed {
    /// The path as reports name it.
    path: PathBuf,
    root: PathBuf,
    /// The file, when a file was named.
    file: Option<String>,
}

impl Targets {
    /// The files that `paths` mean; those below the working directory when there are none.
    pub(crate) fn find(paths: &[PathBuf], settings: &Settings) -> Result<Self, CommandError> {
        let here = [PathBuf::from(".")];
        let asked = if paths.is_empty() { &here[..] } else { paths };
        if u16::try_from(asked.len()).is_err() {
            return Err(too_many(asked.len()));
        }
        let read = |path: &PathBuf| Typed::read(path, settings).map(Typed::with_agents);
        let groups: Vec<Vec<Typed>> = asked.iter().map(read).collect::<Result<_, _>>()?;
        let root = |typed: &Typed| Root::given(Layer::Personal, &typed.root);
        let roots: Vec<Root> = groups.iter().flatten().map(root).collect();
        if u16::try_from(roots.len()).is_err() {
            return Err(too_many(asked.len()));
        }
        let mut targets = Self {
            store: FileStore::new(roots),
            list: Vec::new(),
            remarks: Vec::new(),
            unread: Vec::new(),
        };
        let mut ids = (0..).map(RootId);
        for group in &groups {
            targets.add(group, &mut ids, settings, asked != here);
        }
        drop_repeated(&mut targets.list);
        targets.list.sort_by(|a, b| a.shown.cmp(&b.shown));
        Ok(targets)
    }

    /// The files, by the names reports have for them.
    pub(crate) fn list(&self) -> &[Target] {
        &self.list
    }

    /// Says where the search stopped because it was told to.
    pub(crate) fn remark(&self, ui: &mut Ui) {
        for remark in &self.remarks {
            ui.note(remark);
        }
    }

    /// What the search could not look into, each with its reason: there may be skills in it.
    pub(crate) fn unread(&self) -> &[String] {
        &self.unread
    }

    /// Reads one of the files, once.
    pub(crate) fn read(&self, target: &Target) -> Reading {
        if target.alone {
            return self.read_alone(target);
        }
        match self.read_skill(target) {
            Ok(reading) => reading,
            Err(LoadError::Invalid { path, diagnostics }) => {
                self.read_invalid(target, &path, diagnostics)
            }
            Err(LoadError::NotFound(_)) => missing(),
            Err(LoadError::Io { source, .. }) => unreadable(&source.to_string()),
        }
    }

    /// Reads the file of a skill, and lists the files around it when it can be loaded.
    fn read_skill(&self, target: &Target) -> Result<Reading, LoadError> {
        let draft = self.store.draft(&target.at)?;
        let parsed = target.parse(&draft.bytes);
        let files = match &parsed.manifest {
            Some(_) => neighbours(self.store.neighbourhood(&target.at, &draft)?),
            None => None,
        };
        let faults = draft.misnamed().into_iter().collect();
        Ok(Reading { source: Some((draft.bytes, parsed)), files, faults })
    }

    /// Adds the files of one path somebody typed. A directory that was `named` by hand and holds no
    /// skill was meant to be one.
    fn add(
        &mut self,
        group: &[Typed],
        ids: &mut impl Iterator<Item = RootId>,
        settings: &Settings,
        named: bool,
    ) {
        let before = self.list.len();
        let mut missing = None;
        for (typed, id) in group.iter().zip(ids) {
            match &typed.file {
                Some(name) => self.list.push(Target::alone(id, typed, name)),
                None => self.search(id, typed, settings),
            }
            missing.get_or_insert_with(|| Target::within(id, typed, Path::new(""), SKILL_FILE));
        }
        if named && self.list.len() == before {
            self.list.extend(missing);
        }
    }

    /// Finds the skills below a directory.
    fn search(&mut self, id: RootId, typed: &Typed, settings: &Settings) {
        let only = FileStore::new(vec![Root::given(Layer::Personal, &typed.root)]);
        let Discovery { found, skipped, notes, .. } = only.discover(&settings.limits);
        let root = only.roots().first();
        for note in &notes {
            match note.diagnostic.code {
                Code::RootUnreadable | Code::DirectoryUnreadable => {
                    self.unread.push(walk_note(note, root));
                }
                _ => self.remarks.push(walk_remark(note, root)),
            }
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
                source: Some(target.parsed(resource.bytes)),
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
                let source = Some(target.parsed(resource.bytes));
                Reading { source, files: None, faults: vec![fault] }
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

impl Typed {
    fn read(path: &Path, settings: &Settings) -> Result<Self, CommandError> {
        let full = settings.environment.directory.join(path);
        let not_there = || {
            let message = format!("`{}` does not exist", path.display());
            CommandError::failed(message)
                .hint("give a SKILL.md, a skill's directory, or a directory with skills below")
        };
        let real = |path: &Path| env::real_path(path).ok_or_else(not_there);
        match env::kind_of(&full) {
            PathKind::Missing => Err(not_there()),
            PathKind::Directory => {
                // What lies here is named as it is, without `./`.
                let path = if path == Path::new(".") { Path::new("") } else { path };
                Ok(Self { path: path.to_owned(), root: real(&full)?, file: None })
            }
            PathKind::Other => {
                let name = full.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let parent = full.parent().unwrap_or(Path::new("/"));
                Ok(Self { path: path.to_owned(), root: real(parent)?, file: Some(name) })
            }
        }
    }

    /// This path and, when it is a directory, those in which agents keep a project's skills. Their
    /// names start with a dot, so a walk from here passes them over.
    fn with_agents(self) -> Vec<Self> {
        if self.file.is_some() {
            return vec![self];
        }
        let places = Places { project: Some(self.root.clone()), ..Places::default() };
        let is_here = |root: &Root| {
            root.layer == Layer::Project && env::kind_of(&root.path) == PathKind::Directory
        };
        let agents: Vec<Self> = client::default_roots(&places)
            .into_iter()
            .filter(is_here)
            .filter_map(|root| {
                let path = self.path.join(root.path.strip_prefix(&self.root).ok()?);
                Some(Self { path, root: root.path, file: None })
            })
            .collect();
        std::iter::once(self).chain(agents).collect()
    }
}

impl Target {
    /// What the parser makes of `source`.
    pub(crate) fn parse(&self, source: &[u8]) -> Parsed {
        parse(source, self.directory.as_deref())
    }

    fn parsed(&self, source: Vec<u8>) -> (Vec<u8>, Parsed) {
        let parsed = self.parse(&source);
        (source, parsed)
    }

    /// A file named by hand. One that is called right is read as the skill it belongs to.
    fn alone(root: RootId, typed: &Typed, name: &str) -> Self {
        Self {
            shown: typed.path.display().to_string(),
            file: typed.root.join(name),
            within: typed.root.clone(),
            directory: directory_name(&typed.root),
            at: Location { root, path: Path::new("").into() },
            alone: name != SKILL_FILE,
        }
    }

    /// The file of a skill below a directory that was named.
    fn within(root: RootId, typed: &Typed, path: &Path, file: &str) -> Self {
        let directory =
            if path.as_os_str().is_empty() { typed.root.clone() } else { typed.root.join(path) };
        Self {
            shown: typed.path.join(path).join(file).display().to_string(),
            file: directory.join(file),
            within: typed.root.clone(),
            directory: directory_name(&directory),
            at: Location { root, path: path.into() },
            alone: false,
        }
    }
}

/// Drops the files that are an earlier one by another path: an agent's directory often holds links
/// into another one. What is the same by its real path is the same on disk, which is quicker to ask.
fn drop_repeated(list: &mut Vec<Target>) {
    let mut alike: BTreeMap<_, usize> = BTreeMap::new();
    let identities: Vec<_> = list.iter().map(|target| env::identity(&target.file)).collect();
    identities.iter().for_each(|identity| *alike.entry(*identity).or_default() += 1);
    let mut seen = BTreeSet::new();
    let mut identities = identities.iter();
    list.retain(|target| {
        let alone = identities.next().and_then(|identity| alike.get(identity)) == Some(&1);
        let real = || env::real_path(&target.file).unwrap_or_else(|| target.file.clone());
        alone || seen.insert(real())
    });
}

fn directory_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

/// The list lint wants; none when it is not complete, since what is not in it would be called
/// missing.
fn neighbours(around: Neighbourhood) -> Option<Vec<Neighbour>> {
    let neighbour = |path| Neighbour { path, directory: false };
    (around.omitted == 0).then(|| around.paths.into_iter().map(neighbour).collect())
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
