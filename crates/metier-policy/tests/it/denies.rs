//! The data file of rules that deny: nothing hides what they are about.

use metier_policy::own::OWN_COMMAND;
use metier_policy::{
    ActiveStack, HostTable, Policy, PolicyFile, PolicyLayer, Profile, Reason, ToolCall, Verdict,
    decide,
};
use serde_json::json;

use crate::{tables, world};

/// A policy that denies one pattern and allows the rest, whatever cannot be told included.
fn policy(pattern: &str) -> Policy {
    let text = format!("default = 'allow'\n[[rule]]\nverdict = 'deny'\npattern = {pattern:?}");
    let file = PolicyFile::read(&text, "denies.toml").unwrap_or_else(|error| panic!("{error}"));
    Policy::merge([(PolicyLayer::Personal, file)])
}

#[test]
fn nothing_hides_what_a_rule_denies() {
    // S3, S4
    let text = include_str!("denies.tsv");
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    let mut wrong = Vec::new();
    for line in &lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let [pattern, command, verdict, why] = cells.as_slice() else {
            panic!("not four columns: {line}");
        };
        let call = ToolCall::new("Bash", json!({ "command": tables::unescape(command) }));
        let stack = ActiveStack::default();
        let ruling = decide(&policy(pattern), &stack, &call, HostTable::plain(), &world::place());
        if Some(ruling.verdict) != Verdict::from_word(verdict) {
            wrong.push(format!("{line} ({why}): {} {}", ruling.verdict, ruling.explanation()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines.len() >= 100, "only {} lines", lines.len());
}

#[test]
fn an_allow_of_all_of_bash_behind_a_denial_opens_no_way_around_it() {
    // S3, S4
    let text = include_str!("denies.tsv");
    for line in text.lines().filter(|l| l.starts_with("Bash(rm:*)") && l.contains("\tdeny\t")) {
        let command = tables::unescape(line.split('\t').nth(1).unwrap_or_default());
        let rules = "profile = 'full-auto'\n\
                     [[rule]]\nverdict = 'deny'\npattern = 'Bash(rm:*)'\n\
                     [[rule]]\nverdict = 'allow'\npattern = 'Bash'";
        let file = PolicyFile::read(rules, "denies.toml").unwrap_or_else(|error| panic!("{error}"));
        let policy = Policy::merge([(PolicyLayer::Personal, file)]);
        let call = ToolCall::new("Bash", json!({ "command": command }));
        let ruling =
            decide(&policy, &ActiveStack::default(), &call, HostTable::plain(), &world::place());
        assert_eq!(ruling.verdict, Verdict::Deny, "{command}: {}", ruling.explanation());
    }
}

#[test]
fn the_default_profile_does_not_ask_about_every_day() {
    // S3, S4
    let text = include_str!("everyday.tsv");
    let lines: Vec<&str> = text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()).collect();
    let policy = Policy::profile(Profile::Default);
    let mut wrong = Vec::new();
    for line in &lines {
        let call = ToolCall::new("Bash", json!({ "command": line }));
        let stack = ActiveStack::default();
        let ruling = decide(&policy, &stack, &call, HostTable::plain(), &world::place());
        if ruling.verdict != Verdict::Allow {
            wrong.push(format!("{line}: {} {}", ruling.verdict, ruling.explanation()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines.len() >= 40, "only {} lines", lines.len());
}

#[test]
fn what_only_looks_like_a_known_program_is_asked_about() {
    // S3, S4
    let text = include_str!("bypasses.tsv");
    let from = text.split_once("# -- what looks like a known program").expect("the rows").1;
    let rows = from.split_once('\n').map_or("", |(_, rows)| rows);
    let rows = rows.split_once("# --").map_or(rows, |(rows, _)| rows);
    let lines = tables::lines(rows);
    let policy = Policy::profile(Profile::Default);
    for line in &lines {
        let call = ToolCall::new("Bash", json!({ "command": line.command }));
        let stack = ActiveStack::default();
        let ruling = decide(&policy, &stack, &call, HostTable::plain(), &world::place());
        assert!(ruling.verdict >= Verdict::Ask, "{}: {}", line.command, ruling.verdict);
    }
    assert!(lines.len() >= 40, "only {} lines", lines.len());
}

#[test]
fn no_profile_lets_a_model_run_what_is_for_the_user() {
    // S3, S4
    let approving = |text: &'static str, mark: &str| {
        let rows = text.split_once(mark).expect("the rows about metier").1;
        tables::lines(rows.split_once('\n').map_or("", |(_, rows)| rows))
    };
    let rule = |policy: &Policy, command: &str| {
        let call = ToolCall::new("Bash", json!({ "command": command }));
        decide(policy, &ActiveStack::default(), &call, HostTable::plain(), &world::place())
    };
    let denied = approving(include_str!("bypasses.tsv"), "# -- metier's own approving commands");
    let allowed = approving(include_str!("ordinary.tsv"), "# -- metier's other commands");
    assert!(denied.len() > 50 && allowed.len() > 15, "{} {}", denied.len(), allowed.len());
    for profile in Profile::ALL {
        let policy = Policy::profile(profile);
        for line in &denied {
            let ruling = rule(&policy, &line.command);
            assert_eq!(ruling.verdict, Verdict::Deny, "{profile:?} {}", line.command);
            assert!(ruling.reasons.iter().any(|r| r.rule.as_deref() == Some(OWN_COMMAND)));
        }
        for line in &allowed {
            let own = |r: &Reason| r.rule.as_deref() == Some(OWN_COMMAND);
            let ruling = rule(&policy, &line.command);
            assert!(!ruling.reasons.iter().any(own), "{profile:?} {}", line.command);
        }
    }
}
