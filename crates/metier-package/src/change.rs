//! One change of what is installed: all of it happens, or none.
//!
//! First it is written down whole ([`Pending`]): from that moment on it counts as done, whatever
//! happens next. Then it is carried out, each step of which can be repeated without harm: the
//! directories are swapped, the approvals said, the records written, the note taken away. Whoever
//! comes next and finds a note carries it out to its end. When a step fails in a living process,
//! everything is put back as it was; when even that fails, the note stays.

use metier_format::SkillName;
use metier_store::digest::{Tree, hex};
use serde::{Deserialize, Serialize};

use crate::atomic::{DRAFT, DiskError, Folder, Goal, Kind};
use crate::copy::{CopyError, Making, copy};
use crate::home::{Home, Place};
use crate::keep::{Keep, read_tree};
use crate::limits::{MAX_RECORD_BYTES, MAX_SINGLE_SYNCS};
use crate::pinned::Pinned;
use crate::records::{self, Installed, RecordError, Records, existing, key};
use crate::turn::{Turn, TurnError};

/// The note of a change that is not finished.
pub(crate) const PENDING: &str = "pending.json";

/// Why what is installed was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// There was no turn.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// The records cannot be used.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A tree could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The disk said no.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Something stands where the skill should be, and metier did not put it there.
    #[error("`{0}` is there already, and metier did not install it")]
    Occupied(String),
    /// What is installed is not what was installed.
    #[error("`{0}` was changed since it was installed")]
    Drifted(String),
    /// What is installed was changed, and what is there now cannot be kept whole.
    #[error("`{name}` was changed since it was installed, and that cannot be kept: {reason}")]
    Unkept {
        /// The skill.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A tree that should be kept is not there, or is not sound.
    #[error("the kept copy of `{0}` is gone or damaged")]
    NotKept(String),
    /// No such skill is installed there.
    #[error("`{0}` is not installed there")]
    NotInstalled(String),
    /// There is nothing to go back to.
    #[error("there is no earlier version of `{0}`")]
    NoEarlier(String),
}

/// A change that is to happen, or is happening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    /// What was asked for, as a person says it.
    pub(crate) act: String,
    /// Where.
    pub(crate) place: Place,
    /// For each skill, before and after.
    pub(crate) changes: Vec<Change>,
}

/// One skill before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// Its name.
    pub(crate) name: String,
    /// What is installed.
    pub(crate) before: Option<Installed>,
    /// What was installed earlier, when nothing is.
    #[serde(default)]
    pub(crate) earlier_before: Vec<Pinned>,
    /// What will be.
    pub(crate) after: Option<Installed>,
    /// What was installed earlier, when nothing will be.
    #[serde(default)]
    pub(crate) earlier_after: Vec<Pinned>,
}

/// What was found unfinished and brought to an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// What was asked for.
    pub act: String,
    /// The skills it was about.
    pub names: Vec<String>,
    /// Whether it was finished; otherwise it was undone.
    pub finished: bool,
}

/// Where everything is that a change touches, with the right to touch it.
#[derive(Debug)]
pub(crate) struct Hand<'a> {
    pub(crate) home: &'a Home,
    pub(crate) keep: Keep,
    pub(crate) turn: Turn,
    /// What an earlier process left unfinished, when it did.
    pub(crate) repaired: Option<Repaired>,
}

/// Which end of a change is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Before,
    After,
}

impl<'a> Hand<'a> {
    /// Takes the turn and brings to an end whatever was left unfinished.
    pub(crate) fn take(home: &'a Home) -> Result<Self, ChangeError> {
        Self::with(home, Turn::take(home)?)
    }

    pub(crate) fn with(home: &'a Home, turn: Turn) -> Result<Self, ChangeError> {
        let keep = Keep::open(home)?;
        let mut hand = Self { home, keep, turn, repaired: None };
        hand.repair()?;
        Ok(hand)
    }

    /// Makes `pending` happen.
    pub(crate) fn commit(&self, pending: &Pending) -> Result<(), ChangeError> {
        let note = records::to_json_line(PENDING, pending)?;
        let folder = Folder::make_all(self.home.path())?;
        folder.replace(PENDING, note.as_bytes(), 0o600)?;
        let done = self.carry_out(pending, End::After).and_then(|()| self.strike());
        let Err(error) = done else { return Ok(()) };
        // Put back as it was. If that fails too, the note stays and the next command finishes.
        if self.carry_out(pending, End::Before).is_ok() {
            let _ = self.strike();
        }
        Err(error)
    }

    /// Takes the note away.
    fn strike(&self) -> Result<(), ChangeError> {
        let folder = Folder::open(self.home.path())?;
        let struck = folder.unlink(PENDING).and_then(|()| folder.sync());
        Ok(struck?)
    }

    fn repair(&mut self) -> Result<(), ChangeError> {
        let pending = pending(self.home)?;
        if pending.is_none() && self.turn.left().is_none() {
            return Ok(());
        }
        let place = pending.as_ref().map_or(Place::Personal, |pending| pending.place.clone());
        self.clear(&place)?;
        let Some(pending) = pending else { return Ok(()) };
        let forth = self.carry_out(&pending, End::After);
        let finished = forth.is_ok();
        if let Err(error) = forth {
            // A project that is gone cannot be brought to any state.
            let gone = existing(&pending.place.base(self.home)).is_ok_and(|base| base.is_none());
            if !gone && self.carry_out(&pending, End::Before).is_err() {
                return Err(error);
            }
        }
        self.strike()?;
        let names = pending.changes.into_iter().map(|change| change.name).collect();
        self.repaired = Some(Repaired { act: pending.act, names, finished });
        Ok(())
    }

    /// Removes drafts that a process left behind. Nobody else writes any while we have the turn.
    fn clear(&self, place: &Place) -> Result<(), DiskError> {
        let folders = [
            self.home.path().to_owned(),
            place.base(self.home),
            place.base(self.home).join(place.skills()),
            self.home.records(place),
        ];
        for path in folders {
            let Some(folder) = existing(&path)? else { continue };
            for name in folder.names()?.iter().filter(|name| name.starts_with(DRAFT)) {
                folder.remove(name)?;
            }
        }
        self.keep.sweep(&self.turn)?;
        Ok(())
    }

    fn carry_out(&self, pending: &Pending, end: End) -> Result<(), ChangeError> {
        let Pending { place, changes, .. } = pending;
        self.swap(place, changes, end)?;
        let mut words = Vec::new();
        for change in changes {
            let directory = place.directory(self.home, &change.name);
            let approval = change.end(end).and_then(|installed| installed.approval.as_ref());
            words.extend(key(self.home, &directory).map(|key| (key, approval)));
        }
        records::say(self.home, &words)?;
        let mut records = Records::read(self.home, place)?;
        for change in changes {
            let Ok(name) = SkillName::parse(&change.name) else { continue };
            let earlier = change.earlier(end).to_vec();
            records.set((self.home, place), &name, change.end(end), earlier);
        }
        Ok(records.write(self.home, place)?)
    }

    /// Makes of every skill what it is at that end of its change, or nothing. The directory is
    /// flushed once, also when nothing was to be done: whoever did it may have died before.
    fn swap(&self, place: &Place, changes: &[Change], end: End) -> Result<(), ChangeError> {
        let base = Folder::open(&place.base(self.home))?;
        let skills = base.beneath(place.skills())?;
        let trees = changes.iter().map(|change| {
            let tree = change.end(end).map(|installed| installed.pinned.tree.as_str());
            (change.name.as_str(), tree)
        });
        match place {
            Place::Personal => {
                for (name, tree) in trees {
                    self.swap_link(&skills, name, tree)?;
                }
                Ok(skills.sync()?)
            }
            Place::Project(_) => self.swap_copies(&skills, trees.collect()),
        }
    }

    fn swap_link(
        &self,
        skills: &Folder,
        name: &str,
        tree: Option<&str>,
    ) -> Result<(), ChangeError> {
        let there = skills.kind(name)?;
        let Some(tree) = tree else {
            // Whatever else is there was put there by somebody else, and is theirs.
            let is_ours = there == Some(Kind::Link) && is_own_link(skills, name)?;
            return if is_ours { Ok(skills.unlink(name)?) } else { Ok(()) };
        };
        let target = link_to(tree);
        match there {
            None | Some(Kind::Link) => {}
            Some(_) => return Err(ChangeError::Occupied(name.to_owned())),
        }
        let now = skills.target(name)?;
        if now.is_some_and(|now| now.as_os_str() == target.as_str()) {
            return Ok(());
        }
        Ok(skills.point(name, &target)?)
    }

    /// Swaps copies: all are made beside what is there under other names and flushed, then each
    /// changes places with what is there in one step.
    fn swap_copies(
        &self,
        skills: &Folder,
        trees: Vec<(&str, Option<&str>)>,
    ) -> Result<(), ChangeError> {
        let mut goals = Vec::new();
        for (name, tree) in trees {
            skills.remove(draft(name))?;
            let there = skills.kind(name)?;
            let is_right = |tree| is_tree(&skills.path().join(name), tree);
            let kept = match (tree, there) {
                (None, None) => continue,
                (None, Some(_)) => None,
                (Some(tree), Some(Kind::Directory)) if is_right(tree) => continue,
                (Some(tree), _) => Some((tree, self.kept(tree, name)?)),
            };
            goals.push((name, there, kept));
        }
        let kept = goals.iter().filter_map(|(name, _, kept)| Some((*name, kept.as_ref()?)));
        self.copy_out(
            skills,
            &kept.map(|(name, (tree, kept))| (name, *tree, kept)).collect::<Vec<_>>(),
        )?;
        for (name, there, kept) in &goals {
            match (there, kept) {
                (None, _) => skills.rename(&draft(name), name, Goal::Empty)?,
                (Some(_), Some(_)) => exchange(skills, &draft(name), name)?,
                (Some(_), None) => skills.rename(name, &draft(name), Goal::Empty)?,
            }
        }
        skills.sync()?;
        for (name, ..) in &goals {
            skills.remove(draft(name))?;
        }
        Ok(())
    }

    /// Copies kept trees beside what is there, safe on disk. Many files are flushed by one call.
    fn copy_out(&self, skills: &Folder, kept: &[(&str, &str, &Tree)]) -> Result<(), ChangeError> {
        let files: usize = kept.iter().map(|(_, _, tree)| tree.files().len()).sum();
        let how = Making { read_only: false, flush: files <= MAX_SINGLE_SYNCS };
        for (name, digest, tree) in kept {
            skills.make(draft(name), 0o755)?;
            copy(tree, &self.keep.path(digest), &skills.child(draft(name))?, how)?;
        }
        if !how.flush {
            skills.sync_all()?;
        }
        Ok(())
    }

    fn kept(&self, tree: &str, name: &str) -> Result<Tree, ChangeError> {
        let kept = read_tree(&self.keep.path(tree)).ok();
        kept.filter(|kept| hex(&kept.digest()) == tree)
            .ok_or_else(|| ChangeError::NotKept(name.to_owned()))
    }
}

impl Change {
    fn end(&self, end: End) -> Option<&Installed> {
        match end {
            End::Before => self.before.as_ref(),
            End::After => self.after.as_ref(),
        }
    }

    fn earlier(&self, end: End) -> &[Pinned] {
        match (self.end(end), end) {
            (Some(installed), _) => &installed.earlier,
            (None, End::Before) => &self.earlier_before,
            (None, End::After) => &self.earlier_after,
        }
    }
}

/// What a copy is called until it is in its place.
fn draft(name: &str) -> String {
    format!("{DRAFT}copy-{name}")
}

/// What a skill of the home points at.
pub(crate) fn link_to(tree: &str) -> String {
    format!("../store/{tree}")
}

/// Whether the link called `name` points into the keep, as those that metier makes do.
pub(crate) fn is_own_link(skills: &Folder, name: &str) -> Result<bool, DiskError> {
    let target = skills.target(name)?.unwrap_or_default();
    Ok(target.to_str().is_some_and(|target| target.starts_with("../store/")))
}

/// Whether the directory holds exactly the tree with this digest.
pub(crate) fn is_tree(directory: &std::path::Path, tree: &str) -> bool {
    read_tree(directory).is_ok_and(|found| hex(&found.digest()) == tree)
}

/// The change that is not finished in `home`, if there is one.
pub(crate) fn pending(home: &Home) -> Result<Option<Pending>, RecordError> {
    match records::text(home.path(), PENDING, MAX_RECORD_BYTES)? {
        None => Ok(None),
        Some(text) => match serde_json::from_str(&text) {
            Ok(pending) => Ok(Some(pending)),
            Err(error) => Err(RecordError::Damaged {
                path: home.path().join(PENDING).to_string_lossy().into_owned(),
                reason: error.to_string(),
            }),
        },
    }
}

/// Both change places. Where the file system cannot do that in one step the old one steps aside
/// first; the note sees to it that the new one follows.
fn exchange(skills: &Folder, draft: &str, name: &str) -> Result<(), DiskError> {
    match skills.rename(draft, name, Goal::Exchanged) {
        Err(error) if error.source.kind() == std::io::ErrorKind::InvalidInput => {
            let aside = format!("{DRAFT}aside-{name}");
            skills.remove(&aside)?;
            skills.rename(name, &aside, Goal::Replaced)?;
            skills.rename(draft, name, Goal::Replaced)?;
            skills.remove(&aside)
        }
        other => other,
    }
}

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
