//! What does not fit into one answer can be had in parts, or found, in every dialect.

use std::sync::Arc;

use metier_serve::Dialect;
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::{Ground, Wire, connect, run, skill};

/// One long skill with a longer file among a thousand.
fn crowd() -> MemoryStore {
    let mut store = MemoryStore::new(Layer::Personal)
        .file("long/SKILL.md", long())
        .file("long/references/big.md", big().into_bytes());
    for number in 0..1000 {
        let name = format!("skill-number-{number:04}");
        store = store.file(&format!("{name}/SKILL.md"), skill(&name, ""));
    }
    store
}

fn long() -> Vec<u8> {
    let mut text = skill("long", "");
    text.extend((0..3_000).flat_map(|line| format!("Line {line} of the rules.\n").into_bytes()));
    text.extend(b"THE END\n");
    text
}

fn big() -> String {
    (0..20_000).map(|line| format!("{line} \"words\"\n")).collect()
}

async fn wire(dialect: Dialect) -> Wire {
    let mut wire = connect(&Arc::new(Ground::over(crowd())), dialect);
    wire.begin("2025-11-25").await;
    wire
}

/// The answer as text and as data; neither is longer than agents take, and nothing was cut by
/// somebody who does not know its shape.
async fn call(wire: &mut Wire, tool: &str, arguments: Value) -> (String, Value) {
    let answer = wire.call(tool, arguments.clone()).await;
    let text = answer["content"][0]["text"].as_str().unwrap().to_owned();
    let data = answer["structuredContent"].clone();
    for form in [&text, &data.to_string()] {
        let units = form.encode_utf16().count();
        assert!(units <= 36_000, "{tool} {arguments}: {units}");
    }
    assert!(data["truncated"].is_null(), "{tool} {arguments}: {}", data["truncated"]);
    assert!(!text.ends_with(" more characters)"), "{tool} {arguments}");
    (text, data)
}

/// The number behind `offset` in a text, where the answer goes on.
fn offset(text: &str) -> Option<u64> {
    let (_, after) = text.rsplit_once("`offset` ")?;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn tavernkit_lists_a_thousand_skills_page_by_page_and_finds_any() {
    // U2, U8, D8
    run(async {
        let mut wire = wire(Dialect::Tavern).await;
        let (mut names, mut after) = (Vec::new(), Some(String::new()));
        while let Some(last) = after {
            let (_, page) = call(&mut wire, "skills_list", json!({"after": last})).await;
            let skills = page["data"]["skills"].as_array().unwrap();
            names.extend(skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()));
            let warning = &page["warnings"][0];
            after = warning.is_object().then(|| names.last().unwrap().clone());
            if let Some(last) = &after {
                assert_eq!(warning["code"], "CONTENT_TRUNCATED");
                assert!(warning["message"].as_str().unwrap().contains(last), "{warning}");
            }
        }
        assert_eq!((names.len(), names.is_sorted()), (1001, true));
        let (found, _) = call(&mut wire, "skills_list", json!({"query": "number-0999"})).await;
        assert!(found.contains("skill-number-0999"), "{found}");
    });
}

#[test]
fn tavernkit_gives_bodies_and_files_in_parts() {
    // U2, U8, R1
    run(async {
        let mut wire = wire(Dialect::Tavern).await;
        let mut whole = async |tool: &str, mut arguments: Value, member: &str| {
            let mut whole = String::new();
            loop {
                let (_, data) = call(&mut wire, tool, arguments.clone()).await;
                whole.push_str(data["data"][member].as_str().unwrap());
                let warnings = data["warnings"].as_array().unwrap();
                let Some(next) = warnings.first().and_then(|w| offset(w["message"].as_str()?))
                else {
                    return whole;
                };
                assert_eq!(warnings[0]["code"], "CONTENT_TRUNCATED");
                arguments["offset"] = next.into();
            }
        };
        let body = whole("skills_load", json!({"name": "long"}), "body_markdown").await;
        assert!(body.contains("Line 0 of") && body.trim().ends_with("THE END"));
        assert_eq!(body.matches("\nLine ").count(), 3_000, "each line once");
        let file = json!({"name": "long", "path": "references/big.md", "offset": 0});
        assert!(whole("skills_read_file", file, "content").await == big());
        let refused = json!({"name": "long", "path": "references/big.md"});
        let (_, refused) = call(&mut wire, "skills_read_file", refused).await;
        assert_eq!(refused["errors"][0]["code"], "FILE_TOO_LARGE", "whole, it is too large");
    });
}

#[test]
fn omniforge_finds_what_is_not_listed_and_reads_on() {
    // U2, U8, D8, R1
    run(async {
        let mut wire = wire(Dialect::Omniforge).await;
        let tools = wire.get("tools/list", json!({})).await["tools"].to_string();
        assert!(tools.contains("more skills: see `action` `search`"), "{tools}");
        let find = json!({"skill_name": "number-0999", "action": "search"});
        let (_, found) = call(&mut wire, "skill", find).await;
        assert_eq!(found["result"]["skills"][0]["name"], "skill-number-0999", "{found}");
        let (_, long) = call(&mut wire, "skill", json!({"skill_name": "long"})).await;
        let result = &long["result"];
        assert!(result["truncated"]["total"].as_u64() > Some(60_000), "{}", result["truncated"]);
        let content = result["content"].as_str().unwrap();
        let mut rest = String::new();
        let mut next = json!(offset(content).unwrap());
        while !next.is_null() {
            let read = json!({"skill_name": "long", "action": "read", "offset": next});
            let (_, part) = call(&mut wire, "skill", read).await;
            rest.push_str(part["result"]["content"].as_str().unwrap());
            next = part["result"]["next"].clone();
        }
        let kept = content.split("\n\n(The instructions").next().unwrap();
        assert!(format!("{kept}{rest}").ends_with("THE END\n"));
        assert_eq!(format!("{kept}{rest}").matches("\nLine ").count(), 3_000, "each line once");
        let gone = json!({"skill_name": "long", "action": "read", "args": "references/no.md"});
        let (_, gone) = call(&mut wire, "skill", gone).await;
        assert_eq!(gone["success"], false, "{gone}");
    });
}

#[test]
fn chibi_reads_on_and_names_skills_like_what_was_asked_for() {
    // U2, U8, R1
    run(async {
        let mut wire = wire(Dialect::Chibi).await;
        let (told, _) = call(&mut wire, "use_skill", json!({"skill": "long"})).await;
        let (kept, word) = told.rsplit_once("\n\n… (").unwrap();
        assert!(word.contains("`read_skill_file`"), "{word}");
        let mut next = offset(word);
        let mut rest = String::new();
        while let Some(offset_) = next {
            let read = json!({"skill": "long", "path": "SKILL.md", "offset": offset_});
            let (part, _) = call(&mut wire, "read_skill_file", read).await;
            let (text, word) = part.rsplit_once("\n… (").unwrap_or((&part, ""));
            rest.push_str(text);
            next = offset(word);
        }
        let whole = format!("{kept}{rest}");
        assert!(whole.ends_with("THE END\n"));
        assert_eq!(whole.matches("\nLine ").count(), 3_000, "each line once");
        let (told, _) = call(&mut wire, "use_skill", json!({"skill": "number 0999"})).await;
        assert!(told.starts_with("Error: Skill 'number 0999' not found"), "{told}");
        assert!(told.contains("skill-number-0999"), "{told}");
    });
}

#[test]
fn plain_says_where_the_instructions_go_on_and_the_file_can_be_read_there() {
    // U2, S1, R1
    run(async {
        let mut wire = wire(Dialect::Plain).await;
        let (told, data) = call(&mut wire, "skill_activate", json!({"name": "long"})).await;
        assert_eq!(data["complete"], false);
        let mut next = json!(offset(&told).unwrap());
        let mut rest = String::new();
        while !next.is_null() {
            let read = json!({"name": "long", "path": "SKILL.md", "offset": next});
            let (_, part) = call(&mut wire, "skill_read", read).await;
            rest.push_str(part["text"].as_str().unwrap());
            next = part["next"].clone();
        }
        let kept = told.split("\n\n(The instructions").next().unwrap();
        assert_eq!(format!("{kept}{rest}").matches("\nLine ").count(), 3_000, "each line once");
    });
}

#[test]
fn no_dialect_gives_more_than_agents_take_whatever_letters_there_are() {
    // U2, U8, B3
    let faces = "😀 ".repeat(300);
    let mut store = MemoryStore::new(Layer::Personal);
    for number in 0..60 {
        let text = format!("---\nname: s-{number}\ndescription: {faces}\n---\n");
        let text = format!("{text}{}", "😀\n".repeat(20_000));
        store = store
            .file(&format!("s-{number}/SKILL.md"), text.into_bytes())
            .file(&format!("s-{number}/references/a.md"), "😀".repeat(40_000).into_bytes());
    }
    let host = Arc::new(Ground::over(store));
    let read = |skill: &str| json!({skill: "s-0", "path": "references/a.md"});
    run(async {
        for (dialect, calls) in [
            (
                Dialect::Plain,
                vec![
                    ("skill_activate", json!({"name": "s-0"})),
                    ("skill_read", read("name")),
                    ("skill_list", json!({"limit": 60})),
                    ("skill_search", json!({"query": "s", "limit": 60})),
                ],
            ),
            (Dialect::Omniforge, vec![("skill", json!({"skill_name": "s-0"}))]),
            (
                Dialect::Tavern,
                vec![
                    ("skills_list", json!({})),
                    ("skills_load", json!({"name": "s-0"})),
                    ("skills_read_file", read("name")),
                ],
            ),
            (Dialect::AgentBase, vec![("script_list", json!({}))]),
            (
                Dialect::Chibi,
                vec![("use_skill", json!({"skill": "s-0"})), ("read_skill_file", read("skill"))],
            ),
        ] {
            let mut wire = connect(&host, dialect);
            let hello = wire.begin("2025-11-25").await;
            let told = hello["instructions"].as_str().unwrap();
            assert!(told.encode_utf16().count() <= 2_048, "{}", dialect.as_str());
            for (tool, arguments) in calls {
                let answer = wire.call(tool, arguments).await;
                let text = answer["content"][0]["text"].as_str().unwrap();
                assert!(text.encode_utf16().count() <= 36_000, "{tool}");
                let data = answer["structuredContent"].to_string();
                assert!(data.encode_utf16().count() <= 36_000, "{tool}");
            }
        }
    });
}

#[test]
fn where_there_is_no_skill_nobody_is_told_to_use_one() {
    // U2
    let host = Arc::new(Ground::over(MemoryStore::new(Layer::Personal)));
    run(async {
        for dialect in Dialect::ALL {
            let hello = connect(&host, dialect).begin("2025-11-25").await;
            let told = hello["instructions"].as_str().unwrap();
            assert!(told.contains("none here now") && !told.contains('`'), "{told}");
        }
    });
}
