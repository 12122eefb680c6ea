//! What a connection costs a model before anything is asked.

use metier_serve::Dialect;
use metier_serve::mcp::Service;
use metier_store::{Layer, MemoryStore, tokens};
use serde_json::json;
use std::sync::Arc;

use crate::ground::{Ground, attach, run, skill};

fn thousand() -> MemoryStore {
    let mut store = MemoryStore::new(Layer::Personal);
    for number in 0..1000 {
        let name = format!("skill-number-{number:04}");
        store = store.file(&format!("{name}/SKILL.md"), skill(&name, ""));
    }
    store
}

#[test]
fn tools_stay_under_two_thousand_tokens_whatever_the_number_of_skills() {
    // U2, B3
    run(async {
        for dialect in Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Chibi) {
            let service = Service::new(Arc::new(Ground::over(thousand())), dialect);
            let mut wire = attach(&service, None);
            wire.begin("2025-11-25").await;
            let tools = wire.get("tools/list", json!({})).await["tools"].to_string();
            let count = tokens::exact(&tools).count;
            assert!(count < 2000, "{}: {count} tokens\n{tools}", dialect.as_str());
        }
    });
}

#[test]
fn the_first_two_thousand_characters_say_which_skills_there_are() {
    // U2
    run(async {
        let few = || {
            let description = "x".repeat(1000);
            let text = |name: &str| {
                format!("---\nname: {name}\ndescription: {description}\n---\nBody\n").into_bytes()
            };
            let store = MemoryStore::new(Layer::Personal);
            store.file("one/SKILL.md", text("one")).file("two/SKILL.md", text("two"))
        };
        for dialect in Dialect::ALL {
            for (host, named) in
                [(Ground::over(thousand()), "skill-number-0000"), (Ground::over(few()), "two")]
            {
                let service = Service::new(Arc::new(host), dialect);
                let mut wire = attach(&service, None);
                let told = wire.begin("2025-11-25").await["instructions"].clone();
                let told = told.as_str().unwrap();
                assert!(told.chars().count() <= 2048, "{}", told.len());
                assert!(told.contains(named), "{told}");
            }
        }
    });
}

/// Skills as long as they may be, one of them with very many files and scripts.
fn long_winded() -> MemoryStore {
    let mut store = MemoryStore::new(Layer::Personal);
    for number in 0..90 {
        let name = format!("skill-number-{number:04}");
        let text = format!(
            "---\nname: {name}\ndescription: {}\ntags: [{}]\n---\nBody \"quoted\"\n",
            "long words ".repeat(90),
            "tag, ".repeat(20).trim_end_matches(", "),
        );
        store = store.file(&format!("{name}/SKILL.md"), text.into_bytes());
    }
    for number in 0..150 {
        let path = |folder: &str| format!("skill-number-0000/{folder}/a-file-{number:04}.sh");
        let script = format!("#!/bin/sh\n# Usage: {}\n", "says much ".repeat(30)).into_bytes();
        store = store.file(&path("scripts"), script).file(&path("references"), &b"x"[..]);
    }
    store.file("skill-number-0000/references/big.md", "\"\n".repeat(100_000).into_bytes())
}

#[test]
fn whatever_is_asked_no_answer_is_longer_than_agents_take_and_both_forms_say_the_same() {
    // U2
    run(async {
        let service = Service::new(Arc::new(Ground::over(long_winded())), Dialect::Plain);
        let mut wire = attach(&service, None);
        wire.begin("2025-11-25").await;
        let name = "skill-number-0000";
        for round in 0..60 {
            let noise = format!("{round} {}", "x".repeat(500));
            wire.call("tool_guard", json!({"tool": noise, "arguments": {"a": "b".repeat(500)}}))
                .await;
        }
        let mut names = Vec::new();
        let mut after = json!("");
        while !after.is_null() {
            let page = wire.call("skill_list", json!({"after": after})).await;
            let page = &page["structuredContent"];
            let skills = page["skills"].as_array().unwrap();
            names.extend(skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()));
            assert!(page["truncated"].is_null() && !skills.is_empty());
            after = page["next"].clone();
        }
        assert_eq!((names.len(), names.is_sorted()), (90, true), "page by page, each once");
        let much = 1000;
        for (tool, arguments) in [
            ("skill_list", json!({"limit": much})),
            ("skill_search", json!({"query": "long words", "limit": much})),
            ("skill_show", json!({"name": name})),
            ("skill_why", json!({"name": name})),
            ("skill_prompt", json!({})),
            ("skill_prompt", json!({"style": "json"})),
            ("skill_activate", json!({"name": name})),
            ("skill_read", json!({"name": name, "path": "references/big.md"})),
            ("skill_read", json!({"name": name, "path": "references/big.md", "limit": 500_000})),
            ("script_list", json!({})),
            ("script_list", json!({"name": name})),
            ("skill_status", json!({})),
            ("session_events", json!({"limit": much})),
            ("tool_guard", json!({"tool": "Bash", "arguments": {"command": "x ".repeat(40_000)}})),
            ("skill_activate", json!({"name": "x".repeat(60_000)})),
        ] {
            let answer = wire.call(tool, arguments.clone()).await;
            let text = answer["content"][0]["text"].as_str().unwrap();
            let data = answer["structuredContent"].to_string();
            for (form, count) in [("text", text.chars().count()), ("data", data.chars().count())] {
                assert!(count < 40_000, "{tool} {:.60}: {form} {count}", arguments.to_string());
            }
            // What one form says, the other does: as JSON, or as the text that is a member of it.
            let told = answer["structuredContent"]["text"].as_str();
            let error = answer["structuredContent"]["error"]["message"].as_str();
            let same = text == data
                || told.is_some_and(|told| told == text)
                || error.is_some_and(|error| text.ends_with(error));
            assert!(same, "{tool}: {text:.200} {data:.200}");
        }
    });
}
