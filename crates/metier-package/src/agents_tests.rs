use super::*;
use crate::machine::{Machine, agent};

fn shown(machine: &Machine, place: &Place, ids: &[&'static str]) -> Vec<String> {
    let ids: BTreeSet<&'static str> = ids.iter().copied().collect();
    let reaches = reaches(&ids, (&machine.ground.home, place), &machine.places);
    let base = machine.ground.path();
    let path = |path: &Path| path.strip_prefix(base).unwrap().display().to_string();
    let one = |(id, reach): (&&str, &Reach)| match reach {
        Reach::Directory(at) => format!("{id}: {}", path(at)),
        Reach::Shared(at) => format!("{id}: shares {}", path(at)),
        Reach::Already => format!("{id}: already"),
        Reach::Nowhere => format!("{id}: nowhere"),
    };
    reaches.iter().map(one).collect()
}

#[test]
fn an_agent_is_there_when_its_own_directory_is() {
    // P7
    let machine = Machine::with(&["claude-code", "goose"]);
    let ids: Vec<_> = present(&machine.places).map(|agent| agent.id).collect();
    assert_eq!(ids, ["claude-code", "goose"]);
    assert_eq!(
        detected(agent("claude-code"), &machine.places),
        Some(machine.user(".claude")),
        "what tells is said"
    );
    assert_eq!(detected(agent("codex"), &machine.places), None);
    let moved = Places {
        variables: [("CODEX_HOME".to_owned(), machine.user(".claude").display().to_string())]
            .into(),
        ..machine.places.clone()
    };
    assert!(detected(agent("codex"), &moved).is_some(), "a variable says where it is");
}

#[test]
fn agents_that_read_one_directory_get_it_once() {
    // P7
    let machine = Machine::with(&[]);
    let check = |ids: &[&'static str], expect: &[&str]| {
        assert_eq!(shown(&machine, &Place::Personal, ids), expect);
    };
    check(&["claude-code"], &["claude-code: user/.claude/skills"]);
    check(
        &["codex", "gemini-cli", "zed"],
        &[
            "codex: user/.agents/skills",
            "gemini-cli: shares user/.agents/skills",
            "zed: shares user/.agents/skills",
        ],
    );
    check(&["cursor"], &["cursor: user/.cursor/skills"]);
    check(
        &["cursor", "claude-code"],
        &["claude-code: user/.claude/skills", "cursor: shares user/.claude/skills"],
    );
    check(&["eve"], &["eve: nowhere"]);
}

#[test]
fn in_a_project_what_is_read_already_needs_nothing() {
    // P7
    let machine = Machine::with(&[]);
    let place = machine.ground.project();
    assert_eq!(
        shown(&machine, &place, &["codex", "claude-code", "opencode", "chibi"]),
        [
            "chibi: nowhere",
            "claude-code: project/.claude/skills",
            "codex: already",
            "opencode: already"
        ]
    );
}

#[test]
fn a_directory_that_is_a_link_to_another_is_that_other() {
    // P7
    let machine = Machine::with(&["claude-code"]);
    machine.ground.write("user/.agents/skills/x/SKILL.md", "x");
    rustix::fs::symlink(machine.user(".agents/skills"), machine.user(".claude/skills")).unwrap();
    assert_eq!(
        shown(&machine, &Place::Personal, &["claude-code", "codex"]),
        ["claude-code: user/.claude/skills", "codex: shares user/.claude/skills"]
    );
}

#[test]
fn without_names_the_agents_on_the_machine_are_meant() {
    // P7
    let machine = Machine::with(&["claude-code", "goose", "cursor"]);
    let ids = |place: &Place| -> Vec<&str> {
        usual(place, &machine.places).iter().map(|agent| agent.id).collect()
    };
    assert_eq!(ids(&Place::Personal), ["claude-code", "goose", "cursor"]);
    let place = machine.ground.project();
    assert_eq!(ids(&place), ["claude-code"]);
    machine.ground.write("project/.goose/config", "");
    assert_eq!(ids(&place), ["claude-code", "goose"]);
}
