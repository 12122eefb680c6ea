use std::time::Duration;

use super::{Busy, Turns, permit};
use crate::limits::{MAX_CALLS, MAX_CLOSE_LOOKS, MAX_FILE_READS};

#[test]
fn who_waits_to_look_closely_takes_no_turn_of_those_who_do_not() {
    // U2, U3
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let turns = Turns::default();
        let mut looks = Vec::new();
        for _ in 0..MAX_CLOSE_LOOKS {
            looks.push(turns.close_look().await.ok().unwrap());
        }
        let now = Duration::ZERO;
        assert_eq!(permit(&turns.close, now).await.err(), Some(Busy));
        assert_eq!(Busy.to_string(), "too much is asked at once; try again");
        assert_eq!(turns.calls.available_permits(), MAX_CALLS - MAX_CLOSE_LOOKS);
        let call = turns.call().await;
        assert!(call.is_ok(), "a quick one comes through");
        looks.pop();
        assert!(permit(&turns.close, now).await.is_ok(), "whoever is done gives it back");
        let mut files = Vec::new();
        for _ in 0..MAX_FILE_READS {
            files.push(turns.file().await.ok().unwrap());
        }
        assert_eq!(permit(&turns.files, now).await.err(), Some(Busy), "files have turns too");
        assert!(turns.call().await.is_ok());
    });
}
