use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue};
use metier_runtime::event::Trigger;
use serde_json::{Value, json};

use super::{arguments, asker, is_json};

#[test]
fn a_body_is_one_object_with_one_meaning() {
    // U3, F4
    let read = |text: &str, typed| arguments(&Bytes::from(text.to_owned()), typed);
    assert_eq!(read("{\"a\": 1}", true), Ok(json!({"a": 1})));
    assert_eq!(read("", false), Ok(Value::Null), "nothing needs no type");
    assert_eq!(read("{}", false).unwrap_err().code, "wrong_type");
    for text in ["[]", "1", "null", "{", "{\"a\": 1, \"a\": 2}", "{} {}", &"[".repeat(9999)] {
        assert_eq!(read(text, true).unwrap_err().code, "invalid_arguments", "{text:.20}");
    }
}

#[test]
fn a_body_is_json_when_it_says_so() {
    // U3
    let typed = |value: &str| {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_str(value).unwrap());
        is_json(&headers)
    };
    assert!(typed("application/json") && typed("Application/JSON; charset=utf-8"));
    assert!(!typed("text/plain") && !typed("application/jsonp") && !is_json(&HeaderMap::new()));
}

#[test]
fn who_does_not_say_who_they_are_is_a_model() {
    // U3
    let asked = |value: Option<&str>| {
        let mut headers = HeaderMap::new();
        if let Some(value) = value {
            headers.insert("metier-asker", HeaderValue::from_str(value).unwrap());
        }
        asker(&headers)
    };
    assert_eq!(asked(None), Ok(Trigger::Auto));
    assert_eq!(asked(Some("model")), Ok(Trigger::Auto));
    assert_eq!(asked(Some("user")), Ok(Trigger::Manual));
    assert_eq!(asked(Some("root")).unwrap_err().code, "bad_request");
}
