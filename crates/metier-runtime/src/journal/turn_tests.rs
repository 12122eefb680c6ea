use std::sync::atomic::{AtomicU32, Ordering};

use super::Turn;

#[test]
fn one_turn_at_a_time_and_the_next_when_it_ends() {
    // S6
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sessions/s.jsonl");
    let first = Turn::take(&path).unwrap();
    let error = Turn::take_within(&path, 2).unwrap_err();
    assert!(error.to_string().contains("take a turn on"), "{error}");
    drop(first);
    assert!(Turn::take_within(&path, 1).is_ok());
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
                for _ in 0..50 {
                    let _turn = Turn::take(&path).unwrap();
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
    let _first = Turn::take(&folder.path().join("a.jsonl")).unwrap();
    assert!(Turn::take_within(&folder.path().join("b.jsonl"), 1).is_ok());
}
