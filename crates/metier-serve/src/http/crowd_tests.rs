use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};

use super::{Crowd, Seat};
use crate::limits::MAX_CONNECTIONS;
use crate::shares::Whose;

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

fn known(name: &str) -> Whose {
    Some(Arc::from(name))
}

async fn full(crowd: &Arc<Crowd>) -> Vec<Seat> {
    let mut seats = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        seats.push(crowd.sit().await);
    }
    seats
}

/// Which of these are told to leave.
fn wanted(seats: &[Seat]) -> Vec<usize> {
    let mut context = Context::from_waker(Waker::noop());
    let is = |seat: &Seat| pin!(seat.wanted()).poll(&mut context).is_ready();
    let at = seats.iter().map(is).enumerate();
    at.filter_map(|(at, wanted)| wanted.then_some(at)).collect()
}

#[test]
fn when_it_is_full_the_first_who_has_not_shown_who_they_are_gives_way() {
    // U3, F4
    run(async {
        let crowd = Crowd::new(true);
        let mut seats = full(&crowd).await;
        seats[0].is_of(&known("alice")).unwrap();
        assert_eq!(wanted(&seats), [0; 0]);
        let mut late = Box::pin(crowd.sit());
        let mut context = Context::from_waker(Waker::noop());
        assert!(late.as_mut().poll(&mut context).is_pending(), "until that one has left");
        assert_eq!(wanted(&seats), [1], "who is known stays");
        drop(seats.remove(1));
        let late = late.await;
        late.is_of(&known("bob")).unwrap();
        let mut later = Box::pin(crowd.sit());
        assert!(later.as_mut().poll(&mut context).is_pending());
        assert!(seats[1].is_of(&known("bob")).is_err(), "who was told to leave begins nothing");
        assert!(seats[2].is_of(&known("bob")).is_ok());
    });
}

#[test]
fn when_everybody_is_known_who_comes_later_waits() {
    // U3
    run(async {
        let crowd = Crowd::new(false);
        let mut seats = full(&crowd).await;
        for seat in &seats {
            seat.is_of(&None).unwrap();
        }
        let mut late = Box::pin(crowd.sit());
        let mut context = Context::from_waker(Waker::noop());
        assert!(late.as_mut().poll(&mut context).is_pending());
        assert_eq!(wanted(&seats), [0; 0]);
        seats.pop();
        late.await;
    });
}

#[test]
fn one_of_several_clients_has_some_of_the_seats() {
    // U3, F4
    run(async {
        let crowd = Crowd::new(true);
        let seats = full(&crowd).await;
        let alice = seats.iter().take_while(|seat| seat.is_of(&known("alice")).is_ok()).count();
        assert_eq!(alice, MAX_CONNECTIONS / 4);
        assert!(seats[0].is_of(&known("alice")).is_ok(), "who has one may ask on");
        assert!(seats[0].is_of(&known("bob")).is_ok(), "and somebody else on the same");
        assert!(seats[alice].is_of(&known("alice")).is_ok(), "whose seat is free then");
        assert!(seats[alice + 1].is_of(&None).is_ok());
    });
}
