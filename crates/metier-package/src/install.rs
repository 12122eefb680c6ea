//! Installing: fetched trees into the keep, then all of them visible at once. Updating is the same
//! act for a skill that is there already. Whoever calls has asked the person, and brings the yes.

use std::path::Path;

use metier_format::SkillName;
use metier_store::digest::{Tree, hex};
use serde::{Deserialize, Serialize};

use crate::atomic::{Folder, Kind};
use crate::change::{Change, ChangeError, Hand, Pending, Repaired, is_tree};
use crate::home::{Home, Place};
use crate::keep::{Arriving, Keep, read_tree};
use crate::pinned::Pinned;
use crate::records::{Installed, Records, key};
use crate::replaced::{self, Replaced};
use crate::source::Staged;
use crate::trust::{Approval, By, Said};
use crate::wanted::Want;

/// A skill to be installed.
#[derive(Debug)]
pub struct Candidate {
    /// What was fetched.
    pub staged: Staged,
    /// How it is wanted; none to leave that as it is.
    pub want: Option<Want>,
    /// Whether the person said yes to it.
    pub approved: bool,
}

/// Who asks for what, where.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// metier's own directory.
    pub home: &'a Home,
    /// Where to.
    pub place: &'a Place,
    /// What was asked for, as a person says it: `add`, `update`.
    pub act: &'static str,
    /// Who, and when.
    pub by: &'a By,
    /// What happens to a skill that is not what was installed.
    pub drift: Drift,
}

/// What happens to an installed skill that somebody changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Drift {
    /// Nothing is done.
    #[default]
    Refuse,
    /// It is replaced; what was there is kept.
    Replace,
}

/// What was done to one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Done {
    /// Its name.
    pub name: String,
    /// Its directory.
    pub directory: String,
    /// What was installed before.
    pub before: Option<Pinned>,
    /// What is installed now.
    pub after: Option<Pinned>,
    /// Who had said yes to what was installed, and when.
    pub approved_before: Option<String>,
    /// Who said yes to what is installed now, and when.
    pub approved_after: Option<String>,
    /// What somebody had made of it, when that was replaced.
    pub replaced: Option<Replaced>,
}

/// What came of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What was done, by name. A skill that was as asked for already is not among them.
    pub done: Vec<Done>,
    /// What an earlier process had left unfinished.
    pub repaired: Option<Repaired>,
}

/// Installs `candidates`, all or none.
pub fn install(request: &Request<'_>, candidates: &[Candidate]) -> Result<Outcome, ChangeError> {
    let keep = Keep::open(request.home)?;
    let arriving = keep.stage_all(&trees(candidates.iter().map(|one| &one.staged)))?;
    let outcome = place(request, candidates, &arriving);
    if outcome.is_err() {
        arriving.iter().for_each(|tree| keep.discard(tree));
    }
    outcome
}

/// What was fetched, as the keep takes it.
pub(crate) fn trees<'a>(staged: impl Iterator<Item = &'a Staged>) -> Vec<(&'a Tree, &'a Path)> {
    staged.map(|staged| (&staged.tree, staged.directory.as_path())).collect()
}

/// Makes kept trees what is installed, without fetching anything: for going back and for repairs.
pub(crate) fn install_kept(
    request: &Request<'_>,
    hand: &Hand<'_>,
    wishes: Vec<(Pinned, Option<Want>, bool)>,
) -> Result<Vec<Done>, ChangeError> {
    let records = Records::read(request.home, request.place)?;
    let mut changes = Vec::new();
    for (pinned, want, approved) in wishes {
        if !hand.keep.holds(&pinned.tree) {
            return Err(ChangeError::NotKept(pinned.name.to_string()));
        }
        changes.extend(plan(request, hand, &records, (pinned, want, approved))?);
    }
    finish(request, hand, changes)
}

/// Writes down and carries out `changes`.
pub(crate) fn finish(
    request: &Request<'_>,
    hand: &Hand<'_>,
    changes: Vec<Change>,
) -> Result<Vec<Done>, ChangeError> {
    let done = changes.iter().map(|change| Done {
        name: change.name.clone(),
        directory: request
            .place
            .directory(request.home, &change.name)
            .to_string_lossy()
            .into_owned(),
        before: change.before.as_ref().map(|installed| installed.pinned.clone()),
        after: change.after.as_ref().map(|installed| installed.pinned.clone()),
        approved_before: approved(change.before.as_ref()),
        approved_after: approved(change.after.as_ref()),
        replaced: None,
    });
    let mut done: Vec<Done> = done.collect();
    if changes.is_empty() {
        return Ok(done);
    }
    let (act, place, drift) = (request.act.to_owned(), request.place.clone(), request.drift);
    let kept = hand.commit(&Pending { act, place, drift, changes })?;
    for kept in kept {
        let of = done.iter_mut().find(|done| done.name == kept.name);
        let Some(done) = of else { continue };
        done.replaced = Some(Replaced::of(request.home, &kept.tree, done.before.as_ref()));
    }
    Ok(done)
}

fn approved(installed: Option<&Installed>) -> Option<String> {
    installed.and_then(|installed| installed.approval.as_ref()).map(Approval::shown)
}

fn place(
    request: &Request<'_>,
    candidates: &[Candidate],
    arriving: &[Arriving],
) -> Result<Outcome, ChangeError> {
    let hand = Hand::take(request.home)?;
    let wishes: Result<Vec<_>, ChangeError> = candidates
        .iter()
        .map(|candidate| {
            let pinned = Pinned::of(&candidate.staged)?;
            Ok((pinned, candidate.want.clone(), candidate.approved))
        })
        .collect();
    let wishes = wishes?;
    hand.keep.publish(arriving, &hand.turn)?;
    let done = install_kept(request, &hand, wishes)?;
    Ok(Outcome { done, repaired: hand.repaired.clone() })
}

/// The change that makes `pinned` what is installed; none when it is already.
pub(crate) fn plan(
    request: &Request<'_>,
    hand: &Hand<'_>,
    records: &Records,
    (pinned, want, approved): (Pinned, Option<Want>, bool),
) -> Result<Option<Change>, ChangeError> {
    let Request { home, place, by, .. } = *request;
    let name = pinned.name.clone();
    if name.as_str().starts_with('.') {
        return Err(ChangeError::Occupied(name.to_string()));
    }
    let before = records.installed(home, place, &name);
    let sound = check(request, hand, &name, before.as_ref(), &pinned.tree)?;
    // The directory above must be there for its key; it is made before anything is decided by it.
    Folder::make_all(&place.base(home))?.beneath(place.skills())?;
    let directory = key(home, &place.directory(home, name.as_str()));
    let known = directory.as_deref().and_then(|key| records.approvals.get(key)).cloned();
    let approval = match (approved, directory) {
        (true, Some(directory)) => match known {
            Some(known)
                if known.tree == pinned.tree && known.signer.as_deref() == pinned.signer() =>
            {
                Some(known)
            }
            _ => Some(approval_of(&pinned, directory, by)),
        },
        (_, _) => known.filter(|known| known.tree == pinned.tree),
    };
    let mut earlier = records.earlier(&name);
    if let Some(before) = &before
        && before.pinned.tree != pinned.tree
    {
        earlier.retain(|one| one.tree != before.pinned.tree);
        earlier.push(before.pinned.clone());
    }
    let after = Installed {
        want: want.or_else(|| before.as_ref().and_then(|before| before.want.clone())),
        at: match &before {
            Some(before) if before.pinned == pinned => before.at.clone(),
            _ => by.at.clone(),
        },
        pinned,
        approval,
        earlier,
    };
    if sound && before.as_ref() == Some(&after) {
        return Ok(None);
    }
    Ok(Some(Change {
        name: name.to_string(),
        earlier_before: records.earlier(&name),
        earlier_after: Vec::new(),
        before,
        after: Some(after),
        known: None,
    }))
}

/// Whether what is on disk may be replaced; true when it already is `tree`.
fn check(
    request: &Request<'_>,
    hand: &Hand<'_>,
    name: &SkillName,
    before: Option<&Installed>,
    tree: &str,
) -> Result<bool, ChangeError> {
    let Request { home, place, .. } = *request;
    let directory = place.directory(home, name.as_str());
    let occupied = || ChangeError::Occupied(name.to_string());
    let Some(skills) = crate::records::existing(&place.base(home).join(place.skills()))? else {
        return Ok(false);
    };
    match (place, skills.kind(name.as_str())?) {
        (_, None) => Ok(false),
        (Place::Personal, Some(Kind::Link)) => {
            let target = skills.target(name.as_str())?.unwrap_or_default();
            let now = target.to_str().and_then(|target| target.strip_prefix("../store/"));
            let now = now.ok_or_else(occupied)?;
            if now != tree {
                settle_edit(request, hand, name, now)?;
            }
            Ok(now == tree)
        }
        (Place::Personal, Some(_)) => Err(occupied()),
        (Place::Project(_), Some(Kind::Directory)) if is_tree(&directory, tree) => Ok(true),
        (Place::Project(_), Some(Kind::Directory)) => {
            let Some(before) = before else { return Err(occupied()) };
            let drifted = !is_tree(&directory, &before.pinned.tree);
            if drifted && request.drift == Drift::Refuse {
                return Err(ChangeError::Drifted(name.to_string()));
            }
            // Whatever is replaced can be gone back to, also when others put it there.
            let found = read_tree(&directory).map_err(|error| {
                let (name, reason) = (name.to_string(), error.to_string());
                ChangeError::Unkept { name, reason }
            })?;
            let kept = hand.keep.stage(&found, &directory, usize::MAX)?;
            hand.keep.publish(&[kept], &hand.turn)?;
            if drifted {
                replaced::note(home, &hex(&found.digest()), &directory)?;
            }
            Ok(false)
        }
        (Place::Project(_), Some(_)) => Err(occupied()),
    }
}

/// Sees to what somebody made of the kept tree `now`, which the personal skill called `name` points
/// to and is to point to no more: it is refused, or kept as what it is.
pub(crate) fn settle_edit(
    request: &Request<'_>,
    hand: &Hand<'_>,
    name: &SkillName,
    now: &str,
) -> Result<Option<String>, ChangeError> {
    match request.drift {
        Drift::Refuse if hand.keep.is_edited(now)? => Err(ChangeError::Drifted(name.to_string())),
        Drift::Refuse => Ok(None),
        Drift::Replace => hand.keep.call_by_its_digest(now, &hand.turn),
    }
}

/// The approval of `pinned` in `directory`.
pub(crate) fn approval_of(pinned: &Pinned, directory: String, by: &By) -> Approval {
    Approval {
        said: Said::Approved,
        directory,
        tree: pinned.tree.clone(),
        by: by.clone(),
        source: Some(pinned.locked.source.clone()),
        commit: pinned.locked.commit.clone(),
        signer: pinned.signer().map(str::to_owned),
    }
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
