use super::*;

fn error(text: &str) -> PolicyError {
    match PolicyFile::read(text, "policy.toml") {
        Ok(file) => panic!("{text:?} was read: {file:?}"),
        Err(error) => error,
    }
}

fn check(text: &str, line: usize, kind: PolicyErrorKind) {
    let found = error(text);
    assert_eq!((line_of(&found), &found.kind), (Some(line), &kind), "{text}");
}

fn line_of(error: &PolicyError) -> Option<usize> {
    error.place.map(|place| place.line as usize)
}

fn unknown_key(key: &str, suggestion: Option<&str>) -> PolicyErrorKind {
    PolicyErrorKind::UnknownKey { key: key.into(), suggestion: suggestion.map(str::to_owned) }
}

#[test]
fn a_whole_file_is_read() {
    // S4
    let text = r#"
        version = 1
        profile = "strict"
        allowed-tools = "pre-approve"
        script-read = "allow"
        default = "ask"
        unresolvable = "deny"
        overrides = "allow"

        [[rule]]
        id = "one"
        verdict = "deny"
        tool = "WebSearch"
        tools = ["WebFetch(domain:evil.example)"]
        pattern = "Bash(rm -rf:*)"
        patterns = ["Write(/etc/**)", "!Write(/etc/motd)"]
        skill = ["a", "b"]
        layer = "project"
        trust = "untrusted"
        agent = "codex"
        arguments = { x = "y" }
        reason = "because"
        matches = ["Bash(rm -rf /)", "Write(/etc/hosts)", { tool = "WebSearch", arguments = {} }]
        not_matches = ["Write(/etc/motd)", "Bash(ls)"]

        [[rule]]
        verdict = "ask"
        override = ["model", "context-scope"]
    "#;
    let file = PolicyFile::read(text, "policy.toml").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(file.profile, Some(Profile::Strict));
    assert_eq!(file.allowed_tools, Some(AllowedToolsMode::PreApprove));
    assert_eq!(file.script_read, Some(ScriptRead::Allow));
    assert_eq!(file.default, Some(Verdict::Ask));
    assert_eq!(file.unresolvable, Some(Verdict::Deny));
    assert_eq!(file.overrides, Some(Verdict::Allow));
    let [one, two] = file.rules() else { panic!("two rules") };
    assert_eq!((one.id(), one.verdict(), one.line()), ("one", Verdict::Deny, 10));
    assert_eq!((one.clause.patterns.len(), one.clause.except.len()), (4, 1));
    assert_eq!(one.when.skills, ["a", "b"]);
    assert_eq!(one.when.arguments, [("x".to_owned(), "y".to_owned())]);
    assert_eq!(one.clause.reason.as_deref(), Some("because"));
    assert_eq!((two.id(), two.verdict()), ("policy.toml#2", Verdict::Ask));
    assert_eq!(two.overrides, [OverrideKind::Model, OverrideKind::ContextScope]);
}

#[test]
fn an_empty_file_says_nothing() {
    // S4
    let file = PolicyFile::read("", "policy.toml").expect("a file");
    assert!(file.rules().is_empty() && file.profile.is_none() && file.default.is_none());
}

#[test]
fn unknown_keys_are_errors_with_a_suggestion() {
    // S4
    check("\nprofil = 'strict'", 2, unknown_key("profil", Some("profile")));
    check("allowed_tools = 'ignore'", 1, unknown_key("allowed_tools", Some("allowed-tools")));
    check("rules = []", 1, unknown_key("rules", Some("rule")));
    check("completely-else = 1", 1, unknown_key("completely-else", None));
    let rule = "[[rule]]\nverdict = 'deny'\npattern = 'Bash'\n";
    check(&format!("{rule}verdct = 'x'"), 4, unknown_key("verdct", Some("verdict")));
    check(&format!("{rule}not-matches = []"), 4, unknown_key("not-matches", Some("not_matches")));
    check(&format!("{rule}when = 'x'"), 4, unknown_key("when", None));
    check(
        &format!("{rule}matches = [{{ tool = 'Bash', args = {{}} }}]"),
        4,
        unknown_key("args", None),
    );
}

#[test]
fn words_that_are_not_known_are_errors() {
    // S4
    let unknown = |key: &str, value: &str, expected: &str| PolicyErrorKind::UnknownValue {
        key: key.into(),
        value: value.into(),
        expected: expected.into(),
    };
    let profiles = "`strict`, `default`, `full-auto`";
    check("profile = 'loose'", 1, unknown("profile", "loose", profiles));
    check("profile = 'Strict'", 1, unknown("profile", "Strict", profiles));
    let modes = "`restrict`, `ignore`, `pre-approve`";
    check("allowed-tools = 'off'", 1, unknown("allowed-tools", "off", modes));
    check("script-read = 'deny'", 1, unknown("script-read", "deny", "`refuse`, `allow`"));
    let verdicts = "`allow`, `ask`, `deny`";
    check("default = 'block'", 1, unknown("default", "block", verdicts));
    check("[[rule]]\nverdict = 'no'\npattern = 'x'", 2, unknown("verdict", "no", verdicts));
    let kinds = "`model`, `provider`, `tool-default`, `alias`, `context-scope`";
    check("[[rule]]\nverdict = 'deny'\noverride = 'x'", 3, unknown("override", "x", kinds));
}

#[test]
fn values_of_the_wrong_type_are_errors() {
    // S4
    let wrong = |key: &str, expected| PolicyErrorKind::WrongType { key: key.into(), expected };
    check("profile = 1", 1, wrong("profile", "text"));
    check("version = 2", 1, wrong("version", "the number 1"));
    check("version = '1'", 1, wrong("version", "the number 1"));
    check("rule = 'x'", 1, wrong("rule", "a list of tables, each starting with `[[rule]]`"));
    check("rule = ['x']", 1, wrong("rule", "a table"));
    let rule = "[[rule]]\nverdict = 'deny'\n";
    check(&format!("{rule}pattern = 1"), 3, wrong("pattern", "text or a list of texts"));
    check(&format!("{rule}pattern = ['a', 1]"), 3, wrong("pattern", "text or a list of texts"));
    check(&format!("{rule}pattern = 'Bash'\nid = 1"), 4, wrong("id", "text"));
    check(&format!("{rule}pattern = 'Bash'\nreason = []"), 4, wrong("reason", "text"));
    check(
        &format!("{rule}pattern = 'Bash'\narguments = 'x'"),
        4,
        wrong("arguments", "a table of fields and what they look like"),
    );
    check(
        &format!("{rule}pattern = 'Bash'\narguments = {{ x = [] }}"),
        4,
        wrong("x", "text, a number or a boolean"),
    );
    let calls = "a list of calls such as \"Bash(git status)\"";
    check(&format!("{rule}pattern = 'Bash'\nmatches = 'x'"), 4, wrong("matches", calls));
    check(&format!("{rule}pattern = 'Bash'\nmatches = [1]"), 4, wrong("matches", calls));
    check(&format!("{rule}pattern = 'Bash'\nmatches = ['a b']"), 4, wrong("matches", calls));
    check(&format!("{rule}pattern = 'Bash'\nmatches = [{{}}]"), 4, wrong("matches", calls));
}

#[test]
fn a_rule_must_be_about_something() {
    // S4
    check("[[rule]]\npattern = 'Bash'", 1, PolicyErrorKind::NoVerdict);
    check("\n\n[[rule]]\nverdict = 'deny'", 3, PolicyErrorKind::NoPattern);
    check("[[rule]]\nverdict = 'deny'\npattern = '!Bash'", 1, PolicyErrorKind::NoPattern);
    let mixed = "[[rule]]\nverdict = 'deny'\noverride = 'model'\npattern = '!Bash'";
    check(mixed, 1, PolicyErrorKind::NoPattern);
}

#[test]
fn two_rules_do_not_share_a_name() {
    // S4
    let rule = "[[rule]]\nid = 'x'\nverdict = 'deny'\npattern = 'Bash'\n";
    check(&format!("{rule}{rule}"), 6, PolicyErrorKind::DuplicateId("x".into()));
}

#[test]
fn patterns_that_are_not_understood_are_errors() {
    // S4
    for (pattern, fault) in [
        ("Bash(a && b)", "not understood in a command pattern"),
        ("Bash()", "empty"),
        ("Read([x])", "wildcards"),
        ("Task(x)", "takes no argument"),
        ("WebFetch(example.com)", "domain:HOST"),
        ("Bash(git", "not closed"),
        ("", "not of the form"),
        ("a b", "not of the form"),
        ("(x)", "not of the form"),
        ("!Bash(a;b)", "not understood"),
        ("!!Bash", "only understood in policy rules"),
    ] {
        let text =
            format!("[[rule]]\nverdict = 'deny'\npatterns = [\n  'Read',\n  '{pattern}',\n]");
        let error = error(&text);
        assert_eq!(line_of(&error), Some(5), "{pattern}");
        let PolicyErrorKind::Pattern { pattern: named, fault: found } = &error.kind else {
            panic!("{pattern}: {error}");
        };
        assert_eq!(named, pattern);
        assert!(found.contains(fault), "{pattern}: {found}");
    }
}

#[test]
fn a_rule_whose_examples_fail_is_an_error() {
    // S4
    let text = "[[rule]]\nid = 'push'\nverdict = 'deny'\npattern = 'Bash(git push:*)'\n\
                matches = [\n  'Bash(git push)',\n  'Bash(git pull)',\n]";
    let missed =
        PolicyErrorKind::MissedExample { rule: "push".into(), example: "Bash(git pull)".into() };
    check(text, 7, missed);
    let text = "[[rule]]\nid = 'push'\nverdict = 'deny'\npattern = 'Bash(git push:*)'\n\
                not_matches = ['Bash(git status)', 'Bash(git -C x push)']";
    let hit = PolicyErrorKind::HitCounterExample {
        rule: "push".into(),
        example: "Bash(git -C x push)".into(),
    };
    check(text, 5, hit);
    let text = "[[rule]]\nid = 'git'\nverdict = 'allow'\npattern = 'Bash(git:*)'\n\
                matches = ['Bash(git status; rm x)']";
    let missed = PolicyErrorKind::MissedExample {
        rule: "git".into(),
        example: "Bash(git status; rm x)".into(),
    };
    check(text, 5, missed);
}

#[test]
fn what_is_not_toml_is_an_error_with_its_line() {
    // S4
    let found = error("profile = 'strict'\n[[rule]\n");
    assert_eq!(line_of(&found), Some(2));
    assert!(matches!(found.kind, PolicyErrorKind::Syntax(_)), "{found}");
    let found = error("a = 1\na = 2");
    assert!(matches!(found.kind, PolicyErrorKind::Syntax(_)), "{found}");
}

#[test]
fn a_policy_is_bounded() {
    // S4, F4
    let large = format!("# {}", "x".repeat(MAX_POLICY_BYTES));
    assert_eq!(error(&large).kind, PolicyErrorKind::TooLarge);
    let rule = "[[rule]]\nverdict = 'deny'\npattern = 'x'\n";
    assert_eq!(error(&rule.repeat(MAX_RULES + 1)).kind, PolicyErrorKind::TooManyRules);
}

#[test]
fn errors_read_as_sentences() {
    // S4
    let table = [
        (
            error("profil = 1").to_string(),
            "policy.toml:1:1: unknown key `profil`; did you mean `profile`?",
        ),
        (error("xyzzy = 1").to_string(), "policy.toml:1:1: unknown key `xyzzy`"),
        (
            error("default = 'x'").to_string(),
            "policy.toml:1:11: `default` is `x`, but must be one of `allow`, `ask`, `deny`",
        ),
        (error("[[rule]]\nid = 'x'").to_string(), "policy.toml:1:1: the rule has no `verdict`"),
    ];
    for (found, expected) in table {
        assert_eq!(found, expected);
    }
    let unreadable = PolicyError {
        file: "policy.toml".into(),
        place: None,
        kind: PolicyErrorKind::Unreadable("permission denied".into()),
    };
    assert_eq!(unreadable.to_string(), "policy.toml: the policy cannot be read: permission denied");
}

#[test]
fn spelling_is_measured_by_characters() {
    // S4
    for (one, other, expected) in [
        ("", "", 0),
        ("a", "", 1),
        ("verdict", "verdict", 0),
        ("verdict", "verdct", 1),
        ("not_matches", "not-matches", 0),
        ("Profile", "profile", 0),
        ("abc", "xyz", 3),
    ] {
        assert_eq!(distance(one, other), expected, "{one} {other}");
        assert_eq!(distance(other, one), expected, "{other} {one}");
    }
}

#[test]
fn examples_stand_for_calls() {
    // S4
    let call = |text: &str| as_call(&parse_pattern(text).expect("a call"));
    assert_eq!(
        call("Bash(ls (x))"),
        ToolCall::new("Bash", serde_json::json!({"command": "ls (x)"}))
    );
    assert_eq!(call("Read(a)"), ToolCall::new("Read", serde_json::json!({"file_path": "a"})));
    assert_eq!(call("Grep(a)"), ToolCall::new("Grep", serde_json::json!({"path": "a"})));
    assert_eq!(call("WebFetch(u)"), ToolCall::new("WebFetch", serde_json::json!({"url": "u"})));
    assert_eq!(call("mcp__a__b"), ToolCall::new("mcp__a__b", serde_json::json!({})));
    assert_eq!(call("x(y)"), ToolCall::new("x", serde_json::json!({"argument": "y"})));
}

proptest::proptest! {
    #[test]
    fn places_are_those_counted_from_the_beginning(
        text in "[a\\n\\r\u{e9}\u{feff}]{0,40}",
        asked in proptest::collection::vec(0usize..60, 0..8),
    ) {
        // S4
        let reader = Reader::new(&text, "policy.toml");
        for at in asked {
            proptest::prop_assert_eq!(reader.place(at), Position::of(text.as_bytes(), at));
        }
    }
}
