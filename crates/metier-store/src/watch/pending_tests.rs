use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::super::tree::Concern;
use super::super::{WatchError, Watching};
use super::Pending;
use crate::layer::RootId;
use crate::store::Location;

const MOMENT: Duration = Duration::from_millis(1);

fn place(path: &str) -> Concern {
    let at = Location { root: RootId(0), path: Path::new(path).into() };
    Concern { places: vec![at], roots: Vec::new() }
}

#[test]
fn what_happens_many_times_is_told_once() {
    // D7
    let pending = Pending::default();
    for _ in 0..1000 {
        pending.add(place("a"));
        pending.add(place("b"));
        pending.add(Concern { places: Vec::new(), roots: vec![RootId(3)] });
        pending.add(Concern::default());
    }
    let batch = pending.next(MOMENT, MOMENT).unwrap();
    assert_eq!((batch.places.len(), batch.roots.len()), (2, 1));
    assert!(!batch.lost && batch.failed.is_none());
}

#[test]
fn whatever_goes_on_a_batch_comes_in_the_end() {
    // D7
    let pending = Arc::new(Pending::default());
    let noisy = Arc::clone(&pending);
    pending.add(place("a"));
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    // Something happens all the time, so there is never quiet.
    let noise = std::thread::spawn(move || {
        while stopped.try_recv().is_err() {
            noisy.add(place("noise"));
        }
    });
    let batch = pending.next(Duration::from_secs(3600), Duration::from_millis(50)).unwrap();
    stop.send(()).unwrap();
    noise.join().unwrap();
    assert!(batch.places.len() <= 2 && !batch.places.is_empty());
}

#[test]
fn losses_and_failures_are_told() {
    // D7
    let pending = Pending::default();
    pending.lost();
    pending.failed(WatchError::SystemLimit);
    let batch = pending.next(MOMENT, MOMENT).unwrap();
    assert!(batch.lost);
    assert_eq!(batch.failed, Some(WatchError::SystemLimit));
    pending.add(place("later"));
    let batch = pending.next(MOMENT, MOMENT).unwrap();
    assert!(!batch.lost && batch.failed.is_none() && batch.places.len() == 1);
}

#[test]
fn being_told_to_stop_ends_every_wait() {
    // D7
    let pending = Arc::new(Pending::default());
    let waiting = Arc::clone(&pending);
    let forever = Duration::from_secs(3600);
    let thread = std::thread::spawn(move || waiting.next(forever, forever).is_none());
    pending.stop();
    assert!(thread.join().unwrap());
    assert!(!pending.sleep(forever));
    pending.add(place("a"));
    assert!(pending.next(forever, forever).is_none());
}

#[test]
fn how_changes_are_noticed_is_kept() {
    // D7
    let pending = Pending::default();
    let polling = Watching::Polling { why: WatchError::TooMany { limit: 3 }, every: MOMENT };
    pending.set_watching(polling.clone());
    assert_eq!(pending.watching(), polling);
}
