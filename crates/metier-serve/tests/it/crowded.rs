//! Many who come at once, by themselves or all of one client: the others are served.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use metier_serve::http::{Badge, Gate, Token};
use metier_serve::limits::{MAX_CONNECTIONS, MAX_MESSAGE_BYTES, MAX_STREAMS};
use serde_json::json;

use crate::ground::Ground;
use crate::served::{Answer, Served, TOKEN};

/// Nobody who keeps silent is hung up on while a test lasts.
const FOR_EVER: Duration = Duration::from_secs(3600);

fn token(name: &str) -> String {
    format!("the-token-that-{name}-has")
}

/// A server that knows alice and bob apart, and everybody else by one token.
fn served() -> Served {
    let badge =
        |name: &str| Badge { section: name.into(), token: Token::parse(&token(name)).unwrap() };
    let master = Some(Token::parse(TOKEN).unwrap());
    let gate =
        Gate { token: master, badges: vec![badge("alice"), badge("bob")], ..Gate::default() };
    Served::with(&Arc::new(Ground::usual()), gate, FOR_EVER)
}

/// The bytes of a request of `name` with this body.
fn request(line: &str, name: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        token(name),
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Asks, and keeps the connection: with it, the status of the answer.
fn asked(server: &Served, line: &str, name: &str, body: &[u8]) -> (TcpStream, u16) {
    let mut stream = server.connect();
    stream.write_all(&request(line, name, body)).unwrap();
    let mut answer = [0; 512];
    let count = stream.read(&mut answer).unwrap();
    let status = Answer::parse(&answer[..count]).status;
    (stream, status)
}

#[test]
fn who_shows_no_token_keeps_nobody_out_who_does() {
    // U3, F4
    let server = served();
    let mut crowd = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        let mut stream = server.connect();
        stream.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n").unwrap();
        crowd.push(stream);
    }
    let mut kept = Vec::new();
    for _ in 0..8 {
        let (stream, status) = asked(&server, "POST /v1/status", "alice", b"{}");
        assert_eq!(status, 200);
        kept.push(stream);
    }
    let mut rest = Vec::new();
    let first = crowd[0].read_to_end(&mut rest);
    assert!(first.is_err() || rest.is_empty(), "who came first gives way: {rest:?}");
    let mut last = crowd.pop().unwrap();
    last.write_all(b"\r\n").unwrap();
    last.read_to_end(&mut rest).unwrap();
    assert_eq!(Answer::parse(&rest).status, 200, "and nobody for nothing");
}

#[test]
fn more_clients_than_there_are_seats_wait_their_turn() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    let ask = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let idle: Vec<_> = (0..MAX_CONNECTIONS)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(ask).unwrap();
            let mut byte = [0; 512];
            assert!(stream.read(&mut byte).unwrap() > 0, "everybody is served and stays");
            stream
        })
        .collect();
    let mut late = server.connect();
    late.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    late.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut byte = [0];
    assert!(late.read(&mut byte).is_err(), "every seat is taken");
    drop(idle);
    late.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut answer = Vec::new();
    late.read_to_end(&mut answer).unwrap();
    assert_eq!(Answer::parse(&answer).status, 200);
}

#[test]
fn one_client_does_not_have_all_connections() {
    // U3, F4
    let server = served();
    let alice: Vec<_> =
        (0..MAX_CONNECTIONS).map(|_| asked(&server, "POST /v1/status", "alice", b"{}")).collect();
    let served = alice.iter().filter(|(_, status)| *status == 200).count();
    assert_eq!(served, MAX_CONNECTIONS / 4);
    assert!(alice.iter().all(|(_, status)| [200, 503].contains(status)), "the others hear why");
    assert_eq!(asked(&server, "POST /v1/status", "bob", b"{}").1, 200);
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn one_client_does_not_have_all_streams_of_events() {
    // U3, F4
    let server = served();
    let stream = "GET /v1/events/stream";
    let alice: Vec<_> = (0..MAX_STREAMS).map(|_| asked(&server, stream, "alice", b"")).collect();
    let served = alice.iter().filter(|(_, status)| *status == 200).count();
    assert_eq!(served, MAX_STREAMS / 4);
    assert_eq!(asked(&server, stream, "bob", b"").1, 200);
}

#[test]
fn large_bodies_that_come_slowly_hold_up_neither_each_other_nor_small_ones() {
    // U3, F4
    let server = served();
    let content = "a".repeat(MAX_MESSAGE_BYTES - 100);
    let body = json!({ "tool": "Write", "arguments": { "content": content } }).to_string();
    let bytes = request("POST /v1/guard", "alice", body.as_bytes());
    // Twice as many as there is room for, each with three quarters of its bytes.
    let (early, late) = bytes.split_at(bytes.len() / 4 * 3);
    std::thread::scope(|scope| {
        let mut go = Vec::new();
        let slow: Vec<_> = (0..8)
            .map(|_| {
                let (sender, told) = channel::<()>();
                go.push(sender);
                let mut stream = server.connect();
                scope.spawn(move || {
                    stream.write_all(early).unwrap();
                    told.recv().unwrap_err();
                    stream.write_all(late).unwrap();
                    let mut answer = [0; 512];
                    let count = stream.read(&mut answer).unwrap();
                    Answer::parse(&answer[..count]).status
                })
            })
            .collect();
        for name in ["alice", "bob"].repeat(10) {
            assert_eq!(asked(&server, "POST /v1/status", name, b"{}").1, 200, "{name}");
        }
        // Only now does the rest come.
        drop(go);
        let answered: Vec<u16> = slow.into_iter().map(|slow| slow.join().unwrap()).collect();
        assert_eq!(answered, [200; 8]);
    });
}

#[test]
fn what_is_small_on_the_wire_and_huge_in_memory_is_refused_on_every_route() {
    // U3, F4
    let server = served();
    let lists = vec!["[[[[[[[[]]]]]]]]"; 200_000].join(",");
    let arguments = format!(r#"{{"tool":"x","arguments":{{"a":[{lists}]}}}}"#);
    let (_, status) = asked(&server, "POST /v1/guard", "alice", arguments.as_bytes());
    assert_eq!(status, 400);
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"tool_guard","arguments":{arguments}}}}}"#
    );
    let alice = format!("Bearer {}", token("alice"));
    let headers = [
        ("Authorization", alice.as_str()),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    let refused = server.ask("POST /mcp", &headers, message.as_bytes());
    assert_eq!((refused.status, &refused.json()["id"]), (400, &json!(7)));
    assert_eq!(refused.json()["error"]["code"], -32600);
    // What is large and has few values is read as ever.
    let content = "a".repeat(1 << 20);
    let body = json!({ "tool": "Write", "arguments": { "content": content } }).to_string();
    assert_eq!(asked(&server, "POST /v1/guard", "alice", body.as_bytes()).1, 200);
}
