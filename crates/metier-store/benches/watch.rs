//! D7: prints how long a change of a file takes to reach a subscriber among 1,000 skills, what starting
//! the watch costs, and how a storm of files ends. Run with
//! `cargo bench -p metier-store --bench watch`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark changes files, measures time and prints it"
)]

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::watch::{Watch, WatchSettings};
use metier_store::{FileStore, Layer, Root};
use metier_testing::{Layout, World, generate_skills};

const CHANGES: usize = 50;

fn main() {
    for (layout, count) in [(Layout::Flat, 1_000), (Layout::Nested, 1_000), (Layout::Flat, 10_000)]
    {
        let world = World::new();
        let skills = world.path().join("skills");
        generate_skills(&skills, count, layout);
        let files = FileStore::new(vec![Root::given(Layer::Personal, &skills)]);
        let store = Arc::new(files.clone());
        let index = Arc::new(CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO));
        let start = Instant::now();
        let watch = Watch::start(&index, files, WatchSettings::default()).unwrap();
        let started = start.elapsed();
        println!("{count} skills, {layout:?}: {:?}, started in {started:.1?}", watch.watching());
        edits(&world, &index);
        storm(&world, &index);
        let start = Instant::now();
        drop(watch);
        println!("  stopped in {:.1?}", start.elapsed());
    }
}

/// One skill edited again and again, each time until the subscriber has heard of it.
fn edits(world: &World, index: &CatalogIndex) {
    let mut updates = index.subscribe();
    let mut times: Vec<Duration> = Vec::new();
    for number in 0..=CHANGES {
        let start = Instant::now();
        world.skill("skills", "edited", &format!("Number {number}."));
        let update = updates.recv().unwrap();
        // The first one is new; the others are edits and read one file each.
        if number > 0 {
            assert_eq!((update.change.changed.len(), update.catalog.stats.files), (1, 1));
            times.push(start.elapsed());
        }
    }
    times.sort_unstable();
    let (median, max) = (times[times.len() / 2], times[times.len() - 1]);
    println!("  {CHANGES} edits: median {median:.1?}, max {max:.1?}");
}

/// A thousand skills written and deleted as fast as possible.
fn storm(world: &World, index: &CatalogIndex) {
    let mut updates = index.subscribe();
    let before = index.latest().entries.len();
    let storm = world.path().join("skills/storm");
    for (what, expect) in [("written", before + 1_000), ("deleted", before)] {
        let start = Instant::now();
        if what == "written" {
            for number in 0..1_000 {
                world.skill("skills/storm", &format!("storm-{number}"), "One of many.");
            }
        } else {
            fs::remove_dir_all(&storm).unwrap();
        }
        let done = start.elapsed();
        let mut changes = 0;
        while index.latest().entries.len() != expect {
            updates.recv().unwrap();
            changes += 1;
        }
        println!(
            "  1,000 {what} in {done:.1?}, known after {:.1?}, {changes} changes",
            start.elapsed()
        );
    }
}
