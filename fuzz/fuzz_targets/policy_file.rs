//! Any text is a policy file or an error with a place in it, and what a project's file says never
//! makes a ruling laxer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_policy::{
    ActiveStack, HostTable, Place, Policy, PolicyFile, PolicyLayer, Profile, ToolCall, Verdict,
};
use serde_json::json;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let file = match PolicyFile::read(text, "policy.toml") {
        Ok(file) => file,
        Err(error) => {
            // A lone carriage return ends a line too.
            let lines = text.split(['\n', '\r']).count();
            assert!(error.place.is_none_or(|place| place.line as usize <= lines), "{error}");
            return;
        }
    };
    let base = |profile| PolicyFile::read(&format!("profile = \"{profile}\""), "base").unwrap();
    for profile in Profile::ALL.map(Profile::as_str) {
        let alone = Policy::merge([(PolicyLayer::Personal, base(profile))]);
        let joined = [(PolicyLayer::Personal, base(profile)), (PolicyLayer::Project, file.clone())];
        let joined = Policy::merge(joined);
        for call in calls() {
            let (before, after) = (rule(&alone, &call), rule(&joined, &call));
            assert!(after >= before, "{profile}: {call:?} went from {before:?} to {after:?}");
        }
    }
});

fn rule(policy: &Policy, call: &ToolCall) -> Verdict {
    let place = Place::lexical("/project".as_ref());
    let decide =
        || metier_policy::decide(policy, &ActiveStack::default(), call, HostTable::plain(), &place);
    let ruling = decide();
    assert_eq!(ruling, decide(), "the same question has the same answer");
    assert!(ruling.verdict == Verdict::Allow || !ruling.reasons.is_empty());
    ruling.verdict
}

fn calls() -> [ToolCall; 6] {
    [
        ToolCall::new("Bash", json!({"command": "git status && rm -rf x"})),
        ToolCall::new("Bash", json!({"command": "$(x)"})),
        ToolCall::new("Read", json!({"file_path": "/project/src/../../etc/passwd"})),
        ToolCall::new("Write", json!({"file_path": "notes.md"})),
        ToolCall::new("WebFetch", json!({"url": "https://example.com/a"})),
        ToolCall::new("mcp__server__tool", json!({})),
    ]
}
