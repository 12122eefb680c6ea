use serde_json::json;

use super::*;

fn read(value: &serde_json::Value) -> Result<Event, EventError> {
    Event::read(HookAgent::ClaudeCode, value.to_string().as_bytes())
}

#[test]
fn an_event_is_read_by_what_decides() {
    // U5
    let event = read(&json!({
        "session_id": "s", "cwd": "/p", "hook_event_name": "PreToolUse", "agent_id": "sub",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "something_new": [1],
    }))
    .expect("an event");
    assert_eq!(event.session, "claude-code.s");
    assert_eq!((event.cwd, event.inside_subagent), (Some(PathBuf::from("/p")), true));
    assert_eq!(event.what, What::Call(ToolCall::new("Bash", json!({"command": "ls"}))));
    let event = read(&json!({"hook_event_name": "Stop"})).expect("an event");
    assert_eq!(event.what, What::Nothing);
    let event = read(&json!({"session_id": "s", "hook_event_name": "SessionEnd", "cwd": "p"}));
    let event = event.expect("an event");
    assert_eq!((event.what, event.cwd, event.inside_subagent), (What::End, None, false));
}

#[test]
fn what_is_no_event_says_why() {
    // U5
    let error = |value| read(&value).expect_err("no event");
    assert_eq!(error(json!({})), EventError::Field("hook_event_name"));
    assert_eq!(
        error(json!({"hook_event_name": "SessionEnd", "session_id": ""})),
        EventError::Field("session_id")
    );
    assert_eq!(
        error(json!({"hook_event_name": "Nope"})),
        EventError::Unknown { agent: "Claude Code", name: "Nope".to_owned() }
    );
    assert!(matches!(error(json!([])), EventError::NotJson(_)));
    let twice = r#"{"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_name": "Read", "tool_input": {}}"#;
    let twice = Event::read(HookAgent::ClaudeCode, twice.as_bytes());
    let Err(EventError::NotJson(why)) = twice else { panic!("two tools are none: {twice:?}") };
    assert!(why.contains("`tool_name` stands twice"), "{why}");
    let large = vec![b' '; MAX_EVENT_BYTES + 1];
    assert_eq!(Event::read(HookAgent::Codex, &large), Err(EventError::TooLarge));
}

#[test]
fn every_event_an_agent_needs_is_one_it_knows() {
    // U5
    for agent in HookAgent::ALL {
        assert_eq!(HookAgent::parse(agent.as_str()), Some(agent));
        assert!(agent.needed().any(|(_, occasion)| occasion == Occasion::Call));
        for (name, occasion) in agent.needed() {
            assert_eq!(agent.occasion(name), Some(occasion));
        }
        assert_eq!(agent.occasion("Nope"), None);
    }
    assert_eq!(HookAgent::parse("nope"), None);
}
