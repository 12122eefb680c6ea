//! The same tree gives the same discovery: whatever order it was made in, whatever the threads do.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use metier_store::discover::{Discovery, ScanLimits};
use metier_store::{FileStore, Store};
use metier_testing::World;

use crate::ground::{root, skills};

/// One thing to make: a file with its text, or a link with its target.
enum Thing {
    File(String, String),
    Link(String, String),
}

/// Some hundreds of skills at several depths, bad ones, links, and too deep a corner.
fn things() -> Vec<Thing> {
    let mut things = Vec::new();
    let mut file = |path: String, text: &str| things.push(Thing::File(path, text.to_owned()));
    for number in 0..540 {
        let name = format!("skill-{}", number * 7919 % 1000);
        let text = format!("---\nname: {name}\ndescription: Number {number}.\n---\n");
        let group = ["", "a/", "a/", "a-b/", "z/y/x/", "a/b/"][number % 6];
        let text = if number % 31 == 0 { "no frontmatter" } else { &text };
        file(format!("{group}{name}/SKILL.md"), text);
    }
    file("d/e/e/p/e/r/than/allowed/SKILL.md".into(), "unseen");
    file("q/skill.md".into(), "---\nname: q\ndescription: Lower case.\n---\n");
    for (link, target) in
        [("a/up", ".."), ("links/to-b", "../a/b"), ("same", "z/y/x"), ("dangling", "missing")]
    {
        things.push(Thing::Link(link.into(), target.into()));
    }
    things
}

/// Puts `things` in an order that depends on `seed` alone.
fn shuffle(things: &mut [Thing], mut seed: u64) {
    for index in (1..things.len()).rev() {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        things.swap(index, (seed >> 33) as usize % (index + 1));
    }
}

fn make(world: &World, things: &[Thing]) {
    for thing in things {
        match thing {
            Thing::File(path, text) => drop(world.write(format!("skills/{path}"), text)),
            Thing::Link(path, target) => {
                let path = skills(world).join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                symlink(target, path).unwrap();
            }
        }
    }
}

/// A discovery without what differs between two copies of a tree: where it is, and its inodes.
fn portable(mut discovery: Discovery) -> Discovery {
    discovery.roots.iter_mut().for_each(|root| root.path = PathBuf::from("root"));
    discovery.found.iter_mut().for_each(|found| found.identity = (0, 0));
    discovery
}

#[test]
fn the_order_of_the_disk_and_of_threads_does_not_show() {
    // D3
    let mut expected = None;
    for seed in 1..=3 {
        let world = World::new();
        let mut things = things();
        shuffle(&mut things, seed);
        make(&world, &things);
        let store = FileStore::new(vec![root(skills(&world))]);
        for threads in [1, 2, 4] {
            for max_directories in [200_000, 300, 20] {
                let limits = ScanLimits { threads, max_directories, ..ScanLimits::default() };
                let found = portable(store.discover(&limits));
                assert!(found.found.is_sorted_by_key(|found| (found.root, &found.path)));
                match (max_directories, &expected) {
                    (200_000, None) => {
                        assert!(found.found.len() > 450 && found.skipped.len() > 10);
                        assert_eq!(found.notes.len(), 2, "{:?}", found.notes);
                        expected = Some((found, Vec::new()));
                    }
                    (200_000, Some((full, _))) => assert_eq!(found, *full, "{seed} {threads}"),
                    _ => {
                        let (_, cut) = expected.as_mut().unwrap();
                        check_cut(cut, max_directories, found);
                    }
                }
            }
        }
    }
}

/// A walk that was cut short is cut at the same place every time.
fn check_cut(known: &mut Vec<(usize, Discovery)>, limit: usize, found: Discovery) {
    assert!(found.stats.directories <= limit as u64);
    match known.iter().find(|(known, _)| *known == limit) {
        Some((_, same)) => assert_eq!(found, *same, "cut at {limit}"),
        None => known.push((limit, found)),
    }
}
