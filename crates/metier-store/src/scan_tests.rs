use std::path::PathBuf;

use metier_format::Code;
use metier_testing::World;

use super::{scan, thread_count};
use crate::discover::{Discovery, ScanLimits};
use crate::layer::{Layer, Root, RootId};
use crate::limits::{MAX_ROOTS, MAX_THREADS};

fn root(path: impl Into<PathBuf>) -> Root {
    Root {
        layer: Layer::Project,
        path: path.into(),
        client_order: 0,
        immediate_only: false,
        trusted: false,
        optional: false,
        within: None,
    }
}

fn names(discovery: &Discovery) -> Vec<(u16, &str)> {
    discovery.found.iter().map(|found| (found.root.0, found.name.as_str())).collect()
}

#[test]
fn roots_keep_their_numbers_whether_or_not_they_can_be_read() {
    // D1, D3
    let world = World::new();
    world.skill("a", "one", "First.");
    world.skill("b", "two", "Second.");
    let file = world.write("file", "not a directory");
    let at = |name: &str| root(world.path().join(name));
    let roots = [at("missing"), at("b"), root(&file), at("a")];
    let discovery = scan(&roots, &ScanLimits::default());
    assert_eq!(names(&discovery), [(1, "two"), (3, "one")]);
    assert_eq!(discovery.roots, roots);
    let said: Vec<_> = discovery.notes.iter().map(|n| (n.root, n.diagnostic.code)).collect();
    assert_eq!(said, [(RootId(0), Code::RootUnreadable), (RootId(2), Code::RootUnreadable)]);
    assert!(discovery.notes[1].diagnostic.message.ends_with("Not a directory (os error 20)"));
}

#[test]
fn the_same_directory_as_an_earlier_root_adds_nothing() {
    // D1
    let world = World::new();
    world.skill("a", "one", "First.");
    world.skill("a/group", "two", "Second.");
    let all = root(world.path().join("a"));
    let immediate = Root { immediate_only: true, ..all.clone() };
    let scanned = |roots: &[Root]| {
        let discovery = scan(roots, &ScanLimits::default());
        (discovery.found.len(), discovery.stats.files)
    };
    assert_eq!(scanned(&[all.clone(), all.clone()]), (2, 2), "walked once");
    assert_eq!(scanned(&[all.clone(), immediate.clone()]), (2, 2), "nothing left to find");
    assert_eq!(scanned(&[immediate.clone(), immediate.clone()]), (1, 1));
    let both = scan(&[immediate, all], &ScanLimits::default());
    assert_eq!(names(&both), [(0, "one"), (1, "two")], "the second root looks further");
}

#[test]
fn more_roots_than_a_store_may_have_are_reported() {
    // D1
    let world = World::new();
    world.skill("a", "one", "First.");
    let missing = Root { optional: true, ..root(world.path().join("missing")) };
    let mut roots = vec![missing; MAX_ROOTS];
    roots.push(root(world.path().join("a")));
    let discovery = scan(&roots, &ScanLimits::default());
    assert_eq!(names(&discovery), []);
    assert_eq!(discovery.notes.len(), 1);
    assert!(discovery.notes[0].diagnostic.message.contains("at most 1024 roots"));
    roots.swap(0, MAX_ROOTS);
    roots.truncate(MAX_ROOTS);
    assert_eq!(names(&scan(&roots, &ScanLimits::default())), [(0, "one")]);
}

#[test]
fn the_machine_decides_how_many_threads_when_nobody_does() {
    // N1
    assert!((1..=MAX_THREADS).contains(&thread_count(0)));
    assert_eq!(thread_count(1), 1);
    assert_eq!(thread_count(3), 3);
    assert_eq!(thread_count(usize::MAX), MAX_THREADS);
}

#[test]
fn a_project_nobody_trusts_does_not_lead_the_scan_elsewhere() {
    // D1, D4
    let world = World::new();
    world.skill("elsewhere", "far", "Far away.");
    world.skill("project/own", "near", "Near.");
    let project = world.path().join("project");
    std::os::unix::fs::symlink(world.path().join("elsewhere"), project.join("out")).unwrap();
    std::os::unix::fs::symlink("own", project.join("in")).unwrap();
    let scanned = |name: &str, trusted: bool| {
        let within = Some(project.clone());
        scan(&[Root { trusted, within, ..root(project.join(name)) }], &ScanLimits::default())
    };
    assert_eq!(names(&scanned("in", false)), [(0, "near")], "the link stays in the project");
    assert_eq!(names(&scanned("out", true)), [(0, "far")]);
    let refused = scanned("out", false);
    assert_eq!((names(&refused), refused.stats.files), (vec![], 0));
    let message = &refused.notes[0].diagnostic.message;
    assert!(
        message.ends_with("it is a link out of its project, which is not trusted"),
        "{message}"
    );
}
