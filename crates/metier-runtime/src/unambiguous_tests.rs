use serde_json::{Value, json};

use super::parse;

#[test]
fn every_kind_of_value_is_read() {
    // S3
    let text = r#"{"a": null, "b": true, "c": -1, "d": 18446744073709551615, "e": 1.5,
        "f": "\u00e9", "g": [1, {"h": []}], "": {}}"#;
    let expect: Value = serde_json::from_str(text).unwrap();
    assert_eq!(parse(text.as_bytes()), Ok(expect));
    assert_eq!(parse(b"[\"x\"]"), Ok(json!(["x"])));
}

#[test]
fn a_name_that_stands_twice_is_refused_at_any_depth() {
    // S3
    for text in [
        r#"{"command": "git status", "command": "rm -rf x"}"#,
        r#"{"command": "git status", "c\u006fmmand": "rm -rf x"}"#,
        r#"{"a": [{"b": 1, "b": 1}]}"#,
    ] {
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(error.contains("stands twice"), "{text}: {error}");
    }
}

#[test]
fn what_is_no_json_says_where() {
    // S3
    for text in ["", "git status", "{", "{\"a\": 1} x", "{'a': 1}", "NaN", "{\"a\": 1e999}"] {
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(error.starts_with("the arguments are not JSON"), "{text}: {error}");
    }
    assert!(parse(b"\"\xff\"").is_err());
    let deep = "[".repeat(100_000);
    assert!(parse(deep.as_bytes()).unwrap_err().contains("recursion limit"));
}

#[test]
fn more_values_than_memory_is_for_are_refused_before_they_are_read() {
    // S3, F4
    let lists = |count: usize| format!("{{\"a\":[{}]}}", vec!["[[[[]]]]"; count].join(","));
    assert!(parse(lists(1_000).as_bytes()).is_ok());
    let error = parse(lists(60_000).as_bytes()).unwrap_err();
    assert!(error.contains("more values than fit"), "{error}");
}
