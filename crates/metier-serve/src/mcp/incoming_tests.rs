use serde_json::{Value, json};

use super::{MAX_ID_BYTES, Refusal, Scan, read};
use crate::mcp::sdk::JsonRpcMessage;

#[test]
fn what_could_be_a_request_is_a_message_or_is_refused() {
    // U2, F4
    let check = |text: &[u8], code: i64, id: Value| {
        let told = read(text).unwrap_err().to_json();
        let shown = String::from_utf8_lossy(text);
        assert_eq!((&told["error"]["code"], &told["id"]), (&json!(code), &id), "{shown}");
        assert_eq!(told["jsonrpc"], "2.0");
    };
    check(b"x", -32700, Value::Null);
    check(b"{", -32700, Value::Null);
    check(b"\xff\xfe", -32700, Value::Null);
    check("[".repeat(9_000).as_bytes(), -32700, Value::Null);
    check(b"{}", -32600, Value::Null);
    check(b"[]", -32600, Value::Null);
    check(b"\"text\"", -32600, Value::Null);
    check(br#"{"jsonrpc":"1.0","id":5,"method":"ping"}"#, -32600, json!(5));
    check(br#"{"jsonrpc":"2.0","id":"a","method":7}"#, -32600, json!("a"));
    check(br#"{"jsonrpc":"2.0","id":{},"method":7}"#, -32600, Value::Null);
    let twice =
        br#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"a","name":"b"}}"#;
    check(twice, -32600, json!(6));
    let ping = read(b"\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n").unwrap();
    assert!(matches!(ping, Some(JsonRpcMessage::Request(_))));
}

#[test]
fn a_message_of_too_many_values_is_refused_by_its_number_and_not_read() {
    // U2, F4
    let many = |count: usize| {
        let lists = vec!["[[[[[[[[]]]]]]]]"; count].join(",");
        format!(
            r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"x","arguments":{{"a":[{lists}]}}}},"id":9}}"#
        )
    };
    assert!(matches!(read(many(5_000).as_bytes()), Ok(Some(JsonRpcMessage::Request(_)))));
    let told = read(many(10_000).as_bytes()).unwrap_err().to_json();
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(9), &json!(-32600)));
    let message = told["error"]["message"].as_str().unwrap();
    assert!(message.contains("more values"), "{message}");
}

#[test]
fn nobody_waits_for_an_answer_to_a_notification_or_to_an_answer() {
    // U2
    for text in [
        "",
        " \r\n",
        r#"{"jsonrpc":"1.0","method":"notifications/cancelled","params":3}"#,
        r#"{"jsonrpc":"1.0","id":null,"error":{"code":-32700,"message":"m"}}"#,
        r#"{"id":1,"result":{}}"#,
    ] {
        assert!(matches!(read(text.as_bytes()), Ok(None)), "{text}");
    }
}

#[test]
fn the_number_of_a_message_that_is_not_kept_is_found_wherever_it_stands() {
    // U2, F4
    let check = |text: &str, expect: Value| {
        for piece in [1, 3, 7, 4096] {
            let mut scan = Scan::default();
            text.as_bytes().chunks(piece).for_each(|part| scan.read(part));
            assert_eq!(scan.id(), expect, "{piece}: {text:.80}");
        }
    };
    check(r#"{"jsonrpc":"2.0","id":17,"method":"m"}"#, json!(17));
    check(
        r#"{"method":"m","params":{"id":3,"a":["id",{"id":4}]}, "id" : "a,\"}b" }"#,
        json!("a,\"}b"),
    );
    check(r#"{"text":"\",\"id\":9,","id":-1}"#, json!(-1));
    check(r#"{"id":null}"#, Value::Null);
    check(r#"{"id":{"id":1},"x":2}"#, Value::Null);
    check(r#"{"x":"id","y":3}"#, Value::Null);
    check("[1,{\"id\":2}]", Value::Null);
    check("no JSON at all }}}]]", Value::Null);
    let long = json!({"id": "x".repeat(MAX_ID_BYTES)}).to_string();
    check(&long, Value::Null);
    let told = Refusal::too_long(json!(17)).to_json();
    assert_eq!((&told["id"], &told["error"]["code"]), (&json!(17), &json!(-32600)));
}
