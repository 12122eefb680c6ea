//! Input made to hurt: every one ends in a ruling, and none in an allow.

use metier_policy::limits::{MAX_COMMAND_BYTES, MAX_COMMANDS, MAX_PATH_BYTES, MAX_URL_BYTES};
use metier_policy::{ActiveStack, HostTable, Policy, Profile, ToolCall, Verdict, decide};
use serde_json::{Value, json};

use crate::world;

const ALLOWED: &str = "Bash(git:*) Read(./**/a/**/b/**/c) WebFetch(domain:example.com)";

fn denied(command: &str) {
    let ruling = world::shell(ALLOWED, command);
    let shown: String = command.chars().take(60).collect();
    assert_eq!(ruling.verdict, Verdict::Deny, "{shown:?} ({} bytes)", command.len());
    assert!(ruling.reasons.iter().all(|reason| reason.text.len() < 2000), "{shown:?}");
}

#[test]
fn deep_and_broken_nesting_is_denied() {
    // S3, F4
    let opens = [
        "(",
        "{ ",
        "$(",
        "`",
        "\"$(",
        "${x:-",
        "$((",
        "<(",
        "if a; then ",
        "for x in a; do ",
        "while a; do ",
        "case x in a) ",
        "[[ ",
        "a <<E\n",
        "function f { ",
        "coproc ",
        "eval '",
        "sh -c \"",
        "a=(",
        "a[",
    ];
    for open in opens {
        for count in [1, 5, 9, 13, 40, 400, 3000] {
            let text = open.repeat(count);
            if text.len() <= MAX_COMMAND_BYTES {
                denied(&format!("git log; {text}"));
                denied(&format!("{text}git log"));
            }
        }
    }
}

#[test]
fn closed_nesting_beyond_the_limits_is_denied() {
    // S3, F4
    let pairs = [
        ("$(", ")"),
        ("( ", " )"),
        ("{ ", "; }"),
        ("\"$(", ")\""),
        ("if git log; then ", "; fi"),
        ("while git log; do ", "; done"),
        ("for x in a; do ", "; done"),
        ("case x in a) ", ";; esac"),
    ];
    for (open, close) in pairs {
        for count in [20, 100] {
            denied(&format!("{}git log{}", open.repeat(count), close.repeat(count)));
        }
    }
}

#[test]
fn long_commands_are_denied() {
    // S3, F4
    denied(&format!("git log {}", "a".repeat(MAX_COMMAND_BYTES)));
    denied(&"git log;".repeat(MAX_COMMANDS + 1));
    denied(&format!("git log {}", "a ".repeat(5000)));
    denied(&"eval ".repeat(3000));
    denied(&"env ".repeat(3000));
    denied(&"xargs ".repeat(2000));
    denied(&"find . -exec ".repeat(1000));
    denied(&format!("tar -{}", "I".repeat(16000)));
    denied(&format!("ls {}", "*".repeat(16000)));
}

#[test]
fn a_long_but_ordinary_command_is_allowed() {
    // S3
    let message = "words of a message\n".repeat(400);
    let command = format!("git commit -F - <<'EOF'\n{message}EOF\n");
    assert_eq!(world::shell(ALLOWED, &command).verdict, Verdict::Allow);
    assert_eq!(world::shell(ALLOWED, &"git log;".repeat(MAX_COMMANDS)).verdict, Verdict::Allow);
}

#[test]
fn long_paths_and_addresses_are_denied() {
    // S3, F4
    let rule = |tool: &str, arguments: Value| world::rule(ALLOWED, tool, arguments).verdict;
    let path = "a/".repeat(MAX_PATH_BYTES);
    assert_eq!(rule("Read", json!({ "file_path": path })), Verdict::Deny);
    let path = format!("{}d", "a/b/c/".repeat(600));
    assert_eq!(rule("Read", json!({ "file_path": path })), Verdict::Deny);
    let url = format!("https://example.com/{}", "a".repeat(MAX_URL_BYTES));
    assert_eq!(rule("WebFetch", json!({ "url": url })), Verdict::Deny);
    let dots = format!("https://{}example.com/", "a.".repeat(2000));
    assert_eq!(rule("WebFetch", json!({ "url": dots })), Verdict::Deny);
}

#[test]
fn skills_with_many_patterns_are_judged() {
    // S3, F4
    let many: String = (0..512).map(|n| format!("Bash(tool{n} *a*b*c*:*) ")).collect();
    let command = format!("tool1 {}", "ab".repeat(2000));
    assert_eq!(world::shell(&many, &command).verdict, Verdict::Deny);
    assert_eq!(world::shell(&many, &format!("{command}c")).verdict, Verdict::Allow);
    let commands = "tool1 abc; tool2 abc; ".repeat(100);
    assert_eq!(world::shell(&many, &commands).verdict, Verdict::Allow);
    let stars = format!("Read({})", "**/".repeat(100) + "x");
    let path = "y/".repeat(500);
    assert_eq!(world::rule(&stars, "Read", json!({ "file_path": path })).verdict, Verdict::Deny);
}

#[test]
fn arguments_of_any_shape_are_judged() {
    // S3, F4
    let mut deep = json!("x");
    for _ in 0..100 {
        deep = json!([deep, { "command": deep.as_str() }]);
    }
    for arguments in
        [json!(null), json!(1), json!("x"), json!([]), json!({}), json!({ "command": deep }), deep]
    {
        for tool in [
            "Bash",
            "Read",
            "Write",
            "Glob",
            "WebFetch",
            "apply_patch",
            "mcp__a__b",
            "",
            "*",
            "Bash(",
        ] {
            let ruling = world::rule(ALLOWED, tool, arguments.clone());
            assert_eq!(ruling.verdict, Verdict::Deny, "{tool} {arguments}");
        }
    }
}

#[test]
fn names_of_any_shape_are_judged() {
    // S3, F4
    let policy = Policy::profile(Profile::FullAuto);
    let long = "x".repeat(100_000);
    for tool in
        ["", " ", "\0", "Bash\0", "bash ", "Ｂash", "mcp__", "mcp____", "mcp__a__", long.as_str()]
    {
        let stack = ActiveStack::from_iter([world::skill("tested", ALLOWED)]);
        let call = ToolCall::new(tool, json!({ "command": "git log" }));
        let ruling = decide(&policy, &stack, &call, HostTable::plain(), &world::place());
        assert_eq!(ruling.verdict, Verdict::Deny, "{tool:?}");
    }
}
