use metier_runtime::JournalError;
use metier_runtime::capability::{ArgumentError, CapabilityError};
use serde_json::{Value, json};

use super::{Part, Reply, enveloped, file_part, fitting_in, part_of, text_of, units};
use crate::limits::MAX_RESULT_CHARS;

#[test]
fn what_fits_is_counted_as_json_counts() {
    // U2
    let check = |text: &str, whole: bool| {
        let (part, cut) = fitting_in(text, MAX_RESULT_CHARS);
        assert_eq!(cut, !whole);
        assert!(text.starts_with(part));
        let written = units(&Value::from(part).to_string());
        assert!(written <= MAX_RESULT_CHARS + 2, "{written}");
    };
    check("", true);
    check("short", true);
    check(&"x".repeat(MAX_RESULT_CHARS), true);
    check(&"x".repeat(MAX_RESULT_CHARS + 1), false);
    check(&"\"".repeat(MAX_RESULT_CHARS / 2), true);
    check(&"\"".repeat(MAX_RESULT_CHARS / 2 + 1), false);
    check(&"\u{1}".repeat(MAX_RESULT_CHARS), false);
    check(&"ä\n".repeat(MAX_RESULT_CHARS), false);
    check(&"😀".repeat(MAX_RESULT_CHARS / 2), true);
    check(&"😀".repeat(MAX_RESULT_CHARS / 2 + 1), false);
}

#[test]
fn what_is_taken_in_parts_is_whole_in_the_end() {
    // U2, F4
    let check = |text: &str, room: usize| {
        let (mut whole, mut at) = (String::new(), Some(0));
        while let Some(offset) = at {
            let Part { text: part, next } = part_of(text, offset, room);
            assert!(next.is_none_or(|next| next > offset), "it goes on");
            whole.push_str(part);
            at = next;
        }
        assert_eq!(whole, text);
    };
    for room in [0, 1, 7, 100] {
        check("", room);
        check("ä😀\"\n\u{1}xyz", room);
        check(&"word\n".repeat(50), room);
    }
    assert_eq!(part_of("äb", 1, 9).text, "äb", "an offset inside a character is before it");
    assert_eq!(part_of("ab", 99, 9).text, "");
    let bytes = file_part(json!({"base64": "QUJDREVG", "offset": 3}), 5);
    assert_eq!((&bytes["base64"], &bytes["next"]), (&json!("QUJD"), &json!(6)));
    let text = file_part(json!({"text": "abcdef", "offset": 10}), 4);
    assert_eq!((&text["text"], &text["next"]), (&json!("abcd"), &json!(14)));
    let short = json!({"text": "abc"});
    assert_eq!(file_part(short.clone(), 4), short);
}

#[test]
fn a_long_output_of_a_script_is_cut_and_says_so() {
    // U2, R4
    let long = "line\n".repeat(20_000);
    let text = enveloped(json!({"success": true, "result": long, "message": "m"}));
    let data = text.data.unwrap();
    assert_eq!(data["truncated"]["total"], 100_000);
    assert!(data["result"].as_str().unwrap().len() < 40_000 && !text.failed);
    let value = enveloped(json!({"success": true, "result": vec![1; 50_000], "message": "m"}));
    assert!(value.data.unwrap()["result"].is_string(), "half a document is text");
    let failed = json!({"success": false, "error": "timeout", "message": "m", "stdout": long});
    let failed = enveloped(failed);
    assert!(failed.failed && failed.data.unwrap()["truncated"].is_object());
    let short = json!({"success": true, "result": {"a": 1}, "message": "m"});
    assert_eq!(enveloped(short.clone()).data.unwrap(), short, "what fits is as it was");
}

#[test]
fn a_failure_is_told_in_words_and_as_data() {
    // U2
    let error = CapabilityError::Arguments(ArgumentError::Missing("name"));
    let reply = Reply::error(&error);
    assert_eq!(reply.text, "invalid_arguments: `name` is missing");
    assert_eq!(reply.data.unwrap()["error"]["message"], "`name` is missing");
    assert!(reply.failed);
    let refused = Reply::refused(&JournalError::TooLarge(9));
    assert!(refused.failed && refused.text.starts_with("journal_refused: "));
    assert_eq!(Reply::text("x").data, None);
    assert_eq!(Reply::data(json!({"a": 1})).text, "{\"a\":1}");
}

#[test]
fn an_argument_that_is_no_text_is_none() {
    // F4
    let given = json!({"a": "x", "b": 7, "c": null});
    let check = |name: &str, expect: &str| assert_eq!(text_of(&given, name), expect);
    check("a", "x");
    check("b", "");
    check("c", "");
    check("d", "");
    assert_eq!(text_of(&Value::Null, "a"), "");
}
