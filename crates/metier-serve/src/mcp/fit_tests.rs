use serde_json::{Value, json};

use super::{fitted, shortened, size};
use crate::dialect::Reply;
use crate::limits::MAX_RESULT_CHARS;

/// Shortened, it fits, says so, and has the members and types it had.
fn check(value: &Value) -> Value {
    let short = shortened(value.clone());
    let written = short.to_string().chars().count();
    assert!(written <= MAX_RESULT_CHARS, "{written}");
    assert!(short["truncated"]["total"].as_u64().is_some_and(|total| total > 36_000));
    for (name, member) in value.as_object().unwrap() {
        let kind = |value: &Value| std::mem::discriminant(value);
        assert_eq!(kind(member), kind(&short[name]), "{name}");
    }
    short
}

#[test]
fn what_is_too_long_keeps_its_shape_and_says_that_it_was_cut() {
    // U2
    let items: Vec<Value> = (0..900).map(|n| json!({"name": n, "text": "x".repeat(99)})).collect();
    let list = check(&json!({"skills": items, "digest": "d", "next": null}));
    let kept = list["skills"].as_array().unwrap();
    assert!(kept.len() > 250 && kept[..] == items[..kept.len()], "whole items, from the first on");
    assert_eq!(list["digest"], "d");
    let text = check(&json!({"text": "\"\n\u{1}ä".repeat(30_000), "name": "n"}));
    assert!(text["text"].as_str().unwrap().len() > 10_000);
    let two = check(&json!({"a": "x".repeat(90_000), "b": "y".repeat(90_000), "c": [1, 2]}));
    assert!(two["a"].as_str().unwrap().len() > 17_000 && two["b"].as_str().unwrap().len() > 17_000);
    assert_eq!(two["c"], json!([1, 2]));
    let one = check(&json!({"items": [{"deep": {"text": "x".repeat(90_000)}}]}));
    assert!(one["items"][0]["deep"]["text"].as_str().unwrap().len() > 30_000);
    check(&json!({"many": vec![Value::from("x"); 50_000]}));
}

#[test]
fn more_members_than_fit_are_the_first_of_them() {
    // U2, F4
    let many = |value: Value| -> Value {
        (0..20_000).map(|n| (format!("member \"{n}\""), value.clone())).collect()
    };
    let flat = |value: Value| {
        let short = shortened(many(value));
        assert!(short.to_string().chars().count() <= MAX_RESULT_CHARS);
        let kept = short.as_object().unwrap();
        assert!(kept.len() > 1000 && kept.contains_key("truncated"), "{}", kept.len());
        assert!(kept.contains_key("member \"0\"") && !kept.contains_key("member \"19999\""));
    };
    flat(json!("a text that is not so short"));
    flat(json!(1.25));
    flat(json!([[1], [2]]));
    flat(json!({}));
    for inner in [many(json!("x")), many(json!([u64::MAX])), json!([[[many(json!(null))]]])] {
        check(&json!({"files": inner, "list": [inner, inner], "name": "n"}));
    }
    // Not even one name fits.
    let long = shortened(json!({ "x".repeat(90_000): 1 }));
    assert!(long.to_string().chars().count() <= MAX_RESULT_CHARS, "{}", long.to_string().len());
}

#[test]
fn what_fits_is_as_it_was_and_both_forms_stay_alike() {
    // U2
    let small = json!({"a": [1, "zwei", null, {"b": "\u{7}\"\\\n"}], "c": 1.5, "d": {}});
    assert_eq!(shortened(small.clone()), small);
    assert!(size(&small) >= small.to_string().chars().count());
    let long = fitted(Reply::data(json!({"text": "x".repeat(99_999)})));
    assert_eq!(long.text, long.data.unwrap().to_string());
    let words = fitted(Reply::text("ä".repeat(99_999)));
    assert!(words.text.chars().count() <= MAX_RESULT_CHARS && words.data.is_none());
    let kept = words.text.chars().filter(|char| *char == 'ä').count();
    assert!(words.text.ends_with(&format!("… ({} more characters)", 99_999 - kept)));
    let failed = fitted(Reply::failure("x", &"y".repeat(99_999)));
    assert!(failed.failed && failed.text.chars().count() <= MAX_RESULT_CHARS);
    assert!(failed.text.ends_with(" more characters)"), "a text is not cut without a word");
}
