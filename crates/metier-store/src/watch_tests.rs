#![expect(clippy::disallowed_methods, reason = "tests make the files they watch")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use metier_testing::World;

use super::{Watch, WatchError, WatchSettings, Watching};
use crate::file_store::FileStore;
use crate::index::{CatalogIndex, IndexSettings, Subscription, Update};
use crate::layer::{Layer, Root};

fn watched(world: &World) -> (Arc<CatalogIndex>, Watch) {
    let files = FileStore::new(vec![Root::given(Layer::Personal, world.path().join("skills"))]);
    let store = Arc::new(files.clone());
    let index = Arc::new(CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO));
    let watch = Watch::start(&index, files, WatchSettings::default()).unwrap();
    (index, watch)
}

/// The next update; far more time than it ever takes.
fn next(updates: &mut Subscription) -> Update {
    updates.recv_timeout(Duration::from_secs(20)).unwrap().expect("an update")
}

#[test]
fn a_change_whose_event_the_system_lost_arrives_all_the_same() {
    // D7
    let world = World::new();
    world.skill("skills", "a", "First.");
    let (index, watch) = watched(&world);
    let mut updates = index.subscribe();
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events");
    let limit = limit.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(16_384);
    {
        let _held = watch.pending.hold_up();
        let (here, there) = (world.path().join("skills/x"), world.path().join("skills/y"));
        fs::write(&here, "no skill").unwrap();
        for _ in 0..limit / 4 + 1000 {
            fs::rename(&here, &there).unwrap();
            fs::rename(&there, &here).unwrap();
        }
        // The queue is full: nobody will be told of this one.
        world.skill("skills", "b", "Second.");
    }
    let update = next(&mut updates);
    assert_eq!(update.change.added.len(), 1);
    // And it is watched from then on.
    fs::remove_dir_all(world.path().join("skills/b")).unwrap();
    assert_eq!(next(&mut updates).change.removed.len(), 1);
}

#[test]
fn a_watch_that_fails_later_goes_on_in_intervals() {
    // D7
    let world = World::new();
    world.skill("skills", "a", "First.");
    let (index, watch) = watched(&world);
    assert_eq!(watch.watching(), Watching::Live { directories: 3 });
    watch.pending.failed(WatchError::SystemLimit);
    while matches!(watch.watching(), Watching::Live { .. }) {
        std::thread::yield_now();
    }
    let every = WatchSettings::default().poll;
    assert_eq!(watch.watching(), Watching::Polling { why: WatchError::SystemLimit, every });
    let mut updates = index.subscribe();
    world.skill("skills", "b", "Second.");
    assert_eq!(next(&mut updates).change.added.len(), 1);
}
