//! Talking with another server about its skills, over the web and with a program.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use metier_package::index::Index;
use metier_package::served::{Endpoint, ServerError, Servers, SkillServers as _};
use metier_package::{Bases, Fetch, Reference, Retry, Select, Silent, fetch};
use metier_sandbox::{Cancel, Runner};
use metier_serve::mcp_client::McpClient;
use metier_testing::SkillServer;
use metier_testing::skill_server::{Answer, Skills, honestly, served_skill};
use serde_json::json;

/// A client that waits for a second.
pub(crate) fn client() -> McpClient {
    let runner = Runner::new().with_helper(env!("CARGO_BIN_EXE_metier-serve-probe"));
    McpClient::new(runner, std::env::vars_os().collect()).with_patience(Duration::from_secs(1))
}

pub(crate) fn skills() -> Skills {
    vec![served_skill("pdf", &[("references/a form.md", "a form"), ("scripts/run.sh", "echo")])]
}

/// What comes of fetching everything there is at `endpoint`: the files, or the error.
pub(crate) fn fetched(client: &McpClient, endpoint: Endpoint<'_>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let staging = folder.path().join("staging");
    let (index, typed) = match endpoint {
        Endpoint::Command(command) => (Index::of_command("it", command).unwrap(), "mcp:it".into()),
        Endpoint::Url(url) => {
            (Index::of_command("it", &["-".into()]).unwrap(), format!("mcp+{url}"))
        }
    };
    let settings = Fetch {
        runner: &Runner::new(),
        cancel: &Cancel::never(),
        cache: Path::new("/nowhere"),
        staging: &staging,
        environment: &[],
        select: Select::All,
        offline: false,
        signers: None,
        sites: &[],
        retry: &Retry::default(),
        servers: Some(Servers { indexes: &[index], client }),
    };
    let reference = Reference::parse(&typed, &Bases::new("/")).unwrap();
    match fetch(&reference, &settings, &mut Silent) {
        Ok(fetched) => {
            let paths = fetched.skills.iter().flat_map(|staged| staged.tree.files());
            let paths: Vec<_> = paths.map(|f| String::from_utf8_lossy(&f.path)).collect();
            paths.join(" ")
        }
        Err(error) => error.to_string(),
    }
}

const ALL: &str = "SKILL.md references/a form.md scripts/run.sh";

/// A program that answers as the lines of a shell script say, one question after the other.
pub(crate) fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script].map(str::to_owned).to_vec()
}

#[test]
fn a_server_on_the_web_is_asked_in_its_own_version() {
    // U2, P6
    let server = SkillServer::start(skills());
    assert_eq!(fetched(&client(), Endpoint::Url(&server.url())), ALL);
    let asked = server.asked();
    assert_eq!(asked[..2], ["server/discover", "skills/list"], "{asked:?}");
    assert_eq!(asked.len(), 5, "each file once: {asked:?}");
    for head in server.heads() {
        assert!(head.starts_with("POST /mcp HTTP/1.1\r\n"), "{head}");
        let lower = head.to_lowercase();
        assert!(lower.contains("\r\nmcp-protocol-version: 2026-07-28\r\n"), "{head}");
        assert!(lower.contains("\r\naccept: application/json, text/event-stream\r\n"), "{head}");
        assert!(!lower.contains("mcp-session-id") && !lower.contains("expect:"), "{head}");
        let reads = lower.contains("mcp-method: resources/read");
        assert_eq!(reads, lower.contains("mcp-name: skill://pdf/"), "{head}");
    }
}

#[test]
fn a_server_from_before_is_greeted_and_left_as_it_wants() {
    // U2
    let server = SkillServer::lying(skills(), |method, params, skills| match method {
        "server/discover" => Answer::Raw(b"HTTP/1.1 400 Bad Request\r\n\r\nno session".to_vec()),
        "initialize" => {
            let result = json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
                "serverInfo": {"name": "x", "version": "1"},
            });
            let body = json!({"jsonrpc": "2.0", "id": 2, "result": result});
            let head = "HTTP/1.1 200 OK\r\nMcp-Session-Id: abc\r\n\
                        Content-Type: text/event-stream\r\n\r\n";
            Answer::Raw(format!("{head}: hi\n\nevent: message\ndata: {body}\n\n").into_bytes())
        }
        _ => honestly(method, params, skills),
    });
    assert_eq!(fetched(&client(), Endpoint::Url(&server.url())), ALL);
    let asked = server.asked();
    assert_eq!(
        asked[..4],
        ["server/discover", "initialize", "notifications/initialized", "skills/list"]
    );
    let heads = server.heads();
    assert!(heads.last().unwrap().starts_with("DELETE /mcp"), "{heads:?}");
    for head in &heads[2..] {
        let lower = head.to_lowercase();
        assert!(lower.contains("mcp-session-id: abc\r\n"), "{head}");
        assert!(lower.contains("mcp-protocol-version: 2025-06-18\r\n"), "{head}");
        assert!(!lower.contains("mcp-method"), "{head}");
    }
}

#[test]
fn an_answer_among_events_ends_the_waiting() {
    // U2
    let server = SkillServer::lying(skills(), |method, params, skills| {
        let Answer::Result(result) = honestly(method, params, skills) else {
            return Answer::Error(-32601);
        };
        // Questions are numbered from one, and a stream that stays open is not waited for.
        let id = match method {
            "server/discover" => 1,
            _ => return Answer::Result(result),
        };
        let notice = json!({"jsonrpc": "2.0", "method": "notifications/message"});
        let body = json!({"jsonrpc": "2.0", "id": id, "result": result});
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n";
        let text = format!("{head}data: {notice}\r\n\r\ndata: {body}\r\n\r\n");
        Answer::Drip(text.into_bytes(), Duration::from_millis(50), 100_000)
    });
    assert_eq!(fetched(&client(), Endpoint::Url(&server.url())), ALL);
}

/// One skill with so many files beside its `SKILL.md`.
fn large(files: usize) -> Skills {
    let files: Vec<(String, String)> =
        (0..files).map(|n| (format!("references/{n:03}.md"), format!("file {n}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(at, text)| (&**at, &**text)).collect();
    vec![served_skill("pdf", &files)]
}

#[test]
fn many_files_come_over_one_connection() {
    // U2, P6
    let server = SkillServer::start(large(300));
    let got = fetched(&client(), Endpoint::Url(&server.url()));
    assert_eq!(got.split(' ').count(), 301, "{got}");
    let mut asked = server.asked();
    assert_eq!(asked[2], "resources/read skill://pdf/SKILL.md", "before all others");
    assert_eq!(asked.len(), 303, "each file once");
    asked.dedup();
    assert_eq!(asked.len(), 303, "each file once");
    // The first two questions and the `SKILL.md` wait for each other; then 128 files go together.
    assert_eq!(server.connections(), 3 + 3);
}

#[test]
fn files_come_from_a_server_that_keeps_its_streams_open() {
    // U2
    let server = SkillServer::lying(large(3), |method, params, skills| {
        let Answer::Result(result) = honestly(method, params, skills) else {
            return Answer::Error(-32601);
        };
        // Questions are numbered from one: two, the `SKILL.md`, all three files, and again those for
        // which nobody waited.
        let id = match params["uri"].as_str().unwrap_or_default() {
            "skill://pdf/references/000.md" => 4,
            _ => return Answer::Result(result),
        };
        let body = json!({"jsonrpc": "2.0", "id": id, "result": result});
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let text = format!("{head}data: {body}\n\n");
        Answer::Drip(text.into_bytes(), Duration::from_secs(60), 2)
    });
    let client = client().with_patience(Duration::from_secs(30));
    let got = fetched(&client, Endpoint::Url(&server.url()));
    assert_eq!(got.split(' ').count(), 4, "{got}");
    let asked = server.asked();
    assert_eq!(asked.len(), 6, "each file once: {asked:?}");
    // Nobody waits for the end of the next stream either: one connection each.
    assert_eq!(server.connections(), 6);
}

/// An answer to `initialize` in the second question or later, in a conversation of this name.
fn greeting(id: u64, conversation: &str) -> Answer {
    let result = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}},
    });
    let body = json!({"jsonrpc": "2.0", "id": id, "result": result});
    let head = format!("HTTP/1.1 200 OK\r\nMcp-Session-Id: {conversation}\r\n");
    Answer::Raw(format!("{head}Content-Type: application/json\r\n\r\n{body}").into_bytes())
}

/// A server with a handshake that forgets everybody as often as `forgets` whenever it is asked for
/// `what`. What is numbered how follows from what is asked.
fn forgetful(what: &'static str, forgets: usize, again: u64) -> SkillServer {
    let (greeted, forgot) = (AtomicUsize::new(0), AtomicUsize::new(0));
    SkillServer::lying(large(3), move |method, params, skills| {
        let about = params["uri"].as_str().unwrap_or(method);
        match method {
            "server/discover" => Answer::Error(-32601),
            "initialize" => match greeted.fetch_add(1, Ordering::Relaxed) {
                0 => greeting(2, "first"),
                _ => greeting(again, "second"),
            },
            _ if about.ends_with(what) && forgot.fetch_add(1, Ordering::Relaxed) < forgets => {
                let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}}"#;
                let head = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n";
                Answer::Raw(format!("{head}{body}").into_bytes())
            }
            _ => honestly(method, params, skills),
        }
    })
}

#[test]
fn a_conversation_that_the_server_has_forgotten_is_begun_again_once() {
    // U2
    for (what, again) in [("skills/list", 4), ("SKILL.md", 5), ("001.md", 8)] {
        let server = forgetful(what, 1, again);
        let got = fetched(&client(), Endpoint::Url(&server.url()));
        assert_eq!(got.split(' ').count(), 4, "{what}: {got}");
        let asked = server.asked();
        // What came before is not asked for again.
        let times = |end: &str| asked.iter().filter(|asked| asked.ends_with(end)).count();
        let once = ["skills/list", "SKILL.md", "000.md"].into_iter().filter(|end| *end != what);
        once.for_each(|end| assert_eq!(times(end), 1, "{what}: {asked:?}"));
        assert_eq!((times(what), times("initialize")), (2, 2), "{what}: {asked:?}");
        let heads = server.heads();
        let last = heads.last().unwrap();
        assert!(last.starts_with("DELETE") && last.contains("Mcp-Session-Id: second"), "{last}");
        let forgotten = forgetful(what, 2, again);
        let got = fetched(&client(), Endpoint::Url(&forgotten.url()));
        assert!(got.contains("status 404"), "{what}: {got}");
    }
}

#[test]
fn a_status_that_means_something_else_begins_nothing_again() {
    // U2
    let server = SkillServer::lying(skills(), |method, params, skills| match method {
        "skills/list" => Answer::Raw(b"HTTP/1.1 404 Not Found\r\n\r\n".to_vec()),
        _ => honestly(method, params, skills),
    });
    let got = fetched(&client(), Endpoint::Url(&server.url()));
    assert!(got.contains("status 404"), "{got}");
    assert_eq!(server.asked(), ["server/discover", "skills/list"], "there was no conversation");
}

#[test]
fn a_program_has_the_next_questions_before_it_answers_the_first() {
    // U2
    let folder = tempfile::tempdir().unwrap();
    let skill = large(20).remove(0);
    let listed = metier_testing::skill_server::entry(&skill);
    let skills = vec![skill];
    let say = |id: u64, result: &serde_json::Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": result}))
    };
    let file = |id: u64, at: &str| {
        let params = json!({"uri": format!("skill://pdf/{at}")});
        match honestly("resources/read", &params, &skills) {
            Answer::Result(result) => say(id, &result),
            other => panic!("{other:?}"),
        }
    };
    let discovered = json!({"supportedVersions": ["2026-07-28"],
        "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}}});
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    write("1", say(1, &discovered));
    write("2", say(2, &json!({"skills": [listed]})));
    write("3", file(3, "SKILL.md"));
    // The first sixteen are answered from the last to the first, one of them twice.
    let number = |n: u64| file(4 + n, &format!("references/{n:03}.md"));
    write("4", (0..16).rev().map(number).collect::<String>() + &number(3));
    write("5", (16..20).map(number).collect());
    let reads = |times: usize| "read a; ".repeat(times);
    let at = folder.path().display();
    let script = format!(
        "read a; cat {at}/1; read a; cat {at}/2; read a; cat {at}/3; {}cat {at}/4; {}cat {at}/5; \
         cat >/dev/null",
        reads(16),
        reads(4)
    );
    let got = fetched(&client(), Endpoint::Command(&shell(&script)));
    assert_eq!(got.split(' ').count(), 21, "{got}");
}

#[test]
fn a_program_is_talked_with_and_ended_with_all_it_has_started() {
    // U2, P6
    let folder = tempfile::tempdir().unwrap();
    let (pid, entry) = (folder.path().join("pid"), served_skill("pdf", &[]));
    let listed = metier_testing::skill_server::entry(&entry);
    let text = String::from_utf8(entry.1[0].1.clone()).unwrap();
    let answers = [
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"protocolVersion": "2025-11-25",
            "capabilities": {"extensions": {"io.modelcontextprotocol/skills": {}}}}}),
        json!({"jsonrpc": "2.0", "id": 3, "result": {"skills": [listed]}}),
        json!({"jsonrpc": "2.0", "id": 4, "result": {"contents": [{"uri": "skill://pdf/SKILL.md",
            "text": text}]}}),
    ];
    for (number, answer) in answers.iter().enumerate() {
        std::fs::write(folder.path().join(number.to_string()), format!("{answer}\n")).unwrap();
    }
    let at = folder.path().display();
    // It greets, asks something back, and leaves a program behind that has nothing of its own.
    let script = format!(
        "setsid sleep 1000 >/dev/null 2>&1 & echo $! > {pid}; echo welcome; \
         read a; cat {at}/0; read a; \
         echo '{{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}}'; read pong; \
         cat {at}/1; read a; read a; cat {at}/2; read a; cat {at}/3; cat >/dev/null; \
         echo \"$pong\" > {at}/pong",
        pid = pid.display()
    );
    assert_eq!(fetched(&client(), Endpoint::Command(&shell(&script))), "SKILL.md");
    let pong = std::fs::read_to_string(folder.path().join("pong")).unwrap();
    assert!(pong.contains(r#""result":{}"#), "it had the time to end by itself: {pong}");
    let left = std::fs::read_to_string(&pid).unwrap();
    let alive = Path::new("/proc").join(left.trim()).join("cmdline");
    let alive = std::fs::read(alive).unwrap_or_default();
    assert!(alive.is_empty(), "{}", String::from_utf8_lossy(&alive));
}

#[test]
fn a_program_gets_who_the_user_is_and_no_secrets() {
    // U2
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let runner = Runner::new().with_helper(env!("CARGO_BIN_EXE_metier-serve-probe"));
    let environment = [("HOME", "/home/me"), ("API_TOKEN", "hunter2"), ("PATH", "/usr/bin:/bin")]
        .map(|(name, value)| (name.into(), value.into()));
    let client = McpClient::new(runner, environment.to_vec());
    let script = shell(&format!("env > {}", seen.display()));
    let _ = client.connect(Endpoint::Command(&script), &Cancel::never());
    let seen = std::fs::read_to_string(seen).unwrap();
    assert!(seen.contains("HOME=/home/me\n") && !seen.contains("hunter2"), "{seen}");
}

#[test]
fn somebody_who_waits_can_stop_waiting() {
    // U2, P2
    let cancel = Cancel::new().unwrap();
    cancel.cancel();
    let slow = McpClient::with_patience(client(), Duration::from_secs(600));
    let hangs = shell("sleep 1000");
    let error = slow.connect(Endpoint::Command(&hangs), &cancel).err().unwrap();
    assert_eq!(error, ServerError::Interrupted);
}
