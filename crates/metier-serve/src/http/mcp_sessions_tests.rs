use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use super::Seats;

#[test]
fn whoever_is_silent_for_longest_gives_up_the_seat() {
    // U2, F4
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let seats = Seats::new(LocalSessionManager::default(), 2);
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
