//! The same restriction on every host, in the host's own words.

use metier_policy::{ActiveStack, HostTable, Policy, Profile, ToolCall, Verdict, decide};
use serde_json::{Value, json};

use crate::world;

const ALLOWED: &str = "Read(./docs/**) Grep Bash(git:*) WebFetch(domain:example.com)";

fn verdict(host: &str, tool: &str, arguments: Value) -> Verdict {
    let host = HostTable::named(host).expect("a host");
    let stack = ActiveStack::from_iter([world::skill("tested", ALLOWED)]);
    let call = ToolCall::new(tool, arguments);
    decide(&Policy::profile(Profile::Default), &stack, &call, host, &world::place()).verdict
}

#[test]
fn one_skill_restricts_every_host_alike() {
    // S3
    // Host, shell tool and field, read tool and field, write tool and field, a flow tool.
    let hosts = [
        (
            "claude-code",
            ("Bash", "command"),
            ("Read", "file_path"),
            ("Write", "file_path"),
            "TodoWrite",
        ),
        (
            "codex",
            ("exec_command", "cmd"),
            ("read_file", "file_path"),
            ("spawn_agent", "x"),
            "update_plan",
        ),
        (
            "gemini-cli",
            ("run_shell_command", "command"),
            ("read_file", "file_path"),
            ("write_file", "file_path"),
            "write_todos",
        ),
        ("opencode", ("bash", "command"), ("read", "filePath"), ("write", "filePath"), "todowrite"),
        (
            "chibi",
            ("shell_exec", "command"),
            ("file_head", "path"),
            ("write_file", "path"),
            "call_user",
        ),
        (
            "plain",
            ("Bash", "command"),
            ("Read", "file_path"),
            ("Write", "file_path"),
            "AskUserQuestion",
        ),
    ];
    for (host, (shell, command), (read, path), (write, file), flow) in hosts {
        let check = |tool: &str, arguments: Value, expected: Verdict| {
            assert_eq!(
                verdict(host, tool, arguments.clone()),
                expected,
                "{host} {tool} {arguments}"
            );
        };
        check(shell, json!({ command: "git status" }), Verdict::Allow);
        check(shell, json!({ command: "git status && touch x" }), Verdict::Deny);
        check(shell, json!({ command: "git status $(touch x)" }), Verdict::Deny);
        check(shell, json!({ command: "git status > x" }), Verdict::Deny);
        check(shell, json!({}), Verdict::Deny);
        check(read, json!({ path: "docs/a.md" }), Verdict::Allow);
        check(read, json!({ path: "docs/../x" }), Verdict::Deny);
        check(read, json!({}), Verdict::Deny);
        check(write, json!({ file: "docs/a.md" }), Verdict::Deny);
        check(flow, json!({}), Verdict::Allow);
        check("some_other_tool", json!({}), Verdict::Deny);
    }
}

#[test]
fn the_attacks_that_went_through_elsewhere_are_denied() {
    // S3
    // The steps every agent let through in its permissive mode, measured.
    for attack in [
        "git status && touch x",
        "git status; touch x",
        "git status | touch x",
        "git status $(touch x)",
        "git status `touch x`",
        "git status > x",
        "git status\ntouch x",
        "git status & touch x",
    ] {
        for (host, tool) in
            [("claude-code", "Bash"), ("codex", "Bash"), ("gemini-cli", "run_shell_command")]
        {
            let found = verdict(host, tool, json!({ "command": attack }));
            assert_eq!(found, Verdict::Deny, "{host}: {attack}");
        }
    }
}

#[test]
fn a_restriction_in_a_skills_words_leaves_chibi_its_tools() {
    // S3
    // Read by chibi's own plugin, `Read, Grep, Bash(git:*)` blocked everything, even `call_user`.
    let table = [
        ("file_head", json!({"path": "docs/a"}), Verdict::Allow),
        ("file_tail", json!({"path": "docs/a"}), Verdict::Allow),
        ("file_lines", json!({"path": "docs/a"}), Verdict::Allow),
        ("grep_files", json!({"pattern": "x"}), Verdict::Allow),
        ("file_grep", json!({"path": "x"}), Verdict::Allow),
        ("shell_exec", json!({"command": "git log"}), Verdict::Allow),
        ("fetch_url", json!({"url": "https://example.com/"}), Verdict::Allow),
        ("dir_list", json!({"path": "docs"}), Verdict::Deny),
        ("file_edit", json!({"path": "docs/a"}), Verdict::Deny),
        ("call_user", json!({}), Verdict::Allow),
        ("call_agent", json!({}), Verdict::Allow),
        ("update_todos", json!({}), Verdict::Allow),
        ("read_skill_file", json!({}), Verdict::Allow),
        ("run_skill_script", json!({}), Verdict::Deny),
        ("skill_evil", json!({}), Verdict::Deny),
    ];
    for (tool, arguments, expected) in table {
        assert_eq!(verdict("chibi", tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn an_editor_is_no_way_around_a_skill_where_typing_is_not_seen() {
    // S3, U5
    for (host, tool, expected) in [
        ("codex", "Bash", Verdict::Deny),
        ("claude-code", "Bash", Verdict::Allow),
        ("gemini-cli", "run_shell_command", Verdict::Allow),
    ] {
        for command in ["commit --allow-empty", "rebase -i HEAD~1", "add -p"] {
            let command = format!("git -C /project {command}");
            assert_eq!(verdict(host, tool, json!({ "command": command })), expected, "{command}");
        }
        let command = "git -C /project commit -am x";
        assert_eq!(verdict(host, tool, json!({ "command": command })), Verdict::Allow);
    }
}

#[test]
fn what_was_started_with_leave_is_looked_at_and_ended_without() {
    // S3, U5
    for tool in
        ["BashOutput", "KillShell", "TaskOutput", "TaskStop", "StructuredOutput", "TodoWrite"]
    {
        let found = verdict("claude-code", tool, json!({"task_id": "x", "bash_id": "x"}));
        assert_eq!(found, Verdict::Allow, "{tool}");
    }
    for tool in ["Task", "Agent", "SendMessage", "Nobody"] {
        assert_eq!(verdict("claude-code", tool, json!({})), Verdict::Deny, "{tool}");
    }
}

#[test]
fn a_server_called_almost_like_metiers_is_another_one() {
    // S3, U5
    for (host, tool, expected) in [
        ("claude-code", "mcp__metier__skill_list", Verdict::Allow),
        ("claude-code", "mcp__METIER__skill_list", Verdict::Deny),
        ("claude-code", "mcp__metier__Skill_list", Verdict::Deny),
        ("claude-code", "MCP__metier__skill_list", Verdict::Deny),
        ("codex", "mcp__metier__skill_list", Verdict::Allow),
        ("codex", "mcp__Metier__skill_list", Verdict::Deny),
        ("gemini-cli", "mcp_metier_skill_list", Verdict::Allow),
        ("gemini-cli", "mcp_Metier_skill_list", Verdict::Deny),
        ("opencode", "metier_skill_list", Verdict::Allow),
        ("opencode", "Metier_skill_list", Verdict::Deny),
    ] {
        assert_eq!(verdict(host, tool, json!({})), expected, "{host} {tool}");
    }
}
