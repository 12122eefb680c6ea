//! The journal as a stream of events.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::ground::Ground;
use crate::served::Served;

/// A client that follows.
struct Follower(BufReader<TcpStream>);

impl Follower {
    fn start(server: &Served, after: Option<u64>) -> Self {
        let mut stream = server.connect();
        let resume = after.map(|id| format!("Last-Event-ID: {id}\r\n")).unwrap_or_default();
        let path = "GET /v1/sessions/s1/events/stream HTTP/1.1";
        write!(stream, "{path}\r\nHost: localhost\r\n{resume}\r\n").unwrap();
        Self(BufReader::new(stream))
    }

    /// The next event: its number and its frame. None when the stream has ended.
    fn next(&mut self) -> Option<(u64, Value)> {
        let mut id = None;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end();
            if let Some(number) = line.strip_prefix("id: ") {
                id = number.parse().ok();
            }
            if let (Some(data), Some(id)) = (line.strip_prefix("data: "), id) {
                return Some((id, serde_json::from_str(data).unwrap()));
            }
        }
    }
}

fn guard(server: &Served) {
    let ruled = server.call("guard", "s1", &json!({ "tool": "Read" }));
    assert_eq!(ruled.status, 200);
}

#[test]
fn a_follower_hears_every_frame_once_and_goes_on_where_it_was() {
    // U3, J1
    let server = Served::start(&Arc::new(Ground::usual()));
    guard(&server);
    let mut first = Follower::start(&server, None);
    let (id, frame) = first.next().unwrap();
    assert_eq!((id, &frame["type"], &frame["seq"]), (0, &json!("session_started"), &json!(0)));
    while first.next().unwrap().1["type"] != "tool_execution_in_skill" {}
    guard(&server);
    let (last, frame) = first.next().unwrap();
    assert_eq!(frame["type"], "tool_execution_in_skill", "what comes later is heard");
    drop(first);
    guard(&server);
    guard(&server);
    let mut second = Follower::start(&server, Some(last));
    assert_eq!(second.next().unwrap().0, last + 1, "what came meanwhile is not lost");
    assert_eq!(second.next().unwrap().0, last + 2);
    let odd = server.ask("GET /v1/events/stream", &[("Last-Event-ID", "x")], b"");
    assert_eq!(odd.refusal(), (400, "bad_request".to_owned()));
}

#[test]
fn a_follower_that_vanishes_frees_its_place() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    guard(&server);
    for _ in 0..10 {
        let mut gone = Follower::start(&server, None);
        gone.next().unwrap();
    }
    let streams = || {
        let text = server.get("/metrics").text();
        let line = text.lines().find_map(|line| line.strip_prefix("metier_http_event_streams "));
        line.unwrap().parse::<u64>().unwrap()
    };
    while streams() > 0 {
        guard(&server);
    }
}

#[test]
fn a_stop_ends_streams_after_what_was_written_was_told() {
    // U3, J1
    let host = Arc::new(Ground::usual());
    let mut server = Served::start(&host);
    guard(&server);
    let mut follower = Follower::start(&server, None);
    follower.next().unwrap();
    for _ in 0..5 {
        guard(&server);
    }
    server.finish();
    let mut heard = 1;
    while follower.next().is_some() {
        heard += 1;
    }
    assert_eq!(heard, host.journal.all().len());
}
