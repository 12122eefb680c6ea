use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use metier_testing::World;

use super::super::pending::Batch;
use super::patches;
use crate::file_store::FileStore;
use crate::index::{CatalogIndex, IndexSettings, Keeper};
use crate::layer::{Layer, Root, RootId};
use crate::limits::MAX_PLACES;
use crate::store::Location;

/// A store of two roots, `one` and `two`, and a keeper of what is in them.
fn kept(world: &World) -> (FileStore, Keeper) {
    let root = |path: &str| Root {
        optional: true,
        ..Root::given(Layer::Personal, world.path().join(path))
    };
    let files = FileStore::new(vec![root("one"), root("two")]);
    let store = Arc::new(files.clone());
    let index = CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO);
    (files, Arc::new(index).keep())
}

fn at(root: u16, path: &str) -> Location {
    Location { root: RootId(root), path: Path::new(path).into() }
}

fn batch(places: &[&[Location]]) -> Batch {
    let places: BTreeSet<Vec<Location>> = places.iter().map(|same| same.to_vec()).collect();
    Batch { places, ..Batch::default() }
}

/// The places looked at, and how many files that took.
fn looked_at(
    (files, keeper): &(FileStore, Keeper),
    batch: Batch,
    overlaps: bool,
) -> Option<(Vec<Location>, u64)> {
    let patches = patches(keeper, files, batch, overlaps)?;
    let files = patches.iter().map(|patch| patch.part.stats.files).sum();
    Some((patches.into_iter().map(|patch| patch.at).collect(), files))
}

#[test]
fn each_place_is_looked_at_once_and_no_other() {
    // D7, D2
    let world = World::new();
    world.skill("one", "a", "First.");
    world.skill("one/group", "b", "Second.");
    world.skill("two", "c", "Third.");
    let kept = kept(&world);
    let looked = looked_at(&kept, batch(&[&[at(0, "a")]]), false);
    assert_eq!(looked, Some((vec![at(0, "a")], 1)));
    let nested = batch(&[&[at(0, "group/b")], &[at(0, "group")], &[at(1, "gone")]]);
    assert_eq!(looked_at(&kept, nested, false), Some((vec![at(0, "group"), at(1, "gone")], 1)));
    let whole = Batch { roots: [RootId(0)].into(), ..batch(&[&[at(0, "a")]]) };
    assert_eq!(looked_at(&kept, whole, false), Some((vec![at(0, "")], 2)));
}

#[test]
fn many_places_of_a_root_are_looked_at_with_the_root() {
    // D7
    let world = World::new();
    world.skill("one", "a", "First.");
    let kept = kept(&world);
    let names: Vec<[Location; 1]> =
        (0..=MAX_PLACES).map(|number| [at(0, &format!("new-{number}"))]).collect();
    let many: Vec<&[Location]> = names.iter().map(|same| same.as_slice()).collect();
    assert_eq!(looked_at(&kept, batch(&many), false), Some((vec![at(0, "")], 1)));
}

#[test]
fn of_one_directory_at_two_places_the_one_that_counts_is_looked_at() {
    // D7
    let world = World::new();
    world.skill("one", "a", "First.");
    let kept = kept(&world);
    let same = [at(0, "a"), at(1, "linked")];
    assert_eq!(looked_at(&kept, batch(&[&same]), true), Some((vec![at(0, "a")], 1)));
    // None counts yet, so both are looked at.
    let new = [at(0, "new"), at(1, "new")];
    assert_eq!(looked_at(&kept, batch(&[&new]), true), Some((new.to_vec(), 0)));
}

#[test]
fn a_skill_that_comes_where_ways_overlap_needs_a_scan_of_everything() {
    // D7
    let world = World::new();
    world.skill("one", "a", "First.");
    let kept = kept(&world);
    world.skill("one", "b", "Second.");
    assert!(looked_at(&kept, batch(&[&[at(0, "b")]]), false).is_some());
    assert!(looked_at(&kept, batch(&[&[at(0, "b")]]), true).is_none());
    // An edit changes no directory.
    world.skill("one", "a", "Edited.");
    assert!(looked_at(&kept, batch(&[&[at(0, "a")]]), true).is_some());
    // A file that breaks stays where it is, but is another kind of thing.
    world.write("one/a/SKILL.md", "broken");
    assert!(looked_at(&kept, batch(&[&[at(0, "a")]]), true).is_none());
}

#[test]
fn a_limit_that_is_or_was_reached_needs_a_scan_of_everything() {
    // D7
    let world = World::new();
    world.skill("one", "a", "First.");
    world.skill("two", "b", "Second.");
    let before = kept(&world);
    world.skill("one/1/2/3/4/5/6", "deep", "Too deep.");
    assert!(looked_at(&before, batch(&[&[at(0, "1")]]), false).is_none());
    let after = kept(&world);
    assert!(looked_at(&after, batch(&[&[at(0, "a")]]), false).is_none());
    // The other root has nothing to do with it.
    assert!(looked_at(&after, batch(&[&[at(1, "b")]]), false).is_some());
}

#[test]
fn places_of_a_root_the_index_does_not_have_are_passed_over() {
    // D7
    let world = World::new();
    world.skill("one", "a", "First.");
    let (_, keeper) = kept(&world);
    let strange = FileStore::new(vec![Root::given(Layer::Project, world.path().join("one"))]);
    let looked = looked_at(&(strange, keeper), batch(&[&[at(0, "a")], &[at(9, "b")]]), false);
    assert_eq!(looked, Some((Vec::new(), 0)));
}
