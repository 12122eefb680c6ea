use super::*;

const APIS: [Api; 4] = [Api::Messages, Api::Responses, Api::Contents, Api::Chat];

fn call(tool: &str, arguments: Value) -> Call {
    Call { tool: tool.to_owned(), arguments }
}

fn user(text: &str) -> Item {
    Item::User(text.to_owned())
}

fn result(text: &str) -> Item {
    Item::Result(text.to_owned())
}

#[test]
fn a_conversation_is_what_users_said_and_what_came_of_calls() {
    // U5
    let requests = [
        json!({"messages": [
            {"role": "user", "content": "do"},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "Bash"}]},
            {"role": "user", "content": [
                {"type": "tool_result", "content": [{"type": "text", "text": "no"}]},
                {"type": "text", "text": "go on"},
            ]},
        ]}),
        json!({"input": [
            {"type": "message", "role": "developer", "content": "rules"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "do"}]},
            {"type": "function_call", "name": "exec_command", "arguments": "{}"},
            {"type": "function_call_output", "output": "no"},
            {"role": "user", "content": "go on"},
        ]}),
        json!({"contents": [
            {"role": "user", "parts": [{"text": "do"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "x"}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"response": "no"}},
                {"text": "go on"},
            ]},
        ]}),
        json!({"messages": [
            {"role": "system", "content": "rules"},
            {"role": "user", "content": "do"},
            {"role": "assistant", "content": null, "tool_calls": []},
            {"role": "tool", "content": "no"},
            {"role": "user", "content": [{"type": "text", "text": "go on"}]},
        ]}),
    ];
    for (api, request) in APIS.into_iter().zip(&requests) {
        let told = if api == Api::Contents { "\"no\"" } else { "no" };
        let expected = [user("do"), result(told), user("go on")];
        assert_eq!(api.conversation(request), expected, "{api:?}");
        assert_eq!(api.conversation(&json!({})), [], "{api:?}");
    }
}

#[test]
fn a_reply_asks_for_the_call_or_says_that_all_is_done() {
    // U5
    let asked = call("tool", json!({"a": "b c"}));
    for api in APIS {
        for streamed in [true, false] {
            let body = api.reply(7, Some(&asked), streamed).body;
            assert!(body.contains("\"tool\"") && body.contains("b c"), "{api:?} {body}");
            assert!(!body.contains(DONE), "{api:?} {body}");
            let body = api.reply(8, None, streamed).body;
            assert!(body.contains(DONE) && !body.contains("\"tool\""), "{api:?} {body}");
        }
        let reply = api.reply(0, None, true);
        assert_eq!(reply.kind, "text/event-stream");
        for line in reply.body.lines().filter_map(|line| line.strip_prefix("data: ")) {
            assert!(line == "[DONE]" || serde_json::from_str::<Value>(line).is_ok(), "{line}");
        }
    }
}

#[test]
fn calls_of_responses_have_four_forms() {
    // U5
    for (asked, kind, field, expected) in [
        (call("a", json!({})), "function_call", "arguments", json!("{}")),
        (call("space/a", json!({})), "function_call", "namespace", json!("space")),
        (call("apply_patch", json!("text")), "custom_tool_call", "input", json!("text")),
        (call("tool_search", json!({"q": 1})), "tool_search_call", "arguments", json!({"q": 1})),
    ] {
        let item = response_call(3, &asked);
        assert_eq!((&item["type"], &item[field]), (&json!(kind), &expected));
        assert_eq!(item["call_id"], "call_0003");
    }
}

#[test]
fn a_call_about_a_sub_agent_names_the_one_that_was_started_last() {
    // U5
    let wait = call("wait", json!({"ids": [HELPER]}));
    for (results, expected) in [
        (vec![result("{\"agent_id\":\"one\"}"), result("{\"agent_id\":\"two\"}")], "two"),
        (vec![result("<task id=\"ses_a1\" state=\"completed\">"), user("ses_b2")], "ses_a1"),
        (vec![result("nothing")], HELPER),
    ] {
        assert_eq!(wait.meant(&results).arguments, json!({"ids": [expected]}));
    }
}
