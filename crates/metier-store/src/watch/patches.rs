//! Looks again at the places that changed, and at nothing else.

use std::collections::BTreeSet;
use std::path::Path;

use metier_format::Code;

use super::pending::Batch;
use super::tree::cover;
use crate::discover::{Discovery, Note};
use crate::file_store::FileStore;
use crate::index::{Keeper, Patch, places};
use crate::layer::{Root, RootId};
use crate::limits::MAX_PLACES;
use crate::rescan::renumber;
use crate::store::{Location, Store};

/// What the places of a batch hold now. None when that cannot be said without a scan of everything:
/// when a limit of the walk is reached, since its note counts over a whole root, or when skills came
/// or went while some directory can be reached by two ways, since it counts once.
pub(super) fn patches(
    keeper: &Keeper,
    files: &FileStore,
    batch: Batch,
    overlaps: bool,
) -> Option<Vec<Patch>> {
    let limits = keeper.index().settings().limits;
    let wanted = keeper.look(|kept| wanted(kept, files, batch))?;
    let look_again = |at: Location| {
        let root = place_in(keeper.index().store().roots(), files, at.root)?;
        let mut part = files.rescan(&at, &limits);
        renumber(&mut part, root);
        Some(Patch { at: Location { root, path: at.path }, part })
    };
    let patches: Vec<Patch> =
        cover(wanted, MAX_PLACES).into_iter().filter_map(look_again).collect();
    let fails = |patch: &Patch, kept: &Discovery| {
        let of_root = kept.notes.iter().filter(|note| note.root == patch.at.root);
        let limited = of_root.chain(&patch.part.notes).any(reaches_limit);
        let reshaped = overlaps && changes_shape(kept, patch);
        limited || reshaped
    };
    let one_fails = keeper.look(|kept| patches.iter().any(|patch| fails(patch, kept)))?;
    (!one_fails).then_some(patches)
}

/// The places to look at. Of places that are the same directory only those that count: the others
/// lost against them in the last scan and would again.
fn wanted(kept: &Discovery, files: &FileStore, batch: Batch) -> BTreeSet<Location> {
    let mut wanted: BTreeSet<Location> =
        batch.roots.into_iter().map(|root| Location { root, path: Path::new("").into() }).collect();
    for same in batch.places {
        let counts = |place: &&Location| {
            place_in(&kept.roots, files, place.root)
                .is_some_and(|root| holds(kept, &Location { root, path: place.path.clone() }))
        };
        let counting: Vec<Location> = same.iter().filter(counts).cloned().collect();
        wanted.extend(if counting.is_empty() { same } else { counting });
    }
    wanted
}

/// The number that a root of `files` has among `roots`.
fn place_in(roots: &[Root], files: &FileStore, root: RootId) -> Option<RootId> {
    let wanted = files.roots().get(usize::from(root.0))?;
    let place = roots.iter().position(|known| known == wanted)?;
    u16::try_from(place).ok().map(RootId)
}

/// Whether anything was found at or below a place.
fn holds(kept: &Discovery, at: &Location) -> bool {
    !places(&kept.found, at, |found| (found.root, &found.path)).is_empty()
        || !places(&kept.skipped, at, |skipped| (skipped.root, &skipped.path)).is_empty()
}

/// Whether other directories hold skills after the patch than before.
fn changes_shape(kept: &Discovery, Patch { at, part }: &Patch) -> bool {
    let found = places(&kept.found, at, |found| (found.root, &found.path));
    let skipped = places(&kept.skipped, at, |skipped| (skipped.root, &skipped.path));
    let before = kept.found.get(found).unwrap_or_default().iter();
    let skipped_before = kept.skipped.get(skipped).unwrap_or_default().iter();
    !before.map(|f| (&f.path, f.identity)).eq(part.found.iter().map(|f| (&f.path, f.identity)))
        || !skipped_before.map(|s| &s.path).eq(part.skipped.iter().map(|s| &s.path))
}

fn reaches_limit(note: &Note) -> bool {
    matches!(note.diagnostic.code, Code::WalkTooDeep | Code::WalkTooWide)
}

#[cfg(test)]
#[path = "patches_tests.rs"]
mod tests;
