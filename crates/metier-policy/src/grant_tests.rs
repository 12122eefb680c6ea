use std::path::PathBuf;

use metier_format::{AllowedTools, SkillName, ToolPattern};
use serde_json::{Value, json};

use super::*;
use crate::policy::{PolicyFile, PolicyLayer, Profile};
use crate::stack::ActiveSkill;

fn place() -> Place<'static> {
    Place {
        home: Some("/home/user".as_ref()),
        project: Some("/project".as_ref()),
        ..Place::lexical("/project".as_ref())
    }
}

fn skill(name: &str, allowed: Option<&str>) -> ActiveSkill {
    let only = |text: &str| {
        ToolPattern::tokenize(text).map_or(AllowedTools::Unreadable, AllowedTools::Only)
    };
    ActiveSkill {
        allowed: allowed.map(only),
        layer: "personal".into(),
        trust: "approved".into(),
        ..ActiveSkill::unrestricted(SkillName::parse(name).expect("a name"))
    }
}

fn policy(text: &str) -> Policy {
    let file = PolicyFile::read(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    Policy::merge([(PolicyLayer::Personal, file)])
}

fn rule(policy: &Policy, skills: &[ActiveSkill], tool: &str, arguments: Value) -> Ruling {
    let stack: ActiveStack = skills.iter().cloned().collect();
    decide(policy, &stack, &ToolCall::new(tool, arguments), HostTable::plain(), &place())
}

fn verdict(skills: &[ActiveSkill], tool: &str, arguments: Value) -> Verdict {
    rule(&Policy::profile(Profile::Default), skills, tool, arguments).verdict
}

#[test]
fn a_skill_allows_what_it_names_and_nothing_else() {
    // S3
    let skills = [skill("git-helper", Some("Read, Grep, Bash(git:*)"))];
    let table = [
        ("Read", json!({"file_path": "a"}), Verdict::Allow),
        ("Grep", json!({"pattern": "x"}), Verdict::Allow),
        ("Bash", json!({"command": "git status"}), Verdict::Allow),
        ("Bash", json!({"command": "git status; rm x"}), Verdict::Deny),
        ("Bash", json!({"command": "ls"}), Verdict::Deny),
        ("Write", json!({"file_path": "a"}), Verdict::Deny),
        ("WebFetch", json!({"url": "https://a.b"}), Verdict::Deny),
        ("mcp__a__b", json!({}), Verdict::Deny),
        ("Task", json!({}), Verdict::Deny),
        ("anything", json!({}), Verdict::Deny),
    ];
    for (tool, arguments, expected) in table {
        assert_eq!(verdict(&skills, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn every_skill_on_the_stack_has_to_agree() {
    // S3, S4
    let (read, git, free) = (
        skill("reader", Some("Read Bash(git log:*)")),
        skill("git", Some("Bash(git:*) Write")),
        skill("free", None),
    );
    let status = || json!({"command": "git status"});
    let log = || json!({"command": "git log"});
    assert_eq!(verdict(std::slice::from_ref(&git), "Bash", status()), Verdict::Allow);
    assert_eq!(verdict(std::slice::from_ref(&read), "Bash", status()), Verdict::Deny);
    assert_eq!(verdict(&[read.clone(), git.clone()], "Bash", status()), Verdict::Deny);
    assert_eq!(verdict(&[git.clone(), read.clone()], "Bash", status()), Verdict::Deny);
    assert_eq!(verdict(&[read.clone(), git.clone()], "Bash", log()), Verdict::Allow);
    assert_eq!(verdict(&[read.clone(), free.clone()], "Bash", status()), Verdict::Deny);
    assert_eq!(verdict(&[free.clone(), read.clone()], "Bash", status()), Verdict::Deny);
    assert_eq!(verdict(&[free], "Bash", status()), Verdict::Allow);
    assert_eq!(verdict(&[read, git], "Write", json!({"file_path": "x"})), Verdict::Deny);
}

#[test]
fn nothing_is_allowed_by_an_empty_or_unreadable_list() {
    // S3
    for allowed in ["", "   ", "Bash(git", "(x)"] {
        let skills = [skill("closed", Some(allowed))];
        assert_eq!(verdict(&skills, "Read", json!({"file_path": "a"})), Verdict::Deny, "{allowed}");
        for command in ["true", "", "# nothing", "x=1", "[ -f x ]"] {
            let found = verdict(&skills, "Bash", json!({ "command": command }));
            assert_eq!(found, Verdict::Deny, "{allowed}: {command}");
        }
        assert_eq!(verdict(&skills, "AskUserQuestion", json!({})), Verdict::Allow, "{allowed}");
        assert_eq!(verdict(&skills, "Skill", json!({})), Verdict::Allow, "{allowed}");
    }
}

#[test]
fn tools_that_talk_are_never_blocked() {
    // S3
    let skills = [skill("closed", Some(""))];
    let deny_all = policy("default = 'deny'\n[[rule]]\nverdict = 'deny'\npattern = '*'");
    for tool in
        ["AskUserQuestion", "TodoWrite", "update_plan", "write_todos", "call_user", "question"]
    {
        assert_eq!(rule(&deny_all, &skills, tool, json!({})).verdict, Verdict::Allow, "{tool}");
    }
}

#[test]
fn tools_that_handle_skills_answer_to_policy_only() {
    // S3, S5
    let skills = [skill("closed", Some(""))];
    let allowed = rule(&Policy::profile(Profile::Default), &skills, "activate_skill", json!({}));
    assert_eq!(allowed.verdict, Verdict::Allow);
    let deny = policy("[[rule]]\nverdict = 'deny'\npattern = 'activate_skill'");
    assert_eq!(rule(&deny, &skills, "activate_skill", json!({})).verdict, Verdict::Deny);
    assert_eq!(rule(&deny, &skills, "release_skill", json!({})).verdict, Verdict::Allow);
    let closed = policy("default = 'deny'");
    assert_eq!(rule(&closed, &skills, "read_skill_file", json!({})).verdict, Verdict::Allow);
    assert_eq!(rule(&closed, &skills, "Read", json!({"file_path": "a"})).verdict, Verdict::Deny);
}

#[test]
fn policy_decides_what_skills_leave_open() {
    // S4
    let skills = [skill("git", Some("Bash(git:*)"))];
    let ask = policy("[[rule]]\nid = 'push'\nverdict = 'ask'\npattern = 'Bash(git push:*)'");
    let pushed = rule(&ask, &skills, "Bash", json!({"command": "git push"}));
    assert_eq!((pushed.verdict, pushed.rule.as_deref()), (Verdict::Ask, Some("push")));
    let denied = rule(&ask, &skills, "Bash", json!({"command": "git push; ls"}));
    assert_eq!(denied.verdict, Verdict::Deny);
    assert_eq!(denied.skill.map(|name| name.to_string()).as_deref(), Some("git"));
}

#[test]
fn the_mode_says_what_allowed_tools_means() {
    // S3, S4
    let skills = [skill("git", Some("Bash(git:*) Write"))];
    let text = |mode: &str| {
        format!(
            "allowed-tools = '{mode}'\ndefault = 'ask'\n[[rule]]\nverdict = 'deny'\npattern = 'Write'"
        )
    };
    let git = || json!({"command": "git status"});
    let ls = || json!({"command": "ls"});
    let table = [
        ("restrict", "Bash", git(), Verdict::Ask),
        ("restrict", "Bash", ls(), Verdict::Deny),
        ("ignore", "Bash", git(), Verdict::Ask),
        ("ignore", "Bash", ls(), Verdict::Ask),
        ("pre-approve", "Bash", git(), Verdict::Allow),
        ("pre-approve", "Bash", ls(), Verdict::Ask),
        ("pre-approve", "Write", json!({"file_path": "x"}), Verdict::Deny),
        ("pre-approve", "Read", json!({"file_path": "x"}), Verdict::Ask),
    ];
    for (mode, tool, arguments, expected) in table {
        let found = rule(&policy(&text(mode)), &skills, tool, arguments.clone());
        assert_eq!(found.verdict, expected, "{mode} {tool} {arguments}: {}", found.explanation());
    }
}

#[test]
fn a_skill_nobody_trusts_approves_nothing() {
    // S4
    let text = "allowed-tools = 'pre-approve'\ndefault = 'ask'";
    let mut untrusted = skill("git", Some("Bash(git:*)"));
    untrusted.trust = "untrusted".into();
    let git = || json!({"command": "git status"});
    assert_eq!(rule(&policy(text), &[untrusted.clone()], "Bash", git()).verdict, Verdict::Ask);
    let approved = skill("other", Some("Bash(git:*)"));
    let both = [untrusted, approved.clone()];
    assert_eq!(rule(&policy(text), &both, "Bash", git()).verdict, Verdict::Allow);
    let served = ActiveSkill { served: true, ..approved };
    assert_eq!(rule(&policy(text), &[served.clone()], "Bash", git()).verdict, Verdict::Ask);
    let restricting = policy("default = 'allow'");
    let ls = json!({"command": "ls"});
    assert_eq!(rule(&restricting, &[served], "Bash", ls).verdict, Verdict::Deny, "it narrows");
    let free = skill("free", None);
    assert_eq!(rule(&policy(text), &[free], "Bash", git()).verdict, Verdict::Ask);
}

fn scripted() -> ActiveSkill {
    ActiveSkill {
        directory: Some(PathBuf::from("/skills/pdf")),
        scripts: vec![PathBuf::from("/skills/pdf/scripts/fill.py")],
        ..skill("pdf", Some("Read Grep Bash"))
    }
}

#[test]
fn a_script_is_run_and_not_read() {
    // S5
    let skills = [scripted()];
    let script = "/skills/pdf/scripts/fill.py";
    let table = [
        ("Read", json!({"file_path": script}), Verdict::Deny),
        ("Read", json!({"file_path": "/skills/pdf/./scripts/../scripts/fill.py"}), Verdict::Deny),
        ("Grep", json!({"path": script}), Verdict::Deny),
        ("Bash", json!({"command": format!("cat {script}")}), Verdict::Deny),
        ("Bash", json!({"command": format!("head -n 5 {script} | wc")}), Verdict::Deny),
        ("Bash", json!({"command": format!("wc < {script}")}), Verdict::Deny),
        ("Bash", json!({"command": format!("sh -c 'sed -n 1p {script}'")}), Verdict::Deny),
        ("Bash", json!({"command": format!("python {script} --json")}), Verdict::Allow),
        ("Bash", json!({"command": script}), Verdict::Allow),
        ("Read", json!({"file_path": "/skills/pdf/reference.md"}), Verdict::Allow),
        ("Read", json!({"file_path": "/skills/pdf/scripts/other.py"}), Verdict::Allow),
    ];
    for (tool, arguments, expected) in table {
        assert_eq!(verdict(&skills, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
}

#[test]
fn the_refusal_shows_how_to_run_the_script() {
    // S5
    let arguments = json!({"file_path": "/skills/pdf/scripts/fill.py"});
    let refused =
        rule(&Policy::profile(Profile::Default), &[scripted()], "Read", arguments.clone());
    let expected = "`scripts/fill.py` is a script of skill `pdf`: run it instead of reading it, \
                    with `metier run pdf fill.py`";
    assert_eq!(refused.explanation(), expected);
    assert_eq!(refused.skill.map(|name| name.to_string()).as_deref(), Some("pdf"));
    let open = policy("script-read = 'allow'");
    assert_eq!(rule(&open, &[scripted()], "Read", arguments).verdict, Verdict::Allow);
}

#[test]
fn an_unrestricted_skill_keeps_its_scripts_unread_too() {
    // S5
    let free = ActiveSkill { allowed: None, ..scripted() };
    let arguments = json!({"file_path": "/skills/pdf/scripts/fill.py"});
    assert_eq!(verdict(&[free], "Read", arguments), Verdict::Deny);
}

#[test]
fn refusals_say_what_and_why() {
    // S3, S4
    let skills = [skill("git-helper", Some("Bash(git:*) Read"))];
    let why = |tool: &str, arguments: Value| {
        rule(&Policy::profile(Profile::FullAuto), &skills, tool, arguments).explanation()
    };
    let allows = "it allows `Bash(git:*)`, `Read`";
    assert_eq!(
        why("Bash", json!({"command": "git status; rm -rf x"})),
        format!("skill `git-helper` does not allow `rm -rf x`; {allows}")
    );
    assert_eq!(
        why("Bash", json!({"command": "git -c core.pager=id log"})),
        format!(
            "skill `git-helper` does not allow `git -c core.pager=id log` (the setting `core.pager` \
             of `-c` can run programs); {allows}"
        )
    );
    assert_eq!(
        why("Bash", json!({"command": "ls; pwd; id"})),
        format!("skill `git-helper` does not allow `ls` and 2 more; {allows}")
    );
    assert_eq!(
        why("Bash", json!({"command": "git log > x"})),
        format!("skill `git-helper` does not allow writing `x`; {allows}")
    );
    assert_eq!(
        why("Bash", json!({"command": "git 'log"})),
        format!(
            "skill `git-helper` does not allow what cannot be judged: a single quote is not \
             closed; {allows}"
        )
    );
    assert_eq!(
        why("Write", json!({})),
        format!("skill `git-helper` does not allow `write`; {allows}")
    );
    let closed = [skill("closed", Some(""))];
    let none = rule(&Policy::profile(Profile::FullAuto), &closed, "Read", json!({}));
    assert_eq!(none.explanation(), "skill `closed` does not allow `read`; it allows no tools");
}

#[test]
fn allowing_an_interpreter_is_said_aloud() {
    // S3
    let skills = [skill("py", Some("Bash(python:*) Bash(make test:*)"))];
    let note = |command: &str| {
        let policy = Policy::profile(Profile::FullAuto);
        let ruling = rule(&policy, &skills, "Bash", json!({ "command": command }));
        assert_eq!(ruling.verdict, Verdict::Allow, "{}", ruling.explanation());
        ruling.explanation()
    };
    assert!(note("python -c 'print(1)'").contains("note that python runs any code"));
    assert!(note("make test").contains("note that a build tool runs what the project says"));
    let both = note("python x.py; python y.py; make test");
    assert_eq!(both.matches("python runs any code").count(), 1, "{both}");
}

#[test]
fn interpreters_wait_for_nothing_where_nobody_sees_what_is_typed() {
    // S3
    let codex = HostTable::named("codex").expect("a host");
    let claude = HostTable::named("claude-code").expect("a host");
    let stack: ActiveStack =
        [skill("py", Some("Bash(python:*) Bash(python)"))].into_iter().collect();
    let policy = Policy::profile(Profile::FullAuto);
    let check = |host: &HostTable, command: &str| {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        decide(&policy, &stack, &call, host, &place()).verdict
    };
    assert_eq!(check(codex, "python"), Verdict::Deny);
    assert_eq!(check(codex, "python -i x.py"), Verdict::Deny);
    assert_eq!(check(codex, "python x.py"), Verdict::Allow);
    assert_eq!(check(claude, "python"), Verdict::Allow);
    let typed = ToolCall::new("write_stdin", json!({"chars": "git log\n"}));
    assert_eq!(decide(&policy, &stack, &typed, codex, &place()).verdict, Verdict::Deny);
}

#[test]
fn hosts_may_hide_what_no_skill_leaves() {
    // S3
    let (policy, host) =
        (Policy::profile(Profile::Default), HostTable::named("chibi").expect("a host"));
    let stack: ActiveStack = [
        skill("a", Some("Read Bash(git:*)")),
        skill("b", None),
        skill("c", Some("Read Grep Bash")),
    ]
    .into_iter()
    .collect();
    let grant = Grant { policy: &policy, stack: &stack };
    for (tool, expected) in [
        ("file_head", true),
        ("shell_exec", true),
        ("grep_files", false),
        ("write_file", false),
        ("call_user", true),
        ("read_skill_file", true),
    ] {
        assert_eq!(grant.exposes(tool, host), expected, "{tool}");
    }
    let ignored = super::tests::policy("allowed-tools = 'ignore'");
    assert!(Grant { policy: &ignored, stack: &stack }.exposes("write_file", host));
    let empty = ActiveStack::default();
    assert!(Grant { policy: &policy, stack: &empty }.exposes("write_file", host));
}

#[test]
fn patches_need_every_file_allowed() {
    // S3
    let patch =
        |lines: &str| json!({"command": format!("*** Begin Patch\n{lines}\n*** End Patch")});
    let skills = [skill("editor", Some("Edit(./src/**) Write(./src/new/**)"))];
    let table = [
        ("*** Update File: src/a.rs", Verdict::Allow),
        ("*** Add File: src/new/b.rs", Verdict::Allow),
        ("*** Add File: src/b.rs", Verdict::Deny),
        ("*** Update File: other/a.rs", Verdict::Deny),
        ("*** Update File: src/a.rs\n*** Update File: /etc/passwd", Verdict::Deny),
        ("*** Update File: src/a.rs\n*** Move to: x.rs", Verdict::Deny),
        ("*** Delete File: src/a.rs", Verdict::Deny),
        ("*** Update File: src/../../etc/x", Verdict::Deny),
        ("nothing", Verdict::Deny),
    ];
    for (lines, expected) in table {
        assert_eq!(verdict(&skills, "apply_patch", patch(lines)), expected, "{lines}");
    }
}
