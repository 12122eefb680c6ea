//! One change of what is installed: all of it happens, or none.
//!
//! First it is written down whole ([`Pending`]): from that moment on it counts as done, whatever
//! happens next. Then it is carried out, each step of which can be repeated without harm: the
//! directories are swapped, the approvals said, the records written, the note taken away. Whoever
//! comes next and finds a note carries it out to its end. When a step fails in a living process,
//! everything is put back as it was; when even that fails, the note stays.

use metier_format::SkillName;
use metier_store::digest::hex;
use serde::{Deserialize, Serialize};

use crate::atomic::{DRAFT, DiskError, Folder, Kind};
use crate::copies::{Copies, Kept, Strange, Swap, is_aside};
use crate::copy::CopyError;
use crate::home::{Home, Place};
use crate::install::Drift;
use crate::keep::{Keep, read_tree};
use crate::limits::MAX_RECORD_BYTES;
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
    /// What becomes of copies that somebody changed.
    #[serde(default)]
    pub(crate) drift: Drift,
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
    /// The tree that metier put there, where nothing but that is known of what is installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) known: Option<String>,
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
    /// Why it was undone.
    pub reason: Option<String>,
    /// The directories that have what somebody had written where something else is now.
    pub kept: Vec<String>,
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

    /// Makes `pending` happen; gives what somebody had written, and is kept now.
    pub(crate) fn commit(&self, pending: &Pending) -> Result<Vec<Kept>, ChangeError> {
        let note = records::to_json_line(PENDING, pending)?;
        let folder = Folder::make_all(self.home.path())?;
        folder.replace(PENDING, note.as_bytes(), 0o600)?;
        let done = self.carry_out(pending, End::After);
        let error = match done.and_then(|kept| self.strike().map(|()| kept)) {
            Ok(kept) => return Ok(kept),
            Err(error) => error,
        };
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
        let (kept, reason) = match self.carry_out(&pending, End::After) {
            Ok(kept) => (kept, None),
            Err(error) => {
                let reason = error.to_string();
                let base = existing(&pending.place.base(self.home));
                let kept = match self.carry_out(&pending, End::Before) {
                    Ok(kept) => kept,
                    // A project that is gone cannot be brought to any state.
                    Err(_) if base.is_ok_and(|base| base.is_none()) => Vec::new(),
                    Err(_) => return Err(error),
                };
                (kept, Some(reason))
            }
        };
        self.strike()?;
        self.repaired = Some(Repaired {
            finished: reason.is_none(),
            names: pending.changes.into_iter().map(|change| change.name).collect(),
            act: pending.act,
            reason,
            kept: kept
                .iter()
                .map(|one| self.home.kept(&one.tree).to_string_lossy().into_owned())
                .collect(),
        });
        Ok(())
    }

    /// Removes drafts that a process left behind. Nobody else writes any while we have the turn.
    /// What stands aside is not among them: somebody may have written it.
    fn clear(&self, place: &Place) -> Result<(), DiskError> {
        let folders = [
            self.home.path().to_owned(),
            place.base(self.home),
            place.base(self.home).join(place.skills()),
            self.home.records(place),
        ];
        for path in folders {
            let Some(folder) = existing(&path)? else { continue };
            let names = folder.names()?;
            for name in names.iter().filter(|name| name.starts_with(DRAFT) && !is_aside(name)) {
                folder.remove(name)?;
            }
        }
        self.keep.sweep(&self.turn)?;
        Ok(())
    }

    fn carry_out(&self, pending: &Pending, end: End) -> Result<Vec<Kept>, ChangeError> {
        let Pending { place, changes, .. } = pending;
        let kept = self.swap(pending, end)?;
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
        records.write(self.home, place)?;
        Ok(kept)
    }

    /// Makes of every skill what it is at that end of its change, or nothing. The directory is
    /// flushed once, also when nothing was to be done: whoever did it may have died before.
    fn swap(&self, pending: &Pending, end: End) -> Result<Vec<Kept>, ChangeError> {
        let Pending { place, changes, drift, .. } = pending;
        let base = Folder::open(&place.base(self.home))?;
        let skills = base.beneath(place.skills())?;
        let swaps: Vec<Swap<'_>> = changes.iter().map(|change| change.swap(end)).collect();
        if *place == Place::Personal {
            for swap in &swaps {
                self.swap_link(&skills, swap.name, swap.goal)?;
            }
            skills.sync()?;
            return Ok(Vec::new());
        }
        let strange = match (end, drift) {
            (End::Before, _) => Strange::Stays,
            (End::After, Drift::Refuse) => Strange::Refused,
            (End::After, Drift::Replace) => Strange::Kept,
        };
        Copies { hand: self, skills: &skills, strange }.swap(&swaps)
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
}

impl Change {
    fn end(&self, end: End) -> Option<&Installed> {
        match end {
            End::Before => self.before.as_ref(),
            End::After => self.after.as_ref(),
        }
    }

    fn swap(&self, end: End) -> Swap<'_> {
        let tree = |end| self.end(end).map(|installed| installed.pinned.tree.as_str());
        let known = [tree(End::Before), tree(End::After), self.known.as_deref()];
        Swap { name: &self.name, goal: tree(end), known: known.into_iter().flatten().collect() }
    }

    fn earlier(&self, end: End) -> &[Pinned] {
        match (self.end(end), end) {
            (Some(installed), _) => &installed.earlier,
            (None, End::Before) => &self.earlier_before,
            (None, End::After) => &self.earlier_after,
        }
    }
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

#[cfg(test)]
#[path = "change_tests.rs"]
mod tests;
