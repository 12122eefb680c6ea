use std::sync::Arc;
use std::time::Duration;

use metier_sandbox::Cancel;

use super::{Full, Run, Runs};
use crate::limits::{MAX_CLIENT_RUNS, MAX_RUNS};

#[test]
fn a_client_has_its_share_and_all_have_theirs() {
    // U2, R4
    let runs = Arc::new(Runs::default());
    let cancel = Cancel::never();
    let mut held: Vec<Run> =
        (0..MAX_CLIENT_RUNS).map(|_| runs.begin("one", &cancel).ok().unwrap()).collect();
    assert_eq!(runs.begin("one", &cancel).err(), Some(Full::Client));
    assert!(Full::Client.to_string().contains("of this client"));
    for number in held.len()..MAX_RUNS {
        held.push(runs.begin(&number.to_string(), &cancel).ok().unwrap());
    }
    assert_eq!(runs.begin("late", &cancel).err(), Some(Full::All));
    assert!(Full::All.to_string().contains("are running here"));
    held.remove(0);
    assert!(runs.begin("one", &cancel).is_ok(), "one has ended");
}

#[test]
fn who_waits_for_the_end_of_all_waits_until_it_is_there_and_no_longer_than_told() {
    // U2, R4
    let runs = Arc::new(Runs::default());
    runs.settle(Duration::from_secs(3600));
    let run = runs.begin("a", &Cancel::never()).ok().unwrap();
    runs.settle(Duration::ZERO);
    let ends = std::thread::spawn(move || drop(run));
    runs.settle(Duration::from_secs(3600));
    ends.join().unwrap();
}

#[test]
fn what_runs_can_be_ended_together() {
    // U2, R4
    let runs = Arc::new(Runs::default());
    let (one, two) = (Cancel::new().unwrap(), Cancel::new().unwrap());
    let _held = (runs.begin("a", &one).ok(), runs.begin("b", &two).ok());
    assert!(!one.is_thrown());
    runs.end();
    assert!(one.is_thrown() && two.is_thrown());
    assert_eq!(runs.begin("c", &Cancel::never()).err(), Some(Full::All), "and nothing begins");
}
