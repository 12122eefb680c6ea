use serde_json::{Value, json};

use super::{Asked, COMMAND, Fault, Request, fallback, hooks, inferred, named};

fn asked(words: &[&str]) -> Asked {
    Asked { words: words.iter().map(ToString::to_string).collect(), ..Asked::default() }
}

#[test]
fn what_the_host_put_into_variables_is_not_read_from_the_terminal() {
    // U4
    let check = |asked: &Asked, on_stdin: bool, expected: Request| {
        assert_eq!(asked.is_on_stdin(), on_stdin, "{asked:?}");
        assert_eq!(asked.request(br#"{"b": 2}"#), expected, "{asked:?}");
    };
    let text = |text: &str| Some(text.to_owned());
    let tool = |name: &str, arguments: Value| Request::Tool { name: name.to_owned(), arguments };
    let hook = |data: Value| Request::Hook { name: "pre_tool".to_owned(), data };
    check(&asked(&["--schema"]), false, Request::Schema);
    check(&Asked { hook: text("x"), ..asked(&["--schema"]) }, false, Request::Schema);
    check(&asked(&[]), false, Request::Nothing);
    check(&asked(&["remove", "x"]), false, tool(COMMAND, json!({"args": ["remove", "x"]})));
    let old = Asked { tool: text("t"), tool_arguments: text(r#"{"a": 1}"#), ..asked(&[]) };
    check(&old, false, tool("t", json!({"a": 1})));
    check(&Asked { tool: None, ..old.clone() }, false, tool("", json!({"a": 1})));
    check(&Asked { tool_arguments: None, ..old.clone() }, true, tool("t", json!({"b": 2})));
    check(&Asked { tool_arguments: text(""), ..old.clone() }, false, tool("t", json!({})));
    let twice = text(r#"{"a": 1, "b": {"c": 1, "c": 2}}"#);
    check(&Asked { tool_arguments: twice, ..old.clone() }, false, tool("t", Value::Null));
    check(&Asked { tool_arguments: text("[]"), ..old }, false, tool("t", Value::Null));
    let old = Asked { hook: text("pre_tool"), hook_data: text(r#"{"a": 1}"#), ..asked(&[]) };
    check(&old, false, hook(json!({"a": 1})));
    check(&Asked { hook_data: None, ..old.clone() }, true, hook(json!({"b": 2})));
    let twice = text(r#"{"tool_name": "write_file", "tool_name": "file_head"}"#);
    check(&Asked { hook_data: twice, ..old.clone() }, false, hook(Value::Null));
    // A hook within a tool's call is a hook.
    check(&Asked { tool: text("t"), ..old }, false, hook(json!({"a": 1})));
}

#[test]
fn words_of_the_command_line_become_arguments() {
    // U4
    let check = |tool: &str, words: &[&str], expected: Value| {
        assert_eq!(named(tool, &json!({ "args": words })), Ok(expected), "{tool} {words:?}");
    };
    let market = json!({"action": "install", "skill_ref": "a/b", "query": "a/b"});
    check("skill_marketplace", &["install", "a/b"], market.clone());
    check(COMMAND, &["install", "a/b"], market);
    check("read_skill_file", &["a", "b.md"], json!({"skill": "a", "path": "b.md"}));
    let run = json!({"skill": "a", "script": "b.sh", "args": ["c", "d"]});
    check("run_skill_script", &["a", "b.sh", "c", "d"], run.clone());
    assert_eq!(named("run_skill_script", &run), Ok(run), "the parameter of that name");
    check("use_skill", &["a", "b", "c"], json!({"skill": "a", "arguments": "b c"}));
    check("skill_x", &["b", "c"], json!({"arguments": "b c"}));
    check("skill_x", &[], json!({"arguments": ""}));
}

#[test]
fn words_beside_named_arguments_are_refused_and_make_no_call_the_marketplaces() {
    // U4, S3
    for tool in ["skill_marketplace", COMMAND, "read_skill_file", "use_skill", "skill_x"] {
        for other in ["action", "skill", "path", "arguments", "anything"] {
            let mixed = json!({"args": ["install", "a/b"], other: "list"});
            assert_eq!(named(tool, &mixed), Err(super::MIXED), "{tool} {mixed}");
        }
        let named_only = json!({"action": "list", "args": "install"});
        assert_eq!(named(tool, &named_only), Ok(named_only.clone()), "{tool}: no words");
    }
    let check = |arguments: Value, market: bool| {
        assert_eq!(inferred(&arguments) == Some("skill_marketplace"), market, "{arguments}");
    };
    check(json!({"args": ["install", "a/b"]}), true);
    check(json!({"action": "install"}), true);
    check(json!({"skill": "forms", "args": ["install", "a/b"]}), false);
    check(json!({"arguments": "x", "args": ["install", "a/b"]}), false);
}

#[test]
fn a_tool_that_is_not_named_is_the_only_one_that_can_be_meant_or_none() {
    // U4
    let check = |arguments: Value, expected: Option<&str>| {
        assert_eq!(inferred(&arguments), expected, "{arguments}");
    };
    check(json!({"action": "search", "query": "pdf"}), Some("skill_marketplace"));
    check(json!({"args": ["install", "owner/x"]}), Some("skill_marketplace"));
    check(json!({"skill": "pdf", "path": "a.md"}), Some("read_skill_file"));
    check(json!({"skill": "pdf", "script": "a.sh", "args": ["search"]}), Some("run_skill_script"));
    check(json!({"skill": "pdf", "arguments": "x"}), Some("use_skill"));
    // Of `use_skill` or of `release_skill`.
    check(json!({"skill": "pdf"}), None);
    // Of `release_skill` or of any skill's own tool.
    check(json!({}), None);
    check(json!({"arguments": "x"}), None);
    // Words for any tool at all.
    check(json!({"args": ["pdf"]}), None);
    check(json!({"args": []}), None);
    check(json!({"args": "search"}), None);
}

#[test]
fn the_answer_of_last_resort_is_no_and_keeps_the_host_asking() {
    // U4
    let hook = |name: &str| {
        let request = Request::Hook { name: name.to_owned(), data: json!({}) };
        serde_json::from_str::<Value>(&fallback(&request, "because")).unwrap()
    };
    let blocked = json!({"block": true, "message": "Tool not allowed: because"});
    assert_eq!(hook("pre_tool"), blocked);
    for name in ["pre_file_read", "pre_file_write", "pre_shell_exec", "pre_fetch_url"] {
        assert_eq!(hook(name), json!({"denied": true, "reason": "Not allowed: because"}));
    }
    for name in ["on_start", "pre_system_prompt", "hook_of_tomorrow"] {
        assert_eq!(hook(name), json!({}));
    }
    let schema: Value = serde_json::from_str(&fallback(&Request::Schema, "because")).unwrap();
    assert!(schema[0]["hooks"].as_array().unwrap().contains(&json!("pre_tool")));
    assert_eq!(schema[0]["hooks"], hooks().collect::<Value>(), "those it answers, and no others");
    assert_eq!(fallback(&Request::Nothing, "because"), "Error: because");
}

#[test]
fn a_fault_is_told_in_the_words_it_has() {
    // U4
    for fault in [Fault::Usage("what it wants".to_owned()), Fault::Failed("why not".to_owned())] {
        let expect = if matches!(fault, Fault::Usage(_)) { "what it wants" } else { "why not" };
        assert_eq!(fault.to_string(), expect);
    }
}
