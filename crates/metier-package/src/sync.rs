//! Making the disk equal to the lock: what is missing is added, what differs is repaired, what
//! metier once installed, the lock no longer has and nobody wants is removed. Nothing else is touched.
//!
//! [`plan`] says what that takes; trees nobody has here have to be fetched by the caller, exactly as
//! pinned. [`sync`] does it.

use std::collections::BTreeMap;

use metier_format::SkillName;
use metier_format::text::visible_line;
use metier_store::digest::hex;

use crate::change::{Change, ChangeError, Hand, is_tree};
use crate::difference::{compare, shown};
use crate::home::{Home, Place};
use crate::install::{Drift, Outcome, Request, finish, plan as plan_one, trees};
use crate::keep::{Keep, read_tree};
use crate::pinned::Pinned;
use crate::records::{RecordError, Records, existing};
use crate::reference::{Bases, Reference, ReferenceError};
use crate::replaced::Replaced;
use crate::source::Staged;
use crate::verify::look;
use crate::wanted::Want;

/// What it takes to make the disk equal to the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Locked skills that are not on disk as locked, and whose tree is here.
    pub ready: Vec<Pinned>,
    /// The same, but the tree has to be fetched.
    pub to_fetch: Vec<Pinned>,
    /// Skills metier installed that the lock no longer has and nobody wants.
    pub to_remove: Vec<SkillName>,
    /// Of those, the ones somebody changed: they are left alone.
    pub left_alone: Vec<SkillName>,
    /// Skills that are wanted and not locked, or locked as something else.
    pub to_lock: Vec<ToLock>,
    /// Skills that are locked and not wanted, when anything is wanted at all.
    pub unwanted: Vec<SkillName>,
}

/// A skill that is wanted and not locked so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToLock {
    /// Its name.
    pub name: SkillName,
    /// How it is wanted.
    pub want: Want,
    /// What is locked instead.
    pub instead: Instead,
}

/// What is locked where something else is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Instead {
    /// Nothing.
    Nothing,
    /// What is from another source, which this is.
    Source(String),
    /// What is elsewhere in its source, which this is.
    Path(String),
    /// What another branch, tag or commit was asked for, or none.
    Requested(Option<String>),
    /// Nobody knows: the source that is wanted is none.
    Unreadable(ReferenceError),
}

impl std::fmt::Display for ToLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, want, instead } = self;
        write!(f, "`{name}` is wanted ")?;
        let version = |requested: &Option<String>| match requested {
            Some(requested) => format!("at `{}`", visible_line(requested)),
            None => "at the newest".to_owned(),
        };
        match instead {
            Instead::Nothing => f.write_str("and not locked"),
            Instead::Source(source) => {
                let (wanted, locked) = (visible_line(&want.source), visible_line(source));
                write!(f, "from `{wanted}` and locked from `{locked}`")
            }
            Instead::Path(path) => {
                let (wanted, locked) = (visible_line(&want.path), visible_line(path));
                write!(f, "from the path `{wanted}` and locked from `{locked}`")
            }
            Instead::Requested(requested) => {
                let (wanted, locked) = (version(&want.requested), version(requested));
                write!(f, "{wanted} and locked {locked}")
            }
            Instead::Unreadable(error) => {
                write!(f, "from `{}`, which is no source: {error}", visible_line(&want.source))
            }
        }
    }
}

impl Plan {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
            && self.to_fetch.is_empty()
            && self.to_remove.is_empty()
            && self.to_lock.is_empty()
            && self.unwanted.is_empty()
    }

    /// Whether lock and wishes say the same.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.to_lock.is_empty() && self.unwanted.is_empty()
    }
}

/// What short forms in the `skills.toml` of `place` are short for: a relative path starts there.
#[must_use]
pub fn bases_of(home: &Home, place: &Place, bases: &Bases) -> Bases {
    Bases { directory: place.base(home), ..bases.clone() }
}

/// What it takes to make `place` equal to its lock, where short forms are short for `bases`.
pub fn plan(home: &Home, place: &Place, bases: &Bases) -> Result<Plan, RecordError> {
    let bases = bases_of(home, place, bases);
    let records = Records::read(home, place)?;
    let keep = Keep::open(home)?;
    let mut plan = Plan::default();
    for pinned in records.lock.skills() {
        if look(home, place, pinned).is_sound() {
            continue;
        }
        match keep.holds(&pinned.tree) {
            true => plan.ready.push(pinned.clone()),
            false => plan.to_fetch.push(pinned.clone()),
        }
    }
    for receipt in records.receipts.0.values() {
        let Ok(name) = SkillName::parse(&receipt.name) else { continue };
        // What is wanted is locked anew, whatever became of its lock: until then it stays.
        if records.lock.get(&name).is_some() || records.wanted.get(&name).is_some() {
            continue;
        }
        let directory = place.directory(home, name.as_str());
        let is_there = existing(&directory)?.is_some();
        match !is_there || *place == Place::Personal || is_tree(&directory, &receipt.tree) {
            true => plan.to_remove.push(name),
            false => plan.left_alone.push(name),
        }
    }
    let mut anything = false;
    for (name, want) in records.wanted.skills() {
        anything = true;
        if let Some(instead) = instead(want, records.lock.get(name), &bases) {
            plan.to_lock.push(ToLock { name: name.clone(), want: want.clone(), instead });
        }
    }
    if anything {
        let unwanted = records.lock.skills().filter(|p| records.wanted.get(&p.name).is_none());
        plan.unwanted = unwanted.map(|pinned| pinned.name.clone()).collect();
    }
    Ok(plan)
}

/// Makes `plan` happen, with the trees that had to be fetched. What is added and repaired is so all
/// or not at all.
pub fn sync(
    request: &Request<'_>,
    plan: &Plan,
    fetched: &[Staged],
) -> Result<Outcome, ChangeError> {
    let keep = Keep::open(request.home)?;
    let arriving = keep.stage_all(&trees(fetched.iter()))?;
    let hand = Hand::take(request.home)?;
    let edited = edited(request, plan);
    hand.keep.publish(&arriving, &hand.turn)?;
    let request = &Request { drift: Drift::Replace, ..request.clone() };
    let records = Records::read(request.home, request.place)?;
    let mut changes = Vec::new();
    for pinned in plan.ready.iter().chain(&plan.to_fetch) {
        if !hand.keep.holds(&pinned.tree) {
            return Err(ChangeError::NotKept(pinned.name.to_string()));
        }
        let change = match plan_one(request, &hand, &records, (pinned.clone(), None, false))? {
            Some(change) => Some(change),
            // The records are right, and the disk is not.
            None => as_it_is(request, &records, pinned),
        };
        changes.extend(change.map(|change| dated(change, request)));
    }
    let mut done = finish(request, &hand, changes)?;
    for one in done.iter_mut().filter(|one| one.after.is_some()) {
        let edited = edited.get(&one.name).filter(|it| hand.keep.holds(&it.tree)).cloned();
        one.replaced = one.replaced.take().or(edited);
        let name = SkillName::parse(&one.name);
        if name.is_ok_and(|name| records.receipts.get(name.key().as_str()).is_none()) {
            // The lock came from somewhere else: here it was never installed.
            one.before = None;
        }
    }
    // On its own, because it cannot be undone: of these nothing but a receipt is known.
    let pruned = plan.to_remove.iter().map(|name| pruned(&records, name)).collect();
    done.extend(finish(request, &hand, pruned)?);
    Ok(Outcome { done, repaired: hand.repaired.clone() })
}

/// What somebody made of the skills that are to be put right, by name. What only has other rights, or
/// cannot be read, is not among it.
fn edited(request: &Request<'_>, plan: &Plan) -> BTreeMap<String, Replaced> {
    let Request { home, place, .. } = *request;
    let one = |pinned: &Pinned| {
        let found = read_tree(&place.directory(home, pinned.name.as_str())).ok()?;
        let tree = hex(&found.digest());
        let differences = shown(&compare(&pinned.files, &found));
        let kept = home.kept(&tree).to_string_lossy().into_owned();
        let replaced = Replaced { tree, kept, differences };
        (replaced.tree != pinned.tree).then(|| (pinned.name.to_string(), replaced))
    };
    plan.ready.iter().chain(&plan.to_fetch).filter_map(one).collect()
}

/// What is locked instead of what is wanted, as far as names tell; none when it is what is wanted.
/// A source has many spellings, and what it may say about path and version counts as well.
fn instead(want: &Want, pinned: Option<&Pinned>, bases: &Bases) -> Option<Instead> {
    let Some(locked) = pinned.map(|pinned| &pinned.locked) else { return Some(Instead::Nothing) };
    let wanted = match Reference::parse(&want.source, bases) {
        Ok(wanted) => wanted,
        Err(error) => return Some(Instead::Unreadable(error)),
    };
    let elsewhere = wanted.otherwise.as_ref().map(|otherwise| otherwise.url.clone());
    let source = match Reference::parse(&locked.source, bases) {
        Ok(reference) => reference.source(),
        Err(_) => locked.source.clone(),
    };
    if source != wanted.source() && Some(&source) != elsewhere.as_ref() {
        return Some(Instead::Source(locked.source.clone()));
    }
    let is_below = |path: &str| {
        path.is_empty()
            || locked.path.strip_prefix(path).is_some_and(|r| r.is_empty() || r.starts_with('/'))
    };
    // Of what a browser shows, only the server knows where the version ends and the path starts.
    let fits = match want.path.is_empty() {
        true => wanted.viewed || is_below(&wanted.path),
        false => want.path == locked.path,
    };
    if !fits {
        return Some(Instead::Path(locked.path.clone()));
    }
    let requested = want.requested.as_ref().or(wanted.requested.as_ref());
    let open = wanted.viewed && want.requested.is_none() && locked.requested.is_some();
    let same = open || requested == locked.requested.as_ref();
    (!same).then(|| Instead::Requested(locked.requested.clone()))
}

/// The change with a day on which the skill was installed here, also when the lock is all that was
/// known of it.
fn dated(mut change: Change, request: &Request<'_>) -> Change {
    if let Some(after) = change.after.as_mut().filter(|after| after.at.is_empty()) {
        after.at.clone_from(&request.by.at);
    }
    change
}

fn as_it_is(request: &Request<'_>, records: &Records, pinned: &Pinned) -> Option<Change> {
    let installed = records.installed(request.home, request.place, &pinned.name)?;
    Some(Change {
        name: pinned.name.to_string(),
        before: Some(installed.clone()),
        earlier_before: Vec::new(),
        after: Some(installed),
        earlier_after: Vec::new(),
        known: None,
    })
}

/// The removal of a skill that only a receipt knows.
fn pruned(records: &Records, name: &SkillName) -> Change {
    let earlier = records.earlier(name);
    Change {
        name: name.to_string(),
        before: None,
        earlier_before: earlier.clone(),
        after: None,
        earlier_after: earlier,
        known: records.receipts.get(name.key().as_str()).map(|receipt| receipt.tree.clone()),
    }
}

#[cfg(test)]
#[path = "sync_tests.rs"]
mod tests;
