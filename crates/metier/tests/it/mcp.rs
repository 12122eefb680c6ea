//! `metier mcp`: the real binary at the other end of a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use metier_testing::World;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::{METIER, hermetic};

/// How long an answer may take on a busy machine before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client of one server process.
pub(crate) struct Wire {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: u64,
    notes: Vec<Value>,
}

impl Wire {
    pub(crate) fn start(world: &World, args: &[&str]) -> Self {
        let mut command = world.command(METIER);
        let root = format!("--root=personal={}", world.path().join("roots/personal").display());
        command.args(["--no-default-roots", &root]).args(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let messages = read(child.stdout.take().unwrap());
        let stdin = child.stdin.take();
        let mut wire = Self { child, stdin, messages, next: 0, notes: Vec::new() };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        wire.get("initialize", hello);
        wire.tell("notifications/initialized", json!({}));
        wire
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_ref().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks without waiting, and says under which number.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn get(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message["id"] == id {
                assert!(message["error"].is_null(), "{message}");
                return message["result"].clone();
            }
            self.notes.push(message);
        }
    }

    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.get("tools/call", json!({"name": tool, "arguments": arguments}));
        let data = answer["structuredContent"].clone();
        assert!(!answer["content"][0]["text"].as_str().unwrap().is_empty());
        data
    }

    /// Waits for a notification of this kind.
    pub(crate) fn hear(&mut self, method: &str) -> Value {
        if let Some(at) = self.notes.iter().position(|note| note["method"] == method) {
            return self.notes.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Closes our end; the exit code.
    pub(crate) fn close(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

fn read(stdout: ChildStdout) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let message =
                serde_json::from_str(&line).unwrap_or_else(|_| json!({"not a message": line}));
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    receiver
}

const GREET: &str = "#!/bin/sh\n\
    if [ \"$1\" = --help ]; then echo 'usage: greet NAME'; exit 0; fi\n\
    if [ \"$1\" = fail ]; then echo '{\"partial\": true}'; echo broken >&2; exit 3; fi\n\
    if [ \"$1\" = text ]; then echo plain; exit 0; fi\n\
    echo \"{\\\"hello\\\": \\\"$1\\\"}\"\n";

fn world() -> World {
    let world = World::new();
    world.skill("roots/personal", "hello", "Says hello. Use to greet.");
    let restricted = "---\nname: reader\ndescription: Reads.\nallowed-tools: Read\n---\nRead.\n";
    world.write("roots/personal/reader/SKILL.md", restricted);
    for (script, text) in [("greet.sh", GREET), ("slow.sh", "#!/bin/sh\nsleep 50\n")] {
        world.write(format!("roots/personal/hello/scripts/{script}"), text);
    }
    world
}

#[test]
fn agent_base_gets_its_three_tools_with_its_shapes_and_codes() {
    // U8, R3
    let world = world();
    let mut wire = Wire::start(&world, &["--skills", "all", "mcp", "--dialect", "agent-base"]);
    let tools = wire.get("tools/list", json!({}))["tools"].clone();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["script_list", "script_help", "script_run"]);
    let listed = wire.call("script_list", json!({}));
    assert_eq!(listed["message"], "Found 2 scripts across 1 skills");
    assert_eq!(listed["result"]["hello"][0]["name"], "greet");
    let one = wire.call("script_list", json!({"skill_name": "hello"}));
    assert_eq!(one["message"], "Found 2 scripts in 'hello'");
    let script = |name: &str| json!({"skill_name": "Hello", "script_name": name});
    let help = wire.call("script_help", script("GREET"));
    assert_eq!(help["result"]["usage"], "usage: greet NAME");
    let run = |args: Value| json!({"skill_name": "hello", "script_name": "greet", "args": args});
    let ran = wire.call("script_run", run(json!(["Ada"])));
    assert_eq!((&ran["success"], &ran["result"]), (&json!(true), &json!({"hello": "Ada"})));
    let failed = wire.call("script_run", run(json!(["fail"])));
    assert_eq!((&failed["error"], &failed["exit_code"]), (&json!("execution_failed"), &json!(3)));
    assert_eq!(failed["stdout"], json!({"partial": true}), "what it said is not lost");
    assert_eq!(wire.call("script_run", run(json!(["text"])))["error"], "parse_error");
    let mut plain = run(json!(["text"]));
    plain["json"] = false.into();
    assert_eq!(wire.call("script_run", plain)["result"], "plain\n");
    let check = |wire: &mut Wire, arguments: Value, code: &str, message: &str| {
        let answer = wire.call("script_run", arguments);
        assert_eq!((&answer["success"], &answer["error"]), (&json!(false), &json!(code)));
        assert!(answer["message"].as_str().unwrap().contains(message), "{answer}");
    };
    let missing = json!({"skill_name": "nope", "script_name": "x"});
    check(&mut wire, missing, "not_found", "Skill 'nope' not found");
    check(&mut wire, script("nope"), "not_found", "Script 'nope' not found in skill 'hello'");
    let odd = json!({"skill_name": "../x", "script_name": "x"});
    check(&mut wire, odd, "invalid_name", "");
    check(&mut wire, run(json!(vec!["x"; 101])), "args_too_large", "Too many arguments: 101");
    check(&mut wire, run(json!(["x".repeat(4097)])), "args_too_large", "4097 bytes (max 4096)");
    assert_eq!(wire.close(), 0);
}

#[test]
fn no_skill_is_enabled_for_agent_base_unless_somebody_says_which() {
    // U8, D4
    let world = world();
    let listed = |before: &[&str], dialect: &str| {
        let args = [before, &["mcp", "--dialect", dialect]].concat();
        Wire::start(&world, &args).call("script_list", json!({}))["result"].clone()
    };
    assert_eq!(listed(&[], "agent-base"), json!({}));
    assert_eq!(listed(&["--skills", "none"], "agent-base"), json!({}));
    for enabled in ["all", "hello"] {
        let listed = listed(&["--skills", enabled], "agent-base");
        assert_eq!(listed["hello"][0]["name"], "greet", "{enabled}");
    }
    assert_eq!(listed(&[], "plain")["hello"][0]["name"], "greet", "elsewhere all are");
}

#[test]
fn every_dialect_that_runs_scripts_says_what_came_of_it_in_its_own_way() {
    // U8, R3
    let world = world();
    let mut tavern = Wire::start(&world, &["mcp", "--dialect", "tavern"]);
    let script = |args: Value| json!({"name": "hello", "script": "greet", "args": args});
    let ran = tavern.call("skills_run_script", script(json!(["text"])));
    assert_eq!((&ran["ok"], &ran["data"]["stdout"]), (&json!(true), &json!("plain\n")));
    let failed = tavern.call("skills_run_script", script(json!(["fail"])));
    assert_eq!(failed["errors"][0]["code"], "EXECUTION_FAILED");
    let said = json!({
        "name": "hello", "script": "greet", "stdout": "{\"partial\": true}\n",
        "stderr": "broken", "exit_code": 3,
    });
    assert_eq!(
        (&failed["ok"], &failed["data"]),
        (&json!(false), &said),
        "what it said is not lost"
    );
    let many = tavern.call("skills_run_script", script(json!(vec!["x"; 101])));
    assert_eq!(many["errors"][0]["code"], "ARGUMENT_ERROR");
    let missing = json!({"name": "hello", "script": "nope"});
    let missing = tavern.call("skills_run_script", missing);
    assert_eq!(missing["errors"][0]["code"], "FILE_NOT_FOUND");
    assert_eq!(tavern.close(), 0);
    let mut chibi = Wire::start(&world, &["mcp", "--dialect", "chibi"]);
    let mut say = |script: &str, args: Value| {
        let arguments = json!({"skill": "hello", "script": script, "args": args});
        let call = json!({"name": "run_skill_script", "arguments": arguments});
        chibi.get("tools/call", call)["content"][0]["text"].as_str().unwrap().to_owned()
    };
    assert_eq!(say("scripts/greet.sh", json!(["text"])), "plain");
    let failed = say("greet", json!(["fail"]));
    assert!(failed.contains("[stderr]\nbroken") && failed.ends_with("[exit code: 3]"), "{failed}");
    assert_eq!(say("nope", json!([])), "Error: Script not found: nope");
    assert_eq!(chibi.close(), 0);
    let mut plain = Wire::start(&world, &["mcp"]);
    let ran = plain.call("script_run", script(json!(["text"])));
    assert_eq!(
        ran,
        json!({"success": true, "result": "plain\n", "message": "Executed greet script"})
    );
    assert_eq!(plain.close(), 0);
}

#[test]
fn what_a_script_wrote_is_the_same_on_every_surface() {
    // U2, U8, R3, F1
    let world = world();
    let bytes = "#!/bin/sh\nprintf 'a\\r\\nb\\033[0m\\342\\200\\256\\r\\n'\n";
    world.write("roots/personal/hello/scripts/bytes.sh", bytes);
    let value = "#!/bin/sh\nprintf '{\"k\":\"a\\\\r\\\\nb\\\\u202e\"}'\n";
    world.write("roots/personal/hello/scripts/value.sh", value);
    let text = json!("a\r\nb\u{1b}[0m\u{202e}\r\n");
    let value = json!({"k": "a\r\nb\u{202e}"});
    let cases = [("bytes", false, &text), ("value", true, &value)];
    let mut plain = Wire::start(&world, &["mcp"]);
    let mut agent_base =
        Wire::start(&world, &["--skills", "hello", "mcp", "--dialect", "agent-base"]);
    for (script, json, expect) in cases {
        let run = json!({"name": "hello", "script": script, "json": json});
        assert_eq!(&plain.call("script_run", run)["result"], expect);
        let run = json!({"skill_name": "hello", "script_name": script, "json": json});
        assert_eq!(&agent_base.call("script_run", run)["result"], expect);
        let form: &[&str] = if json { &[] } else { &["--text"] };
        let ran = hermetic(&world, &[&["run", "hello", script, "--json"], form].concat());
        assert_eq!(&ran.json()["result"], expect);
    }
    let mut tavern = Wire::start(&world, &["mcp", "--dialect", "tavern"]);
    let ran = tavern.call("skills_run_script", json!({"name": "hello", "script": "bytes"}));
    assert_eq!(ran["data"]["stdout"], text);
}

#[test]
fn a_running_script_reports_lets_others_through_and_can_be_stopped() {
    // U2, R4
    let world = world();
    let mut wire = Wire::start(&world, &["--session", "s1", "mcp"]);
    let slow = json!({
        "name": "script_run", "arguments": {"name": "hello", "script": "slow"},
        "_meta": {"progressToken": "mine"},
    });
    let id = wire.begin("tools/call", slow);
    let told = wire.hear("notifications/progress");
    assert_eq!(told["params"]["progressToken"], "mine");
    let status = wire.call("skill_status", json!({}));
    assert_eq!(status["session"], "s1", "meanwhile the session answers");
    wire.tell("notifications/cancelled", json!({"requestId": id, "reason": "enough"}));
    // Long before its fifty seconds are over, the journal has its end.
    let finished = loop {
        let events = wire.call("session_events", json!({"limit": 1000}));
        let frames = events["frames"].as_array().unwrap().clone();
        let finished = frames.into_iter().find(|frame| frame["type"] == "script_finished");
        if let Some(finished) = finished {
            break finished;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(finished["payload"]["error"], "cancelled");
    assert_eq!(wire.close(), 0);
}

#[test]
fn what_became_of_a_script_is_recorded_before_the_end_when_its_client_goes_away() {
    // U2, R4, J1
    let world = world();
    let mut wire = Wire::start(&world, &["mcp"]);
    let status = wire.call("skill_status", json!({}));
    let session = status["session"].as_str().unwrap().to_owned();
    wire.begin(
        "tools/call",
        json!({
            "name": "script_run", "arguments": {"name": "hello", "script": "slow"},
            "_meta": {"progressToken": "mine"},
        }),
    );
    wire.hear("notifications/progress");
    assert_eq!(wire.close(), 0);
    let events = hermetic(&world, &["--session", &session, "events", "--json"]);
    let at = |kind: &str| events.stdout.find(&format!("\"{kind}\"")).unwrap_or(usize::MAX);
    let order = [at("script_started"), at("script_finished"), at("session_ended")];
    assert!(order.is_sorted() && at("session_ended") < usize::MAX, "{order:?} {events:?}");
}

/// What the server recorded when it got this signal while a script ran, and its exit code.
fn told_to_end(signal: Signal) -> (Vec<String>, i32) {
    let world = world();
    let mut wire = Wire::start(&world, &["mcp"]);
    let status = wire.call("skill_status", json!({}));
    let session = status["session"].as_str().unwrap().to_owned();
    let slow = json!({
        "name": "script_run", "arguments": {"name": "hello", "script": "slow"},
        "_meta": {"progressToken": "mine"},
    });
    let id = wire.begin("tools/call", slow);
    wire.hear("notifications/progress");
    let pid = Pid::from_raw(wire.child.id().cast_signed()).unwrap();
    kill_process(pid, signal).unwrap();
    // Our end stays open: it is the signal that ends the server.
    let code = wire.child.wait().unwrap().code().unwrap_or(-1);
    let answered = wire.messages.iter().any(|message| message["id"] == id);
    assert!(answered, "who waits is told what became of it");
    let events = hermetic(&world, &["--session", &session, "events", "--json"]);
    let kind = |line: &str| -> Value { serde_json::from_str(line).unwrap() };
    let kinds = events.stdout.lines().map(|line| kind(line)["type"].as_str().unwrap().to_owned());
    (kinds.collect(), code)
}

#[test]
fn a_signal_ends_it_as_the_clients_end_does_and_loses_no_frame() {
    // U2, R4, J1
    for signal in [Signal::TERM, Signal::INT] {
        let (kinds, code) = told_to_end(signal);
        assert_eq!(code, 0, "{kinds:?}");
        let at = |kind: &str| kinds.iter().position(|known| known == kind).unwrap_or(usize::MAX);
        let order = [at("script_started"), at("script_finished"), at("session_ended")];
        assert!(order.is_sorted() && at("session_ended") < usize::MAX, "{kinds:?}");
    }
}

#[test]
fn other_commands_and_the_server_share_a_named_session() {
    // U2, U7, S6
    let world = world();
    let mut wire = Wire::start(&world, &["--session", "s1", "mcp"]);
    wire.call("skill_activate", json!({"name": "reader"}));
    let ruled = hermetic(&world, &["--session", "s1", "guard", "Write", "{}", "--json"]);
    assert_eq!((ruled.code, &ruled.json()["verdict"]), (3, &json!("deny")));
    let released = hermetic(&world, &["--session", "s1", "release", "--json"]);
    assert_eq!(released.json()["released"], json!(["reader"]));
    let allowed = wire.call("skill_status", json!({}));
    assert_eq!(allowed["stack"], json!([]), "what another process did is known");
    wire.call("skill_activate", json!({"name": "reader"}));
    assert_eq!(wire.close(), 0);
    let status = hermetic(&world, &["--session", "s1", "status", "--json"]);
    assert_eq!(status.json()["stack"][0]["name"], "reader", "a named session goes on");
}

#[test]
fn a_session_nobody_named_ends_with_its_client() {
    // U2, S1
    let world = world();
    let mut wire = Wire::start(&world, &["mcp"]);
    let status = wire.call("skill_status", json!({}));
    let session = status["session"].as_str().unwrap().to_owned();
    wire.call("skill_activate", json!({"name": "reader"}));
    assert_eq!(wire.close(), 0);
    let status = hermetic(&world, &["--session", &session, "status", "--json"]);
    assert_eq!((&status.json()["open"], &status.json()["stack"]), (&json!(false), &json!([])));
}

#[test]
fn skills_that_come_while_it_runs_are_told_and_served() {
    // U2, D7
    let world = world();
    let mut wire = Wire::start(&world, &["mcp"]);
    wire.get("prompts/list", json!({}));
    // The watch begins after the handshake; until it stands, a change is seen in the next one.
    let mut number = 0;
    loop {
        number += 1;
        world.skill("roots/personal", &format!("new-{number}"), "Is new.");
        match wire.messages.recv_timeout(Duration::from_secs(2)) {
            Ok(note) if note["method"] == "notifications/prompts/list_changed" => break,
            Ok(_) | Err(_) => assert!(number < 30, "no change is noticed"),
        }
    }
    let listed = wire.get("prompts/list", json!({}))["prompts"].to_string();
    assert!(listed.contains("new-1"), "{listed}");
    let active = wire.call("skill_activate", json!({"name": "new-1"}));
    assert_eq!(active["name"], "new-1");
    assert_eq!(wire.close(), 0);
}

#[test]
fn the_tools_answer_what_the_commands_print() {
    // U7
    let world = world();
    let mut wire = Wire::start(&world, &["mcp"]);
    let shown = wire.call("skill_show", json!({"name": "hello"}));
    assert_eq!(shown, hermetic(&world, &["show", "hello", "--json"]).json());
    let why = wire.call("skill_why", json!({"name": "hello"}));
    assert_eq!(why, hermetic(&world, &["why", "hello", "--json"]).json());
    let read = wire.call("skill_read", json!({"name": "hello", "path": "SKILL.md"}));
    assert_eq!(read, hermetic(&world, &["read", "hello", "SKILL.md", "--json"]).json());
    let hits = wire.call("skill_search", json!({"query": "greet"}));
    assert_eq!(hits, hermetic(&world, &["search", "greet", "--json"]).json());
    let ruled = wire.call("tool_guard", json!({"tool": "Read", "arguments": {}}));
    assert_eq!(ruled, hermetic(&world, &["guard", "Read", "{}", "--json"]).json());
    let prompt = wire.call("skill_prompt", json!({"style": "markdown"}));
    let printed = hermetic(&world, &["prompt", "--style", "markdown", "--json"]).json();
    assert_eq!(prompt, printed);
    assert_eq!(wire.close(), 0);
}

#[test]
fn a_client_that_says_nothing_or_nonsense_ends_well() {
    // U2, F4
    let world = world();
    for input in ["", "\n\n", "nonsense\n", "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n"] {
        let mut command = world.command(METIER);
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{input:?}: {output:?}");
    }
    let refused = crate::metier(&world, &["mcp", "--dialect", "klingon"]);
    assert_eq!(refused.code, 2);
    let odd = crate::metier(&world, &["--session", "../x", "mcp"]);
    assert_eq!(odd.code, 2, "{}", odd.stderr);
}
