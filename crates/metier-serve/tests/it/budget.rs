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
        for dialect in Dialect::ALL {
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

#[test]
fn a_file_read_part_after_part_is_the_file_whatever_is_in_it() {
    // U2, S5
    let texts = [
        "\"\\\n".repeat(20_000),
        "\t\"\n".repeat(15_000),
        "\u{1}".repeat(9_000),
        "ab\r\n".repeat(9_000),
        "\u{202e}\u{e0041}\u{85}é\u{7f}".repeat(5_000),
        format!("{}\n", "x".repeat(100_000)),
        (1..2_000).map(|at| char::from_u32(at * 13).unwrap_or('\u{fffd}')).collect(),
    ];
    let mut store = MemoryStore::new(Layer::Personal).file("s/SKILL.md", skill("s", ""));
    for (at, text) in texts.iter().enumerate() {
        store = store.file(&format!("s/references/{at}.txt"), text.clone().into_bytes());
    }
    let service = Service::new(Arc::new(Ground::over(store)), Dialect::Plain);
    run(async {
        let mut wire = attach(&service, None);
        wire.begin("2025-11-25").await;
        for (at, text) in texts.iter().enumerate() {
            for limit in [None, Some(7_919), Some(200_000)] {
                let mut whole = String::new();
                let mut next = json!(0);
                while !next.is_null() {
                    let path = format!("references/{at}.txt");
                    let mut part = json!({"name": "s", "path": path, "offset": next});
                    if let Some(limit) = limit {
                        part["limit"] = limit.into();
                    }
                    let answer = wire.call("skill_read", part).await;
                    let data = &answer["structuredContent"];
                    assert!(
                        answer["content"][0]["text"].as_str().unwrap().chars().count() <= 36_000
                    );
                    assert!(data["truncated"].is_null(), "{at}: cut where nobody can go on");
                    whole.push_str(data["text"].as_str().unwrap());
                    next = data["next"].clone();
                }
                assert!(whole == *text, "{at}: {} of {} bytes", whole.len(), text.len());
            }
        }
    });
}

#[test]
fn the_scripts_of_many_skills_are_listed_as_far_as_they_fit_and_the_rest_is_counted() {
    // U2, U8, R3
    let mut store = MemoryStore::new(Layer::Personal);
    for number in 0..1000 {
        let name = format!("skill-number-{number:04}");
        store = store.file(&format!("{name}/SKILL.md"), skill(&name, ""));
        store = store.file(&format!("{name}/scripts/run.sh"), &b"#!/bin/sh\n"[..]);
    }
    for number in 0..900 {
        let path = format!("skill-number-0500/scripts/one-of-many-{number:04}.sh");
        store = store.file(&path, &b"#!/bin/sh\n"[..]);
    }
    let host = Arc::new(Ground::over(store));
    for (dialect, name) in [(Dialect::Plain, "name"), (Dialect::AgentBase, "skill_name")] {
        let mut session = host.session(dialect.again());
        let mut list = |arguments| dialect.call(&mut session, "script_list", arguments).unwrap();
        let all = list(json!({}));
        assert!(all.text.chars().count() <= 36_000);
        let data = all.data.unwrap();
        let listed = data["result"].as_object().expect("skills with their scripts");
        assert!(listed.len() > 100 && listed["skill-number-0000"][0]["name"] == "run");
        assert_eq!(data["truncated"], json!({"kept": listed.len(), "total": 1000}));
        assert!(data["message"].as_str().unwrap().contains("name a skill"), "{}", data["message"]);
        let (mut seen, mut page) = (0, data);
        while let Some((_, after)) = page["message"].as_str().unwrap().split_once("`after` `") {
            seen += page["result"].as_object().unwrap().len();
            let after = after.split('`').next().unwrap().to_owned();
            page = list(json!({"after": after})).data.unwrap();
        }
        let last = page["result"].as_object().unwrap();
        assert_eq!(seen + last.len(), 1000, "page by page, each once");
        assert!(last.contains_key("skill-number-0999"));
        let one = list(json!({name: "skill-number-0500"}));
        assert!(one.text.chars().count() <= 36_000);
        let data = one.data.unwrap();
        let kept = data["result"]["skill-number-0500"].as_array().unwrap().len();
        let total = data["truncated"]["total"].as_u64().unwrap();
        assert!(kept > 100 && data["truncated"]["kept"] == kept && total > kept as u64, "{kept}");
        let few = list(json!({name: "skill-number-0999"})).data.unwrap();
        assert!(few["truncated"].is_null());
    }
}

#[test]
fn the_catalog_is_written_in_as_many_tokens_as_fit_and_names_the_tool_that_finds_the_rest() {
    // U2, D6
    let service = Service::new(Arc::new(Ground::over(thousand())), Dialect::Plain);
    run(async {
        let mut wire = attach(&service, None);
        wire.begin("2025-11-25").await;
        for arguments in
            [json!({}), json!({"budget": 500}), json!({"style": "json", "budget": 1_000_000})]
        {
            let answer = wire.call("skill_prompt", arguments.clone()).await;
            let text = answer["content"][0]["text"].as_str().unwrap();
            assert!(text.chars().count() <= 36_000, "{arguments}");
            let data = &answer["structuredContent"];
            let told = data["text"].as_str().unwrap();
            assert_eq!(data["fits"], true, "{arguments}");
            let tokens = tokens::exact(told).count as u64;
            assert!(data["budget"].as_u64().is_some_and(|budget| tokens <= budget), "{arguments}");
            let whole = match arguments["style"].as_str() {
                Some(_) => serde_json::from_str::<serde_json::Value>(told).is_ok(),
                None => told.matches("<skill>").count() == told.matches("</skill>").count(),
            };
            assert!(whole, "{arguments}: {}", &told[told.len() - 200..]);
            let left_out = data["counts"]["omitted"].as_u64().unwrap();
            assert!(left_out == 0 || told.contains("`skill_search`"), "{arguments}: {told}");
            assert!(!told.contains("metier search"), "{arguments}");
        }
    });
}
