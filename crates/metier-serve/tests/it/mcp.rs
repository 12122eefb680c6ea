//! MCP over a pipe, by hand.

use std::sync::Arc;

use metier_serve::Dialect;
use metier_serve::mcp::{SESSION_KEY, SKILLS_EXTENSION, Service};
use serde_json::{Value, json};

use crate::ground::{Ground, attach, connect, run, skill, stateless};

#[test]
fn a_client_with_a_handshake_is_told_what_there_is() {
    // U2
    run(async {
        let host = Arc::new(Ground::usual());
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            let mut wire = connect(&host, Dialect::Plain);
            let hello = wire.begin(version).await;
            assert_eq!(hello["protocolVersion"], version);
            assert_eq!(hello["serverInfo"]["name"], "metier");
            let capabilities = &hello["capabilities"];
            assert_eq!(capabilities["extensions"][SKILLS_EXTENSION]["directoryRead"], true);
            for offered in ["tools", "resources", "prompts", "completions", "logging"] {
                assert!(capabilities[offered].is_object(), "{offered}");
            }
            let told = hello["instructions"].as_str().unwrap();
            assert!(told.contains("git-helper") && told.contains("skill_activate"), "{told}");
            assert!(!told.contains("stranger") && !told.contains("by-hand"), "{told}");
        }
    });
}

#[test]
fn a_client_without_a_handshake_is_served_request_by_request() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        let found = wire.get("server/discover", json!({"_meta": stateless(json!({}))})).await;
        assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
        let listed = wire.get("tools/list", json!({"_meta": stateless(json!({}))})).await;
        assert_eq!(listed["resultType"], "complete");
        assert!(listed["ttlMs"].is_u64() && listed["cacheScope"].is_string());
        let refused = wire.ask("tools/list", json!({})).await;
        assert_eq!(refused["error"]["code"], -32602, "each request says who asks: {refused}");
        for gone in ["initialize", "logging/setLevel", "resources/subscribe"] {
            let refused = wire.ask(gone, json!({"_meta": stateless(json!({}))})).await;
            assert_eq!(refused["error"]["code"], -32601, "{gone}: {refused}");
        }
    });
}

#[test]
fn every_tool_has_schemas_and_says_what_it_does() {
    // U2, U8
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        wire.begin("2025-11-25").await;
        let listed = wire.get("tools/list", json!({})).await;
        let tools = listed["tools"].as_array().unwrap();
        assert!(tools.len() >= 12);
        for tool in tools {
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
            // To ask a script for its help is to run it.
            let runs = tool["name"] == "script_run" || tool["name"] == "script_help";
            assert_eq!(tool["annotations"]["openWorldHint"], runs, "{tool}");
        }
        let hint = |name: &str| {
            let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
            tool["annotations"]["readOnlyHint"].clone()
        };
        assert_eq!(hint("skill_search"), true);
        assert_eq!((hint("skill_activate"), hint("script_help")), (Value::Null, Value::Null));
    });
}

#[test]
fn a_session_over_mcp_activates_guards_reads_and_releases() {
    // U2, S1, S3, J1
    run(async {
        let host = Arc::new(Ground::usual());
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        let active = wire.call("skill_activate", json!({"name": "Git_Helper"})).await;
        let text = active["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("<skill_content name=\"git-helper\">"), "{text}");
        assert_eq!(active["structuredContent"]["text"], text, "both say the same");
        let denied = wire.call("tool_guard", json!({"tool": "Write", "arguments": {}})).await;
        assert_eq!(denied["structuredContent"]["verdict"], "deny");
        let git = json!({"tool": "Bash", "arguments": {"command": "git status"}});
        let allowed = wire.call("tool_guard", git).await;
        assert_eq!(allowed["structuredContent"]["verdict"], "allow");
        let path = json!({"name": "git-helper", "path": "references/a.md"});
        let read = wire.call("skill_read", path).await;
        assert_eq!(read["structuredContent"]["text"], "# A\n");
        let released = wire.call("skill_release", json!({})).await;
        assert_eq!(released["structuredContent"]["released"], json!(["git-helper"]));
        let events = wire.call("session_events", json!({"limit": 100})).await;
        let told = events["structuredContent"]["frames"].as_array().unwrap().len();
        assert_eq!(told, host.kinds().len());
        let kinds = host.kinds();
        for kind in ["skill_activated", "tool_restriction_violated", "resource_read"] {
            assert!(kinds.iter().any(|k| k == kind), "{kind}: {kinds:?}");
        }
    });
}

#[test]
fn a_failure_is_told_to_the_model_with_its_code() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        wire.begin("2025-11-25").await;
        let check = |answer: Value, code: &str| {
            assert_eq!(answer["isError"], true, "{answer}");
            assert_eq!(answer["structuredContent"]["error"]["code"], code);
            let text = answer["content"][0]["text"].as_str().unwrap();
            assert!(text.starts_with(code), "{text}");
        };
        check(wire.call("skill_activate", json!({"name": "git-helpr"})).await, "skill_not_found");
        check(wire.call("skill_activate", json!({"name": "by-hand"})).await, "skill_not_found");
        check(wire.call("skill_activate", json!({})).await, "invalid_arguments");
        check(wire.call("skill_activate", json!({"nam": 1})).await, "invalid_arguments");
        check(wire.call("skill_show", json!({"name": "stranger"})).await, "skill_not_trusted");
        check(wire.call("skill_show", json!({"name": "by-hand"})).await, "skill_not_found");
        check(wire.call("skill_release", json!({})).await, "skill_not_active");
        let path = json!({"name": "git-helper", "path": "../../etc/passwd"});
        check(wire.call("skill_read", path).await, "invalid_path");
        let unknown = wire.ask("tools/call", json!({"name": "rm", "arguments": {}})).await;
        assert_eq!(unknown["error"]["code"], -32602);
    });
}

#[test]
fn a_server_whose_journal_refuses_says_so_and_goes_on() {
    // U2, J1
    run(async {
        let host = Arc::new(Ground::shut());
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        let answer = wire.call("skill_activate", json!({"name": "free"})).await;
        assert_eq!(answer["structuredContent"]["error"]["code"], "journal_refused");
        assert!(wire.notes.iter().any(|note| note["method"] == "notifications/message"));
        let read = wire.ask("resources/read", json!({"uri": "skill://free/SKILL.md"})).await;
        assert_eq!(read["error"]["code"], -32603);
        assert!(wire.get("tools/list", json!({})).await["tools"].is_array());
    });
}

#[test]
fn long_results_come_in_parts_that_agents_take_whole() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        wire.begin("2025-11-25").await;
        let active = wire.call("skill_activate", json!({"name": "long"})).await;
        assert!(active["structuredContent"].to_string().len() < 40_000);
        assert_eq!(active["structuredContent"]["complete"], false);
        assert!(active["content"][0]["text"].as_str().unwrap().contains("`skill_read`"));
        let (mut offset, mut whole) = (0, String::new());
        loop {
            let part = json!({"name": "long", "path": "references/big.md", "offset": offset});
            let read = wire.call("skill_read", part).await;
            assert!(read["structuredContent"].to_string().len() < 40_000);
            whole.push_str(read["structuredContent"]["text"].as_str().unwrap());
            match read["structuredContent"]["next"].as_u64() {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(whole, "0123456789\n".repeat(6000));
    });
}

#[test]
fn each_skill_a_user_may_invoke_is_a_prompt_with_its_arguments() {
    // U2, S2
    run(async {
        let host = Arc::new(Ground::usual());
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        let listed = wire.get("prompts/list", json!({})).await;
        let prompts = listed["prompts"].as_array().unwrap();
        let names: Vec<&str> = prompts.iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["by-hand", "free", "git-helper", "long", "reader"]);
        let arguments = &prompts[4]["arguments"];
        assert_eq!(
            (&arguments[0]["name"], &arguments[1]["name"]),
            (&json!("what"), &json!("where"))
        );
        let asked = json!({"name": "reader", "arguments": {"what": "a b", "where": "here"}});
        let got = wire.get("prompts/get", asked).await;
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("Do it with \"a b\" here."), "{text}");
        let by_hand = wire.get("prompts/get", json!({"name": "by-hand"})).await;
        assert_eq!(by_hand["messages"][0]["role"], "user");
        for unknown in ["by-model", "nothing", "stranger", "../x"] {
            let refused = wire.ask("prompts/get", json!({"name": unknown})).await;
            assert_eq!(refused["error"]["code"], -32602, "{unknown}: {refused}");
        }
    });
}

#[test]
fn names_and_paths_are_completed_where_an_address_has_a_place_for_them() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        wire.begin("2025-11-25").await;
        let template = json!({"type": "ref/resource", "uri": "skill://{name}/{+path}"});
        let mut complete = async |argument: Value, context: Value| {
            let asked = json!({"ref": template, "argument": argument, "context": context});
            wire.get("completion/complete", asked).await["completion"]["values"].clone()
        };
        let names = complete(json!({"name": "name", "value": "by-"}), json!({})).await;
        assert_eq!(names, json!(["by-model"]), "the other is for people");
        let of = json!({"arguments": {"name": "git-helper"}});
        let paths = complete(json!({"name": "path", "value": "ref"}), of).await;
        assert_eq!(paths, json!(["references/a.md"]));
        let of = json!({"arguments": {"name": "stranger"}});
        let none = complete(json!({"name": "path", "value": ""}), of).await;
        assert_eq!(none, json!([]));
    });
}

#[test]
fn a_change_on_disk_is_told_to_every_client() {
    // U2, D7
    run(async {
        let world = tempfile::tempdir().unwrap();
        let host = Arc::new(Ground::on_disk(world.path()));
        let service = Service::new(host, Dialect::Omniforge);
        let (mut one, mut two) = (attach(&service, None), attach(&service, None));
        one.begin("2025-11-25").await;
        two.begin("2025-11-25").await;
        // A request in between makes sure that both are past their handshake.
        one.get("tools/list", json!({})).await;
        two.get("tools/list", json!({})).await;
        let directory = world.path().join("new-one");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("SKILL.md"), skill("new-one", "")).unwrap();
        for wire in [&mut one, &mut two] {
            let mut told = Vec::new();
            while told.len() < 3 {
                let note = wire.receive().await.unwrap();
                told.push(note["method"].as_str().unwrap().to_owned());
            }
            assert!(told.contains(&"notifications/tools/list_changed".to_owned()), "{told:?}");
            assert!(told.contains(&"notifications/prompts/list_changed".to_owned()), "{told:?}");
            let tools = wire.get("tools/list", json!({})).await;
            assert!(tools["tools"][0]["description"].as_str().unwrap().contains("new-one"));
        }
    });
}

#[test]
fn a_subscription_without_a_handshake_hears_of_changes_too() {
    // U2, D7
    run(async {
        let world = tempfile::tempdir().unwrap();
        let host = Arc::new(Ground::on_disk(world.path()));
        let service = Service::new(host, Dialect::Plain);
        let mut wire = attach(&service, None);
        let wanted = json!({
            "_meta": stateless(json!({})),
            "notifications": {"promptsListChanged": true},
        });
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": wanted,
        });
        wire.send(request.to_string().as_bytes()).await;
        let acknowledged = wire.receive().await.unwrap();
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        let directory = world.path().join("new-one");
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("SKILL.md"), skill("new-one", "")).unwrap();
        let note = wire.receive().await.unwrap();
        assert_eq!(note["method"], "notifications/prompts/list_changed");
    });
}

#[test]
fn a_request_without_a_handshake_may_name_its_session() {
    // U2, S6
    run(async {
        let host = Arc::new(Ground::usual());
        let service =
            Service::new(Arc::clone(&host) as Arc<dyn metier_serve::Host>, Dialect::Plain);
        let meta = stateless(json!({ SESSION_KEY: "mine" }));
        let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments, "_meta": meta});
        let mut first = attach(&service, None);
        first.get("tools/call", call("skill_activate", json!({"name": "reader"}))).await;
        first.vanish();
        let mut second = attach(&service, None);
        let guard = call("tool_guard", json!({"tool": "Write", "arguments": {}}));
        let ruled = second.get("tools/call", guard).await;
        assert_eq!(ruled["structuredContent"]["verdict"], "deny", "what was active still is");
        let mut third = attach(&service, None);
        third.begin("2025-11-25").await;
        let meta = json!({ SESSION_KEY: "mine" });
        let asked = json!({"name": "skill_status", "arguments": {}, "_meta": meta});
        let status = third.get("tools/call", asked).await;
        assert_ne!(status["structuredContent"]["session"], "mine", "who shook hands has its own");
    });
}

#[test]
fn a_client_that_asks_for_messages_hears_what_is_done() {
    // U2, J1
    let said = |notes: &[Value]| -> Vec<(String, String)> {
        let text = |note: &Value, at: &str| note["params"][at].as_str().unwrap_or("").to_owned();
        let messages = notes.iter().filter(|note| note["method"] == "notifications/message");
        messages.map(|note| (text(note, "level"), text(note, "data"))).collect()
    };
    let has = |said: &[(String, String)], level: &str, text: &str| {
        said.iter().any(|(l, t)| l == level && t == text)
    };
    run(async {
        let host = Arc::new(Ground::usual());
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        wire.call("skill_activate", json!({"name": "reader"})).await;
        wire.call("tool_guard", json!({"tool": "Write", "arguments": {}})).await;
        assert_eq!(said(&wire.notes), [], "nobody asked");
        wire.get("logging/setLevel", json!({"level": "debug"})).await;
        wire.call("skill_activate", json!({"name": "free"})).await;
        wire.call("skill_activate", json!({"name": "nobody"})).await;
        wire.call("tool_guard", json!({"tool": "Write", "arguments": {}})).await;
        wire.call("skill_release", json!({})).await;
        wire.get("ping", json!({})).await;
        let told = said(&wire.notes);
        for (level, text) in [
            ("debug", "`skill_activate` was called"),
            ("info", "a skill was activated: `free`"),
            ("notice", "a skill was refused: `nobody`"),
            ("notice", "a tool call was denied: `Write`"),
            ("info", "a skill was released"),
        ] {
            assert!(has(&told, level, text), "{text}: {told:?}");
        }
        wire.notes.clear();
        wire.get("logging/setLevel", json!({"level": "notice"})).await;
        wire.call("skill_list", json!({})).await;
        wire.call("tool_guard", json!({"tool": "Write", "arguments": {}})).await;
        let told = said(&wire.notes);
        assert_eq!(told, [("notice".to_owned(), "a tool call was denied: `Write`".to_owned())]);
    });
}

#[test]
fn only_one_file_names_the_sdk() {
    // U2
    fn naming(directory: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                naming(&path, found);
            } else if std::fs::read_to_string(&path).unwrap().contains("rmcp") {
                found.push(path.file_name().unwrap().to_string_lossy().into_owned());
            }
        }
    }
    let mut found = Vec::new();
    naming(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert_eq!(found, ["sdk.rs"]);
}
