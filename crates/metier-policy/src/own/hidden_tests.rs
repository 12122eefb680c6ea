use std::path::{Path, PathBuf};

use serde_json::json;

use super::*;
use crate::{
    ActiveSkill, ActiveStack, HostTable, Place, Policy, Profile, Ruling, ToolCall, decide,
};

fn rule(stack: &ActiveStack, command: &str, directory: Option<&str>) -> Ruling {
    let protected = [
        "/home/user/.local/share/metier",
        "/home/user/.config/metier",
        "/usr/local/bin/metier",
        "/home/user/.codex/config.toml",
        ".codex/config.toml",
        ".codex/hooks.json",
        ".opencode/plugin",
    ]
    .map(PathBuf::from);
    let (project, home) = (Path::new("/project"), Some(Path::new("/home/user")));
    let place =
        Place { home, project: Some(project), protected: &protected, ..Place::lexical(project) };
    let host = HostTable::named("codex").expect("a host");
    let call = ToolCall::new("Bash", json!({ "command": command, "workdir": directory }));
    decide(&Policy::profile(Profile::Default), stack, &call, host, &place)
}

#[test]
fn what_may_be_protected_is_not_written_where_nobody_says_where_a_command_runs() {
    // S3, S4, U5
    for command in [
        "echo x > hooks.json",
        "echo x > ./config.toml",
        "echo x > .codex/config.toml",
        "tee hooks.json < /tmp/x",
        "cp /tmp/x config.toml",
        "cp /tmp/hooks.json .",
        "mv /tmp/x share/metier",
        "rm -rf metier",
        "rm -rf .local",
        "rm -rf .codex",
        "echo x >> approvals.jsonl",
        "sed -i s/a/b/ sessions/codex.x.jsonl",
        "python3 -c \"open('hooks.json','w')\"",
        "apply_patch <<'E'\n*** Begin Patch\n*** Add File: hooks.json\n+x\n*** End Patch\nE",
        "git checkout evil -- hooks.json",
    ] {
        let ruling = rule(&ActiveStack::default(), command, None);
        assert_eq!(ruling.verdict, Verdict::Deny, "{command}");
    }
    let ruling = rule(&ActiveStack::default(), "echo x > hooks.json", None);
    assert!(ruling.explanation().contains("give its whole path"), "{}", ruling.explanation());
    let told = rule(&ActiveStack::default(), "echo x > hooks.json", Some("/project/sub"));
    assert_eq!(told.verdict, Verdict::Allow);
}

#[test]
fn ordinary_commands_pass_where_nobody_says_where_they_run() {
    // S3, U5
    for command in [
        "cargo build",
        "ls",
        "cat src/main.rs",
        "cat config.toml",
        "echo x > out.txt",
        "echo x > /project/config.toml",
        "cp a.json b.json",
        "rm -rf target node_modules build",
        "rm -rf share",
        "echo x > plugin/x.js",
        "git status && git commit -m x",
        "git checkout main",
        "python3 -c \"open('/project/config.toml')\"",
        "sed -i s/a/b/ src/main.rs .cargo/config.toml",
        "npm test",
        "grep -rn hooks.json .",
        "cd sub && make",
    ] {
        let ruling = rule(&ActiveStack::default(), command, None);
        assert_eq!(ruling.verdict, Verdict::Allow, "{command}: {}", ruling.explanation());
    }
}

#[test]
fn a_skill_that_restricts_relies_on_no_directory_that_nobody_tells() {
    // S3, U5
    let tools =
        "Bash(git:*) Bash(echo:*) Bash(cat:*) Bash(./build.sh:*) Bash(cargo:*) Write(./out/**)";
    let tools = metier_format::ToolPattern::tokenize(tools).expect("tools");
    let name = metier_format::SkillName::parse("helper").expect("a name");
    let stack = ActiveStack::from_iter([ActiveSkill {
        allowed: Some(metier_format::AllowedTools::Only(tools)),
        trust: "approved".to_owned(),
        ..ActiveSkill::unrestricted(name)
    }]);
    for command in ["git status", "git -C sub status", "echo x > out/a", "./build.sh"] {
        let ruling = rule(&stack, command, None);
        assert_eq!(ruling.verdict, Verdict::Deny, "{command}: {}", ruling.explanation());
        let told = rule(&stack, command, Some("/project"));
        assert_eq!(told.verdict, Verdict::Allow, "{command}: {}", told.explanation());
    }
    for command in [
        "git -C /project init ../out",
        "git -C /project init /out",
        "git -C /project mv a .git/hooks/x",
    ] {
        let ruling = rule(&stack, command, None);
        assert_eq!(ruling.verdict, Verdict::Deny, "{command}: {}", ruling.explanation());
    }
    let why = rule(&stack, "git status", None).explanation();
    assert!(why.contains("git -C /the/directory"), "{why}");
    for command in [
        "git -C /project status",
        "git -C /project commit -m x",
        "git -C /project init --quiet inside",
        "echo x > /project/out/a",
        "cat src/main.rs",
        "cargo build",
    ] {
        let ruling = rule(&stack, command, None);
        assert_eq!(ruling.verdict, Verdict::Allow, "{command}: {}", ruling.explanation());
    }
}

#[test]
fn nothing_that_metier_keeps_is_written_where_nobody_says_where_a_command_runs() {
    // S3, S4, U5
    let digest = "0f".repeat(32);
    let files = [
        "pending.json",
        "stamps",
        "indexes.json",
        "registry.json",
        "links.json",
        "replaced.jsonl",
        "pending-links.json",
        "skills.toml",
        "Pending.json",
        "codex.x.jsonl.checkpoint",
        "codex.x.jsonl.head",
        "codex.x.jsonl.checkpoint.new",
        "chibi-a-b-1-2-3.jsonl",
        "default.jsonl",
        "sessions/own.jsonl",
        "sessions/own.jsonl.head",
        "hooks/codex.json",
        "chibi/chibi-a-b-1-2-3",
        "projects/0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f/generations.json",
        "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f/generations.json",
        &format!("store/{digest}/SKILL.md"),
        &format!("{digest}/SKILL.md"),
        &format!("memos/{digest}"),
    ];
    for file in files {
        let ruling = rule(&ActiveStack::default(), &format!("cp /tmp/x {file}"), None);
        assert_eq!(ruling.verdict, Verdict::Deny, "{file}");
        assert_eq!(ruling.rule.as_deref(), Some(OWN_STATE), "{file}");
    }
    for file in
        ["store/index.ts", "sessions/a.txt", "a.jsonl", "projects/a/b", "stamps/a", "x.json"]
    {
        let ruling = rule(&ActiveStack::default(), &format!("cp /tmp/x {file}"), None);
        assert_eq!(ruling.verdict, Verdict::Allow, "{file}: {}", ruling.explanation());
    }
    let code = "python3 -c \"open('pending.json','w')\"";
    assert_eq!(rule(&ActiveStack::default(), code, None).rule.as_deref(), Some(OWN_STATE));
    let code = "python3 -c \"stamps = 1\"";
    assert_eq!(rule(&ActiveStack::default(), code, None).verdict, Verdict::Allow);
}

#[test]
fn no_way_to_spell_a_protected_name_passes_where_nobody_says_where_a_command_runs() {
    // S3, S4, U5
    for command in [
        "cp /tmp/x $PWD/hooks.json",
        "cp /tmp/x \"$(pwd)/hooks.json\"",
        "cp /tmp/x ~+/hooks.json",
        "cp /tmp/x /proc/self/cwd/hooks.json",
        "echo x > hooks.jso?",
        "echo x > hooks.{json,}",
        "f=hooks; cp /tmp/x $f.json",
        "f=pending; cp /tmp/x $f.json",
        "sed -i s/a/b/ hooks*",
        "rm -f hooks.*",
        "rm -rf .cod?x",
        "cp /tmp/hooks.json $PWD",
        "cp /tmp/hooks.json \"$(pwd)\"",
        "cp /tmp/x pend*.json",
        "cp /tmp/x codex.*.jsonl",
        "cp /tmp/x store/*/SKILL.md",
    ] {
        let ruling = rule(&ActiveStack::default(), command, None);
        assert_eq!(ruling.verdict, Verdict::Deny, "{command}");
    }
    for command in [
        "rm -f *.json",
        "rm -rf dist/*",
        "for f in a b; do jq . $f > $f.json; done",
        "cp /tmp/x $PWD/out.json",
        "cp /tmp/x $PWD",
        "sed -i s/a/b/ src/*.toml",
        "rm -rf artifacts/* store/*",
        "cp /tmp/x /project/hooks.json",
        "cat hooks* $PWD/hooks.json",
    ] {
        let ruling = rule(&ActiveStack::default(), command, None);
        let said = |reason: &&crate::Reason| {
            let rules = [Some(OWN_STATE), Some(AGENT_HOOKS)];
            reason.verdict > Verdict::Allow && rules.contains(&reason.rule.as_deref())
        };
        let said = ruling.reasons.iter().find(said);
        assert!(said.is_none(), "{command}: {}", ruling.explanation());
    }
}
