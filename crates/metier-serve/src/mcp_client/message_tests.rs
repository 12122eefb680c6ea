use super::*;

#[test]
fn a_message_is_the_answer_a_question_back_or_something_else() {
    // U2
    let heard = |text: &str| read(text.as_bytes(), &[3, 7]).unwrap();
    let result = heard(r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#);
    assert_eq!(result, Heard::Reply(7, Reply::Result(json!({"a": 1}))));
    let no = heard(
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"no","data":{"supported":["x"]}}}"#,
    );
    let supported = vec!["x".to_owned()];
    let error = Reply::Error { code: -32022, message: "no".into(), supported };
    assert_eq!(no, Heard::Reply(7, error));
    for other in [
        r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"7","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    ] {
        assert_eq!(heard(other), Heard::Other, "{other}");
    }
    let ping = heard(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#);
    assert_eq!(ping, Heard::Question(json!({"jsonrpc": "2.0", "id": "p", "result": {}})));
    let Heard::Question(no) =
        heard(r#"{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage"}"#)
    else {
        panic!("it asks something")
    };
    assert_eq!((&no["id"], &no["error"]["code"]), (&json!(7), &json!(-32601)));
}

#[test]
fn what_is_no_message_is_nonsense() {
    // U2
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let lists = vec!["[[[[]]]]"; 60_000].join(",");
    let heavy = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":[{lists}]}}}}"#);
    for bad in [
        "",
        &heavy,
        "x",
        "[]",
        "7",
        "{}",
        &deep,
        r#"{"jsonrpc":"1.0","id":7,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":[]}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":null}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1}}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":7,"result":{}} {"#,
    ] {
        let heard = read(bad.as_bytes(), &[7]);
        assert!(matches!(heard, Err(ServerError::Nonsense(_))), "{bad:.40}: {heard:?}");
    }
    assert!(read(b"\xff\xfe", &[7]).is_err());
}

#[test]
fn every_question_without_a_handshake_says_who_asks() {
    // U2
    let about = about();
    assert_eq!(about["io.modelcontextprotocol/protocolVersion"], MODERN);
    assert_eq!(about["io.modelcontextprotocol/clientInfo"]["name"], "metier");
    let extensions = &about["io.modelcontextprotocol/clientCapabilities"]["extensions"];
    assert_eq!(extensions, &json!({ EXTENSION: {} }));
    let question = question(3, "skills/list", Map::new());
    assert_eq!(question, json!({"jsonrpc": "2.0", "id": 3, "method": "skills/list", "params": {}}));
    assert_eq!(notice("x"), json!({"jsonrpc": "2.0", "method": "x"}));
}
