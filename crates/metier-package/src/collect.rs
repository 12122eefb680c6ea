//! Collecting: trees that nothing refers to any more leave the keep. Safe at any time: it has the
//! turn, and whatever a lock, a receipt, an approval, a generation or a note of what was replaced names stays.

use std::collections::BTreeSet;

use metier_store::digest::is_digest;
use serde::Serialize;

use crate::change::{ChangeError, Hand};
use crate::home::{Home, Place};
use crate::keep::Keep;
use crate::limits::MAX_RECORD_BYTES;
use crate::pinned::Pinned;
use crate::receipt::{self, Receipts};
use crate::records::{self, Records, existing, parse, text};
use crate::replaced;

/// How thorough a collection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thoroughness {
    /// What can be gone back to stays.
    #[default]
    KeepEarlier,
    /// Only what is installed or approved stays.
    OnlyInstalled,
}

/// What was collected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Collected {
    /// The digests of the trees that are gone.
    pub trees: Vec<String>,
    /// Those among them that somebody had changed and metier replaced: copies of what they wrote.
    pub replaced: Vec<String>,
    /// How many stay.
    pub kept: usize,
    /// Things that processes left behind.
    pub drafts: usize,
}

/// Collects what nothing refers to.
pub fn collect(home: &Home, how: Thoroughness) -> Result<Collected, ChangeError> {
    let Some((hand, used)) = look(home, how)? else { return Ok(Collected::default()) };
    // Read before anything goes: afterwards nobody could say any more what went.
    let replaced = replaced::trees(home)?;
    let mut collected = Collected { drafts: hand.keep.sweep(&hand.turn)?, ..Collected::default() };
    for tree in hand.keep.trees()? {
        if used.contains(&tree) {
            collected.kept += 1;
            continue;
        }
        hand.keep.remove(&tree, &hand.turn)?;
        collected.trees.push(tree);
    }
    collected.replaced = among(replaced, &collected.trees);
    Ok(collected)
}

/// What [`collect`] would collect; nothing is removed.
pub fn collectable(home: &Home, how: Thoroughness) -> Result<Collected, ChangeError> {
    let Some((hand, used)) = look(home, how)? else { return Ok(Collected::default()) };
    let (kept, trees): (Vec<_>, Vec<_>) =
        hand.keep.trees()?.into_iter().partition(|tree| used.contains(tree));
    let replaced = among(replaced::trees(home)?, &trees);
    Ok(Collected { trees, replaced, kept: kept.len(), drafts: hand.keep.left_behind()?.len() })
}

/// Those of what somebody had changed and metier replaced that are among `trees`.
fn among(mut replaced: Vec<String>, trees: &[String]) -> Vec<String> {
    replaced.retain(|tree| trees.contains(tree));
    replaced
}

/// The turn, and every tree that something names; none when nothing was ever kept.
fn look(
    home: &Home,
    how: Thoroughness,
) -> Result<Option<(Hand<'_>, BTreeSet<String>)>, ChangeError> {
    if existing(&home.store())?.is_none() {
        return Ok(None);
    }
    let hand = Hand::take(home)?;
    let used = used(home, how)?;
    Ok(Some((hand, used)))
}

/// The kept trees that nothing refers to, looked at without a turn: somebody may just be bringing
/// them.
pub(crate) fn unused(home: &Home) -> Result<Vec<String>, ChangeError> {
    if existing(&home.store())?.is_none() {
        return Ok(Vec::new());
    }
    let mut trees = Keep::open(home)?.trees()?;
    let used = used(home, Thoroughness::KeepEarlier)?;
    trees.retain(|tree| !used.contains(tree));
    Ok(trees)
}

/// The digests that something refers to.
fn used(home: &Home, how: Thoroughness) -> Result<BTreeSet<String>, ChangeError> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    used.extend(records::approvals(home)?.iter().map(|approval| approval.tree.clone()));
    let personal = Records::read(home, &Place::Personal)?;
    used.extend(personal.lock.skills().map(|pinned| pinned.tree.clone()));
    used.extend(personal.receipts.0.values().map(|receipt| receipt.tree.clone()));
    add_earlier(&personal.earlier, how, &mut used);
    if how == Thoroughness::KeepEarlier {
        used.extend(replaced::trees(home)?);
    }
    add_projects(home, how, &mut used)?;
    Ok(used)
}

type Earlier = std::collections::BTreeMap<String, Vec<Pinned>>;

fn add_earlier(earlier: &Earlier, how: Thoroughness, used: &mut BTreeSet<String>) {
    if how == Thoroughness::KeepEarlier {
        used.extend(earlier.values().flatten().map(|pinned| pinned.tree.clone()));
    }
}

/// What the records about projects name. A project's own lock is not asked: it may be anywhere, and
/// everything it can be made from can be fetched again.
fn add_projects(
    home: &Home,
    how: Thoroughness,
    used: &mut BTreeSet<String>,
) -> Result<(), ChangeError> {
    let folder = home.path().join("projects");
    let Some(projects) = existing(&folder)? else { return Ok(()) };
    for name in projects.names()? {
        let folder = folder.join(&name);
        if let Some(text) = text(&folder, receipt::FILE, MAX_RECORD_BYTES)? {
            let receipts: Receipts = parse(&folder.join(receipt::FILE), &text)?;
            let trees = receipts.0.into_values().map(|receipt| receipt.tree);
            used.extend(trees.filter(|tree| is_digest(tree)));
        }
        if let Some(text) = text(&folder, records::GENERATIONS, MAX_RECORD_BYTES)? {
            add_earlier(&parse(&folder.join(records::GENERATIONS), &text)?, how, used);
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "collect_tests.rs"]
mod tests;
