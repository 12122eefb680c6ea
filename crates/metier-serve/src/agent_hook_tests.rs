use super::*;

/// A ground on which nothing can be opened.
struct Nowhere;

impl Ground for Nowhere {
    fn resume(&self, _: &Event) -> Result<Session, HookError> {
        Err(HookError::Settings("broken".to_owned()))
    }

    fn open(&self, _: &Event, _: &About<'_>) -> Result<Session, HookError> {
        let source = std::io::Error::other("full");
        Err(JournalError::Io { act: "open", path: PathBuf::from("j"), source }.into())
    }

    fn roots(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    fn choices(&self, _: HookAgent, _: &str, _: &[PathBuf]) -> Vec<Choice> {
        Vec::new()
    }

    fn same(&self, _: &Path, _: &Path) -> bool {
        false
    }
}

fn block(agent: HookAgent, input: &str) -> String {
    match attend(agent, input.as_bytes(), &Nowhere) {
        Answer::Block(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whatever_cannot_be_decided_is_a_block_with_its_reason() {
    // U5
    let call =
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
    assert_eq!(block(HookAgent::Codex, call), "the settings cannot be used: broken");
    let skill =
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Skill","tool_input":{}}"#;
    let reason = block(HookAgent::ClaudeCode, skill);
    assert!(
        reason.starts_with("nothing was decided, because it could not be recorded"),
        "{reason}"
    );
    assert!(reason.ends_with("full"), "{reason}");
    assert!(matches!(Event::read(HookAgent::Codex, b"x"), Err(EventError::NotJson(_))));
    assert!(block(HookAgent::Codex, "x").starts_with("the event cannot be read as JSON"));
    let error = HookError::Event(EventError::TooLarge);
    assert!(error.to_string().contains("more than"));
}

#[test]
fn what_needs_no_answer_touches_nothing() {
    // U5
    let stop = br#"{"session_id":"s","hook_event_name":"Stop"}"#;
    assert_eq!(attend(HookAgent::Codex, stop, &Nowhere), Answer::NoOpinion);
}
