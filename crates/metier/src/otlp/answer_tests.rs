use std::time::Duration;

use super::{Answer, MAX_MESSAGE, Partial};

fn answer(status: u16, body: &str) -> Answer {
    Answer { status, retry_after: None, body: body.as_bytes().to_vec() }
}

#[test]
fn what_was_rejected_is_read_however_it_is_written() {
    // J4
    let check = |body: &str, rejected: u64, message: Option<&str>| {
        let expect = Partial { rejected, message: message.map(str::to_owned) };
        assert_eq!(answer(200, body).partial(), Ok(expect), "{body}");
    };
    check("", 0, None);
    check("{}", 0, None);
    check(r#"{"partialSuccess":null}"#, 0, None);
    check(r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"old"}}"#, 3, Some("old"));
    check(r#"{"partialSuccess":{"rejectedDataPoints":2}}"#, 2, None);
    check(r#"{"partialSuccess":{"rejectedSpans":"0","errorMessage":"slow"}}"#, 0, Some("slow"));
    check(r#"{"partialSuccess":{"rejectedSpans":-1,"errorMessage":""}}"#, 0, None);
}

#[test]
fn an_answer_that_is_no_message_is_told_apart() {
    // J4
    for body in ["<html>", "ok", "[]", "1", "\u{0}"] {
        assert!(answer(200, body).partial().is_err(), "{body}");
    }
}

#[test]
fn a_refusal_is_repeated_short_and_without_pages() {
    // J4
    let check = |body: &str, expect: &str| assert_eq!(answer(400, body).message(), expect);
    check(r#"{"code":3,"message":"bad span"}"#, "bad span");
    check("no such token\nmore", "no such token");
    check("<!doctype html><title>404</title>", "");
    check("", "");
    let long = "é".repeat(MAX_MESSAGE + 1);
    check(&long, &format!("{}…", "é".repeat(MAX_MESSAGE)));
}

#[test]
fn a_busy_collector_decides_how_long_to_wait_else_the_wait_doubles() {
    // J4
    let check = |retry_after: Option<&str>, attempt: u32, seconds: u64| {
        let answer =
            Answer { status: 503, retry_after: retry_after.map(str::to_owned), body: Vec::new() };
        assert_eq!(answer.wait(attempt), Duration::from_secs(seconds), "{retry_after:?} {attempt}");
    };
    check(Some("7"), 1, 7);
    check(Some(" 0 "), 3, 0);
    check(None, 1, 1);
    check(None, 4, 8);
    check(Some("Wed, 21 Oct 2026 07:28:00 GMT"), 2, 2);
    check(Some("-1"), 1, 1);
    check(None, u32::MAX, 65536);
    for status in [429, 502, 503, 504] {
        assert!(answer(status, "").is_busy() && !answer(status, "").is_taken());
    }
    for status in [400, 401, 404, 500, 301, 200] {
        assert!(!answer(status, "").is_busy());
    }
}
