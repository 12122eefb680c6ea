//! The data files of calls that write metier's own files, or settings that could switch it off: no
//! profile lets one pass.

use std::path::PathBuf;

use metier_policy::own::{AGENT_HOOKS, OWN_COMMAND, OWN_STATE};
use metier_policy::{
    ActiveStack, HostTable, Place, Policy, Profile, Ruling, ToolCall, Verdict, decide,
};
use serde_json::{Value, json};

use crate::{tables, world};

/// Settings of agents that are protected wherever they lie.
const SETTINGS: [&str; 12] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/plugin",
    ".opencode/plugins",
    "etc/claude-code/managed-settings.json",
    "etc/codex/requirements.toml",
    "etc/gemini-cli/settings.json",
];

/// The ruling of a profile where `/home/user/.local/share/metier` is metier's own.
fn rule(profile: Profile, tool: &str, arguments: Value) -> Ruling {
    let own = ["/home/user/.local/share/metier", "/home/user/.config/metier/config.toml"];
    let protected: Vec<PathBuf> = own.into_iter().chain(SETTINGS).map(PathBuf::from).collect();
    let place = Place { protected: &protected, ..world::place() };
    let call = ToolCall::new(tool, arguments);
    decide(&Policy::profile(profile), &ActiveStack::default(), &call, HostTable::plain(), &place)
}

/// What the reasons with this rule have to say about it.
fn said(ruling: &Ruling, rule: &str) -> Verdict {
    let said = ruling.reasons.iter().filter(|reason| reason.rule.as_deref() == Some(rule));
    said.map(|reason| reason.verdict).max().unwrap_or(Verdict::Allow)
}

/// Holds every line of a table against what the reasons with this rule say in each profile.
fn check(text: &str, of_rule: &str, at_least: usize) {
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    let mut wrong = Vec::new();
    for line in &lines {
        let (verdict, command) = line.split_once('\t').expect("two columns");
        let expected = Verdict::from_word(verdict).expect("a verdict");
        for profile in [Profile::FullAuto, Profile::Default] {
            let command = tables::unescape(command);
            let ruling = rule(profile, "Bash", json!({ "command": command }));
            let found = said(&ruling, of_rule);
            if found != expected {
                wrong.push(format!(
                    "{line} ({}): {found}: {}",
                    profile.as_str(),
                    ruling.explanation()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines.len() >= at_least, "only {} lines", lines.len());
}

#[test]
fn no_profile_lets_a_command_write_what_is_metiers_own() {
    // S3, S4
    check(include_str!("own.tsv"), OWN_STATE, 200);
}

#[test]
fn no_profile_lets_a_command_lift_what_skills_restrict_without_a_question() {
    // S3, S4
    check(include_str!("commands.tsv"), OWN_COMMAND, 40);
}

#[test]
fn no_profile_lets_a_command_write_settings_that_switch_hooks_off() {
    // S3, S4, U5
    check(include_str!("settings.tsv"), AGENT_HOOKS, 90);
}

#[test]
fn no_profile_lets_a_tool_write_settings_that_switch_hooks_off() {
    // S3, S4, U5
    let patch = "*** Begin Patch\n*** Add File: .codex/config.toml\n+[features]\n*** End Patch";
    let server = json!({"path": "/project/opencode.json", "content": "{}"});
    let denied = [
        ("Write", json!({"file_path": ".claude/settings.json", "content": "{}"})),
        ("Write", json!({"file_path": "/project/sub/.claude/settings.local.json"})),
        ("Edit", json!({"file_path": "/project/.gemini/settings.json"})),
        ("MultiEdit", json!({"file_path": "/project/./x/../.codex/hooks.json"})),
        ("Write", json!({"file_path": "/project/.opencode/plugin/evil.js"})),
        ("apply_patch", json!({"command": patch})),
        ("mcp__fs__write_file", server),
        ("mcp__fs__write_file", json!({"path": "/proc/7/root/home/user/.claude/settings.json"})),
        ("mcp__fs__write_file", json!({"path": "file:///proc/7/cwd/.codex/config.toml"})),
        ("mcp__fs__move_file", json!({"to": "/proc/self/fd/3/.gemini/settings.json"})),
    ];
    for profile in Profile::ALL {
        for (tool, arguments) in &denied {
            let ruling = rule(profile, tool, arguments.clone());
            assert_eq!(ruling.verdict, Verdict::Deny, "{profile:?} {tool} {arguments}");
            let why = ruling.reasons.iter().find(|r| r.rule.as_deref() == Some(AGENT_HOOKS));
            let why = &why.expect("a reason").text;
            assert!(why.contains("hooks") && why.contains("by hand"), "{why}");
        }
        for (tool, arguments) in [
            ("Read", json!({"file_path": ".claude/settings.json"})),
            ("Grep", json!({"pattern": "x", "path": ".claude/settings.json"})),
            ("Write", json!({"file_path": ".claude/commands/x.md"})),
            ("Write", json!({"file_path": ".claude/agents/x.md"})),
            ("Write", json!({"file_path": "settings.json"})),
            ("mcp__fs__read_file", json!({"path": ".claude/settings.json"})),
            ("mcp__fs__write_file", json!({"path": "/proc/7/root/tmp/settings.json"})),
        ] {
            let ruling = rule(profile, tool, arguments.clone());
            assert_eq!(said(&ruling, AGENT_HOOKS), Verdict::Allow, "{tool} {arguments}");
        }
    }
}

#[test]
fn a_home_in_any_letters_is_found_in_text() {
    // S3, S4
    let protected = [PathBuf::from("/home/Ünal/.claude/settings.json")];
    let home = Some(std::path::Path::new("/home/Ünal"));
    let place = Place { protected: &protected, home, ..world::place() };
    for command in [
        "python3 -c \"open('/home/Ünal/.claude/settings.json','w')\"",
        "python3 -c \"open('/home/ünal/.claude/settings.json','w')\"",
        "some-tool --in=x /home/ÜNAL/.claude/settings.json",
        "eval \"$X\"; : /home/Ünal/.claude/settings.json",
    ] {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let policy = Policy::profile(Profile::FullAuto);
        let ruling = decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place);
        assert_eq!(said(&ruling, OWN_STATE), Verdict::Deny, "{command}");
    }
}

#[test]
fn no_length_of_a_command_hides_what_it_does_to_settings() {
    // S3, S4, F4
    let long = "a".repeat(17_000);
    let many = ": ;".repeat(600);
    for command in [
        format!("cp evil/settings.json ~/.claude/ # {long}"),
        format!("cp evil/settings.json ~/.claude/ {long}"),
        format!("cp evil/settings.json ~/.claude/; echo {long}"),
        format!("echo {long}; cd ~/.claude && cp /tmp/x settings.json"),
        format!("{many} cd ~/.claude; cp /tmp/x settings.json"),
        format!("cd ~/.claude; {many} cp /tmp/x settings.json"),
        format!("{} cd ~/.claude; cp /tmp/x settings.json", "cd a; ".repeat(3000)),
    ] {
        let ruling = rule(Profile::FullAuto, "Bash", json!({ "command": command }));
        assert_eq!(said(&ruling, AGENT_HOOKS), Verdict::Deny, "{:.60}", command);
    }
    for command in [
        format!("cp evil/settings.json {long} ~/.claude/"),
        format!("{} cd ~/.claude; cp /tmp/x settings.json", "cd a; ".repeat(5000)),
    ] {
        let ruling = rule(Profile::FullAuto, "Bash", json!({ "command": command }));
        assert_eq!(said(&ruling, AGENT_HOOKS), Verdict::Ask, "{:.60}", command);
    }
}

#[test]
fn a_tool_that_is_told_the_directory_of_settings_is_asked_about() {
    // S3, S4, U5
    let asked = [
        ("mcp__fs__delete", json!({"path": "/home/user/.claude"})),
        ("mcp__fs__write", json!({"directory": "/home/user/.claude", "filename": "settings.json"})),
        ("mcp__fs__move", json!({"from": "/tmp/x", "to": "~/.claude/"})),
    ];
    for (tool, arguments) in asked {
        let ruling = rule(Profile::FullAuto, tool, arguments.clone());
        assert_eq!(said(&ruling, AGENT_HOOKS), Verdict::Ask, "{tool} {arguments}");
    }
    let fine = [
        ("mcp__fs__list_directory", json!({"path": "/home/user/.claude"})),
        ("mcp__fs__write", json!({"path": "/home/user/.claude/commands/x.md"})),
    ];
    for (tool, arguments) in fine {
        let ruling = rule(Profile::FullAuto, tool, arguments.clone());
        assert_eq!(said(&ruling, AGENT_HOOKS), Verdict::Allow, "{tool} {arguments}");
    }
}

#[test]
fn no_number_of_files_in_a_patch_hides_one() {
    // S3, S4, F4
    let files: String =
        (0..80).map(|n| format!("--- a/x{n}\n+++ b/x{n}\n@@ -1 +1 @@\n-a\n+b\n")).collect();
    let patch = |last: &str| {
        format!("git apply <<'E'\n{files}--- a/{last}\n+++ b/{last}\n@@ -1 +1 @@\n-a\n+b\nE")
    };
    let ruling = |last: &str| rule(Profile::FullAuto, "Bash", json!({ "command": patch(last) }));
    assert_eq!(said(&ruling(".claude/settings.json"), AGENT_HOOKS), Verdict::Deny);
    assert_eq!(said(&ruling("src/main.rs"), AGENT_HOOKS), Verdict::Allow);
}
