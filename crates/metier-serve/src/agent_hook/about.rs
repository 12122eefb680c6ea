//! Which skills an event may be about: those it names, or those a command may read, whatever way leads
//! to them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    Read(&'a Survey),
}

impl About<'_> {
    /// The names of them among what was found.
    #[must_use]
    pub fn names(&self, discovery: &Discovery) -> Vec<NameKey> {
        match self {
            Self::Named(names) => names.clone(),
            Self::Read(survey) => read(survey, discovery),
        }
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
    let mut places = Places::of(&discovery.roots, &discovery.stats);
    let mut around = 0;
    let mut names: Vec<NameKey> = Vec::new();
    for found in &discovery.found {
        let directory = discovery.directory(found);
        // A copy has the same name in another place; what is not one does no harm here.
        let is_named = |named: &Path| named.file_name() == directory.file_name();
        let is_read =
            directories.iter().any(|named| is_named(named)) || identities.contains(&found.identity);
        let may_be_read = around < SEVERAL && places.may_be_read(survey, found);
        around += usize::from(may_be_read);
        if (is_read || may_be_read) && !names.iter().any(|name| found.name.has_key(name)) {
            names.push(found.name.key());
        }
    }
    names
}

/// Where skills really are. Links to the roots are followed once each; where none was met below
/// them, nothing else has to be.
pub(super) struct Places<'a> {
    roots: &'a [Root],
    linked: bool,
    reals: BTreeMap<RootId, Option<PathBuf>>,
    glance: Glance,
}

impl<'a> Places<'a> {
    /// Those of a scan of these roots.
    pub(super) fn of(roots: &'a [Root], stats: &ScanStats) -> Self {
        let linked = stats.links > 0;
        Self { roots, linked, reals: BTreeMap::new(), glance: Glance::default() }
    }

    /// Where the candidate's directory leads.
    pub(super) fn real(&mut self, found: &Found) -> Option<PathBuf> {
        let root = &self.roots.get(usize::from(found.root.0))?.path;
        if self.linked {
            return self.glance.real(&below(root, &found.path));
        }
        let real = self.reals.entry(found.root).or_insert_with(|| Disk.real(root));
        real.as_deref().map(|root| below(root, &found.path))
    }

    /// Whether a command may read the candidate without naming its `SKILL.md`.
    pub(super) fn may_be_read(&mut self, survey: &Survey, found: &Found) -> bool {
        if !survey.reads_around() {
            return false;
        }
        let Some(root) = self.roots.get(usize::from(found.root.0)) else { return false };
        let directory = below(&root.path, &found.path);
        survey.may_read(&directory, SKILL_FILE) || {
            let real = self.real(found).filter(|real| *real != directory);
            real.is_some_and(|real| survey.may_read(&real, SKILL_FILE))
        }
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
