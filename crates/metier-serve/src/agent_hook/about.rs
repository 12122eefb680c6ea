//! Which skills an event may be about: those it names, or those a command may read, whatever way leads
//! to them.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use metier_format::NameKey;
use metier_policy::{Resolve as _, Survey};
use metier_runtime::Session;
use metier_runtime::resolver::{Disk, Glance};
use metier_store::discover::{Discovery, ScanStats};
use metier_store::{Found, Root, RootId};

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
        let called = || found.path.file_name().or_else(|| places.root(found)?.file_name());
        let is_named = |named: &&Path| named.file_name() == called();
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
    /// Whether the command may read a skill in a directory.
    within: BTreeMap<OsString, bool>,
    /// The surroundings of the skill that was asked about last: its neighbours have the same.
    last: Option<Surroundings<'a>>,
}

/// Where the skills of one directory are, or those that links in it lead to in another one.
struct Surroundings<'a> {
    root: RootId,
    /// The directory below the root, with its slash.
    above: &'a [u8],
    /// What a link to the skill says before its last part, with its slash.
    towards: Option<&'a [u8]>,
    /// Whether the command reads nothing there, nor where links lead.
    is_out_of_reach: bool,
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
            within: BTreeMap::new(),
            last: None,
        }
    }

    /// Whether the command may read the candidate without naming its `SKILL.md`.
    pub(super) fn may_be_read(&mut self, found: &'a Found) -> bool {
        if !self.survey.reads_around() || self.is_out_of_reach(found) {
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

    /// Whether the command reads nothing in the directory that the candidate is in, for all candidates
    /// there at once. False says only that a closer look is needed.
    fn is_out_of_reach(&mut self, found: &'a Found) -> bool {
        let (above, name) = split(&found.path);
        let link = found.link.as_deref().map(split);
        if name.is_empty() || link.is_some_and(|(head, last)| head.is_empty() || is_odd(last)) {
            return false;
        }
        let towards = link.map(|(head, _)| head);
        let is_here = |last: &&Surroundings<'_>| {
            (last.root, last.above, last.towards) == (found.root, above, towards)
        };
        if self.last.as_ref().filter(is_here).is_none() {
            let root = found.root;
            let is_out_of_reach = self.reads_nothing_around(found).unwrap_or(false);
            self.last = Some(Surroundings { root, above, towards, is_out_of_reach });
        }
        // What a link to another link leads to may be anywhere.
        let is_there = link.is_none() || found.straight;
        is_there && self.last.as_ref().is_some_and(|last| last.is_out_of_reach)
    }

    /// Whether the command reads nothing around the candidate, nor around what a link to it says.
    fn reads_nothing_around(&mut self, found: &Found) -> Option<bool> {
        let directory = below(self.root(found)?, &found.path);
        let mut real = self.real_directory(directory.parent()?, found)?;
        if let Some(link) = &found.link {
            real = self.real_directory(&real.join(link.parent()?), found)?;
        }
        Some(!self.may_hold(&directory) && !self.holds(&real))
    }

    fn root(&self, found: &Found) -> Option<&'a Path> {
        self.roots.get(usize::from(found.root.0)).map(|root| root.path.as_path())
    }

    /// Whether the command may read a skill in the directory that this one is in.
    fn may_hold(&mut self, directory: &Path) -> bool {
        directory.parent().is_none_or(|above| self.holds(above))
    }

    /// Whether the command may read a skill in the directory.
    fn holds(&mut self, directory: &Path) -> bool {
        if let Some(known) = self.within.get(directory.as_os_str()) {
            return *known;
        }
        let may = self.survey.may_read_within(directory, SKILL_FILE);
        self.within.insert(directory.into(), may);
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
        match found.straight {
            true => Some(self.real_directory(&above.join(head), found)?.join(last)),
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
}

/// A path before and behind its last slash.
fn split(path: &Path) -> (&[u8], &[u8]) {
    let bytes = path.as_os_str().as_bytes();
    bytes.split_at(bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1))
}

/// Whether the last part of a path is no name.
fn is_odd(name: &[u8]) -> bool {
    matches!(name, b"" | b"." | b"..")
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
