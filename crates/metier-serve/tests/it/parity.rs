//! The same calls in every dialect leave the same frames.

use metier_serve::Dialect;
use serde_json::{Value, json};

use crate::ground::Ground;

/// How each dialect asks for one thing.
fn calls(dialect: Dialect) -> [(&'static str, Value); 3] {
    let read = "references/a.md";
    match dialect {
        Dialect::Plain => [
            ("skill_activate", json!({"name": "git-helper"})),
            ("skill_read", json!({"name": "git-helper", "path": read})),
            ("skill_activate", json!({"name": "nope"})),
        ],
        Dialect::Omniforge => [
            ("skill", json!({"skill_name": "git-helper"})),
            ("", Value::Null),
            ("skill", json!({"skill_name": "nope"})),
        ],
        Dialect::Tavern => [
            ("skills_load", json!({"name": "git-helper"})),
            ("skills_read_file", json!({"name": "git-helper", "path": read})),
            ("skills_load", json!({"name": "nope"})),
        ],
        Dialect::Chibi => [
            ("skill_git-helper", json!({})),
            ("read_skill_file", json!({"skill": "git-helper", "path": read})),
            ("", Value::Null),
        ],
        Dialect::AgentBase => [("", Value::Null), ("", Value::Null), ("", Value::Null)],
    }
}

/// The frames a call leaves, without ids and times.
fn frames(dialect: Dialect, step: usize) -> Option<Vec<(String, Value)>> {
    let host = Ground::usual();
    let mut session = host.session(dialect.again());
    let (tool, arguments) = calls(dialect)[step].clone();
    if tool.is_empty() {
        return None;
    }
    let before = host.journal.all().len();
    dialect.call(&mut session, tool, arguments).unwrap();
    let left = host.journal.all().into_iter().skip(before);
    Some(left.map(|frame| (frame.kind, Value::Object(frame.payload))).collect())
}

#[test]
fn the_same_call_leaves_the_same_frames_in_every_dialect() {
    // U7, U8, J1
    for (step, kinds) in [
        (0, &["skill_invoked", "skill_loaded", "skill_activated"][..]),
        (1, &["resource_requested", "resource_read"][..]),
        (2, &["skill_refused"][..]),
    ] {
        let plain = frames(Dialect::Plain, step).unwrap();
        let told: Vec<&str> = plain.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(told, kinds);
        for dialect in Dialect::ALL {
            if let Some(frames) = frames(dialect, step) {
                assert_eq!(frames, plain, "{}", dialect.as_str());
            }
        }
    }
}
