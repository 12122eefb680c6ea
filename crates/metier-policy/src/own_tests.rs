use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::{ActiveStack, HostTable, Lexical, Policy, Profile, Resolve, ToolCall, decide};

fn rule(profile: Profile, tool: &str, arguments: Value) -> (Verdict, Option<String>) {
    let protected =
        [PathBuf::from("/data/metier"), PathBuf::from("/home/user/.config/metier/config.toml")];
    let place = Place {
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &protected,
        resolver: &Lexical,
    };
    let call = ToolCall::new(tool, arguments);
    let policy = Policy::profile(profile);
    let ruling = decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place);
    (ruling.verdict, ruling.rule)
}

fn shell(profile: Profile, command: &str) -> Verdict {
    rule(profile, "Bash", json!({ "command": command })).0
}

#[test]
fn no_profile_lets_a_call_write_what_is_metiers_own() {
    // S3, S4
    for profile in Profile::ALL {
        let (verdict, rule) =
            rule(profile, "Write", json!({"file_path": "/data/metier/approvals.jsonl"}));
        assert_eq!(verdict, Verdict::Deny, "{profile:?}");
        if profile != Profile::Strict {
            assert_eq!(rule.as_deref(), Some(OWN_STATE));
        }
        for command in [
            "echo x >> /data/metier/approvals.jsonl",
            "echo x | tee -a /data/metier/folders.json",
            "rm -rf /data/metier",
            "rm -rf /data",
            "rm -rf /data/m*",
            "mv /data /tmp/x",
            "cd /data/metier && echo x > approvals.jsonl",
            "echo x > \"/data/metier/$X\"",
            "sh -c 'rm /data/Metier/skills.lock'",
            "cp evil /data/metier/store/x",
            "mv /data/metier/sessions/a.jsonl /tmp/a",
            "sed -i s/a/b/ /data/metier/sessions/a.jsonl",
            "find . -exec cp {} /data/metier/store/x \\;",
            "echo x > ~/.config/metier/config.toml",
        ] {
            assert_eq!(shell(profile, command), Verdict::Deny, "{profile:?} {command}");
        }
    }
}

#[test]
fn reading_metiers_state_and_writing_beside_it_stay_what_they_were() {
    // S3
    for command in [
        "cat /data/metier/approvals.jsonl",
        "ls /data/metier",
        "echo x > /data/metier-notes.txt",
        "rm -rf build",
        "mkdir -p /data",
        "metier status && metier list",
    ] {
        assert_eq!(shell(Profile::Default, command), Verdict::Allow, "{command}");
        assert_eq!(shell(Profile::FullAuto, command), Verdict::Allow, "{command}");
    }
}

#[test]
fn a_model_never_approves_for_itself_and_lifts_restrictions_only_when_asked_about() {
    // S3, S4
    for command in [
        "metier trust evil --yes",
        "metier --home x trust evil",
        "metier add x --yes",
        "metier sync; ls",
    ] {
        for profile in Profile::ALL {
            let (verdict, rule) = rule(profile, "Bash", json!({ "command": command }));
            assert_eq!(verdict, Verdict::Deny, "{profile:?} {command}");
            assert_eq!(rule.as_deref(), Some(OWN_COMMAND), "{profile:?} {command}");
        }
    }
    for command in ["/usr/bin/metier end", "sh -c 'metier release a'"] {
        assert_eq!(shell(Profile::Default, command), Verdict::Ask, "{command}");
        assert_eq!(shell(Profile::Strict, command), Verdict::Deny, "{command}");
    }
    for command in ["metier list", "metier show trust", "metier doctor", "metier run a b.py"] {
        assert_eq!(shell(Profile::Default, command), Verdict::Allow, "{command}");
        assert_eq!(shell(Profile::Strict, command), Verdict::Ask, "{command}");
    }
}

#[test]
fn what_an_agent_learns_from_is_asked_about() {
    // S3, S4
    for command in [
        "git clone https://example.com/x ~/.claude/skills/y",
        "cp -r evil ~/.claude/skills/evil",
        "mkdir -p .claude/skills/evil",
        "echo x > ~/.agents/skills/a/SKILL.md",
    ] {
        assert_eq!(shell(Profile::Default, command), Verdict::Ask, "{command}");
    }
}

/// A disk on which `/project/m` is a link to metier.
struct Linked;

impl crate::Resolve for Linked {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        match absolute.to_str() {
            Some("/project/m" | "/project/./m") => Some(PathBuf::from("/usr/bin/metier")),
            _ => Lexical.real(absolute),
        }
    }
}

#[test]
fn a_link_to_metier_is_metier() {
    // S3
    let place = Place { resolver: &Linked, ..Place::lexical(Path::new("/project")) };
    let rule = |command: &str| {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let policy = Policy::profile(Profile::FullAuto);
        decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place).verdict
    };
    assert_eq!(rule("./m trust evil"), Verdict::Deny);
    assert_eq!(rule("/project/m --json trust evil"), Verdict::Deny);
    assert_eq!(rule("./m list"), Verdict::Allow);
    assert_eq!(rule("./n trust evil"), Verdict::Allow);
}

/// The ruling of the most trusting profile with these skills active.
fn rule_with(stack: &ActiveStack, tool: &str, arguments: Value) -> Verdict {
    let protected = [PathBuf::from("/data/metier")];
    let place = Place {
        home: Some(Path::new("/home/user")),
        protected: &protected,
        ..Place::lexical(Path::new("/project"))
    };
    let call = ToolCall::new(tool, arguments);
    let policy = Policy::profile(Profile::FullAuto);
    decide(&policy, stack, &call, HostTable::plain(), &place).verdict
}

#[test]
fn files_of_an_active_skill_may_be_named_wherever_they_lie() {
    // S3, S5
    let name = metier_format::SkillName::parse("pdf").expect("a name");
    let skill = crate::ActiveSkill {
        directory: Some(PathBuf::from("/data/metier/store/pdf")),
        ..crate::ActiveSkill::unrestricted(name)
    };
    let active = ActiveStack::from_iter([skill]);
    let none = ActiveStack::default();
    let shell = |stack: &ActiveStack, command: &str| {
        rule_with(stack, "Bash", json!({ "command": command }))
    };
    for command in [
        "python3 /data/metier/store/pdf/x.py /data/metier/store/pdf/form.json",
        "cd /data/metier/store/pdf && python3 x.py",
        "pdftool --form=/data/metier/store/pdf/form.json",
    ] {
        assert_eq!(shell(&active, command), Verdict::Allow, "{command}");
        assert_eq!(shell(&none, command), Verdict::Deny, "{command}");
    }
    // Running a script names nothing but the script.
    assert_eq!(shell(&none, "python3 /data/metier/store/pdf/x.py"), Verdict::Allow);
    for command in [
        "echo x > /data/metier/store/pdf/form.json",
        "pdftool --form=/data/metier/approvals.jsonl",
        "cd /data/metier/store && python3 x.py",
    ] {
        assert_eq!(shell(&active, command), Verdict::Deny, "{command}");
    }
}

#[test]
fn a_tool_nobody_knows_is_not_told_what_is_metiers_own_unless_it_only_looks() {
    // S3, S4
    let none = ActiveStack::default();
    for (tool, arguments, expected) in [
        ("mcp__fs__write_file", json!({"path": "/data/metier/approvals.jsonl"}), Verdict::Deny),
        ("mcp__fs__write_file", json!({"path": "/data/other"}), Verdict::Allow),
        ("mcp__fs__move_file", json!({"source": "a", "to": "/data/metier/a"}), Verdict::Deny),
        ("mcp__fs__read_file", json!({"path": "/data/metier/approvals.jsonl"}), Verdict::Allow),
        ("mcp__fs__list_directory", json!({"path": "/data/metier"}), Verdict::Allow),
        ("mcp__fs__readAndDelete", json!({"path": "/data/metier/a"}), Verdict::Deny),
        ("mcp__fs__batch", json!({"edits": [{"file": "../data/metier/a"}]}), Verdict::Deny),
        ("mcp__fs__save", json!({"uri": "file:///data/metier/a"}), Verdict::Deny),
        ("mcp__sh__exec", json!({"command": "rm -rf /data/metier"}), Verdict::Deny),
        ("mcp__sh__exec", json!({"command": "ls /data/metier-x"}), Verdict::Allow),
        ("mcp__notes__create", json!({"text": "see /data/metier\nfor more"}), Verdict::Allow),
        ("save_file", json!({"path": "/data/METIER/a"}), Verdict::Deny),
    ] {
        assert_eq!(rule_with(&none, tool, arguments.clone()), expected, "{tool} {arguments}");
    }
    let gone = [
        ("mcp__fs__search_and_substitute", json!({"path": "/data/metier/approvals.jsonl"})),
        ("mcp__fs__list_modify", json!({"path": "/data/metier/approvals.jsonl"})),
        ("mcp__fs__save", json!({"uri": "FILE:///data/metier/a"})),
        ("mcp__fs__save", json!({"uri": "file://localhost/data/%6detier/a"})),
        ("mcp__fs__save", json!({"uri": "file:/data/metier/a"})),
        ("mcp__fs__save", json!({"path": "/data/%2e/metier/a"})),
        ("mcp__sh__read_cmd", json!({"command": "rm -rf /data/metier"})),
    ];
    for (tool, arguments) in gone {
        assert_eq!(rule_with(&none, tool, arguments.clone()), Verdict::Deny, "{tool} {arguments}");
    }
    let many: Vec<String> = (0..1000).map(|n| format!("a{n}")).collect();
    let arguments = json!({"first": "/data/metier/a", "then": many});
    assert_eq!(rule_with(&none, "mcp__fs__write_files", arguments), Verdict::Deny);
}

#[test]
fn a_command_for_a_tool_nobody_knows_is_read_as_one_for_a_shell() {
    // S3, S4
    let none = ActiveStack::default();
    let denied = [
        ("Monitor", json!({"command": "metier trust gitty --yes"})),
        ("PowerShell", json!({"command": "metier trust gitty --yes"})),
        ("mcp__shell__run", json!({"cmd": "me''tier trust gitty"})),
        ("mcp__term__execute", json!({"command": "metier", "args": ["trust", "gitty"]})),
        ("mcp__term__execute", json!({"args": ["metier", "trust", "gitty"]})),
        ("mcp__term__execute", json!({"command": ["metier", "trust", "gitty"]})),
        ("mcp__term__execute", json!({"input": {"script": "ls\nclaude --bare"}})),
        ("mcp__term__get_output", json!({"command": "metier trust gitty"})),
        ("mcp__sh__exec", json!({"command": "cd /data; rm -rf metier"})),
        ("mcp__sh__exec", json!({"command": "cd /data; rm -rf metier; ((1))"})),
        ("mcp__py__run", json!({"code": "os.system('metier trust gitty')"})),
    ];
    for (tool, arguments) in denied {
        assert_eq!(rule_with(&none, tool, arguments.clone()), Verdict::Deny, "{tool} {arguments}");
    }
    let fine = [
        ("Monitor", json!({"command": "tail -f log | grep x"})),
        ("Monitor", json!({"command": "metier list"})),
        ("mcp__term__execute", json!({"command": "git", "args": ["add", "x"]})),
        ("mcp__py__run", json!({"code": "def f(a):\n    return a + 1\nprint(f(1))"})),
        ("mcp__notes__create", json!({"text": "metier trust x is for people"})),
    ];
    for (tool, arguments) in fine {
        assert_eq!(rule_with(&none, tool, arguments.clone()), Verdict::Allow, "{tool} {arguments}");
    }
}

#[test]
fn a_question_about_metiers_own_is_a_certain_one() {
    // S3, S4
    let protected = [PathBuf::from("/home/user/.local/share/metier")];
    let place = Place {
        home: Some(Path::new("/home/user")),
        protected: &protected,
        ..Place::lexical(Path::new("/project"))
    };
    for profile in [Profile::Default, Profile::FullAuto] {
        let call = ToolCall::new("Bash", json!({"command": "tar xf x.tar -C ~"}));
        let policy = Policy::profile(profile);
        let ruling = decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place);
        assert_eq!((ruling.verdict, ruling.is_certain()), (Verdict::Ask, true));
    }
}

/// A disk on which `/project/vendor` is laid out as a repository, and `/project` has one.
struct Vendored;

impl crate::Resolve for Vendored {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        Lexical.real(absolute)
    }

    fn layout(&self, directory: &Path) -> Option<crate::Layout> {
        match directory.to_str() {
            Some("/project") => Some(crate::Layout::Inside),
            Some("/project/vendor" | "/bare") => Some(crate::Layout::Bare),
            Some("/project/nested") => Some(crate::Layout::Inside),
            _ => None,
        }
    }

    fn has_remote(&self, _directory: &Path, name: &str) -> bool {
        name == "origin"
    }
}

#[test]
fn git_obeys_the_projects_own_repository_and_no_other() {
    // S3
    let tools = metier_format::ToolPattern::tokenize("Bash(git:*) Bash(cd:*)").expect("tools");
    let name = metier_format::SkillName::parse("git-helper").expect("a name");
    let stack = ActiveStack::from_iter([crate::ActiveSkill {
        allowed: Some(metier_format::AllowedTools::Only(tools)),
        ..crate::ActiveSkill::unrestricted(name)
    }]);
    let rule = |cwd: &str, command: &str| {
        let place = Place { resolver: &Vendored, ..Place::lexical(Path::new(cwd)) };
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let policy = Policy::profile(Profile::FullAuto);
        decide(&policy, &stack, &call, HostTable::plain(), &place).verdict
    };
    for command in
        ["git status", "git -C sub status", "cd sub && git status", "git -C . log", "git push sub"]
    {
        assert_eq!(rule("/project", command), Verdict::Allow, "{command}");
    }
    for command in [
        "git -C vendor status",
        "git -C vendor/deep status",
        "cd vendor && git status",
        "cd vendor; cd deep; git log",
        "git -C nested status",
        "git -c safe.bareRepository=all status",
        "git -c core.fsmonitor=x status",
        "git --git-dir=vendor status",
        "GIT_DIR=vendor git status",
        "git push vendor HEAD",
        "git push nested HEAD",
        "git remote add x vendor",
    ] {
        assert_eq!(rule("/project", command), Verdict::Deny, "{command}");
    }
    assert_eq!(rule("/bare", "git status"), Verdict::Deny);
    // What the call itself brings is on no disk yet.
    for command in [
        "git checkout evil && git -C sub status",
        "git checkout evil && cd sub && git status",
        "git checkout evil && git push evil.git HEAD:refs/heads/z",
        "git checkout evil && git push evil HEAD:refs/heads/z",
        "git pull; git -C /project/sub log",
        "git stash pop && git -C sub log",
        "git apply x.diff && git -C sub log",
        "git remote add xx evil.git",
        "git remote add -t main xx evil",
        "git remote set-url xx evil.git",
    ] {
        assert_eq!(rule("/project", command), Verdict::Deny, "{command}");
    }
    for command in [
        "git checkout main && git status && git log",
        "git checkout main && git -C . log && git -C /project diff",
        "git pull && git push origin HEAD && git push",
        "git -C sub checkout main",
        "git push xx HEAD:refs/heads/z",
        "git remote add origin https://example.com/x.git",
        "git remote add -t main origin git@example.com:x/y.git",
        "git checkout main && git remote show origin && git remote -v",
        "git remote remove xx",
    ] {
        assert_eq!(rule("/project", command), Verdict::Allow, "{command}");
    }
}

/// A disk on which metier is `/opt/m-r4`, another name for it is `/opt/other`, and `tool` is a copy that
/// shells find.
struct Renamed;

impl Resolve for Renamed {
    fn real(&self, absolute: &Path) -> Option<PathBuf> {
        Lexical.real(absolute)
    }

    fn program(&self) -> Option<PathBuf> {
        Some("/opt/m-r4".into())
    }

    fn is_program(&self, program: &Path) -> bool {
        ["/opt/m-r4", "/opt/other", "tool"].iter().any(|own| Path::new(own) == program)
    }
}

#[test]
fn metier_is_known_by_any_name_it_has_and_not_copied_to_another() {
    // S3, S4
    let place = Place { resolver: &Renamed, ..Place::lexical(Path::new("/project")) };
    let rule = |command: &str| {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let policy = Policy::profile(Profile::FullAuto);
        decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &place).verdict
    };
    for command in [
        "/opt/m-r4 trust x",
        "/opt/../opt/m-r4 add x",
        "/opt/m-r? add x",
        "/opt/m* link",
        "/opt/other add x",
        "cd /opt && /opt/other add x",
        "tool sync",
        "cat /opt/m-r4 > x",
        "cat < /opt/m-r4 > x",
        "base64 /opt/m-r4 | tee x",
        "head -c 99999999 /opt/m-r4 > x",
    ] {
        assert_eq!(rule(command), Verdict::Deny, "{command}");
    }
    for command in ["/opt/other release", "tool --session x end"] {
        assert_eq!(rule(command), Verdict::Ask, "{command}");
    }
    for command in [
        "/opt/m-r4 list",
        "tool list",
        "another sync",
        "sha256sum /opt/m-r4 > sums",
        "ls -l /opt/m-r4 > x",
        "cat /opt/m-r4",
        "git add x",
    ] {
        assert_eq!(rule(command), Verdict::Allow, "{command}");
    }
}
