//! The operations over HTTP.

use std::sync::Arc;

use metier_runtime::Capability;
use serde_json::{Value, json};

use crate::ground::Ground;
use crate::served::Served;

fn verdict(server: &Served, session: &str, tool: &str) -> Value {
    server.call("guard", session, &json!({ "tool": tool })).json()["verdict"].clone()
}

#[test]
fn an_operation_is_a_post_with_its_arguments_and_answers_its_result() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    let listed = server.call("list", "", &json!({})).json();
    assert_eq!(listed["skills"][0]["name"], "by-model");
    let active = server.call("activate", "", &json!({ "name": "reader", "arguments": "x" }));
    assert_eq!((active.status, &active.json()["name"]), (200, &json!("reader")));
    assert_eq!(verdict(&server, "", "Write"), "deny");
    let released = server.call("release", "", &json!({})).json();
    assert_eq!(released["released"], json!(["reader"]));
    assert_eq!(verdict(&server, "", "Write"), "allow");
    let status = server.call("status", "", &json!({})).json();
    assert_eq!(status["session"], "default");
}

#[test]
fn a_session_is_chosen_by_header_or_by_path_and_others_know_nothing_of_it() {
    // U3, S6
    let server = Served::start(&Arc::new(Ground::usual()));
    server.call("activate", "one", &json!({ "name": "reader" }));
    assert_eq!(verdict(&server, "one", "Write"), "deny");
    assert_eq!(verdict(&server, "two", "Write"), "allow");
    let json_type = [("Content-Type", "application/json")];
    let inside = server.ask("POST /v1/sessions/one/guard", &json_type, b"{\"tool\": \"Write\"}");
    assert_eq!(inside.json()["verdict"], "deny");
    for bad in ["POST /v1/sessions/..%2Fx/status", "POST /v1/sessions/.x/status"] {
        assert_eq!(server.ask(bad, &[], b"").refusal().1, "bad_request", "{bad}");
    }
    let odd = server.ask("POST /v1/status", &[("Metier-Session", "../../x")], b"");
    assert_eq!(odd.refusal(), (400, "bad_request".to_owned()));
}

#[test]
fn a_session_that_ended_begins_anew() {
    // U3, S1
    let host = Arc::new(Ground::usual());
    let server = Served::start(&host);
    server.call("activate", "", &json!({ "name": "reader" }));
    let ended = server.call("end", "", &json!({})).json();
    assert_eq!((&ended["ended"], &ended["released"]), (&json!(true), &json!(["reader"])));
    assert_eq!(verdict(&server, "", "Write"), "allow");
    let started = host.kinds().iter().filter(|kind| *kind == "session_started").count();
    assert_eq!(started, 2);
}

#[test]
fn a_refusal_has_a_status_a_code_and_a_sentence() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    let check = |name: &str, arguments: Value, status: u16, code: &str| {
        let answer = server.call(name, "", &arguments);
        assert_eq!(answer.refusal(), (status, code.to_owned()), "{name} {arguments}");
        assert!(!answer.json()["error"]["message"].as_str().unwrap().is_empty());
    };
    check("activate", json!({ "name": "nope" }), 404, "skill_not_found");
    check("activate", json!({ "name": "stranger" }), 403, "skill_not_trusted");
    check("activate", json!({ "name": "by-hand" }), 404, "skill_not_found");
    check("activate", json!({}), 400, "invalid_arguments");
    check("activate", json!({ "name": 1 }), 400, "invalid_arguments");
    check("guard", json!({ "tool": "Read", "extra": 1 }), 400, "invalid_arguments");
    check("release", json!({}), 409, "skill_not_active");
    check("read", json!({ "name": "reader", "path": "../x" }), 400, "invalid_path");
    check("nonsense", json!({}), 404, "no_such_route");
}

#[test]
fn a_person_may_do_what_a_model_may_not() {
    // U3, U7
    let server = Served::start(&Arc::new(Ground::usual()));
    let user = [("Content-Type", "application/json"), ("Metier-Asker", "user")];
    let by_hand = server.ask("POST /v1/activate", &user, b"{\"name\": \"by-hand\"}");
    assert_eq!((by_hand.status, &by_hand.json()["name"]), (200, &json!("by-hand")));
    let by_model = server.ask("POST /v1/activate", &user, b"{\"name\": \"by-model\"}");
    assert_eq!(by_model.refusal().1, "skill_not_for_users");
    let odd = server.ask("POST /v1/list", &[("Metier-Asker", "root")], b"");
    assert_eq!(odd.refusal(), (400, "bad_request".to_owned()));
}

#[test]
fn what_the_journal_refuses_is_not_done() {
    // U3, J1
    let server = Served::start(&Arc::new(Ground::shut()));
    let refused = server.call("guard", "", &json!({ "tool": "Read" }));
    assert_eq!(refused.refusal(), (503, "journal_refused".to_owned()));
    let stream = server.get("/v1/events/stream");
    assert_eq!(stream.refusal(), (503, "journal_refused".to_owned()));
}

#[test]
fn the_document_describes_what_the_server_answers() {
    // U3, U7
    let server = Served::start(&Arc::new(Ground::usual()));
    let document = server.get("/openapi.json").json();
    let usual = |name: &str| match name {
        "name" => json!("git-helper"),
        "path" => json!("references/a.md"),
        "script" => json!("run"),
        "query" => json!("git"),
        "tool" => json!("Read"),
        other => panic!("a new required parameter `{other}`"),
    };
    for capability in Capability::ALL {
        let post = &document["paths"][format!("/v1/{}", capability.name)]["post"];
        let required = capability.parameters.iter().filter(|parameter| parameter.required);
        let arguments: serde_json::Map<String, Value> =
            required.map(|parameter| (parameter.name.to_owned(), usual(parameter.name))).collect();
        // Once as it should be, once with nothing, once with what nobody knows.
        let nonsense = json!({ "no such parameter": 1 });
        for given in [Value::Object(arguments), json!({}), nonsense] {
            let answer = server.call(capability.name, "document", &given);
            let described = &post["responses"][answer.status.to_string()];
            let schema = &described["content"]["application/json"]["schema"];
            assert!(schema.is_object(), "{} answers {}", capability.name, answer.status);
            fits(schema, &answer.json(), capability.name);
        }
    }
}

/// Whether `value` is as the schema says, for as much of JSON Schema as the document uses.
fn fits(schema: &Value, value: &Value, at: &str) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() || number.is_i64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = &schema["type"];
    let may_be = |word: &Value| word == kind || (word == "number" && kind == "integer");
    let one = allowed.as_array().map_or_else(|| may_be(allowed), |all| all.iter().any(may_be));
    assert!(one, "{at}: {kind} is not {allowed}");
    if let Some(words) = schema["enum"].as_array() {
        assert!(words.contains(value), "{at}: {value} is none of {words:?}");
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        assert!(value.get(name).is_some(), "{at}: `{name}` is missing");
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(member) = value.get(name) {
            fits(inner, member, &format!("{at}.{name}"));
        }
    }
}

#[test]
fn machines_hear_of_health_and_numbers_and_people_see_a_page() {
    // U3
    let server = Served::start(&Arc::new(Ground::usual()));
    assert_eq!(server.get("/health").json()["status"], "ok");
    server.call("guard", "", &json!({ "tool": "Read" }));
    server.call("guard", "", &json!({}));
    let numbers = server.get("/metrics").text();
    assert!(numbers.contains("requests_total{route=\"guard\",status=\"200\"} 1\n"), "{numbers}");
    assert!(numbers.contains("requests_total{route=\"guard\",status=\"400\"} 1\n"), "{numbers}");
    let page = server.get("/");
    assert!(page.text().contains("POST /v1/guard") && page.head.contains("text/html"), "{page:?}");
    assert!(page.head.contains("content-security-policy: default-src 'none'"), "{}", page.head);
}

#[test]
fn mcp_is_served_beside_it_with_sessions_of_its_own() {
    // U2, U3
    let server = Served::start(&Arc::new(Ground::usual()));
    let headers =
        [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let answer = server.ask("POST /mcp", &headers, hello.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.text().contains("\"serverInfo\""), "{}", answer.text());
    let evil = [headers[0], headers[1], ("Origin", "https://evil.example")];
    let refused = server.ask("POST /mcp", &evil, hello.to_string().as_bytes());
    assert_eq!(refused.refusal(), (403, "wrong_origin".to_owned()));
}

#[test]
fn parallel_clients_each_have_their_session_and_no_frame_is_lost() {
    // U3, J1
    const CLIENTS: usize = 8;
    const CALLS: usize = 25;
    let host = Arc::new(Ground::usual());
    let mut server = Served::start(&host);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let server = &server;
            scope.spawn(move || {
                let session = format!("client-{client}");
                let denied = client % 2 == 0;
                if denied {
                    server.call("activate", &session, &json!({ "name": "reader" }));
                }
                for _ in 0..CALLS {
                    let expect = if denied { "deny" } else { "allow" };
                    assert_eq!(verdict(server, &session, "Write"), expect);
                }
            });
        }
    });
    server.finish();
    let ruled = |kind: &String| kind.starts_with("tool_");
    assert_eq!(host.kinds().iter().filter(|kind| ruled(kind)).count(), CLIENTS * CALLS);
}
