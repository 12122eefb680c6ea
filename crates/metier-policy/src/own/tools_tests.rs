use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::own::{AGENT_HOOKS, OWN_COMMAND, OWN_STATE};
use crate::{ActiveStack, HostTable, Lexical, Policy, Profile, Resolve, Verdict, decide};

/// A disk on which `/tmp/t/mm` is a link to metier.
struct Disk;

impl Resolve for Disk {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        Lexical.real(absolute)
    }

    fn is_program(&self, program: &Path) -> bool {
        program == Path::new("/tmp/t/mm")
    }
}

fn said(host: &str, tool: &str, arguments: &Value) -> Verdict {
    let protected = ["/home/user/.local/share/metier", ".claude/settings.json"].map(PathBuf::from);
    let place = Place {
        home: Some(Path::new("/home/user")),
        protected: &protected,
        resolver: &Disk,
        ..Place::lexical(Path::new("/project"))
    };
    let call = ToolCall::new(tool, arguments.clone());
    let host = HostTable::named(host).expect("a host");
    let policy = Policy::profile(Profile::FullAuto);
    let ruling = decide(&policy, &ActiveStack::default(), &call, host, &place);
    let own = [OWN_STATE, OWN_COMMAND, AGENT_HOOKS].map(Some);
    let said = ruling.reasons.iter().filter(|reason| own.contains(&reason.rule.as_deref()));
    said.map(|reason| reason.verdict).max().unwrap_or(Verdict::Allow)
}

fn check(tool: &str, table: &[(Verdict, Value)]) {
    for (expected, arguments) in table {
        assert_eq!(said("gemini-cli", tool, arguments), *expected, "{tool} {arguments}");
    }
}

#[test]
fn metier_beside_a_list_of_words_is_a_command() {
    // S3, S4
    use Verdict::{Allow, Ask, Deny};
    check(
        "mcp__x__do",
        &[
            (Deny, json!({"program": "metier", "args": ["trust", "x"]})),
            (Deny, json!({"exe": "/usr/bin/metier", "argv": ["hook", "remove", "codex"]})),
            (Deny, json!({"spawn": [{"bin": "metier", "list": ["add", "x"]}]})),
            (Deny, json!({"line": ["env", "metier", "trust", "x"]})),
            (Deny, json!({"exe": "/tmp/t/mm", "with": ["link"]})),
            (Deny, json!({"with": ["../tmp/t/mm", "link"]})),
            (Deny, json!({"cmdline": "metier trust x"})),
            (Ask, json!({"program": "metier", "args": ["release"]})),
            (Allow, json!({"program": "metier", "args": ["list"]})),
            (Allow, json!({"program": "git", "args": ["add", "x"]})),
            (Allow, json!({"title": "metier", "tags": ["trust", "x"]})),
            (Allow, json!({"repo": "metier", "labels": ["add", "x"], "title": "add x"})),
            (Allow, json!({"name": "metier", "labels": ["update"]})),
        ],
    );
    check("run_shell_command", &[(Deny, json!({"cmd": "metier trust x"}))]);
}

#[test]
fn a_path_that_a_tool_is_told_in_parts_is_asked_about() {
    // S3, S4
    use Verdict::{Allow, Ask, Deny};
    check(
        "mcp__x__do",
        &[
            (Ask, json!({"dir": "/home/user/.local/share", "name": "metier/approvals.jsonl"})),
            (Ask, json!({"root": "/home/user", "path": ".local/share/metier/approvals.jsonl"})),
            (Ask, json!({"root": "~/", "path": ".local/share/metier/approvals.jsonl"})),
            (Ask, json!({"root": "$HOME", "a": ".local/share", "b": "metier/x"})),
            (Deny, json!({"root": "/x", "edits": [{"at": "../home/user/.local/share/metier/x"}]})),
            (Deny, json!({"dir": "/home/user/.local/share/metier", "name": "x"})),
            (Allow, json!({"dir": "/home/user/.local/share", "name": "other/approvals.jsonl"})),
            (Allow, json!({"root": "/home/user/work", "path": "a/b", "text": "metier"})),
        ],
    );
    let many: Vec<String> = (0..200).map(|n| format!("/d{n}")).collect();
    let names: Vec<String> = (0..200).map(|n| format!("n{n}")).collect();
    check("mcp__x__do", &[(Allow, json!({"a": many, "b": names}))]);
}

#[test]
fn no_spelling_of_a_path_hides_it_from_a_tool() {
    // S3, S4
    use Verdict::{Allow, Deny};
    check(
        "mcp__x__do",
        &[
            (Deny, json!({"path": "$HOME/.local/share/metier/x"})),
            (Deny, json!({"path": "${HOME}/.local/share/metier/x"})),
            (Deny, json!({"path": "$XDG_DATA_HOME/metier/x"})),
            (Deny, json!({"path": "/home/$USER/.local/share/metier/x"})),
            (Deny, json!({"files": {"/home/user/.local/share/metier/x": "y"}})),
            (Deny, json!({"files": {".claude/settings.json": {"a": 1}}})),
            (Allow, json!({"files": {"/home/user/x": "y", "src/a": "b"}})),
            (Allow, json!({"path": "$HOME/x", "cost": "5$"})),
        ],
    );
    check("mcp__x__read_files", &[(Allow, json!({"path": "$HOME/.local/share/metier/x"}))]);
}

#[test]
fn a_known_tool_that_is_told_its_file_by_another_name_is_looked_at_like_an_unknown_one() {
    // S3, S4, U5
    use Verdict::{Allow, Deny};
    let own = "/home/user/.local/share/metier/approvals.jsonl";
    check(
        "write_file",
        &[
            (Deny, json!({"absolute_path": own})),
            (Deny, json!({"target": own, "content": "x"})),
            (Deny, json!({"file_path": 1, "target": own})),
            (Allow, json!({"file_path": "/project/x", "content": own})),
            (Allow, json!({"absolute_path": "/project/x"})),
        ],
    );
    check("read_file", &[(Allow, json!({"absolute_path": own}))]);
}
