//! Clients that lie, flood, dawdle or vanish.

use std::io::{Read as _, Write as _};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::Duration;

use metier_serve::http::ROUTES;
use metier_serve::limits::{MAX_CONNECTIONS, MAX_MESSAGE_BYTES};
use serde_json::json;

use crate::ground::Ground;
use crate::served::{Answer, Served, TOKEN};

/// A request for every route there is, and for some there are not.
fn requests() -> Vec<String> {
    let mut all = vec!["GET /nowhere".to_owned(), "DELETE /v1/list".to_owned()];
    for route in ROUTES {
        let path = route.path.replace("{session}", "s1").replace("{name}", "list");
        let path = path.replace("{file}", "free.tar.gz");
        assert!(!path.contains('{'), "a new part of a path: {path}");
        all.extend(route.verbs.iter().map(|verb| format!("{} {path}", verb.as_str())));
    }
    all
}

#[test]
fn every_route_of_the_table_is_one_of_the_server_in_the_ways_it_says() {
    // U3, U7
    let server = Served::start(&Arc::new(Ground::usual()));
    for route in ROUTES.iter().filter(|route| !route.path.ends_with("/stream")) {
        for verb in ["GET", "POST", "DELETE", "PUT"] {
            let path = route.path.replace("{session}", "s1").replace("{name}", "list");
            let path = path.replace("{file}", "free.tar.gz");
            let answer = server.ask(&format!("{verb} {path}"), &[], b"");
            assert_ne!(answer.status, 404, "{verb} {path}");
            let can = route.verbs.iter().any(|known| known.as_str() == verb);
            let wrong = answer.status == 405 && answer.refusal().1 == "wrong_method";
            assert_ne!(can, wrong, "{verb} {path}: {answer:?}");
            if wrong {
                let message = answer.json()["error"]["message"].to_string();
                let allowed = answer.head.to_lowercase();
                let allowed = allowed.lines().find(|line| line.starts_with("allow: ")).unwrap();
                for verb in route.verbs.iter().map(|verb| verb.as_str()) {
                    assert!(message.contains(verb), "{verb} {path}: {message}");
                    assert!(allowed.contains(&verb.to_lowercase()), "{verb} {path}: {allowed}");
                }
            }
        }
    }
}

#[test]
fn a_name_that_was_rebound_and_a_page_of_others_get_nothing_on_any_route() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    for route in &requests() {
        let rebound = server.ask(route, &[("Host", "evil.example:7777")], b"");
        assert_eq!(rebound.refusal(), (403, "wrong_host".to_owned()), "{route}");
        assert!(rebound.text().contains("--allow-host"), "whoever started it is told what helps");
        let page = server.ask(route, &[("Origin", "https://evil.example")], b"");
        assert_eq!(page.refusal(), (403, "wrong_origin".to_owned()), "{route}");
        let image = server.ask(route, &[("Sec-Fetch-Site", "cross-site")], b"");
        assert_eq!(image.refusal(), (403, "wrong_origin".to_owned()), "{route}");
    }
    let absolute = server.ask("GET http://evil.example/health", &[], b"");
    assert_eq!(absolute.refusal().1, "wrong_host");
    let without = server.send(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(without.status, 400);
    let own = format!("http://{}", server.address);
    assert_eq!(server.ask("GET /health", &[("Origin", &own)], b"").status, 200);
}

#[test]
fn without_the_token_there_is_nothing_but_health() {
    // U3
    let server = Served::with_token(&Arc::new(Ground::usual()));
    let right = format!("Bearer {TOKEN}");
    let wrong = format!("Bearer {TOKEN}r");
    for route in requests().iter().filter(|route| *route != "GET /health") {
        assert_eq!(server.ask(route, &[], b"").refusal().0, 401, "{route}");
        let given = [("Authorization", wrong.as_str())];
        assert_eq!(server.ask(route, &given, b"").refusal().0, 401, "{route}");
    }
    assert_eq!(server.get("/health").status, 200);
    let listed = server.ask("POST /v1/list", &[("Authorization", right.as_str())], b"");
    assert_eq!(listed.status, 200, "{listed:?}");
}

#[test]
fn who_has_no_token_brings_nothing_and_has_no_lasting_seat() {
    // U3
    let server = Served::with_token(&Arc::new(Ground::usual()));
    let asked = server.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert_eq!(asked.status, 200);
    assert!(asked.head.to_lowercase().contains("connection: close"), "{}", asked.head);
    // The answer comes although the body does not.
    let slow = server
        .send(b"POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194304\r\n\r\nx");
    assert_eq!(slow.status, 400, "{slow:?}");
}

#[test]
fn a_body_that_is_too_large_is_refused_however_it_comes() {
    // U3, F4
    let server = Served::start(&Arc::new(Ground::usual()));
    let json_type = [("Content-Type", "application/json")];
    let told = format!(
        "POST /v1/guard HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
        MAX_MESSAGE_BYTES + 1
    );
    assert_eq!(server.send(told.as_bytes()).status, 413, "by what it says");
    let mut chunked = b"POST /v1/guard HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
        Transfer-Encoding: chunked\r\n\r\n"
        .to_vec();
    let piece = [b"100000\r\n".to_vec(), vec![b'x'; 1 << 20], b"\r\n".to_vec()].concat();
    for _ in 0..5 {
        chunked.extend_from_slice(&piece);
    }
    assert_eq!(server.send(&chunked).status, 413, "by what comes");
    let deep = "[".repeat(100_000);
    let answer = server.ask("POST /v1/guard", &json_type, deep.as_bytes());
    assert_eq!(answer.refusal(), (400, "invalid_arguments".to_owned()));
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn a_request_of_two_lengths_is_refused_and_what_follows_it_is_no_request() {
    // U3, F4
    let server = Served::start(&Arc::new(Ground::usual()));
    let hidden = "POST /v1/end HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for headers in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 5\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
    ] {
        let head = format!("POST /v1/list HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n");
        let first = format!("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n{head}");
        for (sent, most) in [(head, 1), (first, 2)] {
            let answer = server.send(format!("{sent}0\r\n\r\n{hidden}").as_bytes());
            let all = format!("{}\r\n\r\n{}", answer.head, answer.text()).to_lowercase();
            let answers = all.matches("http/1.1 ").count();
            assert!(all.contains("http/1.1 400"), "{headers:?}: {all}");
            assert!((1..=most).contains(&answers), "{headers:?}: {all}");
            assert!(!all.contains("ended"), "{headers:?}: {all}");
        }
    }
    let chunked = "POST /v1/list HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let answer = server.send(format!("{chunked}0\r\n\r\n{hidden}").as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(!answer.text().contains("HTTP/1.1"), "it is the last of its connection: {answer:?}");
}

#[test]
fn who_has_said_everything_and_waits_is_answered() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    for body in ["{\"tool\": \"Read\"}", ""] {
        let path = if body.is_empty() { "list" } else { "guard" };
        let mut stream = server.connect();
        let request = format!(
            "POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = Answer::parse(&answer);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.json().is_object());
    }
}

#[test]
fn what_is_no_http_is_refused_and_the_next_is_served() {
    // U3, F4
    let server = Served::start(&Arc::new(Ground::usual()));
    let long = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(100));
    for bytes in [
        &b"\r\n\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n Host: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n",
        b"POST /v1/list HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/list HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        long.as_bytes(),
        many.as_bytes(),
    ] {
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let status = Answer::parse(&answer).status;
        assert!(status == 0 || (400..500).contains(&status), "{status} for {bytes:?}");
    }
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn clients_that_never_end_their_request_are_hung_up_on_and_keep_nobody_out() {
    // U3
    let host = Arc::new(Ground::usual());
    let server = Served::impatient(&host, Duration::from_millis(500));
    let mut slow = server.connect();
    slow.write_all(b"GET /health HTTP/1.1\r\nHost: loc").unwrap();
    // Half of all seats are taken by others like it.
    let crowd: Vec<_> = (0..MAX_CONNECTIONS / 2)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET / HT").unwrap();
            stream
        })
        .collect();
    assert_eq!(server.get("/health").status, 200, "others are served meanwhile");
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"), "it never asked");
    drop(crowd);
}

#[test]
fn a_client_that_vanishes_takes_nothing_with_it() {
    // U3, J1
    let host = Arc::new(Ground::usual());
    let mut server = Served::start(&host);
    for _ in 0..20 {
        let mut stream = server.connect();
        let body = json!({ "tool": "Read" }).to_string();
        let request = format!(
            "POST /v1/guard HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let _ = stream.shutdown(Shutdown::Both);
    }
    assert_eq!(server.call("guard", "", &json!({ "tool": "Read" })).status, 200);
    server.finish();
    let frames = host.journal.all();
    let seqs: Vec<u64> = frames.iter().map(|frame| frame.seq).collect();
    assert_eq!(seqs, (0..frames.len() as u64).collect::<Vec<_>>(), "one after the other");
}

#[test]
fn a_message_to_mcp_that_is_none_is_answered_as_mcp_answers() {
    // U2, U3, F4
    let server = Served::start(&Arc::new(Ground::usual()));
    let headers =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    for (body, code, id) in [
        ("{", -32700, json!(null)),
        ("not json", -32700, json!(null)),
        ("{}", -32600, json!(null)),
        (r#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, -32600, json!(5)),
    ] {
        let answer = server.ask("POST /mcp", &headers, body.as_bytes());
        assert_eq!(answer.status, 400, "{body}");
        let told = answer.json();
        assert_eq!((&told["error"]["code"], &told["id"]), (&json!(code), &id), "{body}: {told}");
    }
    let other = [("Content-Type", "text/plain"), ("Accept", "application/json, text/event-stream")];
    assert_eq!(server.ask("POST /mcp", &other, b"{").status, 415, "a type that is none of ours");
}
