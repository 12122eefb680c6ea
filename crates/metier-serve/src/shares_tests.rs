use std::sync::Arc;

use super::{Shares, Whose};
use crate::turns::Busy;

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

fn known(name: &str) -> Whose {
    Some(Arc::from(name))
}

#[test]
fn one_of_several_clients_has_its_part_and_no_more() {
    // U3, F4
    let shares = Shares::new(8, true);
    assert_eq!(shares.share, 2);
    let (alice, bob) = (known("alice"), known("bob"));
    let taken: Vec<_> = (0..2).map(|_| shares.try_take(&alice).unwrap()).collect();
    assert_eq!(shares.try_take(&alice).unwrap_err(), Busy);
    assert!(shares.try_take(&bob).is_ok() && shares.try_take(&None).is_ok(), "others have theirs");
    drop(taken);
    assert!(shares.try_take(&alice).is_ok() && shares.is_untouched());
}

#[test]
fn a_client_that_is_alone_may_have_everything() {
    // U3
    let shares = Shares::new(3, false);
    let taken: Vec<_> = (0..3).map(|_| shares.try_take(&None).unwrap()).collect();
    assert_eq!((shares.try_take(&None).unwrap_err(), shares.left()), (Busy, 0));
    drop(taken);
    assert_eq!(Shares::new(3, true).share, 1, "of few things everybody may have one");
}

#[test]
fn who_waits_for_their_own_part_keeps_nobody_waiting() {
    // U3, F4
    run(async {
        let shares = Shares::new(8, true);
        let now = tokio::time::Instant::now();
        let (alice, bob) = (known("alice"), known("bob"));
        let mut held = shares.take(&alice, 2, now).await.unwrap();
        assert_eq!(shares.take(&alice, 1, now).await.unwrap_err(), Busy);
        assert_eq!(shares.left(), 6);
        assert!(shares.take(&bob, 100, now).await.is_ok(), "nothing is too large for ever");
        held.keep(1);
        assert_eq!(shares.left(), 7);
        assert!(shares.take(&alice, 1, now).await.is_ok(), "what is given back can be had");
        held.keep(5);
        drop(held);
        assert!(shares.is_untouched());
    });
}
