//! Servers that lie, hang, flood, drip, die and point elsewhere. Each of them is an error in a bounded
//! time, and none of what it sent is used.

use std::time::Duration;

use metier_package::served::Endpoint;
use metier_serve::mcp_client::McpClient;
use metier_testing::SkillServer;
use metier_testing::skill_server::{Answer, honestly};
use serde_json::{Value, json};

use crate::mcp_client::{client, fetched, shell, skills};

const JSON: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

/// What comes of a server that is honest but for its answers to `method`.
fn check(method: &'static str, lie: impl Fn(Value) -> Answer + Send + 'static, expect: &str) {
    check_with(&client(), method, lie, expect);
}

/// A client for servers that are ended for what they say, however long that takes a busy machine.
fn patient() -> McpClient {
    client().with_patience(Duration::from_secs(60))
}

fn check_with(
    client: &McpClient,
    method: &'static str,
    lie: impl Fn(Value) -> Answer + Send + 'static,
    expect: &str,
) {
    let server = SkillServer::lying(skills(), move |asked, params, skills| {
        match honestly(asked, params, skills) {
            Answer::Result(result) if asked == method => lie(result),
            other => other,
        }
    });
    let got = fetched(client, Endpoint::Url(&server.url()));
    assert!(got.contains(expect), "{method}: `{expect}` expected, got `{got}`");
}

fn raw(text: impl Into<Vec<u8>>) -> impl Fn(Value) -> Answer + Send + Sync + 'static {
    let text = text.into();
    move |_| Answer::Raw(text.clone())
}

fn change(
    change: impl Fn(&mut Value) + Send + Sync + 'static,
) -> impl Fn(Value) -> Answer + Send + Sync {
    move |mut result| {
        change(&mut result);
        Answer::Result(result)
    }
}

#[test]
fn files_that_are_not_what_was_listed_are_refused() {
    // U2, P2
    let file = "resources/read";
    let text = |text: &'static str| change(move |r| r["contents"][0]["text"] = text.into());
    check(file, text("---\nname: pdf\n---\n"), "bytes and not");
    check(file, change(|r| r["contents"][0]["uri"] = "skill://x/SKILL.md".into()), "another file");
    check(file, change(|r| r["contents"] = json!([])), "no file, or several");
    check(file, |_| Answer::Error(-32002), "the server does not give it: ");
    check(
        file,
        change(|r| {
            let text = r["contents"][0]["text"].as_str().unwrap().replace("Do", "Go");
            r["contents"][0]["text"] = text.into();
        }),
        "its SHA-256 is",
    );
}

#[test]
fn one_bad_file_among_many_ends_it_and_is_named() {
    // U2, P2, P4
    let bad = "skill://pdf/references/a%20form.md";
    let check = |lie: &(dyn Fn(Value) -> Answer + Sync), expect: &str, named: bool| {
        let lie = lie(honest(bad));
        let server = SkillServer::lying(skills(), move |method, params, skills| {
            match params["uri"] == bad {
                true => lie.clone(),
                false => honestly(method, params, skills),
            }
        });
        let got = fetched(&client(), Endpoint::Url(&server.url()));
        assert!(got.contains(expect), "`{expect}` expected, got `{got}`");
        assert_eq!(got.contains(bad), named, "{got}");
    };
    let text = |text: &'static str| change(move |r| r["contents"][0]["text"] = text.into());
    check(&text("a worm"), "its SHA-256 is", true);
    check(&text("a form, and more"), "it has 16 bytes and not 6", true);
    check(&|_| Answer::Error(-32002), "the server does not give it: ", true);
    let flood = Answer::Flood(JSON.into(), vec![b' '; 1 << 16]);
    check(&|_| flood.clone(), "far more bytes came", true);
    let drip = Answer::Drip(JSON.into(), Duration::from_millis(20), 5000);
    check(&|_| drip.clone(), "took too long", false);
    check(&raw(""), "cannot be reached: (52)", false);
    check(&raw("HTTP/1.1 500 Oops\r\n\r\n"), "status 500", false);
    check(&raw("HTTP/1.1 307 Go\r\nLocation: http://x\r\n\r\n"), "nobody is followed", false);
    let long = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{}";
    check(&raw(long), "cannot be understood", false);
    // Whoever sets the mark behind an answer has only cut off its own.
    check(&raw(format!("{JSON}{{}}\x1e0\x1e{JSON}{{}}")), "cannot be understood", false);
    check(&raw(format!("{JSON}\x1enothing here")), "a byte that no answer has", false);
}

/// What an honest server says of a file.
fn honest(uri: &str) -> Value {
    match honestly("resources/read", &json!({ "uri": uri }), &skills()) {
        Answer::Result(result) => result,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lists_that_lie_are_refused() {
    // U2, P2
    let list = "skills/list";
    let first = |change: fn(&mut Value)| self::change(move |r| change(&mut r["skills"][0]));
    check(list, first(|e| e["frontmatter"]["description"] = "Harmless".into()), "`description`");
    check(list, first(|e| e["resources"][1]["size"] = 7.into()), "it has 6 bytes and not 7");
    check(list, change(|r| r["nextCursor"] = "again".into()), "round in a circle");
    check(list, change(|r| r["skills"] = "all".into()), "no list `skills`");
    check(list, change(|r| r["skills"] = vec![0; 10_001].into()), "more than 10000 skills");
    check(list, |_| Answer::Error(-32601), "does not offer skills");
}

#[test]
fn bodies_without_end_are_ended() {
    // U2, P2
    let more = || vec![b' '; 1 << 16];
    let flood = |head: &'static str, again: Vec<u8>| {
        move |_| Answer::Flood(head.as_bytes().to_vec(), again.clone())
    };
    let patient = patient();
    let check_patiently =
        |method: &'static str, head: &'static str, again: Vec<u8>, expect: &str| {
            check_with(&patient, method, flood(head, again), expect);
        };
    check_patiently("resources/read", JSON, more(), "far more bytes came");
    check_patiently("skills/list", JSON, more(), "answers with more than 16777216 bytes");
    check_patiently("skills/list", EVENTS, vec![b'x'; 1 << 16], "more than 16777216 bytes");
    check("skills/list", flood(EVENTS, b": hello\n\n".to_vec()), "took too long");
    let stray = "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n".repeat(100);
    check_patiently("skills/list", EVENTS, stray.into(), "talks without answering");
    let endless = "HTTP/1.1 200 OK\r\nX: ";
    check_patiently("skills/list", endless, vec![b'x'; 1000], "cannot be reached");
}

#[test]
fn servers_that_drip_or_hang_are_not_waited_for() {
    // U2, P2
    let drip = |head: &'static str| {
        move |_| Answer::Drip(head.as_bytes().to_vec(), Duration::from_millis(20), 5000)
    };
    check("skills/list", drip(JSON), "took too long");
    check("skills/list", drip(EVENTS), "took too long");
    check("resources/read", drip(JSON), "took too long");
    let hang = |_| Answer::Drip(Vec::new(), Duration::from_secs(5), 1);
    check("skills/list", hang, "took too long");
}

#[test]
fn answers_that_are_none_are_errors() {
    // U2, P2
    let list = "skills/list";
    let json = |body: &str| raw(format!("{JSON}{body}"));
    check(list, json("{"), "cannot be understood");
    check(list, json("[]"), "not a JSON object");
    check(list, json(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#), "answers another question");
    check(list, json(r#"{"jsonrpc":"2.0","id":2}"#), "neither a result nor an error");
    check(list, raw(format!("{EVENTS}data: {{\n\n")), "cannot be understood");
    check(list, raw(EVENTS), "answers another question");
    check(list, raw("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"), "neither JSON nor");
    check(list, raw("HTTP/1.1 200 OK\r\n\r\n"), "neither JSON nor events");
    check(list, raw("HTTP/1.1 500 Oops\r\n\r\n"), "status 500");
    check(list, raw("HTTP/1.1 500 Oops\r\nContent-Type: application/json\r\n\r\n{}"), "status 500");
    check(list, raw("HTTP/1.1 401 Who\r\n\r\n"), "cannot be read without signing in: status 401");
    check(list, raw(""), "cannot be reached: (52)");
    check(list, raw("garbage\r\n\r\n"), "cannot be reached: (1)");
}

#[test]
fn nobody_is_followed_elsewhere() {
    // U2
    let other = SkillServer::start(skills());
    for (method, to) in [
        ("skills/list", other.url()),
        ("resources/read", other.url()),
        ("skills/list", "file:///etc/passwd".to_owned()),
        ("skills/list", "http://169.254.169.254/latest".to_owned()),
    ] {
        let head = format!("HTTP/1.1 307 Go\r\nLocation: {to}\r\n\r\n");
        check(method, raw(head), "where nobody is followed");
    }
    assert_eq!(other.asked(), Vec::<String>::new());
}

#[test]
fn programs_that_misbehave_are_ended_and_say_why() {
    // U2, P2
    let check_with = |client: McpClient, script: &str, expect: &str| {
        let got = fetched(&client, Endpoint::Command(&shell(script)));
        assert!(got.contains(expect), "{script}: `{expect}` expected, got `{got}`");
    };
    let check = |script: &str, expect: &str| check_with(client(), script, expect);
    let talk = |script: &str, expect: &str| check_with(patient(), script, expect);
    let discovered = "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"supportedVersions\":\
        [\"2026-07-28\"],\"capabilities\":{\"extensions\":{\"io.modelcontextprotocol/skills\":{}}}}}'";
    check("sleep 1000", "took too long");
    check("exec sleep 1000 <&- >&-", "took too long");
    let drip = "i=0; while [ $i -lt 400 ]; do printf x; sleep 0.02; i=$((i+1)); done";
    check(drip, "took too long");
    check("echo boo >&2; exit 3", "it said: boo");
    check("exit 0", "it ended");
    check("kill -9 $$", "it ended");
    talk("yes", "cannot be understood");
    talk("yes | tr -d '\\n'", "more than 1048576 bytes");
    talk("yes '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'", "talks without answering");
    talk("yes '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}'", "does not read");
    check(&format!("{discovered}; read a; echo died >&2; exit 1"), "it said: died");
    check(&format!("{discovered}; read a; read a; echo '{{'; sleep 9"), "cannot be understood");
    check(&format!("{discovered}; sleep 9"), "took too long");
    let nobody = ["/no/such/program".to_owned()];
    let got = fetched(&client(), Endpoint::Command(&nobody));
    assert!(got.contains("`/no/such/program` cannot be started"), "{got}");
}
