use std::sync::Arc;

use super::Seats;
use crate::mcp::sdk::{LocalSessionManager, SessionManager as _};

#[test]
fn whoever_is_silent_for_longest_gives_up_the_seat() {
    // U2, F4
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let seats = Seats::new(LocalSessionManager::default(), 2, Arc::default());
        let (first, _one) = seats.create_session().await.unwrap();
        let (second, _two) = seats.create_session().await.unwrap();
        assert!(seats.has_session(&first).await.unwrap());
        let (third, _three) = seats.create_session().await.unwrap();
        assert!(!seats.has_session(&second).await.unwrap(), "the first had been asked for since");
        assert!(seats.has_session(&first).await.unwrap());
        assert!(seats.has_session(&third).await.unwrap());
        // A seat that is given back is free, and asking for a session that is none takes no seat.
        seats.close_session(&first).await.unwrap();
        assert!(!seats.has_session(&first).await.unwrap());
        let (fourth, _four) = seats.create_session().await.unwrap();
        assert!(seats.has_session(&third).await.unwrap());
        assert!(seats.has_session(&fourth).await.unwrap());
        assert_eq!(seats.inner.sessions.read().await.len(), 2);
    });
}

#[test]
fn a_session_listens_for_as_long_as_it_has_a_stream() {
    // U2, F4
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let streams = Arc::<crate::mcp::Streams>::default();
        let seats = Seats::new(LocalSessionManager::default(), 2, Arc::clone(&streams));
        let (session, _one) = seats.create_session().await.unwrap();
        assert!(!streams.is_open(&session), "who only asks does not listen");
        let (first, second) = (streams.open(&session), streams.open(&session));
        drop(first);
        assert!(streams.is_open(&session), "there is another");
        drop(second);
        assert!(!streams.is_open(&session));
        let inner = nothing();
        let stream = seats.listened(&session, inner);
        assert!(streams.is_open(&session));
        drop(stream);
        assert!(!streams.is_open(&session));
    });
}

/// A stream of nothing.
fn nothing() -> impl futures_core::Stream<Item = ()> {
    struct Nothing;
    impl futures_core::Stream for Nothing {
        type Item = ();
        fn poll_next(
            self: std::pin::Pin<&mut Self>,
            _: &mut std::task::Context<'_>,
        ) -> std::task::Poll<Option<()>> {
            std::task::Poll::Ready(None)
        }
    }
    Nothing
}
