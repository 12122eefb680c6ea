//! MCP over HTTP, by hand.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use metier_serve::Host as _;
use metier_serve::mcp::SESSION_KEY;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::ground::{Ground, run, skill, stateless};
use crate::served::Served;

struct Answer {
    status: u16,
    session: Option<String>,
    body: String,
}

impl Answer {
    /// The message in the body, which is JSON or an event stream with one in it.
    fn message(&self) -> Value {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        let parsed = |text: &str| serde_json::from_str::<Value>(text.trim()).ok();
        let message = parsed(&self.body).or_else(|| events.filter_map(parsed).next_back());
        message.unwrap_or_else(|| panic!("no message in {:?}", self.body))
    }
}

/// One request on a connection of its own, answered whole.
async fn post(address: SocketAddr, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let mut head = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
        body.len()
    );
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // A server that refuses early may close before everything is written.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes()).await;
    let mut bytes = Vec::new();
    // A server that refuses early may reset the connection; what it said before counts.
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    let session = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("mcp-session-id").then(|| value.trim().to_owned())
    });
    Answer { status, session, body: body.to_owned() }
}

fn request(id: u64, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn hello() -> String {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    });
    request(0, "initialize", params)
}

/// A client with a handshake, by its session's id.
async fn begin(address: SocketAddr) -> String {
    let answer = post(address, &[], &hello()).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let session = answer.session.unwrap();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let told = post(address, &[("Mcp-Session-Id", &session)], &ready).await;
    assert_eq!(told.status, 202);
    session
}

async fn call(address: SocketAddr, session: &str, tool: &str, arguments: Value) -> Value {
    let body = request(1, "tools/call", json!({"name": tool, "arguments": arguments}));
    let answer = post(address, &[("Mcp-Session-Id", session)], &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.message()["result"]["structuredContent"].clone()
}

#[test]
fn each_client_with_a_handshake_has_a_session_of_its_own() {
    // U2, U3
    run(async {
        let server = Served::start(&Arc::new(Ground::usual()));
        let address = server.address;
        let (one, two) = (begin(address).await, begin(address).await);
        call(address, &one, "skill_activate", json!({"name": "reader"})).await;
        let write = json!({"tool": "Write", "arguments": {}});
        let first = call(address, &one, "tool_guard", write.clone()).await;
        let second = call(address, &two, "tool_guard", write).await;
        assert_eq!((&first["verdict"], &second["verdict"]), (&json!("deny"), &json!("allow")));
    });
}

#[test]
fn who_subscribed_and_listens_later_hears_of_what_changed_meanwhile() {
    // U2, U3
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("one")).unwrap();
    let file = directory.path().join("one/SKILL.md");
    std::fs::write(&file, skill("one", "")).unwrap();
    run(async {
        let server = Served::start(&Arc::new(Ground::on_disk(directory.path())));
        let address = server.address;
        let session = begin(address).await;
        for uri in ["skill://one/SKILL.md", "skill://index.json"] {
            let body = request(2, "resources/subscribe", json!({ "uri": uri }));
            let answer = post(address, &[("Mcp-Session-Id", &session)], &body).await;
            assert_eq!(answer.message()["result"], json!({}), "{}", answer.body);
        }
        let mut changed = skill("one", "");
        changed.extend(b"One more line.\n");
        std::fs::write(&file, changed).unwrap();
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "GET /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\
             Mcp-Session-Id: {session}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut told = String::new();
        let mut part = [0; 4096];
        while !(told.contains("skill://one/SKILL.md") && told.contains("skill://index.json")) {
            let read = stream.read(&mut part);
            let read = tokio::time::timeout(Duration::from_secs(20), read).await;
            let read = read.expect("a notification").unwrap();
            assert!(read > 0, "{told}");
            told.push_str(&String::from_utf8_lossy(&part[..read]));
        }
    });
}

#[test]
fn a_client_that_is_gone_leaves_nothing_behind() {
    // U2, U3
    run(async {
        let host = Arc::new(Ground::lasting());
        let server = Served::start(&host);
        // Once it answers, whatever the server itself keeps of the catalog is kept.
        assert_eq!(server.get("/health").status, 200);
        let held = || Arc::strong_count(&host.index().latest());
        let before = held();
        let mut sessions = Vec::new();
        for _ in 0..3 {
            sessions.push(begin(server.address).await);
        }
        until("everybody hears of changes", || held() >= before + sessions.len()).await;
        for session in &sessions {
            let line = "DELETE /mcp";
            let ended = server.ask(line, &[("Mcp-Session-Id", session.as_str())], b"");
            assert_eq!(ended.status, 204);
        }
        // Nothing changes meanwhile, so that nobody hears of a change that they are gone.
        until("everybody is forgotten", || held() <= before).await;
    });
}

/// Waits until it is so.
async fn until(what: &str, is: impl Fn() -> bool) {
    let wait = async {
        while !is() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect(what);
}

#[test]
fn a_request_without_a_handshake_is_answered_by_itself() {
    // U2, U3
    run(async {
        let server = Served::start(&Arc::new(Ground::usual()));
        let address = server.address;
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/list")];
        let body = request(1, "tools/list", json!({"_meta": stateless(json!({}))}));
        let answer = post(address, &headers, &body).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.message()["result"]["tools"].is_array(), "{}", answer.body);
    });
}

#[test]
fn a_request_that_names_a_level_hears_what_came_of_it() {
    // U2, U3
    run(async {
        let server = Served::start(&Arc::new(Ground::usual()));
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "skill_activate"),
        ];
        for (level, count) in [(Some("debug"), 2), (Some("info"), 1), (None, 0)] {
            let meta = level.map(|level| json!({"io.modelcontextprotocol/logLevel": level}));
            let body = request(
                1,
                "tools/call",
                json!({
                    "name": "skill_activate",
                    "arguments": {"name": "free"},
                    "_meta": stateless(meta.unwrap_or_else(|| json!({}))),
                }),
            );
            let answer = post(server.address, &headers, &body).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            let told = answer.body.matches("notifications/message").count();
            assert_eq!(told, count, "{level:?}: {}", answer.body);
            assert!(answer.message()["result"]["content"].is_array(), "{}", answer.body);
        }
    });
}

#[test]
fn a_page_of_another_origin_and_a_name_of_another_host_are_refused() {
    // U2, U3
    run(async {
        let server = Served::start(&Arc::new(Ground::usual()));
        let address = server.address;
        let own = format!("http://{address}");
        assert_eq!(post(address, &[("Origin", &own)], &hello()).await.status, 200);
        assert_eq!(
            post(address, &[("Origin", "https://evil.example")], &hello()).await.status,
            403
        );
        assert_eq!(post(address, &[("Host", "evil.example")], &hello()).await.status, 403);
    });
}

#[test]
fn what_is_too_large_or_no_message_is_refused_and_the_next_is_served() {
    // U2, F4
    run(async {
        let server = Served::start(&Arc::new(Ground::usual()));
        let address = server.address;
        let huge = "x".repeat(5 << 20);
        assert_eq!(post(address, &[], &huge).await.status, 413);
        for body in ["", "not json", "[]", "{}", "{\"jsonrpc\":\"2.0\"}"] {
            let status = post(address, &[], body).await.status;
            assert!((400..500).contains(&status), "{body}: {status}");
        }
        let stranger = request(1, "tools/list", json!({}));
        let lost = post(address, &[("Mcp-Session-Id", "made-up")], &stranger).await;
        assert_eq!(lost.status, 404);
        begin(address).await;
    });
}

#[test]
fn who_may_name_a_session_does_not_depend_on_where_it_asks() {
    // U2, U3, S6
    run(async {
        let server = Served::start(&Arc::new(Ground::usual()));
        let headers = [
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "skill_status"),
        ];
        for name in ["s1", "claude-code.A1", "chibi-1-2", "codex.a b", "../x", ""] {
            let over_http = server.call("status", name, &json!({}));
            let meta = stateless(json!({ SESSION_KEY: name }));
            let params = json!({"name": "skill_status", "arguments": {}, "_meta": meta});
            let told = post(server.address, &headers, &request(1, "tools/call", params)).await;
            let told = told.message();
            if name.is_empty() {
                // An empty header names nothing, an empty member names that.
                assert_eq!(told["error"]["data"]["code"], "bad_request", "{told}");
                continue;
            }
            let refused = &over_http.json()["error"];
            assert_eq!(refused["code"], told["error"]["data"]["code"], "{name}: {told}");
            assert_eq!(refused["message"], told["error"]["message"], "{name}: {told}");
        }
    });
}
