use std::os::unix::fs::symlink;
use std::path::Path;

use metier_testing::World;

use crate::discover::{Discovery, ScanLimits};
use crate::file_store::FileStore;
use crate::layer::{Layer, Root, RootId};
use crate::store::{Location, Store};

fn skills(world: &World) -> Root {
    Root::given(Layer::Personal, world.path().join("skills"))
}

/// Everything in a discovery that lies at or below `path`, as text.
fn below(discovery: &Discovery, path: &str) -> Vec<String> {
    let found = discovery.found.iter().map(|f| (f.path.to_path_buf(), f.description.to_string()));
    let skipped =
        discovery.skipped.iter().map(|s| (s.path.clone(), format!("{:?}", s.diagnostics)));
    let notes = discovery.notes.iter().map(|n| (n.path.clone(), n.diagnostic.message.clone()));
    let all = found.chain(skipped).chain(notes).filter(|(at, _)| at.starts_with(path));
    all.map(|(at, what)| format!("{}: {what}", at.display())).collect()
}

/// A look at one place finds what a look at everything finds there.
fn check(root: &Root, path: &str, expect: usize) {
    let store = FileStore::new(vec![root.clone()]);
    let limits = ScanLimits::default();
    let at = Location { root: RootId(0), path: Path::new(path).into() };
    let part = store.rescan(&at, &limits);
    let whole = store.discover(&limits);
    assert_eq!(below(&part, ""), below(&whole, path), "at `{path}`");
    assert_eq!(below(&part, "").len(), expect, "at `{path}`");
}

fn world() -> World {
    let world = World::new();
    world.skill("skills", "one", "First.");
    world.skill("skills/group", "two", "Second.");
    world.skill("skills/group/deep/deeper", "three", "Third.");
    world.skill("skills/node_modules/package", "four", "Never listed.");
    world.write("skills/bad/SKILL.md", "no frontmatter\n");
    world.write("skills/README.md", "not a skill\n");
    symlink("nowhere", world.path().join("skills/dangling")).unwrap();
    world
}

#[test]
fn one_place_is_scanned_as_the_whole_would_be() {
    // D7, D2
    let world = world();
    let root = skills(&world);
    check(&root, "one", 1);
    check(&root, "group", 2);
    check(&root, "group/deep", 1);
    check(&root, "bad", 1);
    check(&root, "dangling", 1);
    check(&root, "node_modules", 0);
    check(&root, "README.md", 0);
    check(&root, "missing", 0);
    check(&root, "missing/further", 0);
    check(&root, "", 5);
}

#[test]
fn a_link_of_a_project_nobody_trusts_is_treated_as_the_whole_scan_does() {
    // D7, D4
    let world = world();
    symlink("../skills/group", world.path().join("skills/link")).unwrap();
    symlink("../skills/one", world.path().join("skills/zone")).unwrap();
    let root = Root { layer: Layer::Project, trusted: false, ..skills(&world) };
    check(&root, "link", 1);
    let store = FileStore::new(vec![root]);
    let at = |path: &str| Location { root: RootId(0), path: Path::new(path).into() };
    let part = store.rescan(&at("link"), &ScanLimits::default());
    assert_eq!((part.found.len(), part.notes.len()), (0, 1));
    let part = store.rescan(&at("zone"), &ScanLimits::default());
    assert_eq!((part.found.len(), part.notes.len()), (1, 0));
}

#[test]
fn a_place_too_deep_for_the_root_holds_nothing() {
    // D7
    let world = world();
    let root = Root { immediate_only: true, ..skills(&world) };
    check(&root, "one", 1);
    check(&root, "group", 0);
    check(&root, "group/two", 0);
}

#[test]
fn a_root_that_is_gone_is_said_to_be() {
    // D7
    let world = World::new();
    check(&skills(&world), "", 1);
    check(&skills(&world), "one", 0);
    check(&Root { optional: true, ..skills(&world) }, "", 0);
    let nowhere = Location { root: RootId(7), path: Path::new("").into() };
    let none = FileStore::new(vec![skills(&world)]).rescan(&nowhere, &ScanLimits::default());
    assert_eq!(none, Discovery::default());
}

#[test]
fn only_the_place_is_read() {
    // D7, D2
    let world = world();
    let store = FileStore::new(vec![skills(&world)]);
    let at = Location { root: RootId(0), path: Path::new("one").into() };
    let part = store.rescan(&at, &ScanLimits::default());
    assert_eq!((part.stats.files, part.stats.directories), (1, 1));
}
