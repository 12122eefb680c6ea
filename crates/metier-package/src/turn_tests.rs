use super::*;
use crate::fixture::Ground;

#[test]
fn whoever_waits_too_long_is_told_who_has_the_turn() {
    // P5
    let ground = Ground::new();
    let turn = Turn::take(&ground.home).unwrap();
    assert_eq!(turn.left(), None);
    let error = Turn::take_within(&ground.home, 2).unwrap_err();
    let me = format!("process {} (running)", std::process::id());
    assert!(matches!(&error, TurnError::Busy(who) if *who == me), "{error}");
    assert!(matches!(Turn::try_take(&ground.home), Err(TurnError::Busy(_))));
    drop(turn);
    assert_eq!(Turn::try_take(&ground.home).unwrap().left(), None);
}

#[test]
fn an_owner_that_did_not_come_to_an_end_is_seen() {
    // P5
    let ground = Ground::new();
    drop(Turn::take(&ground.home).unwrap());
    let gone = Owner { pid: u32::MAX, start: 1, boot: "before".to_owned() };
    ground.write("home/packages.turn", serde_json::to_vec(&gone).unwrap());
    let turn = Turn::take(&ground.home).unwrap();
    assert_eq!(turn.left(), Some(&gone));
    assert!(!gone.is_alive() && Owner::this().is_alive());
    assert_eq!(gone.to_string(), format!("process {} (gone)", u32::MAX));
    let reused = Owner { start: 1, ..Owner::this() };
    assert!(!reused.is_alive(), "an id that is used again is another process");
}

#[test]
fn a_home_that_cannot_be_made_is_said() {
    // P5
    let ground = Ground::new();
    ground.write("home", "a file");
    assert!(matches!(Turn::take(&ground.home), Err(TurnError::Disk(_))));
}

#[test]
fn only_one_has_the_turn() {
    // P5
    let ground = Ground::new();
    let inside = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    let _turn = Turn::take(&ground.home).unwrap();
                    use std::sync::atomic::Ordering::SeqCst;
                    assert_eq!(inside.fetch_add(1, SeqCst), 0);
                    inside.fetch_sub(1, SeqCst);
                }
            });
        }
    });
}
