//! chibi's checklist: a tool a skill, supporting files, and texts the host passes on as they are.

use metier_runtime::Session;
use metier_serve::Dialect;
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::{Ground, skill};

fn session() -> Session {
    Ground::usual().session(Dialect::Chibi.again())
}

fn call(session: &mut Session, tool: &str, arguments: Value) -> String {
    Dialect::Chibi.call(session, tool, arguments).unwrap().text
}

#[test]
fn each_skill_a_model_may_use_is_a_tool() {
    // U8, U4
    let session = session();
    let tools = Dialect::Chibi.tools(session.catalog());
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    for name in
        ["read_skill_file", "run_skill_script", "skill_git-helper", "skill_free", "skill_reader"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    let long = "a".repeat(60);
    let store =
        MemoryStore::new(Layer::Personal).file(&format!("{long}/SKILL.md"), skill(&long, ""));
    let tools = Dialect::Chibi.tools(Ground::over(store).session(Dialect::Chibi.again()).catalog());
    let own = ["read_skill_file", "run_skill_script", "use_skill", "release_skill"];
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, own, "no provider takes a name that long");
}

#[test]
fn a_call_gives_body_arguments_and_supporting_files() {
    // U8, U4, S2
    let mut session = session();
    let text = call(&mut session, "skill_git-helper", json!({"arguments": "main"}));
    assert!(text.starts_with("# Skill: git-helper\n\n"), "{text}");
    assert!(text.contains("Do it with main."));
    assert!(text.contains("\n\n## Arguments\nmain"));
    let files = "\n\n## Supporting Files\nThis skill has supporting files in: assets, references, scripts\n";
    assert!(text.contains(files), "{text}");
    let plain = call(&mut session, "skill_free", json!({}));
    assert!(!plain.contains("## Arguments") && !plain.contains("## Supporting Files"), "{plain}");
}

#[test]
fn files_are_read_and_nothing_outside_is() {
    // U8, U4, R1
    let mut session = session();
    let mut read = |skill: &str, path: &str| {
        call(&mut session, "read_skill_file", json!({"skill": skill, "path": path}))
    };
    assert_eq!(read("git-helper", "references/a.md"), "# A\n");
    assert_eq!(read("git-helper", "../../config.toml"), "Error: Path traversal not allowed");
    assert_eq!(read("../../..", "config.toml"), "Error: Skill '../../..' not found");
    assert_eq!(read("nope", "x"), "Error: Skill 'nope' not found");
    assert_eq!(read("git-helper", "none.md"), "Error: File not found: none.md");
    assert_eq!(read("git-helper", "assets/dot.png"), "Error: Not a text file: assets/dot.png");
    assert!(read("stranger", "SKILL.md").starts_with("Error: "));
}

#[test]
fn a_tool_of_somebody_else_that_begins_alike_is_not_ours() {
    // U8, U4
    let mut session = session();
    assert_eq!(Dialect::Chibi.call(&mut session, "skill_marketplace_of_mine", json!({})), None);
    assert!(call(&mut session, "skill_by-hand", json!({})).starts_with("Error: "));
}
