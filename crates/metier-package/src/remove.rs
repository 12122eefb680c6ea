//! Removing and going back: what was installed before stays in the keep until it is collected.

use metier_format::SkillName;

use crate::atomic::Kind;
use crate::change::{Change, ChangeError, Hand, is_own_link, is_tree};
use crate::home::{Home, Place};
use crate::install::{Drift, Outcome, Request, finish, plan};
use crate::records::Records;

/// Removes the skills called `names`, all or none.
pub fn remove(request: &Request<'_>, names: &[SkillName]) -> Result<Outcome, ChangeError> {
    let hand = Hand::take(request.home)?;
    let records = Records::read(request.home, request.place)?;
    let mut changes = Vec::new();
    for name in names {
        changes.push(removal(request, &records, name)?);
    }
    let done = finish(request, &hand, changes)?;
    Ok(Outcome { done, repaired: hand.repaired.clone() })
}

/// Makes what was installed under `name` before what is installed. What is left is not something to
/// go back to: going back again goes further back, and ends at the oldest version.
pub fn rollback(request: &Request<'_>, name: &SkillName) -> Result<Outcome, ChangeError> {
    let hand = Hand::take(request.home)?;
    let records = Records::read(request.home, request.place)?;
    let mut earlier = records.earlier(name);
    let goal = earlier.pop().ok_or_else(|| ChangeError::NoEarlier(name.to_string()))?;
    if !hand.keep.holds(&goal.tree) {
        return Err(ChangeError::NotKept(name.to_string()));
    }
    // Who asks to go back says yes to what was there.
    let want = records.wanted.get(name).cloned();
    let mut change = plan(request, &hand, &records, (goal, want, true))?;
    if let Some(after) = change.as_mut().and_then(|change| change.after.as_mut()) {
        after.earlier = earlier;
    }
    let done = finish(request, &hand, change.into_iter().collect())?;
    Ok(Outcome { done, repaired: hand.repaired.clone() })
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
