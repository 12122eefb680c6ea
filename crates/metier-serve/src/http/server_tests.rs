#![expect(clippy::disallowed_methods, reason = "tests open what is no socket")]

use std::fs::File;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::time::Duration;

use super::{HttpError, Stop, is_a_strangers, serve};
use crate::Dialect;
use crate::held_up::held_up;
use crate::http::{Gate, HttpSetup};
use crate::starved::starved;
use crate::unopened::Unopened;

fn served(socket: TcpListener) -> Result<(), HttpError> {
    let host = Unopened::empty();
    let session = "default".to_owned();
    let (gate, header_time) = (Gate::default(), Duration::from_secs(1));
    let setup = HttpSetup { session, dialect: Dialect::Plain, gate, header_time };
    serve(socket, host, setup, &Stop::default())
}

#[test]
fn what_is_no_socket_is_not_listened_to() {
    // U3
    let file = OwnedFd::from(File::open("/proc/self/status").unwrap());
    let error = served(TcpListener::from(file)).unwrap_err();
    assert!(matches!(error, HttpError::Listen(_)), "{error:?}");
}

#[test]
fn where_the_system_gives_nothing_to_wait_with_nothing_is_served() {
    // U3
    let test = "http::server::tests::where_the_system_gives_nothing_to_wait_with_nothing_is_served";
    let listen = || TcpListener::bind("127.0.0.1:0").unwrap();
    starved(test, listen, |listener| {
        let error = served(listener).unwrap_err();
        assert!(matches!(error, HttpError::Runtime(_)), "{error:?}");
    });
}

#[test]
fn a_switch_that_is_thrown_stays_thrown() {
    // U3
    let stop = Stop::default();
    assert!(!stop.is_stopping());
    stop.clone().stop();
    stop.stop();
    assert!(stop.is_stopping());
}

#[test]
fn whose_a_connection_is_is_looked_up_where_it_holds_up_nobody() {
    // U3
    held_up(async |free| {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, address) = listener.accept().await.unwrap();
        let mut own = std::pin::pin!(is_a_strangers(&stream, address));
        let early = tokio::time::timeout(Duration::from_millis(20), own.as_mut()).await;
        assert!(early.is_err(), "it was looked up on the thread that serves");
        drop(free);
        assert!(!own.await, "it is this very user's");
        assert!(is_a_strangers(&stream, "127.0.0.1:1".parse().unwrap()).await);
        drop(client);
    });
}
