use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use super::Turn;

fn file(path: &Path) -> Arc<File> {
    Arc::new(File::options().create(true).append(true).open(path).unwrap())
}

#[test]
fn one_turn_at_a_time_and_the_next_when_it_ends() {
    // S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let first = Turn::take(&file(&path)).unwrap();
    let error = Turn::take_within(&file(&path), Duration::from_millis(1)).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    drop(first);
    assert!(Turn::take_within(&file(&path), Duration::ZERO).is_ok());
}

#[test]
fn a_turn_ends_with_a_panic_too() {
    // S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let own = file(&path);
    let panicked = std::panic::catch_unwind(|| {
        let _turn = Turn::take(&own).unwrap();
        panic!("in the middle of an act");
    });
    assert!(panicked.is_err());
    assert!(Turn::take_within(&file(&path), Duration::ZERO).is_ok());
}

#[test]
fn nobody_acts_in_the_turn_of_another() {
    // S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let inside = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let own = file(&path);
                for _ in 0..50 {
                    let _turn = Turn::take(&own).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
}

#[test]
fn journals_do_not_wait_for_each_other() {
    // S6
    let folder = tempfile::tempdir().unwrap();
    let _first = Turn::take(&file(&folder.path().join("a.jsonl"))).unwrap();
    let other = file(&folder.path().join("b.jsonl"));
    assert!(Turn::take_within(&other, Duration::ZERO).is_ok());
}
