//! Scripts run for clients of `metier serve`: how many at once, and that they end, with everything
//! they started, when nobody wants them any more.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use metier_testing::World;
use serde_json::{Value, json};

use crate::hermetic;
use crate::serve::Server;

/// Looks before a test gives up: half a minute, long before a script would end by itself.
const LOOKS: usize = 600;

fn world() -> World {
    let world = World::new();
    world.skill("roots/personal", "hello", "Says hello. Use to greet.");
    let script = "#!/bin/sh\n(sleep \"$1\" &)\nsleep \"$1\" &\nwait\nsleep \"$1\"\n";
    world.write("roots/personal/hello/scripts/wait.sh", script);
    world
}

/// How many processes there are that wait for `seconds`, which only one test does.
fn waiting(seconds: &str) -> usize {
    let argument = format!("sleep\0{seconds}\0");
    let processes = std::fs::read_dir("/proc").unwrap();
    let lines = processes
        .filter_map(|process| std::fs::read_to_string(process.ok()?.path().join("cmdline")).ok());
    lines.filter(|line| *line == argument).count()
}

fn until(what: &str, done: impl Fn() -> bool) {
    for _ in 0..LOOKS {
        if done() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(done(), "never: {what}");
}

/// Sends a request and does not wait for the answer.
fn begin(server: &Server, path: &str, headers: &str, body: &Value) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

fn run_of(seconds: &str) -> Value {
    json!({"name": "hello", "script": "wait", "args": [seconds], "timeout": 60})
}

fn call_of(id: u64, seconds: &str, meta: Value) -> Value {
    let params = json!({"name": "script_run", "arguments": run_of(seconds), "_meta": meta});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

fn stateless() -> (&'static str, Value) {
    let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
                   Mcp-Name: script_run\r\n";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    (headers, meta)
}

/// A connection with a handshake, by its id.
fn handshake(server: &Server) -> String {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    let mut answer = String::new();
    let mut stream = begin(server, "/mcp", "Connection: close\r\n", &hello);
    stream.read_to_string(&mut answer).unwrap();
    let id = answer.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    format!("Mcp-Session-Id: {}\r\n", id.unwrap())
}

#[test]
fn a_script_and_what_it_started_end_when_its_client_over_http_is_gone() {
    // U2, U3, R4
    let world = world();
    let server = Server::start(&world, &[]);
    let began = |seconds: &str| until("it runs", || waiting(seconds) >= 2);
    let ended = |seconds: &str| until(&format!("{seconds} ends"), || waiting(seconds) == 0);
    let stream = begin(&server, "/v1/script_run", "", &run_of("3601.125"));
    began("3601.125");
    drop(stream);
    ended("3601.125");
    let (headers, meta) = stateless();
    let stream = begin(&server, "/mcp", headers, &call_of(1, "3602.125", meta));
    began("3602.125");
    drop(stream);
    ended("3602.125");
    let connection = handshake(&server);
    let _stream = begin(&server, "/mcp", &connection, &call_of(2, "3603.125", json!({})));
    began("3603.125");
    let stop = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 2}});
    let headers = format!("{connection}Accept: application/json, text/event-stream\r\n");
    assert_eq!(server.ask("POST /mcp", &headers, &stop.to_string()).0, 202);
    ended("3603.125");
    let _stream = begin(&server, "/mcp", &connection, &call_of(3, "3604.125", json!({})));
    began("3604.125");
    assert_eq!(server.ask("DELETE /mcp", &connection, "").0, 204);
    ended("3604.125");
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_client_that_only_has_nothing_more_to_say_gets_what_its_script_says() {
    // U2, U3
    let world = world();
    world.write("roots/personal/hello/scripts/late.sh", "#!/bin/sh\nsleep 1\necho done\n");
    let server = Server::start(&world, &[]);
    let late = json!({"name": "hello", "script": "late"});
    let mut stream = begin(&server, "/v1/script_run", "", &late);
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("done"), "{answer}");
    assert_eq!(server.stop().0, 0);
}

#[test]
fn a_script_over_mcp_ends_with_the_server() {
    // U2, U3, R4
    let world = world();
    let server = Server::start(&world, &["--session", "s1"]);
    let connection = handshake(&server);
    let _stream = begin(&server, "/mcp", &connection, &call_of(1, "3605.125", json!({})));
    until("it runs", || waiting("3605.125") >= 2);
    assert_eq!(server.stop().0, 0);
    assert_eq!(waiting("3605.125"), 0);
    let printed = hermetic(&world, &["--session", "s1", "events", "--json"]);
    let last: Value = serde_json::from_str(printed.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["payload"]["error"], "cancelled", "{last}");
}

#[test]
fn who_follows_the_journal_hears_of_scripts_that_end_while_the_server_stops() {
    // U3, J1
    let world = world();
    let server = Server::start(&world, &[]);
    let mut follower = TcpStream::connect(&server.address).unwrap();
    follower.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(follower, "GET /v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    // One ends by itself in the time there is, the other is ended; both are recorded.
    let _soon = begin(&server, "/v1/script_run", "", &run_of("1.125"));
    let _never = begin(&server, "/v1/script_run", "", &run_of("3609.125"));
    until("they run", || waiting("1.125") >= 2 && waiting("3609.125") >= 2);
    assert_eq!(server.stop().0, 0);
    let mut told = String::new();
    follower.read_to_string(&mut told).unwrap();
    let data = told.lines().filter_map(|line| line.strip_prefix("data: "));
    let kinds: Vec<String> = data
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .filter_map(|frame| Some(frame["type"].as_str().or(frame["kind"].as_str())?.to_owned()))
        .collect();
    let finished = kinds.iter().filter(|kind| *kind == "script_finished").count();
    assert_eq!(finished, 2, "{kinds:?}");
    let recorded = hermetic(&world, &["events", "--json"]).stdout.lines().count();
    assert_eq!(kinds.len(), recorded, "not a frame is lost: {kinds:?}");
}

#[test]
fn so_many_scripts_run_at_once_and_the_next_one_is_told_so_at_once() {
    // U2, U3, R4
    let world = world();
    let server = Server::start(&world, &[]);
    let run = run_of("3606.125");
    let header = "Metier-Session: busy\r\n";
    let first: Vec<TcpStream> =
        (0..8).map(|_| begin(&server, "/v1/script_run", header, &run)).collect();
    until("they run", || waiting("3606.125") >= 16);
    let (status, body) = server.ask("POST /v1/script_run", header, &run.to_string());
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("8 scripts of this client are running"), "{body}");
    let list = server.ask("POST /v1/list", header, "");
    assert_eq!(list.0, 200, "everything else goes on");
    // Another client has room, until all of it is taken.
    let (headers, meta) = stateless();
    let call = call_of(1, "3607.125", meta);
    let more: Vec<TcpStream> = (0..8).map(|_| begin(&server, "/mcp", headers, &call)).collect();
    until("they run", || waiting("3607.125") >= 16);
    let connection = handshake(&server);
    let (_, body) = server.ask(
        "POST /mcp",
        &format!("{connection}Accept: application/json, text/event-stream\r\n"),
        &call_of(2, "3608.125", json!({})).to_string(),
    );
    assert!(body.contains("16 scripts are running here") && body.contains("busy"), "{body}");
    drop(first);
    until("there is room", || waiting("3606.125") == 0);
    let (_, body) = server.ask("POST /v1/script_run", "", &run_of("0").to_string());
    assert!(body.contains("\"success\":true"), "{body}");
    drop(more);
    until("all is quiet", || waiting("3607.125") == 0);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn the_answer_of_a_script_is_had_by_whoever_comes_back_for_it() {
    // U2, R4
    let world = world();
    let server = Server::start(&world, &[]);
    let connection = handshake(&server);
    let meta = json!({"progressToken": "mine"});
    let call = call_of(7, "2.625", meta);
    let mut lines = BufReader::new(begin(&server, "/mcp", &connection, &call)).lines();
    let id = lines.find_map(|line| line.unwrap().strip_prefix("id: ").map(str::to_owned));
    drop(lines);
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(
        stream,
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{connection}\
         Last-Event-ID: {}\r\n\r\n",
        id.unwrap()
    )
    .unwrap();
    let data = BufReader::new(stream)
        .lines()
        .map(Result::unwrap)
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let answer = data.filter(|message| message["id"] == 7).take(1).next().unwrap();
    assert_eq!(answer["result"]["structuredContent"]["success"], true, "{answer}");
    assert_eq!(server.stop().0, 0);
}
