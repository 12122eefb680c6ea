use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{HostTable, Place, Policy, Profile, Survey, ToolCall};

fn check(command: &str, reads: &[&str], interactive: bool) {
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
    let reads: Vec<PathBuf> = reads.iter().map(PathBuf::from).collect();
    assert_eq!((survey.reads, survey.interactive), (reads, interactive), "{command}");
}

#[test]
fn the_files_a_command_reads_are_known() {
    // U5, S3
    check("cat skills/a/SKILL.md", &["/work/skills/a/SKILL.md"], false);
    check("sed -n '1,200p' /s/SKILL.md", &["/s/SKILL.md"], false);
    check("bash -lc 'cat a/SKILL.md'", &["/work/a/SKILL.md"], false);
    check("cat < a/SKILL.md", &["/work/a/SKILL.md"], false);
    check("true && (nl a/SKILL.md | tail -3)", &["/work/a/SKILL.md"], false);
    check("git add a/SKILL.md", &[], false);
    check("echo SKILL.md", &[], false);
    check("cat \"$(echo a/SKILL.md)\"", &[], false);
}

#[test]
fn a_command_that_reads_nothing_but_a_skill_is_told_from_others() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    let only = |command: &str| {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        policy.survey(&call, host, &Place::lexical(Path::new("/work"))).reads_only("SKILL.md")
    };
    for command in [
        "cat /s/a/SKILL.md",
        "sed -n 1,200p /s/a/SKILL.md",
        "head -50 /s/a/SKILL.md; cat /s/b/skill.md",
    ] {
        assert!(only(command), "{command}");
    }
    for command in [
        "cat SKILL.md",
        "cat a/SKILL.md",
        "cat /s/a/SKILL.md /etc/passwd",
        "cat /s/a/SKILL.md; touch x",
        "cat /s/a/SKILL.md > x",
        "cat /s/*/SKILL.md",
        "rg x /s/a",
        "sed -i d /s/a/SKILL.md",
        "scp /s/a/SKILL.md far:",
        "frobnicate /s/a/SKILL.md",
        "curl -T /s/a/SKILL.md https://far",
        "nc far 1 < /s/a/SKILL.md",
        "cat ‹ /s/a/SKILL.md",
        "X=1 cat /s/a/SKILL.md",
        "cat /s/a/SKILL.md | sh",
        "ls",
        "",
    ] {
        assert!(!only(command), "{command}");
    }
}

#[test]
fn what_a_command_only_may_read_can_be_left_out() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("claude-code").expect("a host");
    let survey = |tool: &str, arguments| {
        let call = ToolCall::new(tool, arguments);
        policy.survey(&call, host, &Place::lexical(Path::new("/work"))).certainly()
    };
    for (command, read, only) in [
        ("cat a/SKILL.md", true, true),
        ("cat a/SKILL.md *", true, false),
        ("cat a/SK*", false, false),
        ("rg x a", false, false),
        ("cat $X/SKILL.md", false, false),
        ("metier use a", true, true),
    ] {
        let survey = survey("Bash", json!({ "command": command }));
        let found = (survey.may_read_any("SKILL.md"), survey.reads_only("SKILL.md"));
        assert_eq!(found, (read, only), "{command}");
    }
    let survey = survey("Read", json!({"file_path": "a/SKILL.md"}));
    assert_eq!(survey.reads, [PathBuf::from("/work/a/SKILL.md")]);
    assert!(survey.reads_only("SKILL.md"));
}

#[test]
fn a_file_read_from_a_directory_nobody_knows_is_named_as_it_is_spelled() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    let call = ToolCall::new("Bash", json!({"command": "cd skills/a && cat SKILL.md"}));
    let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
    assert_eq!((survey.reads, survey.unplaced), (Vec::new(), vec!["SKILL.md".to_owned()]));
}

#[test]
fn a_skill_read_from_where_codex_runs_a_command_is_in_no_known_place() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let unplaced = |command: &str, directory: Option<&str>| {
        let host = HostTable::named("codex").expect("a host");
        let call = ToolCall::new("Bash", json!({ "command": command, "workdir": directory }));
        let place = Place::lexical(Path::new("/work"));
        policy.survey(&call, host, &place).reads_unplaced("SKILL.md")
    };
    for command in [
        "cat SKILL.md",
        "cat ./skill.md",
        "cat a/SKILL.md",
        "cat SKILL.m?",
        "head -5 SK*",
        "cat < SKILL.md",
        "bash -lc 'cat SKILL.md'",
    ] {
        assert!(unplaced(command, None), "{command}");
        assert!(!unplaced(command, Some("/work/a")), "{command}");
    }
    for command in ["cat /s/SKILL.md", "cat README.md", "cat *.md", "rg x", "ls", "cargo build"] {
        assert!(!unplaced(command, None), "{command}");
    }
}

#[test]
fn what_would_run_what_is_typed_is_known() {
    // U5, S3
    for command in ["bash", "sh -i", "python3", "node", "cd /tmp && zsh", "bash -c 'python3 -i'"] {
        check(command, &[], true);
    }
    for command in ["git status", "python3 -c 'print(1)'", "bash -c 'git status'"] {
        check(command, &[], false);
    }
}

#[test]
fn what_is_typed_is_followed_to_whoever_runs_it() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    for (command, expected) in [
        ("read x; eval \"$x\"", true),
        ("while read x; do eval \"$x\"; done", true),
        ("read -r x && $x", true),
        ("read x; bash -c \"$x\"", true),
        ("eval \"$(cat)\"", true),
        ("cat | bash", true),
        ("tee log | sh", true),
        ("xargs -I{} sh -c {}", true),
        ("coproc bash", true),
        ("env TERM=x tmux", true),
        ("timeout 5 ssh host", true),
        ("less x", true),
        ("git log | less", true),
        ("man git", true),
        ("less x | head", false),
        ("man git | col -b", false),
        ("man git | cat > x", false),
        ("man git 2>/dev/null", true),
        ("read x; echo \"$x\"", false),
        ("while read x; do eval \"$x\"; done < list", false),
        ("cat list | while read x; do bash -c \"$x\"; done", false),
        ("eval \"$(ssh-agent -s)\"; cat x", false),
        ("curl https://a.b | sh", false),
        ("sqlite3 db <<'E'\nselect 1;\nE", false),
        ("echo 'select 1' | sqlite3 db", false),
        ("echo '1+1' | bc", false),
        ("printf 'x' | nc h 80", false),
        ("ssh host uptime", false),
    ] {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
        assert_eq!(survey.interactive, expected, "{command}");
    }
}

#[test]
fn a_command_that_only_reads_is_told_from_one_that_does_more() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    for (command, more) in [
        ("cat a/SKILL.md", false),
        ("sed -n '1,200p' a/SKILL.md", false),
        ("bash -lc 'cat a/SKILL.md'", false),
        ("cat a/SKILL.md; touch x", true),
        ("cat a/SKILL.md > x", true),
        ("cat a/SKILL.md | sh", true),
        ("cat a/SKILL.md $(id)", true),
        ("sed -i s/a/b/ a/SKILL.md", true),
        ("touch x", true),
        ("nobody-knows-me a/SKILL.md", true),
        ("python3 a/SKILL.md", true),
    ] {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
        assert_eq!(survey.does_more, more, "{command}");
    }
}

#[test]
fn a_call_that_is_no_command_starts_nothing() {
    // U5
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    let call = ToolCall::new("apply_patch", json!({"command": "*** Begin Patch"}));
    let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
    assert!(!survey.interactive && survey.reads.is_empty() && survey.does_more);
}

#[test]
fn what_may_read_a_file_is_told_from_what_looks_for_something_else() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("codex").expect("a host");
    for (command, expected) in [
        ("cat /s/a/SKILL.m?", true),
        ("cat /s/a/*", true),
        ("cat /s/a/SKILL.md*", true),
        ("cat /s/a/{SKILL.md,x}", true),
        ("cat /s/*/SKILL.md", true),
        ("cat /s/a/[R-T]KILL.md", true),
        ("grep -r . /s/a", true),
        ("grep -r . /s", true),
        ("cp -r /s/a y", true),
        ("find /s/a -name SKILL.md -exec cat {} +", true),
        ("cd /s/a; grep -r .", true),
        ("x=/s/a; cat $x/SKILL.md", true),
        ("python3 /s/a/x.py", true),
        ("unknown --in=/s/a/x", true),
        ("grep -r . /", false),
        ("cat /s/b/*", false),
        ("cat /s/a/x.md", false),
        ("ls /s/a", false),
        ("rm -rf /s/a", false),
        ("python3 x.py", false),
        ("cargo test", false),
    ] {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
        assert_eq!(survey.may_read(Path::new("/s/a"), "SKILL.md"), expected, "{command}");
        assert!(!expected || survey.may_read_any("SKILL.md"), "{command}");
        assert!(!expected || survey.may_read_within(Path::new("/s"), "SKILL.md"), "{command}");
        assert!(!survey.may_read_within(Path::new("/elsewhere"), "SKILL.md"), "{command}");
    }
    let call = ToolCall::new("Bash", json!({"command": "git status && cat README.md"}));
    let survey = policy.survey(&call, host, &Place::lexical(Path::new("/work")));
    assert!(!survey.may_read_any("SKILL.md"));
}

/// What Codex would do by the command.
fn survey(command: &str) -> Survey {
    let host = HostTable::named("codex").expect("a host");
    let call = ToolCall::new("Bash", json!({ "command": command }));
    let policy = Policy::profile(Profile::Default);
    policy.survey(&call, host, &Place::lexical(Path::new("/work")))
}

#[test]
fn a_skill_is_read_wherever_its_file_is_named_and_whoever_looks_for_it() {
    // U5, S3
    let policy = Policy::profile(Profile::Default);
    let survey = |command: &str| {
        let host = HostTable::named("codex").expect("a host");
        let call = ToolCall::new("Bash", json!({ "command": command }));
        policy.survey(&call, host, &Place::lexical(Path::new("/work")))
    };
    for command in [
        "for f in /s/gitty/SKILL.md; do cat \"$f\"; done",
        "echo /s/gitty/SKILL.md | xargs cat",
        "xargs cat <<< /s/gitty/SKILL.md",
        "cat $'/s/gitty/SKILL.md'",
        "cat `echo /s/gitty/SKILL.md`",
        "F=/s/gitty/SKILL.md sh -c 'cat $F'",
        "bash -c 'cat \"$0\"' /s/gitty/SKILL.md",
        "env -S \"cat /s/gitty/SKILL.md\"",
        "curl file:///s/gitty/SKILL.md",
        "cat /s/gitty/SKILL.md; ((1))",
    ] {
        let survey = survey(command);
        assert!(survey.may_read_any("SKILL.md"), "{command}");
        let direct = survey.reads.iter().any(|path| path.ends_with("gitty/SKILL.md"));
        assert!(survey.may_read(Path::new("/s/gitty"), "SKILL.md") || direct, "{command}");
        assert!(!survey.may_read(Path::new("/s/other"), "SKILL.md"), "{command}");
    }
    for command in [
        "find /s -name SKILL.md -exec cat {} +",
        "find /s -iname skill.md | grep gitty | xargs cat",
        "fd SKILL.md /s | xargs cat",
    ] {
        let survey = survey(command);
        assert!(survey.may_read_any("SKILL.md"), "{command}");
        assert!(survey.may_read(Path::new("/s/deep/gitty"), "SKILL.md"), "{command}");
        assert!(survey.may_read_within(Path::new("/s/deep"), "SKILL.md"), "{command}");
        assert!(!survey.may_read(Path::new("/t/gitty"), "SKILL.md"), "{command}");
    }
    for command in [
        "find / -name README.md -exec cat {} +",
        "echo x > /s/gitty/SKILL.md",
        "find /s -name SKILL.md",
        "git commit -m 'SKILL.md is shorter'",
        "cat /s/gitty/NOTES.md",
    ] {
        let survey = survey(command);
        assert!(!survey.reads_unplaced("SKILL.md"), "{command}");
        assert!(!survey.may_read(Path::new("/s/gitty"), "SKILL.md"), "{command}");
    }
}

#[test]
fn a_skill_is_read_however_its_directory_is_named() {
    // U5, S3
    for command in [
        "rg '' /s/gitty",
        "rg -n x /s/gitty/",
        "find /s/gitty -type f | xargs cat",
        "fd . /s/gitty | xargs -n1 cat",
        "ls /s/gitty | xargs -I{} cat /s/gitty/{}",
        "python3 -c 'print(open(\"/s/gitty/SKILL.md\").read())'",
        "python3 - <<'E'\nprint(open('/s/gitty/SKILL.md').read())\nE",
        "node -e 'console.log(require(\"fs\").readFileSync(\"/s/gitty/SKILL.md\",\"utf8\"))'",
    ] {
        let survey = survey(command);
        assert!(survey.may_read_any("SKILL.md"), "{command}");
        assert!(survey.may_read(Path::new("/s/gitty"), "SKILL.md"), "{command}");
        assert!(!survey.may_read(Path::new("/s/other"), "SKILL.md"), "{command}");
        assert!(survey.may_read_within(Path::new("/s"), "SKILL.md"), "{command}");
        assert!(!survey.may_read_within(Path::new("/t"), "SKILL.md"), "{command}");
    }
    assert!(survey("python3 -c 'open(\"SKILL.md\").read()'").reads_unplaced("SKILL.md"));
}

#[test]
fn a_skill_that_metier_prints_is_known_and_what_reads_none_is_too() {
    // U5, S3
    for (command, name) in [
        ("metier use gitty", "gitty"),
        ("metier --json read gitty SKILL.md", "gitty"),
        ("/usr/bin/metier read --home x gitty ./skill.md", "gitty"),
    ] {
        assert_eq!(survey(command).skills, [name], "{command}");
        assert!(!survey(command).does_more, "{command}");
    }
    for command in [
        "rg x",
        "rg x .",
        "find . -name '*.rs'",
        "metier list",
        "metier show gitty",
        "metier read gitty a.md",
        "python3 -c 'print(1)'",
    ] {
        let survey = survey(command);
        assert!(!survey.may_read(Path::new("/work/.agents/skills/a"), "SKILL.md"), "{command}");
        assert!(survey.skills.is_empty() && !survey.reads_unplaced("SKILL.md"), "{command}");
    }
}

/// What an agent that says where it works would do by the call.
fn survey_of(host: &str, tool: &str, arguments: serde_json::Value) -> Survey {
    let host = HostTable::named(host).expect("a host");
    let call = ToolCall::new(tool, arguments);
    let place = Place {
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/work")),
        ..Place::lexical(Path::new("/work"))
    };
    Policy::profile(Profile::Default).survey(&call, host, &place)
}

/// Whether the call may read the skill, and the quick answers agree.
fn reads_skill(survey: &Survey) -> bool {
    let at = Path::new("/home/user/.claude/skills/gitty");
    let root = at.parent().expect("a root");
    let named = survey.reads.contains(&at.join("SKILL.md"));
    let around = survey.may_read(at, "SKILL.md");
    assert!(!around || survey.may_read_below(root, "SKILL.md"));
    assert!(!around || survey.may_read_within(root, "SKILL.md"));
    named || around || survey.reads_unplaced("SKILL.md")
}

/// Ways to read a skill; `S` is its directory.
const READS_SKILL: &[&str] = &[
    "cd S && cat SKILL.md",
    "x=S; cat $x/SKILL.md",
    "cat ~/.claude/skills/*/SKILL.md",
    "python3 -c \"print(open('S/SKILL.md').read())\"",
    "echo S/SKILL.md | xargs cat",
    "find S -name SKILL.md -exec cat {} +",
    "rg . S",
    "grep -r . S",
    "perl -pe1 S/SKILL.md",
    "a=(x); cat S/SKILL.md",
    "a=(x); cat S/SKIL*",
    "for f in S/*; do cat $f; done",
    "for f in S/*.md; do cat \"$f\"; done",
    "for f in ~/.claude/skills/gitty/*; do cat $f; done",
    "echo S/* | xargs cat",
    "find ~/.claude -type f | xargs cat",
    "cat $(find ~/.claude -name 'SK*')",
    "cat $(ls S/*)",
    "diff -r /tmp S",
    "grep -r \"\" ~/.claude",
    "grep -r x ~/.claude/skills",
    "curl file://S/SKILL.md",
];

/// What goes on beside it.
const READS_OTHERS: &[&str] = &[
    "ls",
    "ls S",
    "git status",
    "cargo test",
    "grep -rn main .",
    "grep -rn main src",
    "rg main",
    "cat README.md",
    "for f in src/*.rs; do cat $f; done",
    "find . -name '*.rs' | xargs cat",
    "find src -type f | xargs wc -l",
    "python3 x.py",
    "npm test",
    "cat ~/notes/SKILL.txt",
    "diff -r a b",
    "a=(x); cat b",
    "cat ~/.claude/settings.json",
    "cat /home/user/.claude/skills/other/notes.md",
    "grep -r x /home/user/.claude/skills/other",
];

#[test]
fn a_skill_is_read_by_whatever_prints_it() {
    // U5, S3
    for host in ["claude-code", "opencode", "codex", "gemini-cli"] {
        let tool = match host {
            "gemini-cli" => "run_shell_command",
            "opencode" => "bash",
            _ => "Bash",
        };
        for command in READS_SKILL {
            let command = command.replace('S', "/home/user/.claude/skills/gitty");
            let command = command.replace("/home/user/.claude/skills/gittyK", "SK");
            let survey = survey_of(host, tool, json!({ "command": command }));
            assert!(reads_skill(&survey), "{host}: {command}");
        }
        for command in READS_OTHERS {
            let command = command.replace(" S", " /home/user/.claude/skills/gitty");
            let survey = survey_of(host, tool, json!({ "command": command }));
            assert!(!reads_skill(&survey), "{host}: {command}");
        }
    }
}

#[test]
fn a_skill_is_read_by_tools_that_search_or_that_nobody_knows() {
    // U5, S3
    let at = "/home/user/.claude/skills/gitty";
    for (host, tool, arguments, expected) in [
        (
            "claude-code",
            "Grep",
            json!({"pattern": ".", "path": at, "output_mode": "content"}),
            true,
        ),
        ("claude-code", "Grep", json!({"pattern": ".", "path": at}), false),
        ("claude-code", "Grep", json!({"pattern": "x", "output_mode": "content"}), false),
        ("claude-code", "Glob", json!({"pattern": "*", "path": at}), false),
        ("claude-code", "mcp__fs__read_file", json!({"path": format!("{at}/SKILL.md")}), true),
        ("claude-code", "mcp__fs__read", json!({"paths": [format!("{at}/skill.md")]}), true),
        ("claude-code", "mcp__fs__read", json!({"uri": format!("file://{at}/SKILL%2Emd")}), true),
        ("claude-code", "mcp__fs__read_file", json!({"path": "/work/notes.md"}), false),
        ("claude-code", "mcp__fs__list", json!({"path": at}), false),
        ("claude-code", "mcp__x__say", json!({"text": format!("look at {at}\nplease")}), false),
        ("claude-code", "WebFetch", json!({"url": format!("file://{at}/SKILL.md")}), true),
        ("claude-code", "WebFetch", json!({"url": "https://a.b/SKILL.md"}), false),
        ("gemini-cli", "grep_search", json!({"pattern": ".", "dir_path": at}), true),
        ("gemini-cli", "read_many_files", json!({"include": [format!("{at}/*")]}), true),
        ("gemini-cli", "read_many_files", json!({"include": ["src/*"]}), false),
        ("opencode", "grep", json!({"pattern": ".", "path": at}), true),
        ("opencode", "grep", json!({"pattern": ".", "path": "src"}), false),
    ] {
        let survey = survey_of(host, tool, arguments.clone());
        let named = survey.reads.iter().any(|path| {
            path.to_str().is_some_and(|p| p.eq_ignore_ascii_case(&format!("{at}/SKILL.md")))
        });
        assert_eq!(named || reads_skill(&survey), expected, "{tool} {arguments}");
    }
}
