//! Clients that misbehave hurt themselves and nobody else.

use std::sync::Arc;

use metier_serve::Dialect;
use metier_serve::mcp::Service;
use serde_json::{Value, json};

use crate::ground::{Ground, Wire, attach, run};

async fn pair() -> (Arc<Ground>, Wire, Wire) {
    let host = Arc::new(Ground::usual());
    let service = Service::new(Arc::clone(&host) as Arc<dyn metier_serve::Host>, Dialect::Plain);
    let (bad, mut good) = (attach(&service, None), attach(&service, None));
    good.begin("2025-11-25").await;
    (host, bad, good)
}

async fn still_well(good: &mut Wire) {
    let answer = good.call("skill_search", json!({"query": "git"})).await;
    assert_eq!(answer["structuredContent"]["hits"][0]["name"], "git-helper");
}

#[test]
fn nonsense_is_passed_over_and_the_connection_lives() {
    // U2, F4
    run(async {
        let (_, mut bad, mut good) = pair().await;
        let nonsense: [&[u8]; 8] = [
            b"",
            b"not json",
            b"\xff\xfe\x00",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
            b"{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}",
            b"[1,2,3]",
            b"\"text\"",
        ];
        for line in nonsense {
            bad.send(line).await;
        }
        bad.begin("2025-11-25").await;
        for line in nonsense {
            bad.send(line).await;
        }
        still_well(&mut bad).await;
        still_well(&mut good).await;
    });
}

#[test]
fn a_message_without_end_fills_no_memory_and_the_next_one_is_read() {
    // U2, F4
    run(async {
        let (_, mut bad, mut good) = pair().await;
        bad.begin("2025-11-25").await;
        let huge =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{}\"}}", "x".repeat(5 << 20));
        bad.send(huge.as_bytes()).await;
        let refused = bad.receive().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("4194304 bytes"), "{message}");
        still_well(&mut bad).await;
        still_well(&mut good).await;
    });
}

#[test]
fn what_cannot_be_read_is_answered_and_never_waited_for() {
    // U2, F4
    run(async {
        let (_, mut bad, mut good) = pair().await;
        bad.begin("2025-11-25").await;
        let last = format!("{{\"method\":\"{}\",\"id\":\"last\"}}", "x".repeat(5 << 20));
        let cases: [(&[u8], i64, Value); 6] = [
            (b"x", -32700, Value::Null),
            (b"\xff\xfe", -32700, Value::Null),
            (b"{\"a\":", -32700, Value::Null),
            (b"[]", -32600, Value::Null),
            (b"{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":\"ping\"}", -32600, json!(5)),
            (last.as_bytes(), -32600, json!("last")),
        ];
        for (line, code, id) in cases {
            bad.send(line).await;
            let told = bad.receive().await.unwrap();
            assert_eq!((&told["error"]["code"], &told["id"]), (&json!(code), &id), "{told}");
        }
        still_well(&mut bad).await;
        still_well(&mut good).await;
    });
}

#[test]
fn wrong_parameters_are_called_that_and_no_unknown_method() {
    // U2
    run(async {
        let (_, mut bad, _) = pair().await;
        bad.begin("2025-11-25").await;
        for (method, params, code) in [
            ("logging/setLevel", json!({"level": "bogus"}), -32602),
            ("tools/call", Value::Null, -32602),
            ("tools/call", json!({"name": "skill_list", "arguments": []}), -32602),
            ("resources/read", json!({"uri": 7}), -32602),
            ("prompts/get", json!({}), -32602),
            ("completion/complete", json!({}), -32602),
            ("tools/coll", json!({}), -32601),
        ] {
            let answer = bad.ask(method, params).await;
            assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains(method) && message != method, "{method}: {message}");
        }
    });
}

#[test]
fn deep_and_wide_arguments_are_refused_or_answered() {
    // U2, F4
    run(async {
        let (_, mut bad, mut good) = pair().await;
        bad.begin("2025-11-25").await;
        let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"tools/call\",\"params\":{{\"name\":\"tool_guard\",\"arguments\":{{\"tool\":\"x\",\"arguments\":{{\"a\":{deep}}}}}}}}}"
        );
        bad.send(line.as_bytes()).await;
        let wide = json!({"tool": "x", "arguments": {"a": vec![0; 50_000]}});
        assert!(bad.call("tool_guard", wide).await["structuredContent"]["verdict"].is_string());
        let long = json!({"name": "x".repeat(1 << 20)});
        let refused = bad.call("skill_activate", long).await;
        assert_eq!(refused["structuredContent"]["error"]["code"], "skill_not_found");
        assert!(refused.to_string().len() < 10_000, "what is refused is not repeated at length");
        still_well(&mut good).await;
    });
}

#[test]
fn a_client_that_vanishes_ends_its_own_session_only() {
    // U2, S1, S6
    run(async {
        let (host, mut bad, mut good) = pair().await;
        good.call("skill_activate", json!({"name": "reader"})).await;
        bad.begin("2025-11-25").await;
        bad.call("skill_activate", json!({"name": "git-helper"})).await;
        bad.vanish();
        while !host.kinds().iter().any(|kind| kind == "session_ended") {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let ruled = good.call("tool_guard", json!({"tool": "Write", "arguments": {}})).await;
        assert_eq!(ruled["structuredContent"]["verdict"], "deny");
        let status = good.call("skill_status", json!({})).await;
        assert_eq!(status["structuredContent"]["stack"][0]["name"], "reader");
    });
}

#[test]
fn a_client_that_never_reads_holds_up_nobody() {
    // U2
    run(async {
        let (_, mut bad, mut good) = pair().await;
        bad.begin("2025-11-25").await;
        // More answers than the pipe holds; none of them is read.
        let ask = json!({"jsonrpc": "2.0", "id": 5, "method": "skills/list", "params": {}});
        for _ in 0..100 {
            bad.send(ask.to_string().as_bytes()).await;
        }
        for _ in 0..20 {
            still_well(&mut good).await;
        }
        bad.vanish();
        still_well(&mut good).await;
    });
}

#[test]
fn cancelling_what_is_done_or_never_was_changes_nothing() {
    // U2
    run(async {
        let (_, mut bad, _) = pair().await;
        bad.begin("2025-11-25").await;
        for id in [1, 2, 4_000_000] {
            still_well(&mut bad).await;
            let cancel = json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": {"requestId": id, "reason": "done"},
            });
            bad.send(cancel.to_string().as_bytes()).await;
        }
        still_well(&mut bad).await;
    });
}

#[test]
fn who_says_again_and_again_that_it_began_is_told_of_changes_by_one() {
    // U2, F4
    run(async {
        let (_, mut bad, mut good) = pair().await;
        bad.begin("2025-11-25").await;
        still_well(&mut bad).await;
        let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let before = alive();
        for _ in 0..2_000 {
            let again = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
            bad.send(again).await;
        }
        // What is answered comes after what was said before it, and what that began has ended.
        for _ in 0..20 {
            still_well(&mut bad).await;
        }
        still_well(&mut good).await;
        assert!(alive() < before + 20, "{before} tasks have become {}", alive());
    });
}

#[test]
fn a_message_that_is_small_on_the_wire_and_huge_in_memory_is_refused() {
    // U2, F4
    run(async {
        let (_, mut bad, mut good) = pair().await;
        bad.begin("2025-11-25").await;
        let lists = vec!["[[[[[[[[]]]]]]]]"; 200_000].join(",");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{{"name":"tool_guard","arguments":{{"a":[{lists}]}}}}}}"#
        );
        bad.send(line.as_bytes()).await;
        let refused = bad.receive().await.unwrap();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(901), &json!(-32600)));
        still_well(&mut bad).await;
        still_well(&mut good).await;
    });
}
