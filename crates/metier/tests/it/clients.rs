//! `[clients.NAME]`: several clients of one server, each with what its section leaves, tried on
//! every route there is.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use metier_testing::World;
use serde_json::{Value, json};

use crate::mcp::Wire;
use crate::serve::Server;

const ONE: &str = "token-of-client-one";
const TWO: &str = "token-of-client-two";
const ALL: &str = "token-of-the-operator";

/// A world with a skill for each of two clients and one for both. What only one may see has a word
/// in it that nothing else has.
fn world(names: &str) -> World {
    let world = World::new();
    for (name, word) in [("alpha", "Anton"), ("beta", "Berta"), ("shared", "Siegfried")] {
        let text = format!(
            "---\nname: {name}\ndescription: Asks {word}. Use for people.\n---\n\n{word} knows.\n"
        );
        world.write(format!("roots/personal/{name}/SKILL.md"), text);
        world.write(format!("roots/personal/{name}/references/note.md"), format!("{word}s note\n"));
        world.write(
            format!("roots/personal/{name}/scripts/say.sh"),
            format!("#!/bin/sh\necho {word} says\n"),
        );
    }
    for (file, token) in [("one", ONE), ("two", TWO), ("all", ALL)] {
        let path = world.write(format!("project/{file}.token"), token);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    world.write("project/no-write.toml", "[[rule]]\nverdict = 'deny'\npattern = 'Write'\n");
    world.write(
        "project/config.toml",
        format!(
            "[clients.one]\nskills = ['alpha', 'shared', 'gone']\npolicy = 'no-write.toml'\n{}\
         [clients.two]\nskills = 'beta,shared'\npolicy = 'full-auto'\n{}{names}",
            "token-file = 'one.token'\n", "token-file = 'two.token'\n",
        ),
    );
    world
}

fn start(world: &World) -> Server {
    Server::start(world, &["--config", "config.toml", "--token-file", "all.token"])
}

/// One request with a token; what came back, whole.
fn ask(server: &Server, token: &str, line: &str, headers: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let length = body.len();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{headers}\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// An operation, as somebody who may see most.
fn call(server: &Server, token: &str, name: &str, arguments: &Value) -> String {
    let line = format!("POST /v1/{name}");
    ask(server, token, &line, "Metier-Asker: user\r\n", &arguments.to_string())
}

/// A question over MCP, of the era without a handshake, with more `_meta`.
fn question(server: &Server, token: &str, method: &str, mut params: Value, more: Value) -> String {
    let mut meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    params["_meta"] = meta;
    let name = params["name"].as_str().or(params["uri"].as_str()).unwrap_or_default().to_owned();
    let mut headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
    if matches!(method, "tools/call" | "resources/read" | "prompts/get") {
        headers.push_str(&format!("Mcp-Name: {name}\r\n"));
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    ask(server, token, "POST /mcp", &headers, &body.to_string())
}

/// Every question over MCP that could be about the skill `name`.
fn questions(name: &str) -> Vec<(&'static str, Value)> {
    let template = json!({"type": "ref/resource", "uri": "skill://{name}/{+path}"});
    let tool = |tool: &str, arguments: Value| {
        ("tools/call", json!({"name": tool, "arguments": arguments}))
    };
    let named = json!({"name": name});
    vec![
        ("server/discover", json!({})),
        ("tools/list", json!({})),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": format!("skill://{name}/SKILL.md")})),
        ("resources/read", json!({"uri": format!("skill://{name}/references/note.md")})),
        ("resources/read", json!({"uri": "skill://index.json"})),
        ("prompts/list", json!({})),
        ("prompts/get", named.clone()),
        ("skills/list", json!({})),
        ("skills/get", json!({"uri": format!("skill://{name}/SKILL.md")})),
        ("resources/directory/read", json!({"uri": format!("skill://{name}")})),
        ("resources/directory/read", json!({"uri": format!("skill://{name}/references")})),
        (
            "completion/complete",
            json!({"ref": template, "argument": {"name": "name", "value": ""}}),
        ),
        (
            "completion/complete",
            json!({
                "ref": template, "argument": {"name": "path", "value": ""},
                "context": {"arguments": {"name": name}},
            }),
        ),
        tool("skill_list", json!({})),
        tool("skill_search", json!({"query": "Berta Anton people note"})),
        tool("skill_show", named.clone()),
        tool("skill_why", named.clone()),
        tool("skill_prompt", json!({"style": "json"})),
        tool("skill_activate", named.clone()),
        tool("skill_read", json!({"name": name, "path": "references/note.md"})),
        tool("script_list", json!({})),
        tool("script_list", named.clone()),
        tool("script_help", json!({"name": name, "script": "say"})),
        tool("script_run", json!({"name": name, "script": "say"})),
        tool("skill_status", json!({})),
        tool("session_events", json!({"limit": 1000})),
    ]
}

/// Every operation over HTTP that could be about the skill `name`.
fn operations(name: &str) -> Vec<(&'static str, Value)> {
    let named = json!({"name": name});
    let script = json!({"name": name, "script": "say"});
    vec![
        ("list", json!({"all": true})),
        ("search", json!({"query": "Berta Anton people note"})),
        ("show", named.clone()),
        ("why", named.clone()),
        ("prompt", json!({"style": "xml"})),
        ("activate", named.clone()),
        ("read", json!({"name": name, "path": "SKILL.md"})),
        ("script_list", json!({})),
        ("script_help", script.clone()),
        ("script_run", script),
        ("status", json!({})),
        ("events", json!({"limit": 1000})),
    ]
}

#[test]
fn no_route_shows_a_client_what_its_section_leaves_out() {
    // U2, U3, S4
    let world = world("");
    let server = start(&world);
    for (token, own, own_word, other, word) in
        [(ONE, "alpha", "Anton", "beta", "Berta"), (TWO, "beta", "Berta", "alpha", "Anton")]
    {
        for (method, params) in questions(other) {
            let said = question(&server, token, method, params.clone(), json!({}));
            assert!(!said.contains(word), "{method} {params}: {said}");
        }
        for (name, arguments) in operations(other) {
            let said = call(&server, token, name, &arguments);
            assert!(!said.contains(word), "{name} {arguments}: {said}");
        }
        let index = ask(&server, token, "GET /.well-known/agent-skills/index.json", "", "");
        assert!(index.contains(own_word) && !index.contains(word), "{index}");
        let archive = |name: &str| {
            let line = format!("GET /.well-known/agent-skills/{name}.tar.gz");
            status(&ask(&server, token, &line, "", ""))
        };
        assert_eq!((archive(own), archive("shared"), archive(other)), (200, 200, 404));
        assert_eq!(status(&ask(&server, token, "GET /metrics", "", "")), 403);
        // The same questions about what is its own are answered, so the silence above means something.
        let answered = questions(own).into_iter().filter(|(method, params)| {
            question(&server, token, method, params.clone(), json!({})).contains(own_word)
        });
        assert!(answered.count() >= 16, "{own}");
        let done = operations(own)
            .into_iter()
            .filter(|(name, arguments)| call(&server, token, name, arguments).contains(own_word));
        assert!(done.count() >= 8, "{own}");
    }
    let both = call(&server, ALL, "list", &json!({}));
    assert!(both.contains("Anton") && both.contains("Berta"), "the operator has everything");
    assert_eq!(status(&ask(&server, ALL, "GET /metrics", "", "")), 200);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn each_client_has_its_own_rulings_sessions_and_connections() {
    // U2, U3, S4
    let world = world("");
    let server = start(&world);
    let write = json!({"tool": "Write", "arguments": {"file_path": "x"}});
    let ssh = json!({"tool": "Read", "arguments": {"file_path": world.home().join(".ssh/id_rsa")}});
    let ruled = |token: &str, tool: &Value| {
        let said = call(&server, token, "guard", tool);
        let (_, body) = said.split_once("\r\n\r\n").unwrap();
        serde_json::from_str::<Value>(body).unwrap()["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        (ruled(ONE, &write), ruled(TWO, &write), ruled(ALL, &write)),
        ("deny".into(), "allow".into(), "allow".into())
    );
    let strict = ruled(ALL, &ssh);
    assert_ne!(strict, "allow");
    assert_eq!(ruled(TWO, &ssh), strict, "`full-auto` in a section relaxes nothing");
    // Both call their session `s`; each has its own, and neither can name the other's.
    let in_s = |token: &str, name: &str, session: &str, body: &str| {
        ask(&server, token, &format!("POST /v1/sessions/{session}/{name}"), "", body)
    };
    in_s(ONE, "activate", "s", "{\"name\": \"alpha\"}");
    assert!(in_s(ONE, "status", "s", "{}").contains("alpha"));
    for session in ["s", "one.s", "default", "one.default"] {
        let said = in_s(TWO, "status", session, "{}");
        assert!(!said.contains("alpha"), "{session}: {said}");
        let line = format!("POST /v1/sessions/{session}/events");
        let frames = ask(&server, TWO, &line, "", "{}");
        assert!(!frames.contains("Anton") && !frames.contains("alpha"), "{frames}");
    }
    // Looking begins no session, so it does something there.
    in_s(TWO, "guard", "one.s", &write.to_string());
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let line = "GET /v1/sessions/one.s/events/stream HTTP/1.1\r\nHost: localhost";
    write!(stream, "{line}\r\nAuthorization: Bearer {TWO}\r\n\r\n").unwrap();
    let told = BufReader::new(stream).lines().map(Result::unwrap);
    let frame = told.filter(|line| line.starts_with("data: ")).take(1).next().unwrap();
    assert!(frame.contains("\"session_id\":\"two.one.s\""), "its own: {frame}");
    // Nor can whoever has the server's own token, which stands for no section; the user who runs
    // the server has the journals.
    for session in ["one.s", "two.s", "one."] {
        let said = in_s(ALL, "status", session, "{}");
        assert!(status(&said) == 403 && said.contains("not_yours"), "{said}");
        let tool = json!({"name": "skill_status", "arguments": {}});
        let named = json!({"metier/session": session});
        let said = question(&server, ALL, "tools/call", tool, named);
        assert!(said.contains("not_yours") && !said.contains("alpha"), "{said}");
    }
    let line = "GET /v1/sessions/one.s/events/stream";
    assert_eq!(status(&ask(&server, ALL, line, "", "")), 403);
    assert_eq!(status(&in_s(ALL, "status", "other.s", "{}")), 200, "no section is called so");
    let own = world.run(crate::METIER, &["--session", "one.s", "status", "--json"]);
    assert!(own.stdout.contains("alpha"), "{own:?}");
    let owned = in_s(ONE, "events", "s", "{}");
    assert!(owned.contains("\"agent_id\":\"one\""), "the journal says who it was: {owned}");
    // A connection of one client is not there for the other.
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }});
    let begun = ask(&server, ONE, "POST /mcp", "", &hello.to_string());
    assert!(begun.contains("alpha") && !begun.contains("beta"), "instructions: {begun}");
    let id = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/list"}).to_string();
    let header = format!("Mcp-Session-Id: {id}\r\n");
    assert_eq!(status(&ask(&server, ONE, "POST /mcp", &header, &list)), 200);
    assert_eq!(status(&ask(&server, TWO, "POST /mcp", &header, &list)), 404);
    assert_eq!(status(&ask(&server, TWO, "GET /mcp", &header, "")), 404);
    ask(&server, TWO, "DELETE /mcp", &header, "");
    assert_eq!(status(&ask(&server, ONE, "POST /mcp", &header, &list)), 200, "it is still there");
    assert_eq!(status(&ask(&server, ONE, "DELETE /mcp", &header, "")), 204);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn where_clients_have_tokens_nobody_comes_in_without_one() {
    // U3
    let world = world("");
    let server = Server::start(&world, &["--config", "config.toml"]);
    assert_eq!(server.ask("POST /v1/list", "", "").0, 401);
    assert_eq!(server.ask("GET /.well-known/agent-skills/index.json", "", "").0, 401);
    assert_eq!(server.ask("GET /health", "", "").0, 200);
    assert_eq!(status(&call(&server, ONE, "list", &json!({}))), 200);
    assert_eq!(status(&call(&server, "token-of-somebody-else", "list", &json!({}))), 401);
    assert_eq!(server.stop().0, 0);
    let refused = |config: &str, says: &str| {
        world.write("project/bad.toml", config);
        let args = ["serve", "--config", "bad.toml", "--token-file", "all.token"];
        let run = crate::metier(&world, &args);
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains(says), "{}", run.stderr);
    };
    refused("[clients.a]\ntoken-file = 'all.token'\n", "somebody else's");
    refused(
        "[clients.a]\ntoken-file = 'one.token'\n[clients.b]\ntoken-file = 'one.token'\n",
        "somebody else's",
    );
    refused("[clients.a]\ntoken-file = 'gone.token'\n", "cannot use the token");
}

#[test]
fn what_a_client_says_of_itself_takes_away_and_never_gives() {
    // U2, S4
    let world = world("[clients.editor]\nskills = 'shared'\n");
    let server = start(&world);
    let listed = |token: &str, name: &str| {
        let info = json!({"io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"}});
        let said = question(&server, token, "resources/list", json!({}), info);
        ["alpha", "beta", "shared"].map(|name| said.contains(&format!("skill://{name}/")))
    };
    assert_eq!(listed(ALL, "test"), [true, true, true]);
    assert_eq!(listed(ALL, "Editor"), [false, false, true]);
    assert_eq!(listed(ALL, "one"), [true, false, true]);
    assert_eq!(listed(ONE, "test"), [true, false, true]);
    assert_eq!(listed(ONE, "two"), [false, false, true], "what both leave");
    assert_eq!(listed(ONE, "editor"), [false, false, true]);
    assert_eq!(server.stop().0, 0);
}

#[test]
fn whoever_starts_a_server_for_a_client_says_which_it_is() {
    // U2, S4
    let world = world("");
    let args = ["--config", "config.toml", "mcp", "--client", "ONE"];
    let mut wire = Wire::start(&world, &args);
    let skills = wire.get("skills/list", json!({})).to_string();
    assert!(skills.contains("Anton") && !skills.contains("Berta"), "{skills}");
    let ruled = wire.call("tool_guard", json!({"tool": "Write", "arguments": {}}));
    assert_eq!(ruled["verdict"], "deny");
    let denied = wire.call("skill_activate", json!({"name": "beta"}));
    assert_eq!(denied["error"]["code"], "skill_not_found", "{denied}");
    let session = wire.call("skill_status", json!({}))["session"].as_str().unwrap().to_owned();
    assert!(session.starts_with("one."), "{session}");
    assert_eq!(wire.close(), 0);
    let unknown = crate::metier(&world, &["--config", "config.toml", "mcp", "--client", "on"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("did you mean `one`?"), "{}", unknown.stderr);
    // A policy that cannot be read denies, and only for that client.
    std::fs::remove_file(world.path().join("project/no-write.toml")).unwrap();
    let mut wire = Wire::start(&world, &args);
    let ruled = wire.call("tool_guard", json!({"tool": "Glob", "arguments": {}}));
    assert_eq!(ruled["verdict"], "deny", "{ruled}");
    assert_eq!(wire.close(), 0);
    let mut wire = Wire::start(&world, &["--config", "config.toml", "mcp", "--client", "two"]);
    let ruled = wire.call("tool_guard", json!({"tool": "Glob", "arguments": {}}));
    assert_eq!(ruled["verdict"], "allow", "{ruled}");
    assert_eq!(wire.close(), 0);
}

#[test]
fn what_a_section_disables_its_client_does_not_have_whatever_it_enables() {
    // U2, U3, D4
    let world = world("[clients.three]\ndisabled = ['Alpha']\ntoken-file = 'three.token'\n");
    let text = std::fs::read_to_string(world.project().join("config.toml")).unwrap();
    let disabled = "skills = 'beta,shared'\ndisabled = ['shared']\n";
    world.write("project/config.toml", text.replace("skills = 'beta,shared'\n", disabled));
    let path = world.write("project/three.token", "token-of-client-three");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    let server = start(&world);
    let has = |token: &str, name: &str| {
        let shown = call(&server, token, "show", &json!({ "name": name }));
        let listed = call(&server, token, "list", &json!({}));
        let named = format!("\"name\":\"{name}\"");
        assert_eq!(listed.contains(&named), status(&shown) == 200, "{listed}");
        status(&shown) == 200
    };
    assert!(has(TWO, "beta") && !has(TWO, "shared") && !has(TWO, "alpha"));
    let three = "token-of-client-three";
    assert!(has(three, "beta") && has(three, "shared") && !has(three, "alpha"));
    assert!(has(ONE, "shared") && has(ALL, "alpha"), "others have what they had");
}
