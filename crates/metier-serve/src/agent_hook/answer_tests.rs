use super::*;

fn check(answer: &Answer, agent: HookAgent, expected: &str) {
    assert_eq!(String::from_utf8(answer.to_bytes(agent)).expect("text"), expected);
}

#[test]
fn no_opinion_is_no_byte() {
    // U5
    for agent in HookAgent::ALL {
        check(&Answer::NoOpinion, agent, "");
    }
}

#[test]
fn a_block_is_what_each_agent_obeys_byte_for_byte() {
    // U5
    let block = Answer::block("no");
    check(&block, HookAgent::ClaudeCode, "{\"decision\":\"block\",\"reason\":\"metier: no\"}\n");
    check(&block, HookAgent::Codex, "{\"decision\":\"block\",\"reason\":\"metier: no\"}\n");
    check(&block, HookAgent::Opencode, "{\"decision\":\"block\",\"reason\":\"metier: no\"}\n");
    check(&block, HookAgent::GeminiCli, "{\"decision\":\"deny\",\"reason\":\"metier: no\"}\n");
}

#[test]
fn ask_and_allow_name_the_event() {
    // U5
    check(
        &Answer::Ask("sure?".to_owned()),
        HookAgent::ClaudeCode,
        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"ask\",\
         \"permissionDecisionReason\":\"metier: sure?\"}}\n",
    );
    check(
        &Answer::Allow("yes".to_owned()),
        HookAgent::ClaudeCode,
        "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\",\
         \"permissionDecisionReason\":\"metier: yes\"}}\n",
    );
}

#[test]
fn a_reason_is_one_visible_line_never_empty_and_never_long() {
    // U5
    for empty in ["", " \n ", "\t"] {
        check(
            &Answer::block(empty),
            HookAgent::Codex,
            "{\"decision\":\"block\",\"reason\":\"metier: no reason was given\"}\n",
        );
    }
    let long = Answer::block("\u{1b}[31m\u{202e}x\n".repeat(10_000)).to_bytes(HookAgent::Codex);
    let value: serde_json::Value = serde_json::from_slice(&long).expect("JSON");
    let reason = value["reason"].as_str().expect("text");
    assert!(reason.chars().count() <= MAX_REASON_CHARS && reason.ends_with('…'));
    assert!(!reason.contains(['\u{1b}', '\u{202e}', '\n']));
}
