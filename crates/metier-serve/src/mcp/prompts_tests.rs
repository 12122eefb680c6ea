use metier_runtime::ActivationError;
use serde_json::{Value, json};

use super::{explain, hints, joined, unknown};
use crate::mcp::sdk::JsonObject;

fn values(given: Value) -> JsonObject {
    given.as_object().cloned().unwrap_or_default()
}

#[test]
fn values_are_put_in_the_order_the_skill_names_them() {
    // S2, U2
    let check = |names: &[&str], given: Value, expect: &str| {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        assert_eq!(joined(&names, &values(given)), expect);
    };
    check(&["arguments"], json!({"arguments": "as \"it\" is"}), "as \"it\" is");
    check(&["arguments"], json!({}), "");
    check(&["a", "b"], json!({"b": "2", "a": "1"}), "1 2");
    check(&["a", "b"], json!({"b": "2"}), "\"\" 2");
    check(&["a", "b"], json!({"a": "1"}), "1");
    check(&["a", "b"], json!({}), "");
    check(&["a"], json!({"a": "two words"}), "\"two words\"");
    check(&["a"], json!({"a": 7, "other": "x"}), "7");
    check(&["a"], json!({"a": null}), "");
    check(&[], json!({"a": "1"}), "");
}

#[test]
fn a_prompt_that_cannot_be_had_says_why() {
    // U2
    let error = explain("pdf", &ActivationError::NotForUsers("pdf".to_owned()));
    assert_eq!(error.code.0, -32602);
    assert_eq!(error.data.unwrap()["code"], "skill_not_for_users");
    let full = metier_runtime::JournalError::TooLarge(1);
    assert_eq!(explain("pdf", &ActivationError::Journal(full)).code.0, -32603);
}

#[test]
fn an_argument_is_told_what_is_said_of_it_and_no_more() {
    // U2, S2
    let check = |hint: &str, count: usize, expect: Option<&[&str]>| {
        assert_eq!(hints(hint, count).as_deref(), expect);
    };
    check("[what to do]", 1, Some(&["[what to do]"]));
    check("[what] [where]", 2, Some(&["[what]", "[where]"]));
    check("[what to do]", 2, None);
    check("", 2, None);
    let names = ["what".to_owned(), "where".to_owned()];
    assert_eq!(unknown(&names, &values(json!({"what": "1", "zzz": "2"}))), Some("zzz"));
    assert_eq!(unknown(&names, &values(json!({"where": "1"}))), None);
    assert_eq!(unknown(&[], &values(json!({"a": "1"}))), Some("a"));
}
