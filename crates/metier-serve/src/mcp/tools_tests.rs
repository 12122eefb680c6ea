use metier_runtime::JournalError;
use metier_runtime::capability::Effect;
use serde_json::{Value, json};

use super::{answer, object, tool};
use crate::dialect::{Reply, Tool};

fn spelled(effect: Effect) -> Value {
    let tool = tool(Tool {
        name: "x".to_owned(),
        title: "X".to_owned(),
        description: "Does x.".to_owned(),
        input: json!({"type": "object"}),
        output: None,
        effect,
    });
    serde_json::to_value(tool).unwrap()
}

#[test]
fn what_a_tool_does_to_the_world_is_hinted_at() {
    // U2
    let check = |effect: Effect, expect: Value| assert_eq!(spelled(effect)["annotations"], expect);
    check(Effect::Looks, json!({"readOnlyHint": true, "openWorldHint": false}));
    check(Effect::Records, json!({"readOnlyHint": true, "openWorldHint": false}));
    check(Effect::Changes, json!({"destructiveHint": false, "openWorldHint": false}));
    check(Effect::Runs, json!({"destructiveHint": true, "openWorldHint": true}));
    assert_eq!(spelled(Effect::Looks).get("outputSchema"), None);
}

#[test]
fn only_a_tool_that_is_not_there_is_an_error_of_the_protocol() {
    // U2
    let unknown = answer(Ok(None), &"y".repeat(9999)).unwrap_err();
    assert_eq!(unknown.code.0, -32602);
    assert!(unknown.message.len() < 300, "a made up name is not repeated at length");
    let refused = answer(Err(JournalError::TooLarge(1)), "x").unwrap();
    assert_eq!(refused.is_error, Some(true));
    let fine = answer(Ok(Some(Reply::text("words"))), "x").unwrap();
    assert_eq!((fine.is_error, fine.structured_content), (Some(false), None));
}

#[test]
fn a_schema_is_an_object_whatever_it_was() {
    // F4
    assert_eq!(object(json!({"a": 1})).len(), 1);
    assert!(object(Value::Null).is_empty());
}
