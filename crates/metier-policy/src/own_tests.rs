use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::{ActiveStack, HostTable, Lexical, Policy, Profile, ToolCall, decide};

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
