use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{CatalogIndex, Closed, IndexSettings, Patch, lock};
use crate::catalog::Catalog;
use crate::digest::Tree;
use crate::discover::{Discovery, ScanLimits};
use crate::fixture::Fixture;
use crate::layer::{Layer, Root, RootId};
use crate::store::{FileStamp, LoadError, Location, ReadError, Resource, Skill, Store, TreeError};

const SECOND: Duration = Duration::from_secs(1);
const START: Duration = Duration::from_secs(1000);

/// An application's own store: what it holds is set from outside, looking at it is counted, and may
/// be made to wait.
#[derive(Default)]
struct Shelf {
    skills: Mutex<Discovery>,
    looks: AtomicUsize,
    gate: Mutex<Option<(Sender<()>, Receiver<()>)>>,
}

impl Store for Shelf {
    fn roots(&self) -> &[Root] {
        &[]
    }

    fn discover(&self, _: &ScanLimits) -> Discovery {
        self.looks.fetch_add(1, Ordering::SeqCst);
        let skills = lock(&self.skills).clone();
        if let Some((entered, leave)) = &*lock(&self.gate) {
            entered.send(()).unwrap();
            leave.recv().unwrap();
        }
        skills
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        Err(LoadError::NotFound(at.path.to_path_buf()))
    }

    fn read(&self, _: &Location, path: &str, _: u64) -> Result<Resource, ReadError> {
        Err(ReadError::NotFound(path.to_owned()))
    }

    fn stamp(&self, _: &Location, _: &str) -> Option<FileStamp> {
        None
    }

    fn directory(&self, _: &Location) -> Option<PathBuf> {
        None
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        Err(TreeError::NotFound(at.path.to_path_buf()))
    }
}

impl Shelf {
    fn put(&self, names: &[&str]) {
        *lock(&self.skills) = shelf(names);
    }

    fn looks(&self) -> usize {
        self.looks.load(Ordering::SeqCst)
    }
}

fn shelf(names: &[&str]) -> Discovery {
    let empty = Fixture::new().root(Layer::Personal, "/shelf");
    names.iter().fold(empty, |fixture, name| fixture.skill(name)).discovery
}

fn index(names: &[&str]) -> (Arc<Shelf>, Arc<CatalogIndex>) {
    let store = Arc::new(Shelf::default());
    store.put(names);
    let index = CatalogIndex::new(Arc::clone(&store) as _, IndexSettings::default(), START);
    (store, Arc::new(index))
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.entries.iter().map(|entry| entry.name().as_str()).collect()
}

#[test]
fn a_catalog_is_good_until_its_time_is_over() {
    // D7
    let (store, index) = index(&["a"]);
    store.put(&["a", "b"]);
    let ttl = index.settings().ttl;
    assert_eq!(ttl, Duration::from_secs(300));
    assert_eq!(names(&index.get(START)), ["a"]);
    assert_eq!(names(&index.get(START + ttl - SECOND)), ["a"]);
    assert_eq!(store.looks(), 1);
    assert_eq!(names(&index.get(START + ttl)), ["a", "b"]);
    assert_eq!(names(&index.get(START + ttl + SECOND)), ["a", "b"]);
    assert_eq!(store.looks(), 2);
    // A clock that jumps back makes nothing old.
    assert_eq!(names(&index.get(Duration::ZERO)), ["a", "b"]);
    assert_eq!(store.looks(), 2);
}

#[test]
fn an_invalid_catalog_is_built_anew_when_it_is_asked_for() {
    // D7
    let (store, index) = index(&["a"]);
    store.put(&["b"]);
    index.invalidate();
    index.invalidate();
    assert_eq!(store.looks(), 1);
    assert_eq!(names(&index.latest()), ["a"]);
    assert_eq!(names(&index.get(START)), ["b"]);
    assert_eq!(names(&index.get(START)), ["b"]);
    assert_eq!(store.looks(), 2);
}

#[test]
fn refreshing_says_what_changed() {
    // D7
    let (store, index) = index(&["a", "b"]);
    store.put(&["b", "c"]);
    let change = index.refresh(START);
    let text = |names: &[metier_format::SkillName]| {
        names.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!((text(&change.added), text(&change.removed)), (vec!["c".into()], vec!["a".into()]));
    assert!(index.refresh(START).is_empty());
}

#[test]
fn readers_get_the_old_catalog_while_another_thread_builds() {
    // D7
    let (store, index) = index(&["a"]);
    let (entered_send, entered) = channel();
    let (leave, leave_recv) = channel();
    *lock(&store.gate) = Some((entered_send, leave_recv));
    store.put(&["b"]);
    index.invalidate();
    std::thread::scope(|scope| {
        let builder = scope.spawn(|| index.get(START));
        entered.recv().unwrap();
        // The builder now waits inside the store; nobody else does.
        for _ in 0..100 {
            assert_eq!(names(&index.get(START)), ["a"]);
        }
        // Declared invalid while files are being read: what is being built is old already.
        index.invalidate();
        leave.send(()).unwrap();
        assert_eq!(names(&builder.join().unwrap()), ["b"]);
        *lock(&store.gate) = None;
    });
    assert_eq!(store.looks(), 2);
    store.put(&["c"]);
    assert_eq!(names(&index.get(START)), ["c"]);
}

#[test]
fn many_threads_may_read_refresh_and_patch_at_once() {
    // D7
    let (store, index) = index(&["a"]);
    let keeper = index.keep();
    let mut subscription = index.subscribe();
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let (store, index, keeper) = (&store, &index, &keeper);
            scope.spawn(move || {
                for round in 0..50 {
                    match (thread + round) % 4 {
                        0 => store.put(&["a", "b"]),
                        1 => drop(index.refresh(START)),
                        2 => keeper.apply(vec![]),
                        _ => index.invalidate(),
                    }
                    let catalog = index.get(START + SECOND * round);
                    assert!(names(&catalog).contains(&"a"));
                }
            });
        }
    });
    index.refresh(START);
    assert_eq!(names(&index.latest()), ["a", "b"]);
    let update = subscription.try_recv().unwrap().unwrap();
    assert_eq!(names(&update.catalog), ["a", "b"]);
}

#[test]
fn a_slow_subscriber_hears_of_everything_at_once() {
    // D7
    let (store, index) = index(&["a", "b"]);
    let mut subscription = index.subscribe();
    assert!(subscription.try_recv().unwrap().is_none());
    for names in [&["a", "b", "c"][..], &["b", "c", "d"], &["b", "d"]] {
        store.put(names);
        index.refresh(START);
    }
    let update = subscription.try_recv().unwrap().unwrap();
    let (added, removed) = (&update.change.added, &update.change.removed);
    assert_eq!(added.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["d"]);
    assert_eq!(removed.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(names(subscription.known()), ["b", "d"]);
    assert!(subscription.try_recv().unwrap().is_none());
}

#[test]
fn a_catalog_that_is_the_same_tells_nobody() {
    // D7
    let (store, index) = index(&["a"]);
    let mut subscription = index.subscribe();
    index.refresh(START);
    assert!(subscription.recv_timeout(Duration::ZERO).unwrap().is_none());
    // There and back again is no change either.
    store.put(&["a", "b"]);
    index.refresh(START);
    store.put(&["a"]);
    index.refresh(START);
    assert!(subscription.try_recv().unwrap().is_none());
}

#[test]
fn a_waiting_subscriber_is_woken_by_a_change_and_by_the_end() {
    // D7
    let (store, index) = index(&["a"]);
    let mut subscription = index.subscribe();
    let waiting = std::thread::spawn(move || {
        let first = subscription.recv().map(|update| update.change.added.len());
        (first, subscription.recv().map(|update| update.change.added.len()))
    });
    store.put(&["a", "b", "c"]);
    index.refresh(START);
    // The thread may not have been waiting yet; it hears of the change either way, and then of
    // the end, once it has taken the change.
    drop(index);
    assert_eq!(waiting.join().unwrap(), (Ok(2), Err(Closed)));
}

#[test]
fn a_keeper_replaces_a_part_without_looking_at_the_store() {
    // D7
    let (store, index) = index(&["a", "b", "c"]);
    let keeper = index.keep();
    let looks = store.looks();
    let mut subscription = index.subscribe();
    let at = |name: &str| Location { root: RootId(0), path: Path::new(name).into() };
    let gone = Patch { at: at("b"), part: Discovery::default() };
    let new = Patch { at: at("d"), part: shelf(&["d"]) };
    keeper.apply(vec![gone, new]);
    assert_eq!(names(&index.latest()), ["a", "c", "d"]);
    assert_eq!(store.looks(), looks);
    let change = subscription.try_recv().unwrap().unwrap().change;
    assert_eq!((change.added.len(), change.removed.len(), change.changed.len()), (1, 1, 0));
    assert_eq!(keeper.look(|kept| kept.found.len()), Some(3));
    // A whole scan forgets patches.
    keeper.reload();
    assert_eq!(names(&index.latest()), ["a", "b", "c"]);
}

#[test]
fn what_is_kept_is_let_go_with_the_last_keeper() {
    // D7, N3
    let (_, index) = index(&["a"]);
    let first = index.keep();
    let second = index.keep();
    drop(first);
    assert!(lock(&index.workshop).kept.is_some());
    index.refresh(START);
    assert!(second.look(|kept| kept.found.len()) == Some(1));
    drop(second);
    assert!(lock(&index.workshop).kept.is_none());
    index.refresh(START);
    assert!(lock(&index.workshop).kept.is_none());
}
