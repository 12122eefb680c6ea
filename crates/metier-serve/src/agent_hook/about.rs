//! Which skills an event may be about: those it names, or those a command may read, whatever way leads
//! to them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use metier_format::NameKey;
use metier_policy::{Resolve as _, Survey};
use metier_runtime::Session;
use metier_runtime::resolver::{Disk, Glance};
use metier_store::discover::{Discovery, ScanStats};
use metier_store::{Found, Root};

use super::signal::{SKILL_FILE, Wish, is_skill_file};

/// Skills that a command reads without naming them, of which more need not be known: to read several at
/// once is refused.
const SEVERAL: usize = 2;

/// The skills an event may be about.
pub enum About<'a> {
    /// Those of these names.
    Named(Vec<NameKey>),
    /// Those that a command may read.
    Read(Reading<'a>),
}

/// What a command may read, and of which skills that was found to be so.
pub struct Reading<'a> {
    survey: &'a Survey,
    names: OnceCell<Vec<NameKey>>,
}

impl<'a> About<'a> {
    /// The names of them among what was found.
    #[must_use]
    pub fn names(&self, discovery: &Discovery) -> Vec<NameKey> {
        match self {
            Self::Named(names) => names.clone(),
            Self::Read(Reading { survey, names }) => {
                names.get_or_init(|| read(survey, discovery)).clone()
            }
        }
    }

    pub(super) fn read(survey: &'a Survey) -> Self {
        Self::Read(Reading { survey, names: OnceCell::new() })
    }

    /// Whether it may be about the candidate: of those whose names were found, it is about no others.
    pub(super) fn may_concern(&self, found: &Found) -> bool {
        let names = match self {
            Self::Named(names) => Some(names),
            Self::Read(reading) => reading.names.get(),
        };
        names.is_none_or(|names| names.iter().any(|name| found.name.has_key(name)))
    }

    pub(super) fn wishes<'w>(wishes: impl IntoIterator<Item = &'w Wish>) -> Self {
        Self::Named(wishes.into_iter().map(|wish| NameKey::of(wish.name())).collect())
    }

    /// The skills that are active.
    pub(super) fn active(session: &Session) -> Self {
        Self::Named(session.active_names().iter().map(|name| NameKey::of(name)).collect())
    }
}

/// The names of the skills that a command may read.
fn read(survey: &Survey, discovery: &Discovery) -> Vec<NameKey> {
    let files = survey.reads.iter().filter(|file| is_skill_file(file));
    let directories: Vec<&Path> = files.filter_map(|file| file.parent()).collect();
    let identities: Vec<_> = directories.iter().filter_map(|at| Disk.identity(at)).collect();
    let mut places = Places::of(survey, &discovery.roots, &discovery.stats);
    let mut around = 0;
    let mut names: Vec<NameKey> = Vec::new();
    for found in &discovery.found {
        // A copy has the same name in another place; what is not one does no harm here.
        let called = found.path.file_name().or_else(|| places.root(found)?.file_name());
        let is_named = |named: &&Path| named.file_name() == called;
        let is_read = directories.iter().any(is_named) || identities.contains(&found.identity);
        let may_be_read = around < SEVERAL && places.may_be_read(found);
        around += usize::from(may_be_read);
        if (is_read || may_be_read) && !names.iter().any(|name| found.name.has_key(name)) {
            names.push(found.name.key());
        }
    }
    names
}

/// Which skills a command may read without naming their `SKILL.md`, by the way they were found and by
/// where they really are. What is asked of the disk and of the command is asked once for all skills
/// in one directory: nearly all of thousands are.
pub(super) struct Places<'a> {
    survey: &'a Survey,
    roots: &'a [Root],
    /// Whether a scan met links below the roots.
    linked: bool,
    glance: Glance,
    /// Where directories with skills, or with links to skills, really are.
    reals: BTreeMap<OsString, Option<Rc<Path>>>,
    /// Which directories are themselves in those that links lead into.
    plain: BTreeMap<OsString, BTreeSet<OsString>>,
    /// Whether the command may read a skill in a directory.
    within: BTreeMap<OsString, bool>,
}

impl<'a> Places<'a> {
    /// Those of a scan of these roots.
    pub(super) fn of(survey: &'a Survey, roots: &'a [Root], stats: &ScanStats) -> Self {
        Self {
            survey,
            roots,
            linked: stats.links > 0,
            glance: Glance::default(),
            reals: BTreeMap::new(),
            plain: BTreeMap::new(),
            within: BTreeMap::new(),
        }
    }

    /// Whether the command may read the candidate without naming its `SKILL.md`.
    pub(super) fn may_be_read(&mut self, found: &Found) -> bool {
        if !self.survey.reads_around() {
            return false;
        }
        let Some(root) = self.root(found) else { return false };
        let directory = below(root, &found.path);
        if self.may_hold(&directory) && self.survey.may_read(&directory, SKILL_FILE) {
            return true;
        }
        let Some(real) = self.real(&directory, found) else { return false };
        self.may_hold(&real) && real != directory && self.survey.may_read(&real, SKILL_FILE)
    }

    fn root(&self, found: &Found) -> Option<&'a Path> {
        self.roots.get(usize::from(found.root.0)).map(|root| root.path.as_path())
    }

    /// Whether the command may read a skill in the directory that this one is in.
    fn may_hold(&mut self, directory: &Path) -> bool {
        let Some(above) = directory.parent() else { return true };
        if let Some(known) = self.within.get(above.as_os_str()) {
            return *known;
        }
        let may = self.survey.may_read_within(above, SKILL_FILE);
        self.within.insert(above.into(), may);
        may
    }

    /// Where the candidate's directory really is.
    fn real(&mut self, directory: &Path, found: &Found) -> Option<PathBuf> {
        let (Some(above), Some(name)) = (directory.parent(), directory.file_name()) else {
            return self.glance.real(directory);
        };
        if found.path.as_os_str().is_empty() {
            return self.glance.real(directory);
        }
        let above = self.real_directory(above, found)?;
        let Some(link) = &found.link else { return Some(above.join(name)) };
        let (Some(head), Some(last)) = (link.parent(), link.file_name()) else {
            return self.glance.real(directory);
        };
        let above = self.real_directory(&above.join(head), found)?;
        // A link may lead to another one.
        match self.is_plain(&above, last) {
            true => Some(above.join(last)),
            false => self.glance.real(directory),
        }
    }

    /// Where a directory on the way to the candidate really is.
    fn real_directory(&mut self, directory: &Path, found: &Found) -> Option<Rc<Path>> {
        if let Some(known) = self.reals.get(directory.as_os_str()) {
            return known.clone();
        }
        let root = self.root(found)?;
        let real = match directory.strip_prefix(root) {
            // Below a root without links only the root itself can be somewhere else.
            Ok(rest) if !self.linked && !rest.as_os_str().is_empty() => {
                self.real_directory(root, found).map(|root| root.join(rest))
            }
            _ => self.glance.real(directory),
        };
        let real = real.map(Rc::from);
        self.reals.insert(directory.into(), real.clone());
        real
    }

    /// Whether there is a directory of this name in `above`, and not only a link to one.
    fn is_plain(&mut self, above: &Path, name: &OsStr) -> bool {
        if let Some(known) = self.plain.get(above.as_os_str()) {
            return known.contains(name);
        }
        let directories = Disk.directories_in(above);
        let is_plain = directories.contains(name);
        self.plain.insert(above.into(), directories);
        is_plain
    }
}

fn below(root: &Path, path: &Path) -> PathBuf {
    match path.as_os_str().is_empty() {
        true => root.to_owned(),
        false => root.join(path),
    }
}

#[cfg(test)]
#[path = "about_tests.rs"]
mod tests;
