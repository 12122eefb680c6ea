use serde_json::json;

use super::*;

fn name(text: &str) -> SkillName {
    SkillName::parse(text).expect("a valid name")
}

#[test]
fn the_strictest_verdict_is_the_maximum() {
    // S4
    assert!(Verdict::Allow < Verdict::Ask);
    assert!(Verdict::Ask < Verdict::Deny);
    let most = Verdict::ALL.into_iter().max();
    assert_eq!(most, Some(Verdict::Deny));
    assert_eq!(Verdict::default(), Verdict::Deny);
}

#[test]
fn verdicts_have_one_word_each() {
    // S4
    for (verdict, word) in
        [(Verdict::Allow, "allow"), (Verdict::Ask, "ask"), (Verdict::Deny, "deny")]
    {
        assert_eq!(verdict.as_str(), word);
        assert_eq!(verdict.to_string(), word);
        assert_eq!(Verdict::from_word(word), Some(verdict));
        assert_eq!(serde_json::to_value(verdict).ok(), Some(json!(word)));
        assert_eq!(serde_json::from_value(json!(word)).ok(), Some(verdict));
    }
    for word in ["Allow", "ALLOW", "yes", "", "allowed"] {
        assert_eq!(Verdict::from_word(word), None, "{word}");
        assert!(serde_json::from_value::<Verdict>(json!(word)).is_err(), "{word}");
    }
}

#[test]
fn a_ruling_without_reasons_denies() {
    // S4
    let ruling = Ruling::join(Vec::new());
    assert_eq!(ruling.verdict, Verdict::Deny);
    assert_eq!(ruling.explanation(), "nothing allows this call");
}

#[test]
fn the_strictest_reason_decides_and_comes_first() {
    // S4
    let reasons = vec![
        Reason::new(Verdict::Allow, "first").of_rule("a"),
        Reason::new(Verdict::Deny, "second").of_skill(&name("tight")),
        Reason::new(Verdict::Ask, "third").of_rule("b"),
        Reason::new(Verdict::Deny, "fourth").of_rule("c"),
    ];
    let ruling = Ruling::join(reasons);
    assert_eq!(ruling.verdict, Verdict::Deny);
    let texts: Vec<&str> = ruling.reasons.iter().map(|reason| reason.text.as_str()).collect();
    assert_eq!(texts, ["second", "fourth", "third", "first"]);
    assert_eq!(ruling.rule.as_deref(), Some("c"));
    assert_eq!(ruling.skill, Some(name("tight")));
    assert_eq!(ruling.explanation(), "second; fourth");
}

#[test]
fn only_reasons_that_decided_name_rule_and_skill() {
    // S4
    let reasons = vec![
        Reason::new(Verdict::Ask, "asked").of_rule("ask-me"),
        Reason::new(Verdict::Allow, "allowed").of_rule("allow-me").of_skill(&name("loose")),
    ];
    let ruling = Ruling::join(reasons);
    assert_eq!(ruling.verdict, Verdict::Ask);
    assert_eq!(ruling.rule.as_deref(), Some("ask-me"));
    assert_eq!(ruling.skill, None);
}

#[test]
fn a_ruling_prints_in_the_shape_of_the_contract() {
    // S4
    let reasons = vec![
        Reason::new(Verdict::Deny, "not for this skill").of_skill(&name("tight")),
        Reason::new(Verdict::Allow, "fine by policy").of_rule("r1"),
    ];
    let printed = serde_json::to_value(Ruling::join(reasons)).expect("JSON");
    let expected = json!({
        "verdict": "deny",
        "reasons": [
            {"verdict": "deny", "text": "not for this skill", "rule": null, "skill": "tight"},
            {"verdict": "allow", "text": "fine by policy", "rule": "r1", "skill": null},
        ],
        "skill": "tight",
        "rule": null,
    });
    assert_eq!(printed, expected);
    let keys: Vec<&String> = printed.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["verdict", "reasons", "skill", "rule"]);
}

#[test]
fn reasons_of_one_verdict_keep_their_order() {
    // S4
    let reasons = (0..5).map(|n| Reason::new(Verdict::Ask, format!("{n}"))).collect();
    assert_eq!(Ruling::join(reasons).explanation(), "0; 1; 2; 3; 4");
}
