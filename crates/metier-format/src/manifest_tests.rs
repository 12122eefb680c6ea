use serde_json::json;

use super::*;
use crate::parse::parse;

fn manifest(lines: &str) -> Manifest {
    let text = format!("---\nname: my-skill\ndescription: A test skill\n{lines}\n---\n");
    parse(text.as_bytes(), None).manifest.expect(lines)
}

#[track_caller]
fn check(lines: &str, field: &str, expect: Value) {
    assert_eq!(manifest(lines).props()[field], expect, "{lines}");
}

#[test]
fn props_have_every_key_of_the_contract() {
    // F2, U1
    let props = manifest("").props();
    let keys: Vec<&String> = props.as_object().unwrap().keys().collect();
    let expect =
        ["name", "description", "license", "compatibility", "allowed-tools", "metadata", "extra"];
    assert_eq!(keys, expect);
    assert_eq!(
        props,
        json!({
            "name": "my-skill", "description": "A test skill", "license": null,
            "compatibility": null, "allowed-tools": null, "metadata": {}, "extra": {},
        })
    );
}

#[test]
fn allowed_tools_are_shown_as_written() {
    // F2, U1
    let tools = "allowed-tools";
    check("allowed-tools: Bash(jq:*) Bash(git:*)", tools, json!("Bash(jq:*) Bash(git:*)"));
    check("allowed-tools: Read, Write", tools, json!("Read, Write"));
    check("allowed-tools: Read  Write", tools, json!("Read  Write"));
    check("allowed-tools: |\n  Read\n  Write", tools, json!("Read\nWrite\n"));
    check("allowed-tools: \"Read\\tBash(a, b)\"", tools, json!("Read\tBash(a, b)"));
    check("allowed-tools: Bash(a, b) Bash()", tools, json!("Bash(a, b) Bash()"));
    check("allowed-tools: [Read, Write]", tools, json!(["Read", "Write"]));
    check("allowed-tools:", tools, json!(""));
    check("allowed-tools: Bash(git", tools, json!("Bash(git"));
}

#[test]
fn strings_stay_strings() {
    // F2
    check(
        "metadata:\n  version: 1.10\n  ok: yes",
        "metadata",
        json!({"version": "1.10", "ok": "yes"}),
    );
    check("license: 0.10", "license", json!("0.10"));
    check("compatibility: null", "compatibility", json!("null"));
}

#[test]
fn everything_outside_the_standard_is_kept_in_order() {
    // F2, ruling 8
    let props =
        manifest("zeta: 1\npriority: 3\nalpha: {b: [c]}\ntags: [x, y]\nLicense: MIT").props();
    let text = props["extra"].to_string();
    assert_eq!(text, r#"{"zeta":"1","priority":"3","alpha":{"b":["c"]},"tags":["x","y"]}"#);
    let again: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(again.to_string(), text);
    assert_eq!(props["license"], json!("MIT"));
}

#[test]
fn a_skill_may_be_invoked_by_everybody_unless_it_says_otherwise() {
    // F2
    let invocation = Invocation::default();
    assert!(invocation.user_invocable);
    assert!(!invocation.disable_model_invocation);
    assert_eq!(invocation.context, ContextMode::Inherit);
}
