use serde_json::json;

use super::*;
use crate::grant::decide;
use crate::place::Place;
use crate::programs::ProgramTable;

fn file(text: &str) -> PolicyFile {
    PolicyFile::read(text, "test.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn rule(verdict: &str, pattern: &str) -> String {
    format!("[[rule]]\nid = '{verdict} {pattern}'\nverdict = '{verdict}'\npattern = '{pattern}'\n")
}

fn verdict(policy: &Policy, command: &str) -> Verdict {
    ruling(policy, "Bash", json!({ "command": command })).verdict
}

fn ruling(policy: &Policy, tool: &str, arguments: serde_json::Value) -> Ruling {
    let place = Place { home: Some("/home/user".as_ref()), ..Place::lexical("/project".as_ref()) };
    let call = ToolCall::new(tool, arguments);
    decide(policy, &ActiveStack::default(), &call, HostTable::plain(), &place)
}

#[test]
fn the_profiles_are_read_and_their_examples_hold() {
    // S4
    for profile in Profile::ALL {
        let read = PolicyFile::read(profile.text(), profile.as_str());
        assert!(read.is_ok(), "{}: {:?}", profile.as_str(), read.err());
        assert!(Policy::profile(profile).error().is_none());
    }
    assert_eq!(Profile::default(), Profile::Default);
}

#[test]
fn each_profile_has_its_own_default() {
    // S4
    let table = [
        (Profile::Strict, "git status", Verdict::Ask),
        (Profile::Default, "git status", Verdict::Allow),
        (Profile::FullAuto, "git status", Verdict::Allow),
        (Profile::Strict, "$x", Verdict::Deny),
        (Profile::Default, "$x", Verdict::Ask),
        (Profile::FullAuto, "$x", Verdict::Allow),
        (Profile::Default, "cat ~/.ssh/id_ed25519", Verdict::Ask),
        (Profile::Strict, "cat ~/.ssh/id_ed25519", Verdict::Deny),
        (Profile::FullAuto, "cat ~/.ssh/id_ed25519", Verdict::Allow),
        (Profile::Default, "sudo ls", Verdict::Ask),
        (Profile::Default, "env sudo ls", Verdict::Ask),
        (Profile::Default, "git -c core.pager=id log", Verdict::Ask),
        (Profile::Default, "python x.py", Verdict::Allow),
        (Profile::Default, "echo x > .git/hooks/pre-commit", Verdict::Ask),
        (Profile::Default, "ls; f() { ls; }", Verdict::Ask),
        (Profile::FullAuto, "ls; f() { ls; }", Verdict::Allow),
    ];
    for (profile, command, expected) in table {
        let found = verdict(&Policy::profile(profile), command);
        assert_eq!(found, expected, "{}: {command}", profile.as_str());
    }
}

#[test]
fn the_strict_profile_lets_one_read_the_project_only() {
    // S4
    let policy = Policy::profile(Profile::Strict);
    let table = [
        ("Read", json!({"file_path": "src/main.rs"}), Verdict::Allow),
        ("Read", json!({"file_path": "/etc/passwd"}), Verdict::Deny),
        ("Read", json!({"file_path": "../x"}), Verdict::Deny),
        ("Read", json!({"file_path": ".env"}), Verdict::Deny),
        ("Grep", json!({"path": "src"}), Verdict::Allow),
        ("Grep", json!({"pattern": "x"}), Verdict::Deny),
        ("Write", json!({"file_path": "a"}), Verdict::Ask),
        ("Write", json!({"file_path": "/etc/x"}), Verdict::Deny),
        ("Write", json!({"file_path": ".git/config"}), Verdict::Deny),
        ("WebFetch", json!({"url": "https://a.b"}), Verdict::Ask),
        ("mcp__a__b", json!({}), Verdict::Ask),
        ("unknown_tool", json!({}), Verdict::Deny),
        ("Skill", json!({"skill": "x"}), Verdict::Allow),
        ("read_skill_file", json!({}), Verdict::Allow),
        ("AskUserQuestion", json!({}), Verdict::Allow),
    ];
    for (tool, arguments, expected) in table {
        let found = ruling(&policy, tool, arguments.clone());
        assert_eq!(found.verdict, expected, "{tool} {arguments}: {}", found.explanation());
    }
}

#[test]
fn the_first_rule_that_fits_decides_in_its_layer() {
    // S4
    let text = format!("{}{}", rule("allow", "Bash(git status:*)"), rule("deny", "Bash(git:*)"));
    let policy = Policy::merge([(PolicyLayer::Personal, file(&text))]);
    assert_eq!(verdict(&policy, "git status"), Verdict::Allow);
    assert_eq!(verdict(&policy, "git push"), Verdict::Deny);
    assert_eq!(verdict(&policy, "git status && git push"), Verdict::Deny);
    assert_eq!(verdict(&policy, "ls"), Verdict::Allow);
}

#[test]
fn a_possible_fit_leaves_its_verdict_behind() {
    // S4
    let text = format!("{}{}", rule("ask", "Bash(git push:*)"), rule("deny", "Bash"));
    let policy = Policy::merge([(PolicyLayer::Personal, file(&text))]);
    assert_eq!(verdict(&policy, "git push"), Verdict::Ask);
    assert_eq!(verdict(&policy, "git $x"), Verdict::Deny);
    let text = format!("{}{}", rule("deny", "Bash(git push:*)"), rule("allow", "Bash"));
    let policy = Policy::merge([(PolicyLayer::Personal, file(&text))]);
    assert_eq!(verdict(&policy, "git $x"), Verdict::Deny);
    assert_eq!(verdict(&policy, "git log"), Verdict::Allow);
}

#[test]
fn a_lower_layer_only_tightens() {
    // S4
    let merged = |enterprise: &str, personal: &str, project: &str| {
        Policy::merge([
            (PolicyLayer::Project, file(project)),
            (PolicyLayer::Enterprise, file(enterprise)),
            (PolicyLayer::Personal, file(personal)),
        ])
    };
    let (allow, ask, deny) = (rule("allow", "Bash"), rule("ask", "Bash"), rule("deny", "Bash"));
    let table = [
        (&*deny, &*allow, &*allow, Verdict::Deny),
        (&*ask, &*allow, &*allow, Verdict::Ask),
        (&*allow, &*deny, &*allow, Verdict::Deny),
        (&*allow, &*allow, &*deny, Verdict::Deny),
        (&*allow, &*allow, &*ask, Verdict::Ask),
        (&*allow, &*allow, &*allow, Verdict::Allow),
        ("profile = 'strict'", &*allow, &*allow, Verdict::Ask),
        ("", "profile = 'strict'", &*allow, Verdict::Ask),
        ("", "profile = 'full-auto'", "profile = 'strict'", Verdict::Ask),
        ("", "", "profile = 'full-auto'", Verdict::Allow),
    ];
    for (enterprise, personal, project, expected) in table {
        let policy = merged(enterprise, personal, project);
        assert_eq!(verdict(&policy, "ls"), expected, "{enterprise} | {personal} | {project}");
    }
}

#[test]
fn a_project_does_not_relax_what_the_profile_asks() {
    // S4
    let relaxed = rule("allow", "Bash");
    let project = Policy::merge([(PolicyLayer::Project, file(&relaxed))]);
    assert_eq!(verdict(&project, "sudo ls"), Verdict::Ask);
    let full_auto = Policy::merge([(PolicyLayer::Project, file("profile = 'full-auto'"))]);
    assert_eq!(verdict(&full_auto, "sudo ls"), Verdict::Ask);
    assert_eq!(verdict(&full_auto, "$x"), Verdict::Ask);
    let personal = Policy::merge([(PolicyLayer::Personal, file(&relaxed))]);
    assert_eq!(verdict(&personal, "sudo ls"), Verdict::Allow);
    let enterprise = Policy::merge([(PolicyLayer::Enterprise, file(&relaxed))]);
    assert_eq!(verdict(&enterprise, "sudo ls"), Verdict::Allow);
}

#[test]
fn rules_come_before_the_profile_of_their_file() {
    // S4
    let text = format!("profile = 'strict'\n{}", rule("allow", "Bash(ls:*)"));
    let policy = Policy::merge([(PolicyLayer::Personal, file(&text))]);
    assert_eq!(verdict(&policy, "ls"), Verdict::Allow);
    assert_eq!(verdict(&policy, "pwd"), Verdict::Ask);
    let own = Policy::merge([(PolicyLayer::Personal, file("default = 'deny'"))]);
    assert_eq!(verdict(&own, "ls"), Verdict::Deny);
    assert_eq!(verdict(&own, "$x"), Verdict::Deny);
    let open =
        Policy::merge([(PolicyLayer::Personal, file("default = 'allow'\nunresolvable = 'deny'"))]);
    assert_eq!(verdict(&open, "ls"), Verdict::Allow);
    assert_eq!(verdict(&open, "$(("), Verdict::Deny);
}

#[test]
fn exceptions_are_for_what_they_name() {
    // S4
    let text = "[[rule]]\nverdict = 'deny'\npatterns = ['Bash(git:*)', '!Bash(git status:*)']";
    let policy = Policy::merge([(PolicyLayer::Personal, file(text))]);
    assert_eq!(verdict(&policy, "git status"), Verdict::Allow);
    assert_eq!(verdict(&policy, "git push"), Verdict::Deny);
    assert_eq!(verdict(&policy, "git $x"), Verdict::Deny);
    let text = "default = 'deny'\n[[rule]]\nverdict = 'allow'\npatterns = ['Bash(git:*)', '!Bash(git push:*)']";
    let policy = Policy::merge([(PolicyLayer::Personal, file(text))]);
    assert_eq!(verdict(&policy, "git status"), Verdict::Allow);
    assert_eq!(verdict(&policy, "git push"), Verdict::Deny);
    assert_eq!(verdict(&policy, "git -C sub push"), Verdict::Deny);
}

#[test]
fn settings_follow_the_strongest_layer_and_then_the_strictest() {
    // S4
    let mode = |layers: &[(PolicyLayer, &str)]| {
        let files = layers.iter().map(|(layer, mode)| {
            let text =
                if mode.is_empty() { String::new() } else { format!("allowed-tools = '{mode}'") };
            (*layer, file(&text))
        });
        Policy::merge(files).mode()
    };
    use AllowedToolsMode::{Ignore, PreApprove, Restrict};
    use PolicyLayer::{Enterprise, Personal, Project};
    assert_eq!(mode(&[]), Restrict);
    assert_eq!(mode(&[(Personal, "pre-approve")]), PreApprove);
    assert_eq!(mode(&[(Personal, "ignore")]), Ignore);
    assert_eq!(mode(&[(Project, "ignore")]), Restrict);
    assert_eq!(mode(&[(Project, "pre-approve")]), Restrict);
    assert_eq!(mode(&[(Enterprise, "ignore"), (Personal, "pre-approve")]), Ignore);
    assert_eq!(mode(&[(Enterprise, "pre-approve"), (Personal, "ignore")]), Ignore);
    assert_eq!(mode(&[(Enterprise, "restrict"), (Personal, "pre-approve")]), Restrict);
    assert_eq!(mode(&[(Personal, "pre-approve"), (Project, "restrict")]), Restrict);
    assert_eq!(mode(&[(Personal, "pre-approve"), (Project, "ignore")]), Ignore);
    let read = |layer, choice: &str| {
        Policy::merge([(layer, file(&format!("script-read = '{choice}'")))]).script_read()
    };
    assert_eq!(read(Personal, "allow"), ScriptRead::Allow);
    assert_eq!(read(Project, "allow"), ScriptRead::Refuse);
    assert_eq!(read(Enterprise, "refuse"), ScriptRead::Refuse);
}

#[test]
fn a_broken_policy_denies_and_says_why() {
    // S4
    let error = PolicyFile::read("profil = 'strict'", "policy.toml").expect_err("an error");
    let policy = Policy::broken(error.clone());
    let denied = ruling(&policy, "Read", json!({"file_path": "a"}));
    assert_eq!(denied.verdict, Verdict::Deny);
    assert!(denied.explanation().contains("policy.toml:1:1: unknown key `profil`"));
    assert_eq!(verdict(&policy, "ls"), Verdict::Deny);
    assert_eq!(ruling(&policy, "Skill", json!({})).verdict, Verdict::Deny);
    assert_eq!(ruling(&policy, "AskUserQuestion", json!({})).verdict, Verdict::Allow);
    assert_eq!(policy.error(), Some(&error));
    let model = Override::Model { model: "x".into() };
    assert_eq!(policy.rule_on(&model).verdict, Verdict::Deny);
}

#[test]
fn proposals_are_decided_by_profile_and_rules() {
    // S7
    let model = Override::Model { model: "opus".into() };
    let alias = Override::Alias { name: "sh".into(), tool: "Bash".into() };
    assert_eq!(Policy::profile(Profile::Default).rule_on(&model).verdict, Verdict::Ask);
    assert_eq!(Policy::profile(Profile::Strict).rule_on(&model).verdict, Verdict::Deny);
    assert_eq!(Policy::profile(Profile::FullAuto).rule_on(&model).verdict, Verdict::Allow);
    assert_eq!(Policy::merge([]).rule_on(&model).verdict, Verdict::Ask);
    let text = "[[rule]]\nid = 'models'\nverdict = 'allow'\noverride = 'model'\nreason = 'models are cheap'\n\
                [[rule]]\nverdict = 'deny'\noverride = ['alias', 'provider']";
    let personal = Policy::merge([(PolicyLayer::Personal, file(text))]);
    let ruled = personal.rule_on(&model);
    assert_eq!((ruled.verdict, ruled.rule.as_deref()), (Verdict::Allow, Some("models")));
    assert!(ruled.explanation().contains("models are cheap"), "{}", ruled.explanation());
    assert_eq!(personal.rule_on(&alias).verdict, Verdict::Deny);
    let project = Policy::merge([(PolicyLayer::Project, file(text))]);
    assert_eq!(project.rule_on(&model).verdict, Verdict::Ask);
    assert_eq!(project.rule_on(&alias).verdict, Verdict::Deny);
    let all = "[[rule]]\nverdict = 'allow'\noverride = '*'";
    let every = Policy::merge([(PolicyLayer::Personal, file(all))]);
    assert_eq!(every.rule_on(&alias).verdict, Verdict::Allow);
    let stated = Policy::merge([(PolicyLayer::Personal, file("overrides = 'deny'"))]);
    assert_eq!(stated.rule_on(&model).verdict, Verdict::Deny);
}

#[test]
fn a_rule_for_some_skills_adds_to_what_is_said_about_proposals() {
    // S7
    let skill = |trust: &str| {
        let name = metier_format::SkillName::parse("x").expect("a name");
        let skill =
            crate::ActiveSkill { trust: trust.into(), ..crate::ActiveSkill::unrestricted(name) };
        ActiveStack::from_iter([skill])
    };
    let text = "[[rule]]\nverdict = 'ask'\noverride = 'model'\ntrust = 'present'\n\
                [[rule]]\nverdict = 'deny'\noverride = 'model'\ntrust = 'untrusted'\n\
                [[rule]]\nverdict = 'allow'\noverride = 'model'";
    let policy = Policy::merge([(PolicyLayer::Personal, file(text))]);
    let model = Override::Model { model: "x".into() };
    assert_eq!(policy.rule_on_in(&model, &skill("approved")).verdict, Verdict::Allow);
    assert_eq!(policy.rule_on_in(&model, &skill("present")).verdict, Verdict::Ask);
    assert_eq!(policy.rule_on_in(&model, &skill("untrusted")).verdict, Verdict::Deny);
    let mut both = skill("present");
    both.extend(skill("untrusted").iter().cloned());
    assert_eq!(policy.rule_on_in(&model, &both).verdict, Verdict::Deny);
    let adds =
        "overrides = 'deny'\n[[rule]]\nverdict = 'ask'\noverride = 'model'\ntrust = 'present'";
    let policy = Policy::merge([(PolicyLayer::Personal, file(adds))]);
    assert_eq!(policy.rule_on_in(&model, &skill("present")).verdict, Verdict::Deny);
}

#[test]
fn rules_about_proposals_say_nothing_about_calls() {
    // S7
    let text = "[[rule]]\nverdict = 'deny'\noverride = 'model'";
    let policy = Policy::merge([(PolicyLayer::Personal, file(text))]);
    assert_eq!(verdict(&policy, "ls"), Verdict::Allow);
}

#[test]
fn a_policy_lists_its_rules() {
    // S4
    let policy = Policy::merge([
        (PolicyLayer::Project, file(&rule("deny", "Bash(x:*)"))),
        (PolicyLayer::Enterprise, file(&rule("deny", "Bash(y:*)"))),
    ]);
    let rules: Vec<(&str, &str)> = policy.rules().map(|(layer, rule)| (layer, rule.id())).collect();
    assert_eq!(rules[0], ("enterprise policy", "deny Bash(y:*)"));
    assert_eq!(rules[1], ("project policy", "deny Bash(x:*)"));
    assert!(
        rules.iter().any(|(layer, id)| *layer == "`default` profile" && *id == "default/secrets")
    );
}

#[test]
fn a_policy_may_know_more_programs() {
    // S3, S4
    let more: ProgramTable = toml::from_str(
        "[[program]]\nnames = ['run']\nrole = 'transparent'\nstops-at = 1\ncommand-at = 1",
    )
    .expect("a table");
    let text = rule("deny", "Bash(rm:*)");
    let policy = Policy::merge([(PolicyLayer::Personal, file(&text))]);
    assert_eq!(verdict(&policy, "run rm x"), Verdict::Allow);
    assert_eq!(verdict(&policy.with_programs(&more), "run rm x"), Verdict::Deny);
}

#[test]
fn reasons_name_layer_rule_and_act() {
    // S4
    let text = "[[rule]]\nid = 'no-push'\nverdict = 'deny'\npattern = 'Bash(git push:*)'\nreason = 'releases are made by hand'";
    let policy = Policy::merge([(PolicyLayer::Enterprise, file(text))]);
    let denied = ruling(&policy, "Bash", json!({"command": "git status && git push origin"}));
    assert_eq!(denied.rule.as_deref(), Some("no-push"));
    let expected = "enterprise policy: `git push origin`: releases are made by hand";
    assert_eq!(denied.explanation(), expected);
    let possible = ruling(&policy, "Bash", json!({"command": "git $x"}));
    assert!(possible.explanation().contains("could be what a rule is about"), "{possible:?}");
    let allowed = ruling(&policy, "Bash", json!({"command": "ls"}));
    assert_eq!(allowed.explanation(), "`default` profile: `ls`: allow by default");
}

#[test]
fn words_of_settings_are_stable() {
    // S4
    assert_eq!(PolicyLayer::Enterprise.as_str(), "enterprise");
    assert_eq!(PolicyLayer::Personal.as_str(), "personal");
    assert_eq!(PolicyLayer::Project.as_str(), "project");
    assert_eq!(Profile::ALL.map(Profile::as_str), ["strict", "default", "full-auto"]);
    assert_eq!(
        AllowedToolsMode::ALL.map(AllowedToolsMode::as_str),
        ["restrict", "ignore", "pre-approve"]
    );
    assert_eq!(ScriptRead::ALL.map(ScriptRead::as_str), ["refuse", "allow"]);
}
