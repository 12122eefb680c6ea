//! What is installed, as it is written down. Looks without waiting for anybody.

use metier_format::SkillName;

use crate::atomic::DiskError;
use crate::change::{ChangeError, Hand, Repaired, pending};
use crate::home::{Home, Place};
use crate::keep::Keep;
use crate::pinned::Pinned;
use crate::receipt::Receipt;
use crate::records::{RecordError, Records, key};
use crate::trust::Approval;
use crate::turn::{Turn, TurnError};
use crate::wanted::Want;

/// One installed skill with everything that is written down about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Exactly what it is.
    pub pinned: Pinned,
    /// When it was installed, when metier did it here.
    pub receipt: Option<Receipt>,
    /// How it is wanted.
    pub want: Option<Want>,
    /// Who said yes to it.
    pub approval: Option<Approval>,
    /// What was installed before, the latest last.
    pub earlier: Vec<Pinned>,
}

/// The skills that the lock of `place` names, by name.
pub fn list(home: &Home, place: &Place) -> Result<Vec<Pinned>, RecordError> {
    let records = Records::read(home, place)?;
    Ok(records.lock.skills().cloned().collect())
}

/// Everything about the skill called `name`, when it is installed.
pub fn account(
    home: &Home,
    place: &Place,
    name: &SkillName,
) -> Result<Option<Account>, RecordError> {
    let records = Records::read(home, place)?;
    let directory = key(home, &place.directory(home, name.as_str()));
    Ok(records.lock.get(name).map(|pinned| Account {
        pinned: pinned.clone(),
        receipt: records.receipts.get(name.key().as_str()).cloned(),
        want: records.wanted.get(name).cloned(),
        approval: directory.and_then(|key| records.approvals.get(&key)).cloned(),
        earlier: records.earlier(name),
    }))
}

/// What was installed under `name` before, the latest last, whether anything is now or not.
pub fn earlier(home: &Home, place: &Place, name: &SkillName) -> Result<Vec<Pinned>, RecordError> {
    Ok(Records::read(home, place)?.earlier(name))
}

/// Whether there is a sound copy of what is pinned, to go back to.
pub fn is_kept(home: &Home, pinned: &Pinned) -> Result<bool, DiskError> {
    Ok(Keep::open(home)?.holds(&pinned.tree))
}

/// Brings to an end what an earlier process left unfinished, unless somebody is at it. Costs one
/// look at a file that is usually not there.
pub fn repair(home: &Home) -> Result<Option<Repaired>, ChangeError> {
    if pending(home)?.is_none() {
        return Ok(None);
    }
    match Turn::try_take(home) {
        Ok(turn) => Ok(Hand::with(home, turn)?.repaired),
        Err(TurnError::Busy(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
#[path = "installed_tests.rs"]
mod tests;
