//! Talking with another server about its skills, over the web and with a program.

use std::path::Path;
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
