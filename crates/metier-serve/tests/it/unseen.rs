//! What nobody would see is shown to a model or given as data, and what is not for models does not
//! get to one, on any surface.

use std::sync::Arc;

use metier_format::text::is_live;
use metier_serve::Dialect;
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::{Ground, connect, run, skill, stateless};
use crate::served::Served;

/// An escape, a change of direction, a space of no width and a tag.
const LIVE: &str = "\u{1b}[31m\u{202e}\u{200b}\u{e0041}";

fn host() -> Arc<Ground> {
    let text = format!(
        "---\nname: odd\ndescription: \"Odd {} things. Use when odd.\"\nargument-hint: \"{}\"\n---\n\nBody {LIVE}.\n",
        "\\e[31m\\u202e\\u200b\\U000E0041", "\\u202e"
    );
    let store = MemoryStore::new(Layer::Personal)
        .file("odd/SKILL.md", text.into_bytes())
        .file("odd/references/a.md", format!("Text {LIVE}\n").into_bytes())
        .file("by-hand/SKILL.md", skill("by-hand", "disable-model-invocation: true"))
        .file("by-hand/a.md", &b"inside\n"[..]);
    Arc::new(Ground::over(store))
}

/// Every text in `value` that has a live character.
fn live(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.contains(is_live) => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| live(item, found)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            live(&json!(name), found);
            live(member, found);
        }),
        _ => {}
    }
}

fn clean(what: &str, value: &Value) {
    let mut found = Vec::new();
    live(value, &mut found);
    assert_eq!(found, Vec::<String>::new(), "{what}");
}

#[test]
fn what_nobody_would_see_is_written_out_for_models() {
    // S5, U2, U3, U8
    let host = host();
    let calls = [
        ("skill_list", json!({})),
        ("skill_search", json!({"query": "odd"})),
        ("skill_show", json!({"name": "odd"})),
        ("skill_activate", json!({"name": "odd", "arguments": LIVE})),
        ("skill_read", json!({"name": LIVE, "path": LIVE})),
        ("session_events", json!({})),
    ];
    run(async {
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        for (tool, arguments) in &calls {
            let answer = wire.call(tool, arguments.clone()).await;
            clean(tool, &answer);
            // The words are JSON, which has a way of its own to write such characters.
            if let Some(text) = answer["content"][0]["text"].as_str()
                && let Ok(inner) = serde_json::from_str(text)
            {
                clean(tool, &inner);
            }
        }
        for method in ["tools/list", "prompts/list", "resources/list"] {
            clean(method, &wire.get(method, json!({})).await);
        }
        let prompt = wire.get("prompts/get", json!({"name": "odd"})).await;
        clean("prompts/get", &prompt);
        assert!(prompt.to_string().contains("\\\\u{202e}"), "{prompt}");
    });
    let server = Served::start(&host);
    for (operation, arguments) in [
        ("list", json!({})),
        ("show", json!({"name": "odd"})),
        ("activate", json!({"name": "odd"})),
    ] {
        clean(operation, &server.call(operation, "", &arguments).json());
    }
    clean("index", &server.get("/.well-known/agent-skills/index.json").json());
    for dialect in Dialect::ALL {
        let mut session = host.session(dialect.again());
        for tool in dialect.tools(session.catalog()) {
            clean(&tool.name, &json!([tool.title, tool.description, tool.input]));
            let named = json!({"name": "odd", "skill": "odd", "skill_name": "odd", "path": "references/a.md"});
            let odd = json!({"name": LIVE, "skill": LIVE, "skill_name": LIVE, "script_name": LIVE, "script": LIVE, "path": format!("references/{LIVE}")});
            if let Some(reply) = dialect.call(&mut session, &tool.name, odd) {
                clean(&tool.name, &json!([reply.text, reply.data]));
            }
            if let Some(reply) = dialect.call(&mut session, &tool.name, named) {
                // The data of a tool that reads a file is what is in the file.
                let reads = tool.name.contains("read");
                clean(&tool.name, &json!([reply.text, reply.data.filter(|_| !reads)]));
            }
        }
    }
}

#[test]
fn what_is_in_a_file_is_the_same_for_everybody_and_its_words_hide_nothing() {
    // U2, U3, F1
    let ends = "one\r\ntwo\r\n";
    let text = format!("{ends}{LIVE}\rthree\u{85}");
    let store = MemoryStore::new(Layer::Personal)
        .file("s/SKILL.md", skill("s", ""))
        .file("s/references/a.md", text.clone().into_bytes());
    let host = Arc::new(Ground::over(store));
    let file = json!({"name": "s", "path": "references/a.md"});
    let answer = Served::start(&host).call("read", "", &file);
    assert_eq!(answer.json()["text"], text);
    assert!(!answer.text().contains(is_live), "{}", answer.text());
    run(async {
        for (dialect, tool, place) in [
            (Dialect::Plain, "skill_read", "/text"),
            (Dialect::Tavern, "skills_read_file", "/data/content"),
        ] {
            let mut wire = connect(&host, dialect);
            wire.begin("2025-11-25").await;
            let answer = wire.call(tool, file.clone()).await;
            let data = &answer["structuredContent"];
            assert_eq!(data.pointer(place), Some(&json!(text)));
            let words = answer["content"][0]["text"].as_str().unwrap();
            assert!(!words.contains(is_live), "{words}");
            assert_eq!(&serde_json::from_str::<Value>(words).unwrap(), data);
        }
    });
    let mut session = host.session(Dialect::Chibi.again());
    let file = json!({"skill": "s", "path": "references/a.md"});
    let words = Dialect::Chibi.call(&mut session, "read_skill_file", file).unwrap().text;
    assert!(words.starts_with(ends) && words.ends_with("\\u{d}three\\u{85}"), "{words}");
}

#[test]
fn lines_that_end_as_on_windows_reach_a_model_as_lines() {
    // F1, U2, U3, U4
    let written = "---\r\nname: s\r\ndescription: S.\r\n---\r\n\r\nOne.\r\nTwo $ARGUMENTS.\r\n";
    let store = MemoryStore::new(Layer::Personal).file("s/SKILL.md", written.as_bytes());
    let host = Arc::new(Ground::over(store));
    let check = |what: &str, told: &Value| {
        let told = told.as_str().unwrap_or(what);
        assert!(told.contains("One.\r\nTwo"), "{what}: {told:?}");
        assert!(!told.contains("\\u{"), "{what}: {told:?}");
    };
    let activated = Served::start(&host).call("activate", "", &json!({"name": "s"})).json();
    check("HTTP", &activated["text"]);
    check("HTTP", &activated["body"]);
    run(async {
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        let prompt = wire.get("prompts/get", json!({"name": "s"})).await;
        check("prompts/get", &prompt["messages"][0]["content"]["text"]);
        let answer = wire.call("skill_activate", json!({"name": "s", "arguments": "x"})).await;
        check("MCP", &answer["content"][0]["text"]);
        check("MCP", &answer["structuredContent"]["text"]);
    });
    for (dialect, tool, arguments) in [
        (Dialect::Chibi, "use_skill", json!({"skill": "s"})),
        (Dialect::Tavern, "skills_load", json!({"name": "s"})),
        (Dialect::Omniforge, "skill", json!({"skill_name": "s"})),
    ] {
        let mut session = host.session(dialect.again());
        let reply = dialect.call(&mut session, tool, arguments).unwrap();
        let told = reply.data.map_or(json!(reply.text), |data| {
            let body = ["/data/body_markdown", "/result/content"];
            body.iter().find_map(|place| data.pointer(place)).cloned().unwrap_or_default()
        });
        check(tool, &told);
    }
}

#[test]
fn a_refusal_says_nothing_that_nobody_would_see() {
    // U2, U3, F4
    let host = host();
    let server = Served::start(&host);
    for (operation, arguments) in [
        ("show", json!({"name": LIVE})),
        ("activate", json!({"name": LIVE})),
        ("read", json!({"name": "odd", "path": LIVE})),
        ("read", json!({"name": LIVE, "path": "a"})),
        ("script_run", json!({"name": "odd", "script": LIVE})),
        ("script_run", json!({"name": LIVE, "script": "a"})),
        ("prompt", json!({"style": LIVE})),
        ("list", json!({LIVE: 1})),
        ("release", json!({"name": LIVE})),
    ] {
        for asker in ["model", "user"] {
            let headers = [("Content-Type", "application/json"), ("Metier-Asker", asker)];
            let route = format!("POST /v1/{operation}");
            let answer = server.ask(&route, &headers, arguments.to_string().as_bytes());
            assert!(answer.status >= 400, "{operation}: {answer:?}");
            clean(operation, &answer.json());
        }
    }
    run(async {
        let mut wire = connect(&host, Dialect::Plain);
        wire.begin("2025-11-25").await;
        let uri = format!("skill://odd/{LIVE}");
        for (method, params) in [
            ("tools/call", json!({"name": LIVE, "arguments": {}})),
            ("prompts/get", json!({"name": LIVE})),
            ("resources/read", json!({"uri": uri})),
            ("resources/read", json!({"uri": LIVE})),
            ("resources/directory/read", json!({"uri": uri})),
            ("skills/get", json!({"uri": uri})),
            ("skills/list", json!({"cursor": LIVE})),
            ("resources/subscribe", json!({"uri": LIVE})),
            (LIVE, json!({})),
        ] {
            let answer = wire.ask(method, params).await;
            assert!(answer.get("error").is_some(), "{method}: {answer}");
            clean(method, &answer["error"]);
        }
    });
}

#[test]
fn a_bad_name_of_a_session_is_answered_with_what_is_allowed() {
    // U2, U3
    let host = host();
    let server = Served::start(&host);
    let allowed = "a session has letters, digits";
    for name in ["../x", ".hidden", "a b", &"x".repeat(200)] {
        let answer = server.call("status", name, &json!({}));
        assert_eq!(answer.refusal(), (400, "bad_request".to_owned()));
        assert!(answer.text().contains(allowed), "{}", answer.text());
        run(async {
            let mut wire = connect(&host, Dialect::Plain);
            let meta = stateless(json!({"metier/session": name}));
            let params = json!({"name": "session_status", "arguments": {}, "_meta": meta});
            let answer = wire.ask("tools/call", params).await;
            assert!(answer["error"]["message"].to_string().contains(allowed), "{answer}");
        });
    }
}

#[test]
fn the_bytes_of_a_file_are_given_as_they_are_where_digests_are_taken_of_them() {
    // U2
    run(async {
        let mut wire = connect(&host(), Dialect::Plain);
        wire.begin("2025-11-25").await;
        let read = wire.get("resources/read", json!({"uri": "skill://odd/references/a.md"})).await;
        assert_eq!(read["contents"][0]["text"], format!("Text {LIVE}\n"));
    });
}

#[test]
fn the_files_of_a_skill_for_users_are_a_models_only_once_its_user_started_it() {
    // U2, U3, S2
    let server = Served::start(&host());
    let read = || server.call("read", "s", &json!({"name": "by-hand", "path": "a.md"}));
    assert_eq!(read().refusal(), (404, "skill_not_found".to_owned()));
    let user =
        [("Metier-Asker", "user"), ("Metier-Session", "s"), ("Content-Type", "application/json")];
    let file = br#"{"name": "by-hand", "path": "a.md"}"#;
    assert_eq!(server.ask("POST /v1/read", &user, file).status, 200);
    let started = server.ask("POST /v1/activate", &user, br#"{"name": "by-hand"}"#);
    assert_eq!(started.status, 200, "{}", started.text());
    assert_eq!(read().status, 200);
}
