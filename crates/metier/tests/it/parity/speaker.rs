//! The surfaces as their users drive them: one call in, what came back out, its wrapping taken off.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use metier_runtime::capability::Operation;
use metier_runtime::event::Trigger;
use metier_serve::surface::{Form, Surface, Way};
use serde_json::{Value, json};

use super::ground::{Ground, Place};
use crate::METIER;

/// How long an answer may take on a busy machine before the test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// One call of an operation, in the table's own words.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) operation: Operation,
    pub(super) arguments: Value,
    pub(super) asker: Trigger,
}

/// What came back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Told {
    /// An answer.
    Answer(Value),
    /// A failure: its code, as far as the surface says it, and its words.
    Failure(String, String),
}

/// One surface, with the processes it needs.
pub(super) struct Speaker<'g> {
    pub(super) ground: &'g Ground,
    pub(super) surface: Surface,
    /// Where its state is.
    pub(super) place: Place<'static>,
    mcp: Option<Wire>,
    server: Option<Server>,
}

impl<'g> Speaker<'g> {
    /// `surface`, with its state at `place`.
    pub(super) fn new(ground: &'g Ground, surface: Surface, place: Place<'static>) -> Self {
        let mut speaker = Self { ground, surface, place, mcp: None, server: None };
        match surface {
            Surface::Mcp => speaker.mcp = Some(Wire::start(ground, place)),
            Surface::Http => speaker.server = Some(Server::start(ground, place)),
            Surface::Library | Surface::Command | Surface::Chibi | Surface::Hook => {}
        }
        speaker
    }

    /// Asks `question` in `session`, in this `way`.
    pub(super) fn ask(&mut self, way: &Way, session: &str, question: &Question) -> Told {
        match way.form {
            Form::Invoke(_) => unreachable!("the library is what the others are held against"),
            Form::Command(word) => self.command(word, way, session, question),
            Form::Tool(name) => self.wire().tool(session, name, &question.arguments),
            Form::Method(name) => self.wire().method(session, name, &question.arguments),
            Form::Route(name) => self.post(&format!("/v1/{name}"), session, question),
            Form::RouteInSession(name) => {
                self.post(&format!("/v1/sessions/{session}/{name}"), "", question)
            }
            Form::ChibiTool(name, action) => {
                self.chibi_tool(way, (name, action), session, question)
            }
            Form::ChibiHook(name) => self.chibi_hook(name, session, question),
            Form::Event(..) => self.event(way, session, question),
        }
    }

    fn wire(&mut self) -> &mut Wire {
        self.mcp.as_mut().unwrap()
    }

    fn post(&self, path: &str, session: &str, question: &Question) -> Told {
        let asker = if question.asker == Trigger::Auto { "model" } else { "user" };
        let mut headers = format!("Metier-Asker: {asker}\r\n");
        if !session.is_empty() {
            headers.push_str(&format!("Metier-Session: {session}\r\n"));
        }
        let (status, body) =
            self.server.as_ref().unwrap().post(path, &headers, &question.arguments);
        match (status, body.get("error")) {
            (200, _) => Told::Answer(body),
            (_, Some(error)) => failure(error),
            _ => Told::Failure(String::new(), body.to_string()),
        }
    }

    fn command(&self, word: &str, way: &Way, session: &str, question: &Question) -> Told {
        let (words, stdin) = words(word, way, question);
        let words: Vec<&str> =
            ["--json"].into_iter().chain(words.iter().map(String::as_str)).collect();
        let line = self.ground.command(self.place, session, &words);
        let (_, stdout) = self.run(&line, &[], stdin.as_deref().unwrap_or_default());
        if word == "events" {
            let frames = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            return Told::Answer(Value::Array(frames));
        }
        let document: Value = serde_json::from_str(&stdout).unwrap_or_else(|_| json!(stdout));
        match document.get("error") {
            Some(error) if error.is_object() => failure(error),
            _ => Told::Answer(document),
        }
    }

    fn chibi_tool(
        &self,
        way: &Way,
        (name, action): (&str, Option<&str>),
        session: &str,
        question: &Question,
    ) -> Told {
        let mut arguments = renamed(way, question);
        let named = arguments.as_object_mut().and_then(|members| members.remove("NAME"));
        let named = named.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let name = name.replace("NAME", &named);
        if let Some(action) = action {
            arguments["action"] = json!(action);
        }
        let text = self.plugin(session, &[("CHIBI_TOOL_NAME", &name)], &arguments);
        match text.strip_prefix("Error: ") {
            Some(why) => Told::Failure(String::new(), why.to_owned()),
            None => Told::Answer(serde_json::from_str(&text).unwrap_or(Value::String(text))),
        }
    }

    fn chibi_hook(&self, hook: &str, session: &str, question: &Question) -> Told {
        let data = match hook {
            "pre_tool" => {
                let (tool, arguments) = chibi_call(&question.arguments);
                json!({"tool_name": tool, "arguments": arguments})
            }
            _ => json!({"context_name": "d", "summary": ""}),
        };
        let text = self.plugin(session, &[("CHIBI_HOOK", hook)], &data);
        Told::Answer(serde_json::from_str(&text).unwrap())
    }

    /// One run of the plugin, as chibi starts it.
    fn plugin(&self, session: &str, variables: &[(&str, &str)], input: &Value) -> String {
        let line = self.ground.command(self.place, session, &["chibi"]);
        let (code, stdout) = self.run(&line, variables, &input.to_string());
        assert_eq!(code, 0, "chibi drops what a failing plugin prints");
        stdout.trim_end_matches('\n').to_owned()
    }

    fn event(&self, way: &Way, session: &str, question: &Question) -> Told {
        let event = event(way, &question.arguments);
        let line = self.ground.command(self.place, session, &["hook", "claude-code"]);
        let (code, stdout) = self.run(&line, &[], &event.to_string());
        assert_eq!(code, 0, "an agent takes other codes for something else");
        match stdout.is_empty() {
            true => Told::Answer(Value::Null),
            false => Told::Answer(serde_json::from_str(&stdout).unwrap()),
        }
    }

    fn run(&self, line: &[String], variables: &[(&str, &str)], input: &str) -> (i32, String) {
        let mut command = self.ground.world.command(METIER);
        command.args(line).envs(variables.iter().copied()).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Whoever needs no input closes its end.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    }
}

fn failure(error: &Value) -> Told {
    let text = |name: &str| error[name].as_str().unwrap_or_default().to_owned();
    Told::Failure(text("code"), text("message"))
}

/// The arguments by the names they have in `way`.
fn renamed(way: &Way, question: &Question) -> Value {
    let called = |name: &str| way.called(question.operation, name).unwrap().to_owned();
    let given = question.arguments.as_object().unwrap().iter();
    given.map(|(name, value)| (called(name), value.clone())).collect()
}

/// The words somebody types, and what they pipe in.
fn words(word: &str, way: &Way, question: &Question) -> (Vec<String>, Option<String>) {
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut words = vec![word.to_owned()];
    let (mut last, mut stdin) = (Vec::new(), None);
    let given = question.arguments.as_object().unwrap();
    // In the order of the table, which is the order of what has no name on the command line.
    let metier_serve::surface::Takes::Only(known) = way.takes else { unreachable!() };
    for (name, called) in known {
        match (*called, given.get(*name)) {
            ("--text", json) if json != Some(&json!(true)) => words.push("--text".to_owned()),
            ("--text", _) | (_, None) => {}
            ("--stdin", Some(text)) => {
                stdin = Some(shown(text));
                words.push("--stdin=-".to_owned());
            }
            (_, Some(Value::Array(items))) => {
                last.push("--".to_owned());
                last.extend(items.iter().map(shown));
            }
            (flag, Some(Value::Bool(true))) => words.push(flag.to_owned()),
            (flag, Some(value)) if flag.starts_with("--") => {
                words.push(format!("{flag}={}", shown(value)));
            }
            (_, Some(value)) => words.push(shown(value)),
        }
    }
    // The others do not ask who asks.
    let has_auto =
        ["list", "search", "show", "why", "use", "read", "scripts", "help-script", "run"]
            .contains(&word);
    if has_auto && question.asker == Trigger::Auto {
        words.push("--auto".to_owned());
    }
    (words.into_iter().chain(last).collect(), stdin)
}

/// A call in the words of chibi's tools.
pub(super) fn chibi_call(arguments: &Value) -> (String, Value) {
    let given = &arguments["arguments"];
    match arguments["tool"].as_str().unwrap_or_default() {
        "Bash" => ("shell_exec".to_owned(), json!({"command": given["command"]})),
        "Read" => ("file_head".to_owned(), json!({"path": given["file_path"]})),
        "Write" => ("write_file".to_owned(), json!({"path": given["file_path"]})),
        other => (other.to_owned(), given.clone()),
    }
}

/// What Claude Code sends.
fn event(way: &Way, arguments: &Value) -> Value {
    use metier_serve::agent_hook::Occasion;
    let Form::Event(occasion, what) = way.form else { unreachable!() };
    let text = |name: &str| arguments[name].as_str().unwrap_or_default();
    let mut event = match occasion {
        Occasion::Call if what.is_empty() => json!({
            "hook_event_name": "PreToolUse", "tool_name": arguments["tool"],
            "tool_input": arguments.get("arguments").cloned().unwrap_or(json!({})),
        }),
        Occasion::Call => json!({
            "hook_event_name": "PreToolUse", "tool_name": "Skill",
            "tool_input": {"skill": arguments["name"], "args": text("arguments")},
        }),
        Occasion::Prompt => {
            let typed = match text("name") {
                "" => "Go on.".to_owned(),
                name => format!("/{name} {}", text("arguments")),
            };
            json!({"hook_event_name": "UserPromptSubmit", "prompt": typed})
        }
        Occasion::Command => json!({
            "hook_event_name": "UserPromptExpansion", "command_name": arguments["name"],
            "command_args": text("arguments"),
        }),
        Occasion::End => json!({"hook_event_name": "SessionEnd", "reason": "exit"}),
        Occasion::Other => unreachable!("no way is about nothing"),
    };
    event["session_id"] = json!("theirs");
    event
}

/// A client of `metier mcp`, of the era without a handshake: each request names its session.
struct Wire {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: u64,
}

impl Wire {
    fn start(ground: &Ground, place: Place<'_>) -> Self {
        let mut command = ground.world.command(METIER);
        let line = ground.command(place, "usual", &["mcp"]);
        let mut child =
            command.args(line).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, messages, next: 0 }
    }

    /// Asks, and waits for the answer to that.
    fn get(&mut self, session: &str, method: &str, mut params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
            "metier/session": session,
        });
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stdin.as_ref().unwrap(), "{message}").unwrap();
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn tool(&mut self, session: &str, name: &str, arguments: &Value) -> Told {
        let answer = self.get(session, "tools/call", json!({"name": name, "arguments": arguments}));
        let result = &answer["result"];
        let data = &result["structuredContent"];
        let said = result["content"][0]["text"].as_str().unwrap_or_default();
        assert!(!said.is_empty() && data.is_object(), "{answer}");
        match data.get("error") {
            Some(error) if result["isError"] == true && error.is_object() => failure(error),
            _ => Told::Answer(data.clone()),
        }
    }

    fn method(&mut self, session: &str, method: &str, arguments: &Value) -> Told {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default();
        let params = match method {
            "prompts/get" => {
                json!({"name": text("name"), "arguments": {"arguments": text("arguments")}})
            }
            _ => json!({"uri": format!("skill://{}/{}", text("name"), text("path"))}),
        };
        let answer = self.get(session, method, params);
        if let Some(error) = answer.get("error") {
            let code = error["data"]["code"].as_str().unwrap_or_default().to_owned();
            let message = error["message"].as_str().unwrap_or_default().to_owned();
            return Told::Failure(code, message);
        }
        let result = &answer["result"];
        let parts = ["/messages/0/content/text", "/contents/0/text", "/contents/0/blob"];
        let part = parts.iter().find_map(|at| result.pointer(at)).unwrap();
        Told::Answer(part.clone())
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// `metier serve`.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(ground: &Ground, place: Place<'_>) -> Self {
        let mut command = ground.world.command(METIER);
        let words = ["serve", "--json", "--listen", "127.0.0.1:0"];
        command.args(ground.command(place, "usual", &words));
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let told: Value = serde_json::from_str(&ready).unwrap();
        Self { child, address: told["address"].as_str().unwrap().to_owned() }
    }

    fn post(&self, path: &str, headers: &str, body: &Value) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = body.to_string();
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
