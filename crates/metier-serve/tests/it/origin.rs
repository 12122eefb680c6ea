//! A model is told which server a skill is from, wherever it is told of the skill.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_format::SkillName;
use metier_serve::Dialect;
use metier_store::digest::Tree;
use metier_store::discover::{Discovery, ScanLimits};
use metier_store::store::{FileStamp, LoadError, Location, ReadError, Resource, Skill, TreeError};
use metier_store::vouch::{Depth, Standing, Vouch, Vouched, attest};
use metier_store::{Layer, MemoryStore, Root, Store, tokens};
use serde_json::{Value, json};

use crate::ground::{Ground, Wire, connect, run, skill};

const ORIGIN: &str = "mcp:shop";

/// Somebody who has installed `refunds` from a server.
struct Somebody;

impl Vouch for Somebody {
    fn vouch(&self, name: &SkillName, directory: &Path, _: Depth) -> Vouched {
        Vouched { standing: Standing::Approved, ..self.recorded(name, directory) }
    }

    fn recorded(&self, name: &SkillName, _: &Path) -> Vouched {
        let source = match name.as_str().starts_with("refunds") {
            true => ORIGIN,
            false => "https://example.org/skills.git",
        };
        Vouched { source: Some(source.to_owned()), ..Vouched::default() }
    }
}

/// Skills of which somebody knows where they are from.
struct Attested(MemoryStore);

impl Store for Attested {
    fn roots(&self) -> &[Root] {
        self.0.roots()
    }

    fn discover(&self, limits: &ScanLimits) -> Discovery {
        let mut discovery = self.0.discover(limits);
        attest(&mut discovery, &Somebody, Depth::Stamps);
        discovery
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        self.0.load(at)
    }

    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError> {
        self.0.read(at, path, max_bytes)
    }

    fn directory(&self, at: &Location) -> Option<PathBuf> {
        self.0.directory(at)
    }

    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp> {
        self.0.stamp(at, path)
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        self.0.tree(at)
    }
}

fn shop() -> Ground {
    let store = MemoryStore::new(Layer::Personal)
        .file("refunds/SKILL.md", skill("refunds", ""))
        .file("refunds/references/limits.md", &b"Up to 100.\n"[..])
        .file("own/SKILL.md", skill("own", ""))
        .file("own/references/limits.md", &b"None.\n"[..]);
    Ground::over(Attested(store)).vouched(Arc::new(Somebody))
}

async fn wire(dialect: Dialect) -> (Wire, String) {
    let mut wire = connect(&Arc::new(shop()), dialect);
    let hello = wire.begin("2025-11-25").await;
    (wire, hello["instructions"].as_str().unwrap().to_owned())
}

/// Says the origin with the one skill and not with the other.
fn check(what: &str, refunds: &str, own: &str) {
    assert!(refunds.contains(ORIGIN), "{what}: {refunds}");
    assert!(!own.contains(ORIGIN) && !own.contains("example.org"), "{what}: {own}");
}

/// The lines that have `word` in them.
fn about(text: &str, word: &str) -> String {
    text.lines().filter(|line| line.contains(word)).collect()
}

/// The item of a list that is called so.
fn called(list: &Value, name: &str) -> String {
    let items = list.as_array().unwrap();
    items.iter().find(|item| item["name"] == name).unwrap().to_string()
}

#[test]
fn the_instructions_of_every_dialect_name_the_server() {
    // U2, U8, D5
    run(async {
        for dialect in Dialect::ALL {
            let (mut wire, told) = wire(dialect).await;
            check(dialect.as_str(), &about(&told, "**refunds"), &about(&told, "**own"));
            let tools = wire.get("tools/list", json!({})).await["tools"].to_string();
            assert!(tokens::exact(&tools).count < 2000);
        }
    });
}

#[test]
fn an_activation_names_the_server_in_every_dialect() {
    // U2, U8, S1
    run(async {
        for (dialect, tool, argument) in [
            (Dialect::Plain, "skill_activate", "name"),
            (Dialect::Omniforge, "skill", "skill_name"),
            (Dialect::Tavern, "skills_load", "name"),
            (Dialect::Chibi, "use_skill", "skill"),
        ] {
            let (mut wire, _) = wire(dialect).await;
            let mut told = async |name: &str| {
                let answer = wire.call(tool, json!({argument: name})).await;
                answer["content"][0]["text"].as_str().unwrap().to_owned()
            };
            let refunds = told("refunds").await;
            assert!(refunds.contains(ORIGIN), "{tool}: {refunds}");
            // The chain says where the other is from, to programs; its text does not.
            let own = told("own").await;
            assert!(!own.contains(ORIGIN), "{tool}: {own}");
        }
    });
}

#[test]
fn lists_searches_files_and_prompts_name_the_server() {
    // U2, D5, D8
    run(async {
        let (mut wire, _) = wire(Dialect::Plain).await;
        let mut data = async |tool: &str, arguments: Value| {
            wire.call(tool, arguments).await["structuredContent"].clone()
        };
        let list = data("skill_list", json!({})).await["skills"].clone();
        check("skill_list", &called(&list, "refunds"), &called(&list, "own"));
        let hits = data("skill_search", json!({"query": "refunds own"})).await["hits"].clone();
        check("skill_search", &called(&hits, "refunds"), &called(&hits, "own"));
        for style in ["xml", "xml-attributes", "markdown", "tool", "json"] {
            let told = data("skill_prompt", json!({"style": style})).await;
            assert!(told["text"].as_str().unwrap().contains(ORIGIN), "{style}: {told}");
        }
        let path = "references/limits.md";
        let refunds = data("skill_read", json!({"name": "refunds", "path": path})).await;
        let own = data("skill_read", json!({"name": "own", "path": path})).await;
        check("skill_read", &refunds.to_string(), &own.to_string());
        let prompts = wire.get("prompts/list", json!({})).await["prompts"].clone();
        check("prompts/list", &called(&prompts, "refunds"), &called(&prompts, "own"));
        let listed = wire.get("resources/list", json!({})).await["resources"].clone();
        check("resources/list", &called(&listed, "refunds"), &called(&listed, "own"));
        let mut file = async |name: &str| {
            let uri = format!("skill://{name}/references/limits.md");
            wire.get("resources/read", json!({"uri": uri})).await["contents"][0].clone()
        };
        let refunds = file("refunds").await;
        assert_eq!(refunds["_meta"]["metier/origin"], ORIGIN);
        assert_eq!(refunds["text"], "Up to 100.\n", "a file is as it is");
        assert!(file("own").await["_meta"].is_null());
    });
}

#[test]
fn lists_of_the_other_dialects_name_the_server() {
    // U8, D5
    run(async {
        let (mut wire, _) = wire(Dialect::Tavern).await;
        for arguments in [json!({}), json!({"query": "refunds own"})] {
            let list = wire.call("skills_list", arguments).await;
            let skills = &list["structuredContent"]["data"]["skills"];
            check("skills_list", &called(skills, "refunds"), &called(skills, "own"));
        }
        let read = json!({"name": "refunds", "path": "references/limits.md"});
        let read = wire.call("skills_read_file", read).await["structuredContent"].clone();
        assert_eq!(read["data"]["content"], "Up to 100.\n");
        assert!(read["warnings"][0]["message"].as_str().unwrap().contains(ORIGIN), "{read}");
    });
}
