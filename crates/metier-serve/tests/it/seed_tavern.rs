//! TavernKit's checklist: tools, envelopes, codes, and which files can be read.

use metier_runtime::Session;
use metier_serve::Dialect;
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::{Ground, skill};

fn session() -> Session {
    Ground::usual().session(Dialect::Tavern.again())
}

fn call(session: &mut Session, tool: &str, arguments: Value) -> Value {
    let reply = Dialect::Tavern.call(session, tool, arguments).unwrap();
    let data = reply.data.unwrap();
    assert_eq!(reply.text, data.to_string(), "words and data are one");
    assert_eq!(reply.failed, data["ok"] == false);
    assert_eq!(data["tool_name"], tool);
    for (member, kind) in
        [("warnings", data["warnings"].is_array()), ("errors", data["errors"].is_array())]
    {
        assert!(kind, "{member}");
    }
    data
}

fn code(answer: &Value) -> &str {
    answer["errors"][0]["code"].as_str().unwrap()
}

#[test]
fn the_list_has_names_and_descriptions_and_nothing_else() {
    // U8
    let listed = call(&mut session(), "skills_list", json!({}));
    let skills = listed["data"]["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 5, "those a model may see");
    for skill in skills {
        let keys: Vec<&String> = skill.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["name", "description"]);
    }
}

#[test]
fn loading_gives_the_body_and_the_files_one_level_deep() {
    // U8, S1
    let mut session = session();
    let loaded = call(&mut session, "skills_load", json!({"name": "git-helper"}));
    let data = &loaded["data"];
    assert!(data["body_markdown"].as_str().unwrap().contains("# git-helper"));
    assert_eq!(data["files"], json!(["assets/dot.png", "references/a.md", "scripts/run.py"]));
    assert_eq!(data["allowed_tools"], json!(["Read", "Bash(git:*)"]));
    assert_eq!(data["allowed_tools_raw"], "Read Bash(git:*)");
    assert_eq!(session.active_names(), ["git-helper"], "loading is activating");
    let again = call(&mut session, "skills_load", json!({"name": "git-helper"}));
    assert_eq!(again["data"]["body_markdown"], data["body_markdown"], "and may be repeated");
    let unrestricted = call(&mut session, "skills_load", json!({"name": "free"}));
    assert_eq!(unrestricted["data"].get("allowed_tools"), None);
}

#[test]
fn a_body_too_long_is_cut_with_a_warning() {
    // U8
    let loaded = call(&mut session(), "skills_load", json!({"name": "long"}));
    assert_eq!(loaded["warnings"][0]["code"], "CONTENT_TRUNCATED");
    let big = json!({"name": "long", "path": "references/big.md"});
    let read = call(&mut session(), "skills_read_file", big);
    assert_eq!(read["warnings"][0]["code"], "CONTENT_TRUNCATED");
}

#[test]
fn files_are_read_one_level_deep_and_no_path_leaves_the_skill() {
    // U8, R1
    let mut session = session();
    let mut read = |path: &str| {
        call(&mut session, "skills_read_file", json!({"name": "git-helper", "path": path}))
    };
    assert_eq!(read("references/a.md")["data"]["content"], "# A\n");
    assert_eq!(read("references\\a.md")["data"]["content"], "# A\n");
    assert_eq!(read("assets/dot.png")["data"]["content_base64"], "iVBORwD/");
    for path in [
        "../x",
        "references/../x",
        "/etc/passwd",
        "references/a/b.md",
        "SKILL.md",
        "scripts/deep/inner.py",
        "scripts/.hidden",
        "references/",
        "scripts\\..\\..\\x",
    ] {
        let refused = read(path);
        assert_eq!(code(&refused), "INVALID_PATH", "{path}");
        assert_eq!(refused["errors"][0]["message"], "Invalid skill file path");
    }
    assert_eq!(code(&read("references/none.md")), "FILE_NOT_FOUND");
}

#[test]
fn each_failure_has_the_code_tavernkit_has_for_it() {
    // U8
    let mut session = session();
    let check = |session: &mut Session, tool: &str, arguments: Value, expect: &str| {
        assert_eq!(code(&call(session, tool, arguments)), expect);
    };
    check(&mut session, "skills_load", json!({"name": "nope"}), "SKILL_NOT_FOUND");
    check(&mut session, "skills_load", json!({"name": "../.."}), "SKILL_NOT_FOUND");
    check(&mut session, "skills_load", json!({"name": "stranger"}), "SKILL_NOT_FOUND");
    check(&mut session, "skills_load", json!({"name": "by-hand"}), "SKILL_NOT_FOUND");
    check(&mut session, "skills_load", json!({}), "ARGUMENT_ERROR");
    check(&mut session, "skills_load", json!({"name": 7}), "ARGUMENT_ERROR");
    check(&mut session, "skills_read_file", json!({"name": "free"}), "ARGUMENT_ERROR");
    let path = json!({"name": "nope", "path": "references/a.md"});
    check(&mut session, "skills_read_file", path, "SKILL_NOT_FOUND");
    let big = MemoryStore::new(Layer::Personal)
        .file("big/SKILL.md", skill("big", ""))
        .file("big/assets/huge.txt", vec![b'x'; 200_001]);
    let mut session = Ground::over(big).session(Dialect::Tavern.again());
    let path = json!({"name": "big", "path": "assets/huge.txt"});
    check(&mut session, "skills_read_file", path, "FILE_TOO_LARGE");
}
