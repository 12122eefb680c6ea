//! Removing and going back: what was installed before stays in the keep until it is collected.

use metier_format::SkillName;

use crate::change::{Change, ChangeError, Hand, is_tree};
use crate::home::Place;
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

/// Makes what was installed under `name` before what is installed.
pub fn rollback(request: &Request<'_>, name: &SkillName) -> Result<Outcome, ChangeError> {
    let hand = Hand::take(request.home)?;
    let records = Records::read(request.home, request.place)?;
    let mut earlier = records.earlier(name);
    let goal = earlier.pop().ok_or_else(|| ChangeError::NoEarlier(name.to_string()))?;
    if !hand.keep.holds(&goal.tree) {
        return Err(ChangeError::NotKept(name.to_string()));
    }
    // What is left becomes the oldest, so that going back again goes further back.
    if let Some(now) = records.lock.get(name) {
        earlier.retain(|one| one.tree != now.tree);
        earlier.insert(0, now.clone());
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
    })
}

#[cfg(test)]
#[path = "remove_tests.rs"]
mod tests;
