//! Removing and going back: what was installed before stays in the keep until it is collected.

use metier_format::SkillName;

use crate::atomic::Kind;
use crate::change::{Change, ChangeError, Hand, is_own_link, is_tree};
use crate::home::{Home, Place};
use crate::install::{Drift, Outcome, Request, finish, plan, settle_edit, trees};
use crate::keep::Keep;
use crate::pinned::Pinned;
use crate::records::Records;
use crate::replaced::Replaced;
use crate::source::Staged;
use crate::wanted::Want;

/// Removes the skills called `names`, all or none.
pub fn remove(request: &Request<'_>, names: &[SkillName]) -> Result<Outcome, ChangeError> {
    let hand = Hand::take(request.home)?;
    let records = Records::read(request.home, request.place)?;
    let mut changes = Vec::new();
    for name in names {
        changes.push(removal(request, &records, name)?);
    }
    let mut edited = Vec::new();
    for change in &changes {
        edited.push(edited_kept(request, &hand, change)?);
    }
    let mut done = finish(request, &hand, changes)?;
    for (one, tree) in done.iter_mut().zip(edited) {
        let Some(tree) = tree else { continue };
        one.replaced = Some(Replaced::of(request.home, &tree, one.before.as_ref()));
    }
    Ok(Outcome { done, repaired: hand.repaired.clone() })
}

/// Makes what was installed under `name` before what is installed. What is left is not something to
/// go back to: going back again goes further back, and ends at the oldest version.
///
/// What is gone back to may have been `fetched` anew, where the kept copy of it is gone or changed.
pub fn rollback(
    request: &Request<'_>,
    name: &SkillName,
    fetched: &[Staged],
) -> Result<Outcome, ChangeError> {
    let arriving = Keep::open(request.home)?.stage_all(&trees(fetched.iter()))?;
    let hand = Hand::take(request.home)?;
    hand.keep.publish(&arriving, &hand.turn)?;
    let records = Records::read(request.home, request.place)?;
    let mut earlier = records.earlier(name);
    let goal = earlier.pop().ok_or_else(|| ChangeError::NoEarlier(name.to_string()))?;
    if !hand.keep.holds(&goal.tree) {
        return Err(ChangeError::NotKept(name.to_string()));
    }
    // Who asks to go back says yes to what was there.
    let want = want_of(&records, name, &goal);
    let mut change = plan(request, &hand, &records, (goal, Some(want), true))?;
    if let Some(after) = change.as_mut().and_then(|change| change.after.as_mut()) {
        after.earlier = earlier;
    }
    let done = finish(request, &hand, change.into_iter().collect())?;
    Ok(Outcome { done, repaired: hand.repaired.clone() })
}

/// What somebody made of a personal skill that is to be removed, when that is kept as what it is now.
fn edited_kept(
    request: &Request<'_>,
    hand: &Hand<'_>,
    change: &Change,
) -> Result<Option<String>, ChangeError> {
    let Some(before) = change.before.as_ref().filter(|_| *request.place == Place::Personal) else {
        return Ok(None);
    };
    settle_edit(request, hand, &before.pinned.name, &before.pinned.tree)
}

/// How `goal` is wanted: as `skills.toml` has it, where that means the same; otherwise exactly so. What
/// is locked and not wanted, or wanted as something else, the next `sync` would undo.
fn want_of(records: &Records, name: &SkillName, goal: &Pinned) -> Want {
    let Pinned { locked, .. } = goal;
    let now = records.lock.get(name).map(|pinned| &pinned.locked);
    let same = now.is_some_and(|now| {
        (&now.source, &now.path, &now.requested)
            == (&locked.source, &locked.path, &locked.requested)
    });
    match records.wanted.get(name) {
        Some(want) if same => want.clone(),
        _ => Want {
            source: locked.source.clone(),
            path: locked.path.clone(),
            requested: locked.requested.clone(),
        },
    }
}

/// Whether what stands where the personal skill called `name` should be was not put there by metier.
/// Then removing the skill forgets it, and leaves what is there.
pub fn is_foreign(home: &Home, place: &Place, name: &SkillName) -> Result<bool, ChangeError> {
    if *place != Place::Personal {
        return Ok(false);
    }
    let skills = place.base(home).join(place.skills());
    let Some(skills) = crate::records::existing(&skills)? else { return Ok(false) };
    Ok(match skills.kind(name.as_str())? {
        None => false,
        Some(Kind::Link) => !is_own_link(&skills, name.as_str())?,
        Some(_) => true,
    })
}

pub(crate) fn removal(
    request: &Request<'_>,
    records: &Records,
    name: &SkillName,
) -> Result<Change, ChangeError> {
    let Request { home, place, drift, .. } = *request;
    let before = records.installed(home, place, name);
    let before = before.ok_or_else(|| ChangeError::NotInstalled(name.to_string()))?;
    let directory = place.directory(home, name.as_str());
    let there = crate::records::existing(&directory)?.is_some();
    let is_copy = matches!(place, Place::Project(_));
    if is_copy && there && drift == Drift::Refuse && !is_tree(&directory, &before.pinned.tree) {
        return Err(ChangeError::Drifted(name.to_string()));
    }
    let mut earlier_after = before.earlier.clone();
    earlier_after.retain(|one| one.tree != before.pinned.tree);
    earlier_after.push(before.pinned.clone());
    Ok(Change {
        name: name.to_string(),
        earlier_before: before.earlier.clone(),
        before: Some(before),
        after: None,
        earlier_after,
        known: None,
    })
}

#[cfg(test)]
#[path = "remove_tests.rs"]
mod tests;
