//! The skills extension, and the resources it names.

use std::sync::Arc;

use metier_serve::Dialect;
use metier_store::digest::{hex, sha256};
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::{Ground, Wire, connect, run, skill};

async fn client(host: Ground) -> Wire {
    let mut wire = connect(&Arc::new(host), Dialect::Plain);
    wire.begin("2025-11-25").await;
    wire
}

#[test]
fn every_file_is_named_once_and_is_what_its_digest_says() {
    // U2
    run(async {
        let mut wire = client(Ground::usual()).await;
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
