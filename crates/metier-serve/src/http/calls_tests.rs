use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue};
use metier_runtime::event::Trigger;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{arguments, asker, brought, is_json};
use crate::Dialect;
use crate::held_up::held_up;
use crate::http::routes::Api;
use crate::http::{Gate, HttpSetup, Stop};
use crate::limits::LARGE_MESSAGE;
use crate::unopened::Unopened;

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
    let heavy = read(&format!("{{\"a\":[{}]}}", vec!["[]"; 50_000].join(",")), true).unwrap_err();
    assert_eq!(heavy.code, "invalid_arguments");
    assert!(heavy.message.contains("more values than fit"), "{}", heavy.message);
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

/// A request with arguments of so many bytes.
fn request(bytes: usize) -> Request {
    let body = json!({ "a": "x".repeat(bytes) }).to_string();
    let typed = Request::builder().header("content-type", "application/json");
    typed.body(Body::from(body)).unwrap()
}

fn api() -> Api {
    let (session, gate, header_time) = ("s".to_owned(), Gate::default(), Duration::from_secs(1));
    let setup = HttpSetup { session, dialect: Dialect::Plain, gate, header_time };
    Api::new(Unopened::empty(), setup, Stop::default())
}

#[test]
fn large_arguments_wait_for_a_turn_and_are_read_where_that_holds_up_nobody() {
    // U3, F4
    held_up(async |free| {
        let api = Arc::new(api());
        let soon = Duration::from_millis(20);
        let (small, turn) = brought(&api, &None, request(10)).await.unwrap();
        assert!(small.is_object() && turn.is_none(), "a small one is read at once");
        let mut large = pin!(brought(&api, &None, request(LARGE_MESSAGE)));
        assert!(timeout(soon, large.as_mut()).await.is_err(), "it was read on the serving thread");
        drop(free);
        let (read, turn) = large.await.unwrap();
        assert!(read.is_object() && turn.is_some());
        let mut turns = vec![turn];
        while let Ok(turn) = timeout(Duration::ZERO, api.service.turns().large_read(&None)).await {
            turns.push(turn.ok());
        }
        let mut large = pin!(brought(&api, &None, request(LARGE_MESSAGE)));
        assert!(timeout(soon, large.as_mut()).await.is_err(), "as many as there may be are read");
        drop(turns);
        assert!(large.await.is_ok());
    });
}
