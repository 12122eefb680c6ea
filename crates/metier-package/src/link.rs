//! Making installed skills visible to the agents of this machine: one copy, a link a skill in each
//! agent's directory, and the choice of agents remembered, so that what is installed later appears
//! too.
//!
//! Start at [`link`], [`unlink`] and [`relink`]: all three say which agents there shall be, and
//! `plan` says what that takes. What somebody else put there is never touched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use metier_store::client::{Agent, Places};
use serde::Serialize;

use crate::agents::{Reach, reaches};
use crate::atomic::Folder;
use crate::change::{ChangeError, Hand, Repaired};
use crate::home::{Home, Place};
use crate::link_change::{Standing, commit, find, look, mend, missing, thing};
use crate::links::{Choice, How, Links, Made, Note, Replaced, Thing};
use crate::pinned::Pinned;
use crate::records::{RecordError, Records};
use crate::trust::By;
use crate::turn::{Turn, TurnError};
use crate::verify;

/// Who asks for links, where.
#[derive(Clone, Debug)]
pub struct Linking<'a> {
    /// metier's own directory.
    pub home: &'a Home,
    /// Whose skills.
    pub place: &'a Place,
    /// Where the agents' directories are.
    pub places: &'a Places,
    /// Who, and when.
    pub by: &'a By,
    /// Whether anything is done, or only said.
    pub mode: Mode,
}

/// Whether anything is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// It is done.
    #[default]
    Act,
    /// It is only said what would be done.
    Say,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Linked {
    /// Every agent that is remembered now, and how it gets at skills.
    pub agents: Vec<LinkedAgent>,
    /// Links and copies that were made.
    pub made: Vec<String>,
    /// Those that were taken away.
    pub removed: Vec<String>,
    /// What was left as it is, and why.
    pub left: Vec<Left>,
    /// What an earlier process had left unfinished.
    #[serde(skip)]
    pub repaired: Option<Repaired>,
}

/// One agent that is remembered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkedAgent {
    /// Its id.
    pub id: String,
    /// The directory it finds skills in; none when it has none here.
    pub directory: Option<String>,
    /// Whether that directory is another's, or the one skills are installed in.
    pub shared: bool,
}

/// Something that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Left {
    /// What.
    pub path: String,
    /// Why.
    pub reason: Why,
}

/// Why something was left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    /// Somebody else put something there.
    Foreign,
    /// It is not what metier made any more.
    Replaced,
    /// Nobody said yes to the skill.
    NotApproved,
    /// The skill is not what was installed.
    Drifted,
    /// The directory's path cannot be written down.
    NotText,
}

impl Why {
    /// It as a sentence ends with it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Foreign => "somebody else put something there",
            Self::Replaced => "it is not what metier made any more",
            Self::NotApproved => "nobody said yes to the skill",
            Self::Drifted => "the skill is not what was installed",
            Self::NotText => "the path is not text",
        }
    }
}

/// Gives `agents` the installed skills, now and from now on.
pub fn link(
    linking: &Linking<'_>,
    agents: &[&'static Agent],
    how: How,
) -> Result<Linked, ChangeError> {
    let choose = |how: How| {
        move |links: &mut Links| {
            for agent in agents {
                let by = links.agents.get(agent.id).map(|choice| choice.by.clone());
                let by = by.unwrap_or_else(|| linking.by.clone());
                links.agents.insert(agent.id.to_owned(), Choice { by, how });
            }
        }
    };
    match act(linking, "link", choose(how), &[]) {
        // A file system without links.
        Err(ChangeError::Disk(error)) if how == How::Link && is_refused(&error.source) => {
            act(linking, "link", choose(How::Copy), &[])
        }
        other => other,
    }
}

/// Takes from `agents` what metier gave them; from all of them when none is named.
pub fn unlink(linking: &Linking<'_>, agents: &[&'static Agent]) -> Result<Linked, ChangeError> {
    let forget = |links: &mut Links| match agents.is_empty() {
        true => {
            links.agents.clear();
            links.singles.clear();
        }
        false => links.agents.retain(|id, _| !agents.iter().any(|agent| agent.id == id)),
    };
    act(linking, "unlink", forget, &[])
}

/// Makes the links of the remembered agents fit what is installed. Costs one look at a file when
/// nobody ever linked anything.
pub fn relink(linking: &Linking<'_>) -> Result<Linked, ChangeError> {
    let links = Links::read(linking.home, linking.place)?;
    if links == Links::default() {
        return Ok(Linked::default());
    }
    act(linking, "relink", |_| {}, &[])
}

/// What is remembered about `place`.
pub fn remembered(home: &Home, place: &Place) -> Result<Links, RecordError> {
    Links::read(home, place)
}

/// Brings to an end what an earlier process left unfinished, unless somebody is at it.
pub fn repair(home: &Home) -> Result<Option<Repaired>, ChangeError> {
    if crate::links::note(home)?.is_none() {
        return Ok(None);
    }
    match Turn::try_take(home) {
        Ok(turn) => mend(&Hand::with(home, turn)?),
        Err(TurnError::Busy(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Changes who is linked, and makes the disk fit.
pub(crate) fn act(
    linking: &Linking<'_>,
    act: &str,
    change: impl Fn(&mut Links),
    replaced: &[Replaced],
) -> Result<Linked, ChangeError> {
    let hand = Hand::take(linking.home)?;
    let repaired = mend(&hand)?.or_else(|| hand.repaired.clone());
    let before = Links::read(linking.home, linking.place)?;
    let mut wanted = before.clone();
    change(&mut wanted);
    if let Place::Project(project) = linking.place {
        wanted.project = Some(project.clone());
    }
    let (after, mut linked) = plan(linking, &before, wanted, replaced)?;
    linked.repaired = repaired;
    let idle = before == after && linked.made.is_empty() && linked.removed.is_empty();
    if linking.mode == Mode::Act && !idle {
        let (act, place) = (act.to_owned(), linking.place.clone());
        commit(&hand, &Note { act, place, before, after, replaced: replaced.to_vec() })?;
    }
    Ok(linked)
}

/// What it takes to give the agents of `wanted` the skills that are installed.
pub(crate) fn plan(
    linking: &Linking<'_>,
    before: &Links,
    wanted: Links,
    replaced: &[Replaced],
) -> Result<(Links, Linked), ChangeError> {
    let mut planning = Planning {
        linking,
        before,
        replaced,
        after: Links { made: Vec::new(), folders: Vec::new(), ..wanted },
        linked: Linked::default(),
    };
    let folders = planning.folders();
    let skills = planning.skills()?;
    for (folder, how) in &folders {
        planning.folder(folder, *how, &skills)?;
    }
    planning.singles(&skills)?;
    planning.leave()?;
    planning.after.made.sort();
    planning.linked.left.sort();
    planning.linked.left.dedup();
    Ok((planning.after, planning.linked))
}

/// A plan in the making.
struct Planning<'a> {
    linking: &'a Linking<'a>,
    before: &'a Links,
    replaced: &'a [Replaced],
    after: Links,
    linked: Linked,
}

impl Planning<'_> {
    /// The directories that are written to.
    fn folders(&mut self) -> BTreeMap<String, How> {
        let Linking { home, place, places, .. } = *self.linking;
        let known: BTreeSet<&'static str> =
            self.after.agents.keys().filter_map(|id| Agent::find(id)).map(|a| a.id).collect();
        let mut folders = BTreeMap::new();
        for (id, reach) in reaches(&known, (home, place), places) {
            let (directory, shared) = match reach {
                Reach::Directory(path) => (Some(path), false),
                Reach::Shared(path) => (Some(path), true),
                Reach::Already => (Some(place.base(home).join(place.skills())), true),
                Reach::Nowhere => (None, false),
            };
            if let Some(path) = directory.as_ref().filter(|_| !shared) {
                let how = self.after.agents.get(id).map(|choice| choice.how).unwrap_or_default();
                match spelled(place, path) {
                    Some(folder) => drop(folders.insert(folder, how)),
                    None => self.left(path.clone(), Why::NotText),
                }
            }
            let directory = directory.map(|path| path.to_string_lossy().into_owned());
            self.linked.agents.push(LinkedAgent { id: id.to_owned(), directory, shared });
        }
        // Two agents may be given one directory; a copy serves whoever takes no links.
        for (folder, how) in &mut folders {
            if self.linked.agents.iter().any(|agent| self.takes_copies(agent, folder)) {
                *how = How::Copy;
            }
        }
        folders
    }

    fn takes_copies(&self, agent: &LinkedAgent, folder: &str) -> bool {
        let directory = agent.directory.as_ref().map(Path::new);
        directory.and_then(|path| spelled(self.linking.place, path)).as_deref() == Some(folder)
            && self.after.agents.get(&agent.id).is_some_and(|choice| choice.how == How::Copy)
    }

    /// The installed skills somebody said yes to.
    fn skills(&mut self) -> Result<Vec<Pinned>, ChangeError> {
        let Linking { home, place, .. } = *self.linking;
        let records = Records::read(home, place)?;
        let mut skills = Vec::new();
        for pinned in records.lock.skills() {
            let installed = records.installed(home, place, &pinned.name);
            let approval = installed.and_then(|installed| installed.approval);
            match approval.is_some_and(|approval| approval.tree == pinned.tree) {
                true => skills.push(pinned.clone()),
                false => {
                    self.left(place.directory(home, pinned.name.as_str()), Why::NotApproved);
                }
            }
        }
        Ok(skills)
    }

    fn folder(&mut self, folder: &str, how: How, skills: &[Pinned]) -> Result<(), ChangeError> {
        let Linking { home, place, .. } = *self.linking;
        let open = find(place, folder)?;
        if !skills.is_empty() {
            let kept =
                self.before.folders.iter().filter(|made| Path::new(folder).starts_with(made));
            let new = missing(place, folder);
            self.after.folders.extend(kept.cloned().chain(new));
            self.after.folders.sort();
            self.after.folders.dedup();
        }
        for pinned in skills {
            let name = pinned.name.as_str();
            match thing((home, place), (folder, name), how, &pinned.tree) {
                Some(thing) => {
                    let made = Made { folder: folder.to_owned(), name: name.to_owned(), thing };
                    self.one(open.as_ref(), made, pinned)?;
                }
                None => self.left(place.base(home).join(folder), Why::NotText),
            }
        }
        Ok(())
    }

    /// One link, when it can be there.
    fn one(
        &mut self,
        open: Option<&Folder>,
        made: Made,
        pinned: &Pinned,
    ) -> Result<(), ChangeError> {
        let Linking { home, place, .. } = *self.linking;
        let standing = match open {
            Some(open) => self.standing(open, &made)?,
            None => Standing::Empty,
        };
        let path = self.path(&made);
        match standing {
            Standing::Ours => self.after.made.push(made),
            Standing::Empty if !verify::look(home, place, pinned).is_sound() => {
                self.left(path, Why::Drifted);
            }
            Standing::Empty => {
                self.linked.made.push(path.to_string_lossy().into_owned());
                self.after.made.push(made);
            }
            Standing::Foreign => self.left(path, Why::Foreign),
        }
        Ok(())
    }

    /// Links that are wanted whichever agents are, while their skill is installed.
    fn singles(&mut self, skills: &[Pinned]) -> Result<(), ChangeError> {
        for (folder, name) in std::mem::take(&mut self.after.singles) {
            let Some(pinned) = skills.iter().find(|pinned| pinned.name.as_str() == name) else {
                continue;
            };
            if self.after.find(&folder, &name).is_none() {
                self.folder(&folder, How::Link, std::slice::from_ref(pinned))?;
            }
            self.after.singles.insert((folder, name));
        }
        Ok(())
    }

    /// What stands where `made` shall be: what may be replaced counts as nothing.
    fn standing(&self, open: &Folder, made: &Made) -> Result<Standing, ChangeError> {
        let standing = look(open, &made.name, &made.thing)?;
        if standing != Standing::Foreign {
            return Ok(standing);
        }
        let of = |one: &&Replaced| one.folder == made.folder && one.name == made.name;
        let replaced = match self.replaced.iter().find(of) {
            Some(one) => look(open, &made.name, &Thing::Copy(one.tree.clone()))? == Standing::Ours,
            None => false,
        };
        let earlier = match self.before.find(&made.folder, &made.name) {
            Some(earlier) => look(open, &made.name, &earlier.thing)? == Standing::Ours,
            None => false,
        };
        Ok(if replaced || earlier { Standing::Empty } else { Standing::Foreign })
    }

    /// What was made and is not wanted any more.
    fn leave(&mut self) -> Result<(), ChangeError> {
        for made in &self.before.made {
            if self.after.find(&made.folder, &made.name).is_some() {
                continue;
            }
            let path = self.path(made);
            let standing = match find(self.linking.place, &made.folder)? {
                Some(folder) => look(&folder, &made.name, &made.thing)?,
                None => Standing::Empty,
            };
            match standing {
                Standing::Ours => self.linked.removed.push(path.to_string_lossy().into_owned()),
                Standing::Foreign => {
                    let why = Why::Replaced;
                    self.linked.left.retain(|left| Path::new(&left.path) != path);
                    self.left(path, why);
                }
                Standing::Empty => {}
            }
        }
        Ok(())
    }

    fn left(&mut self, path: PathBuf, reason: Why) {
        self.linked.left.push(Left { path: path.to_string_lossy().into_owned(), reason });
    }

    fn path(&self, made: &Made) -> PathBuf {
        path_of(self.linking.place, made)
    }
}

/// Where something that was made is.
pub(crate) fn path_of(place: &Place, made: &Made) -> PathBuf {
    match place {
        Place::Personal => Path::new(&made.folder).join(&made.name),
        Place::Project(project) => project.join(&made.folder).join(&made.name),
    }
}

/// A directory as it is written down; none when it cannot be.
pub(crate) fn spelled(place: &Place, path: &Path) -> Option<String> {
    let path = match place {
        Place::Personal => path,
        Place::Project(project) => path.strip_prefix(project).ok()?,
    };
    path.to_str().map(str::to_owned)
}

/// Whether the file system takes no links.
fn is_refused(error: &std::io::Error) -> bool {
    let codes = [rustix::io::Errno::PERM, rustix::io::Errno::OPNOTSUPP, rustix::io::Errno::NOSYS];
    codes.iter().any(|code| error.raw_os_error() == Some(code.raw_os_error()))
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
