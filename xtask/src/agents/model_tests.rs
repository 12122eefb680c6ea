use std::io::Cursor;

use serde_json::json;

use super::*;

fn model() -> Model {
    let log = std::env::temp_dir().join(format!("metier-model-{}.log", std::process::id()));
    let model = Model::start(Api::Chat, &log).unwrap();
    let _ = std::fs::remove_file(log);
    model
}

/// What the model answers to these messages, over its socket.
fn ask(model: &Model, messages: &Value) -> String {
    let body = json!({"messages": messages, "tools": [{"name": "t"}]}).to_string();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, model.port)).unwrap();
    let head = format!("POST /v1/x HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_script_is_followed_by_the_results_of_its_own_conversation() {
    // U5
    let model = model();
    let call = |tool: &str| Call { tool: tool.to_owned(), arguments: json!({}) };
    model.learn("one", vec![call("first"), call("second")]);
    model.learn("two", vec![call("other")]);
    let said = |script: &str| json!({"role": "user", "content": mark(script)});
    let told = |text: &str| json!({"role": "tool", "content": text});
    assert!(ask(&model, &json!([said("one")])).contains("first"));
    assert!(ask(&model, &json!([said("one"), told("a")])).contains("second"));
    assert!(ask(&model, &json!([said("one"), told("a"), told("b")])).contains("All done."));
    assert!(ask(&model, &json!([said("one"), told("a"), said("two")])).contains("other"));
    assert!(ask(&model, &json!([{"role": "user", "content": "hello"}])).contains("All done."));
    assert_eq!(model.results("one"), ["a", "b"]);
    assert_eq!((model.requests("one"), model.requests("two"), model.requests("no")), (3, 1, 0));
    assert!(model.was_offered("one", "\"t\"") && !model.was_offered("one", "\"u\""));
}

#[test]
fn a_request_is_read_whole_or_not_at_all() {
    // U5
    for (text, expected) in [
        ("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", Some("ab")),
        ("HEAD / HTTP/1.1\r\n\r\n", Some("")),
        (
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n1;x\r\nb\r\n0\r\n\r\n",
            Some("ab"),
        ),
        ("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab", None),
        ("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\nab", None),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", None),
        ("POST / HTTP/1.1\r\n", None),
        ("", None),
    ] {
        let request = Request::read(Cursor::new(text));
        let body = request.map(|request| String::from_utf8(request.body).unwrap());
        assert_eq!(body.as_deref(), expected, "{text:?}");
    }
}
