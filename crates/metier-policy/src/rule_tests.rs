use metier_format::SkillName;
use serde_json::json;

use super::*;
use crate::policy::PolicyFile;
use crate::stack::ActiveSkill;

fn rule(text: &str) -> Rule {
    let text = format!("[[rule]]\n{text}");
    let file = PolicyFile::read(&text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    file.rules()[0].clone()
}

fn stack(skills: &[(&str, &str, &str)]) -> ActiveStack {
    let one = |(name, layer, trust): &(&str, &str, &str)| ActiveSkill {
        layer: (*layer).to_owned(),
        trust: (*trust).to_owned(),
        ..ActiveSkill::unrestricted(SkillName::parse(name).expect("a name"))
    };
    skills.iter().map(one).collect()
}

fn applies(rule: &Rule, skills: &[(&str, &str, &str)]) -> bool {
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    rule.applies(&call, HostTable::plain(), &stack(skills))
}

#[test]
fn a_rule_without_conditions_always_applies() {
    // S4
    let rule = rule("verdict = 'deny'\npattern = 'Bash'");
    assert!(applies(&rule, &[]));
    assert!(applies(&rule, &[("a", "project", "untrusted")]));
    assert_eq!((rule.verdict(), rule.id(), rule.line()), (Verdict::Deny, "test.toml#1", 1));
}

#[test]
fn to_tighten_one_skill_that_fits_is_enough() {
    // S4
    for verdict in ["ask", "deny"] {
        let rule = rule(&format!("verdict = '{verdict}'\npattern = 'Bash'\ntrust = 'untrusted'"));
        assert!(!applies(&rule, &[]));
        assert!(!applies(&rule, &[("a", "personal", "approved")]));
        assert!(applies(&rule, &[("a", "personal", "approved"), ("b", "project", "untrusted")]));
    }
}

#[test]
fn to_allow_every_active_skill_must_fit() {
    // S4
    let rule = rule("verdict = 'allow'\npattern = 'Bash'\nskill = 'deploy*'");
    assert!(!applies(&rule, &[]));
    assert!(applies(&rule, &[("deploy", "personal", "approved")]));
    assert!(applies(&rule, &[("deploy-staging", "", "")]));
    assert!(!applies(&rule, &[("deploy", "", ""), ("other", "", "")]));
}

#[test]
fn conditions_on_one_skill_hold_together() {
    // S4
    let rule =
        rule("verdict = 'deny'\npattern = '*'\nlayer = ['project', 'plugin']\ntrust = 'present'");
    assert!(applies(&rule, &[("a", "project", "present")]));
    assert!(applies(&rule, &[("a", "Plugin", "Present")]));
    assert!(!applies(&rule, &[("a", "project", "approved"), ("b", "personal", "present")]));
}

#[test]
fn a_rule_may_be_about_one_agent() {
    // S4
    let rule = rule("verdict = 'deny'\npattern = 'Bash'\nagent = ['codex', 'gemini-*']");
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let check = |host: &str| {
        let host = HostTable::named(host).expect("a host");
        rule.applies(&call, host, &ActiveStack::default())
    };
    assert!(check("codex") && check("gemini-cli"));
    assert!(!check("claude-code") && !check("plain"));
}

#[test]
fn a_rule_may_ask_for_arguments() {
    // S4
    let rule = rule(
        "verdict = 'deny'\npattern = 'Bash'\narguments = { sandbox = false, user = 'root*', n = 5 }",
    );
    let check = |arguments: Value| {
        rule.applies(&ToolCall::new("Bash", arguments), HostTable::plain(), &ActiveStack::default())
    };
    assert!(check(json!({"sandbox": false, "user": "root", "n": 5})));
    assert!(check(json!({"sandbox": "false", "user": "rooted", "n": "5"})));
    assert!(!check(json!({"sandbox": true, "user": "root", "n": 5})));
    assert!(!check(json!({"sandbox": false, "n": 5})));
    assert!(!check(json!(null)));
}

#[test]
fn examples_show_what_a_rule_is_about() {
    // S4
    let programs = ProgramTable::built_in();
    let about = |rule: &Rule, tool: &str, field: &str, value: &str| {
        rule.is_about(&ToolCall::new(tool, json!({ field: value })), programs)
    };
    let deny = rule("verdict = 'deny'\npattern = 'Bash(git push:*)'");
    assert!(about(&deny, "Bash", "command", "git push"));
    assert!(about(&deny, "Bash", "command", "git -C x push; ls"));
    assert!(about(&deny, "Bash", "command", "$unknown"));
    assert!(!about(&deny, "Bash", "command", "git pull"));
    let allow = rule("verdict = 'allow'\npattern = 'Bash(git:*)'");
    assert!(about(&allow, "Bash", "command", "git status"));
    assert!(!about(&allow, "Bash", "command", "git status; ls"));
    let ask = rule("verdict = 'ask'\npattern = 'Write(~/.ssh/**)'");
    assert!(about(&ask, "Write", "file_path", "/home/user/.ssh/x"));
    assert!(about(&ask, "Edit", "file_path", "/home/user/.ssh/x"));
    assert!(about(&ask, "Bash", "command", "echo x > ~/.ssh/x"));
    assert!(about(&ask, "Bash", "command", "cp x ~/.ssh/x"));
    assert!(!about(&ask, "Read", "file_path", "/home/user/.ssh/x"));
}
