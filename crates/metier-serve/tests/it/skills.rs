//! The skills extension, and the resources it names.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use metier_serve::Dialect;
use metier_store::digest::{hex, sha256};
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::{Ground, Wire, connect, run, skill, stateless};

async fn client(host: Ground) -> Wire {
    let mut wire = connect(&Arc::new(host), Dialect::Plain);
    wire.begin("2025-11-25").await;
    wire
}

#[test]
fn every_file_is_named_once_and_is_what_its_digest_says() {
    // U2
    run(async {
        let mut wire = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        wire.begin_as("2025-11-25", host()).await;
        let listed = wire.get("skills/list", json!({})).await;
        assert_eq!(listed["resultType"], "complete");
        let skills = listed["skills"].as_array().unwrap();
        let names: Vec<&str> =
            skills.iter().map(|s| s["frontmatter"]["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["by-hand", "by-model", "free", "git-helper", "long", "reader"]);
        assert_eq!(skills[2]["frontmatter"]["version"], json!(1.0), "as YAML has it");
        let git = &skills[3];
        assert_eq!(git["uri"], "skill://git-helper/SKILL.md");
        assert_eq!(git["resources"].as_array().unwrap().len(), 6, "{git}");
        for file in git["resources"].as_array().unwrap() {
            let read = wire.get("resources/read", json!({"uri": file["uri"]})).await;
            let content = &read["contents"][0];
            let size = file["size"].as_u64().unwrap();
            match content["text"].as_str() {
                Some(text) => {
                    let digest = format!("sha256:{}", hex(&sha256(text.as_bytes())));
                    assert_eq!(
                        (text.len() as u64, file["digest"].as_str()),
                        (size, Some(&*digest))
                    );
                }
                None => assert_eq!(content["blob"], "iVBORwD/"),
            }
        }
        let got = wire.get("skills/get", json!({"uri": "skill://git-helper/SKILL.md"})).await;
        assert_eq!(&got["skill"], git, "one and the same entry");
    });
}

/// What a host says that has the extension.
fn host() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/skills": {}}})
}

#[test]
fn every_file_that_is_listed_can_be_read_however_large_it_is() {
    // U2, R1
    let font: Vec<u8> = (0..300_000_u32).map(|at| (at % 251) as u8).collect();
    let text = "A line of a long text.\n".repeat(20_000);
    let store = MemoryStore::new(Layer::Personal)
        .file("big/SKILL.md", skill("big", ""))
        .file("big/assets/font.ttf", font.clone())
        .file("big/references/all.md", text.clone().into_bytes());
    run(async {
        let mut wire = client(Ground::over(store)).await;
        let listed = wire.get("skills/list", json!({})).await;
        let files = listed["skills"][0]["resources"].as_array().unwrap().clone();
        assert_eq!(files.len(), 3);
        for file in files {
            let read = wire.get("resources/read", json!({"uri": file["uri"]})).await;
            let content = &read["contents"][0];
            let bytes = match content["text"].as_str() {
                Some(text) => text.as_bytes().to_vec(),
                None => STANDARD.decode(content["blob"].as_str().unwrap()).unwrap(),
            };
            assert_eq!(file["size"], bytes.len());
            assert_eq!(file["digest"], format!("sha256:{}", hex(&sha256(&bytes))));
        }
        let (mut whole, mut next) = (Vec::new(), json!(0));
        while !next.is_null() {
            let part = json!({"name": "big", "path": "assets/font.ttf", "offset": next});
            let part = wire.call("skill_read", part).await["structuredContent"].clone();
            whole.extend(STANDARD.decode(part["base64"].as_str().unwrap()).unwrap());
            next = part["next"].clone();
        }
        assert!(whole == font, "{} bytes", whole.len());
    });
}

#[test]
fn a_file_larger_than_a_skill_may_be_is_not_read() {
    // U2, R1, F4
    let store = MemoryStore::new(Layer::Personal)
        .file("big/SKILL.md", skill("big", ""))
        .file("big/assets/film", vec![b'x'; 16 * 1024 * 1024 + 1]);
    run(async {
        let mut wire = client(Ground::over(store)).await;
        let listed = wire.get("skills/list", json!({})).await;
        assert_eq!(listed["skills"][0]["resources"], "dynamic", "nothing is promised");
        let uri = json!({"uri": "skill://big/assets/film"});
        let refused = wire.ask("resources/read", uri).await["error"].clone();
        assert_eq!(
            (&refused["code"], &refused["data"]["code"]),
            (&json!(-32002), &json!("file_too_large"))
        );
        let part = json!({"name": "big", "path": "assets/film", "limit": 10});
        let refused = wire.call("skill_read", part).await;
        assert_eq!(refused["structuredContent"]["error"]["code"], "file_too_large");
    });
}

#[test]
fn skills_for_people_only_reach_no_model_by_its_resources() {
    // U2, U7, D4
    let by_hand = json!({"uri": "skill://by-hand/SKILL.md"});
    let index = json!({"uri": "skill://index.json"});
    let complete = json!({
        "ref": {"type": "ref/resource", "uri": "skill://{name}/{+path}"},
        "argument": {"name": "name", "value": "by-h"},
    });
    run(async {
        let mut model = client(Ground::usual()).await;
        for (method, params) in [
            ("resources/list", json!({})),
            ("skills/list", json!({})),
            ("resources/read", index.clone()),
            ("completion/complete", complete.clone()),
        ] {
            let told = model.get(method, params.clone()).await.to_string();
            assert!(!told.contains("by-hand"), "{method}: {told}");
        }
        let refused = model.ask("resources/read", by_hand.clone()).await;
        assert_eq!(refused["error"]["data"]["code"], "skill_not_found", "{refused}");
        for method in ["skills/get", "resources/directory/read"] {
            assert!(model.ask(method, by_hand.clone()).await["error"].is_object(), "{method}");
        }
        let prompts = model.get("prompts/list", json!({})).await.to_string();
        assert!(prompts.contains("by-hand"), "people have it still");
        model.get("prompts/get", json!({"name": "by-hand"})).await;
        let read = model.get("resources/read", by_hand.clone()).await;
        assert!(read["contents"][0]["text"].is_string(), "a user has started it");
        // A host that has the extension reads the frontmatter and keeps it itself.
        let mut enforcing = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        enforcing.begin_as("2025-11-25", host()).await;
        for (method, params) in [
            ("skills/list", json!({})),
            ("resources/read", by_hand.clone()),
            ("resources/read", index),
            ("completion/complete", complete),
        ] {
            let told = enforcing.get(method, params.clone()).await.to_string();
            assert!(told.contains("by-hand"), "{method}: {told}");
        }
        let mut newer = connect(&Arc::new(Ground::usual()), Dialect::Plain);
        let known = json!({"io.modelcontextprotocol/clientCapabilities": host()});
        let mut asked = by_hand;
        asked["_meta"] = stateless(json!({}));
        assert!(newer.ask("resources/read", asked.clone()).await["error"].is_object());
        asked["_meta"] = stateless(known);
        assert!(newer.ask("resources/read", asked).await["error"].is_null());
    });
}

#[test]
fn agents_from_before_the_extension_find_an_index() {
    // U2
    run(async {
        let mut wire = client(Ground::usual()).await;
        let read = wire.get("resources/read", json!({"uri": "skill://index.json"})).await;
        let content = &read["contents"][0];
        assert_eq!(content["mimeType"], "application/json");
        let index: Value = serde_json::from_str(content["text"].as_str().unwrap()).unwrap();
        let listed = wire.get("skills/list", json!({})).await;
        let (old, new) =
            (index["skills"].as_array().unwrap(), listed["skills"].as_array().unwrap());
        assert_eq!(old.len(), new.len());
        for (old, new) in old.iter().zip(new) {
            assert_eq!((&old["url"], &old["frontmatter"]), (&new["uri"], &new["frontmatter"]));
            assert_eq!(old["digest"], new["resources"][0]["digest"]);
        }
    });
}

#[test]
fn what_is_not_there_is_an_error_that_names_it() {
    // U2, R1
    run(async {
        let mut wire = client(Ground::usual()).await;
        let check = |answer: Value, code: i64| {
            assert_eq!(answer["error"]["code"], code, "{answer}");
            assert!(answer["error"]["data"]["uri"].is_string(), "{answer}");
        };
        for uri in ["skill://nothing/SKILL.md", "skill://stranger/SKILL.md", "x", "skill://free/x"]
        {
            check(wire.ask("skills/get", json!({"uri": uri})).await, -32602);
        }
        for uri in [
            "skill://free/%2e%2e/%2e%2e/etc/passwd",
            "skill://free/../git-helper/SKILL.md",
            "skill://stranger/SKILL.md",
            "file:///etc/passwd",
            "skill://free/scripts",
        ] {
            check(wire.ask("resources/read", json!({"uri": uri})).await, -32002);
        }
        check(wire.ask("resources/directory/read", json!({"uri": "skill://free/x"})).await, -32602);
        let cursor = wire.ask("skills/list", json!({"cursor": "made up"})).await;
        assert_eq!(cursor["error"]["code"], -32602);
        let method = wire.ask("skills/delete", json!({})).await;
        assert_eq!(method["error"]["code"], -32601);
    });
}

#[test]
fn directories_list_their_children_and_no_more() {
    // U2
    run(async {
        let mut wire = client(Ground::usual()).await;
        let mut children = async |uri: &str| {
            let read = wire.get("resources/directory/read", json!({"uri": uri})).await;
            let listed = read["resources"].as_array().unwrap().clone();
            listed.iter().map(|c| format!("{} {}", c["uri"], c["mimeType"])).collect::<Vec<_>>()
        };
        let top = children("skill://git-helper").await;
        assert_eq!(top.len(), 4, "{top:?}");
        assert!(top.contains(&"\"skill://git-helper/scripts\" \"inode/directory\"".to_owned()));
        assert_eq!(children("skill://git-helper/scripts/deep").await.len(), 1);
    });
}

#[test]
fn a_thousand_skills_come_page_by_page_each_once() {
    // U2, N5
    run(async {
        let mut store = MemoryStore::new(Layer::Personal);
        for number in 0..230 {
            let name = format!("skill-{number:03}");
            store = store.file(&format!("{name}/SKILL.md"), skill(&name, ""));
        }
        let mut wire = client(Ground::over(store)).await;
        for (method, member) in [
            ("skills/list", "skills"),
            ("resources/list", "resources"),
            ("prompts/list", "prompts"),
        ] {
            let (mut cursor, mut seen) = (Value::Null, 0);
            loop {
                let asked = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
                let page = wire.get(method, asked).await;
                seen += page[member].as_array().unwrap().len();
                cursor = page["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
            assert_eq!(seen, 230, "{method}");
        }
    });
}

#[test]
fn a_name_that_is_not_the_standards_is_a_resource_but_no_skill_of_the_extension() {
    // U2
    run(async {
        let store = MemoryStore::new(Layer::Personal)
            .file("good-name/SKILL.md", skill("good-name", ""))
            .file("odd_name/SKILL.md", skill("odd_name", ""))
            .file("straße/SKILL.md", skill("straße", ""));
        let mut wire = client(Ground::over(store)).await;
        let listed = wire.get("skills/list", json!({})).await;
        let names: Vec<&Value> = listed["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|s| &s["frontmatter"]["name"])
            .collect();
        assert_eq!(names, ["good-name"]);
        let resources = wire.get("resources/list", json!({})).await;
        assert_eq!(resources["resources"].as_array().unwrap().len(), 3);
        let refused = wire.ask("skills/get", json!({"uri": "skill://odd_name/SKILL.md"})).await;
        assert_eq!(refused["error"]["code"], -32602);
    });
}

#[test]
fn a_skill_too_large_for_hosts_is_offered_without_digests() {
    // U2
    run(async {
        let mut store = MemoryStore::new(Layer::Personal).file("many/SKILL.md", skill("many", ""));
        for number in 0..600 {
            store = store.file(&format!("many/assets/{number}.txt"), &b"x"[..]);
        }
        let mut wire = client(Ground::over(store)).await;
        let listed = wire.get("skills/list", json!({})).await;
        assert_eq!(listed["skills"][0]["resources"], "dynamic");
    });
}
