//! chibi's checklist: a tool a skill, supporting files, and texts the host passes on as they are.

use metier_runtime::Session;
use metier_serve::Dialect;
use metier_store::{Layer, MemoryStore};
use serde_json::{Value, json};

use crate::ground::Ground;

fn session() -> Session {
    Ground::usual().session(Dialect::Chibi.again())
}

fn call(session: &mut Session, tool: &str, arguments: Value) -> String {
    Dialect::Chibi.call(session, tool, arguments).unwrap().text
}

#[test]
fn over_mcp_there_are_its_own_tools_however_many_skills_there_are() {
    // U8, U2
    let mut session = session();
    let tools = Dialect::Chibi.tools(session.catalog());
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["read_skill_file", "run_skill_script", "use_skill", "release_skill"]);
    assert!(!Dialect::Chibi.follows_catalog(), "no skill makes a tool");
    for name in ["git-helper", "free", "reader"] {
        let text = call(&mut session, "use_skill", json!({"skill": name}));
        assert!(text.starts_with(&format!("# Skill: {name}\n")), "{text}");
    }
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
fn arguments_are_told_once_where_the_body_has_no_place_for_them() {
    // U8, U4, S2
    let text = "---\nname: plain\ndescription: P.\n---\n\nJust do it.\n";
    let store = MemoryStore::new(Layer::Personal).file("plain/SKILL.md", text.as_bytes());
    let mut session = Ground::over(store).session(Dialect::Chibi.again());
    for given in ["main", "a\n\u{202e}b ", "it.", "ARGUMENTS: x"] {
        let text = call(&mut session, "use_skill", json!({"skill": "plain", "arguments": given}));
        let shown = given.replace('\u{202e}', "\\u{202e}");
        let expect = format!("# Skill: plain\n\nJust do it.\n\n## Arguments\n{shown}");
        assert_eq!(text, expect);
    }
    let text = call(&mut session, "use_skill", json!({"skill": "plain"}));
    assert_eq!(text, "# Skill: plain\n\nJust do it.");
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
