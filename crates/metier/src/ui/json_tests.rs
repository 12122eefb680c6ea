use serde_json::json;

use super::to_string;

#[test]
fn live_characters_are_escaped_and_come_back_the_same() {
    // D5, U1
    let hostile = "a\u{1b}[31m\u{7f}\u{9b}2J \u{202e}b\u{e0041}漢 \"q\" \\";
    let text = to_string(&json!({"d": hostile, "k\u{200b}": ["é"]})).unwrap();
    assert!(!text.chars().any(|c| c != '\n' && metier_format::text::is_live(c)), "{text}");
    assert!(text.contains("\\u001b[31m\\u007f\\u009b2J \\u202eb\\udb40\\udc41漢"), "{text}");
    let back: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(back, json!({"d": hostile, "k\u{200b}": ["é"]}));
}

#[test]
fn documents_look_like_any_indented_json() {
    // U1
    let value = json!({"a": [1, true, null], "b": {}, "c": [], "d": {"e": "f"}});
    assert_eq!(to_string(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap());
}
