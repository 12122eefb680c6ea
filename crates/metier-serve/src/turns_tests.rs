use std::sync::Arc;
use std::task::{Context, Waker};

use super::{Busy, Turns};
use crate::limits::{MAX_CALLS, MAX_CLOSE_LOOKS, MAX_FILE_READS};

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

#[test]
fn who_waits_to_look_closely_takes_no_turn_of_those_who_do_not() {
    // U2, U3
    run(async {
        let turns = Turns::new(false);
        let mut looks = Vec::new();
        for _ in 0..MAX_CLOSE_LOOKS {
            looks.push(turns.close_look(&None).await.ok().unwrap());
        }
        let mut context = Context::from_waker(Waker::noop());
        let mut late = Box::pin(turns.close_look(&None));
        assert!(late.as_mut().poll(&mut context).is_pending());
        assert_eq!(Busy.to_string(), "too much is asked at once; try again");
        assert_eq!(turns.calls.left(), MAX_CALLS - MAX_CLOSE_LOOKS);
        let call = turns.call(&None).await;
        assert!(call.is_ok(), "a quick one comes through");
        looks.pop();
        assert!(late.await.is_ok(), "whoever is done gives it back");
        let mut files = Vec::new();
        for _ in 0..MAX_FILE_READS {
            files.push(turns.file(&None).await.ok().unwrap());
        }
        assert!(Box::pin(turns.file(&None)).as_mut().poll(&mut context).is_pending());
        assert!(turns.call(&None).await.is_ok(), "files have turns of their own");
        drop((looks, call, files));
        assert!(turns.is_idle());
    });
}

#[test]
fn no_client_has_the_turns_of_all() {
    // U2, U3, F4
    run(async {
        let turns = Turns::new(true);
        let (alice, bob) = (Some(Arc::from("alice")), Some(Arc::from("bob")));
        let mut context = Context::from_waker(Waker::noop());
        let look = turns.close_look(&alice).await;
        let mut looks = Box::pin(turns.close_look(&alice));
        assert!(looks.as_mut().poll(&mut context).is_pending());
        let read = turns.large_read(&alice).await;
        let mut reads = Box::pin(turns.large_read(&alice));
        assert!(reads.as_mut().poll(&mut context).is_pending());
        let mut calls = Vec::new();
        while let Ok(call) =
            tokio::time::timeout(std::time::Duration::ZERO, turns.call(&alice)).await
        {
            calls.push(call);
        }
        assert!((1..MAX_CALLS / 2).contains(&calls.len()), "{}", calls.len());
        assert!(turns.close_look(&bob).await.is_ok());
        assert!(turns.large_read(&bob).await.is_ok());
        assert!(turns.call(&None).await.is_ok());
        drop((look, read));
    });
}
