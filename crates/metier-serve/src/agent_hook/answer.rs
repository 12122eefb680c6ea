//! What an agent is told, in the bytes it understands. Anything else on standard output, a field too
//! many, a missing reason: each makes some agent run the tool, so this file prints exactly the forms
//! that were seen to work.

use metier_format::text::visible_line;
use serde_json::json;

use super::agent::HookAgent;
use crate::limits::MAX_REASON_CHARS;

/// What metier says to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: the agent does what it would without metier.
    NoOpinion,
    /// The agent does not ask its user.
    Allow(String),
    /// The agent asks its user.
    Ask(String),
    /// It does not happen, and this is why.
    Block(String),
}

impl Answer {
    /// A block. An empty reason would let the call pass in some agents.
    #[must_use]
    pub fn block(reason: impl Into<String>) -> Self {
        Self::Block(reason.into())
    }

    /// What standard output has to hold; nothing at all for no opinion. Only to a tool call can be
    /// said `allow` or `ask`.
    #[must_use]
    pub fn to_bytes(&self, agent: HookAgent) -> Vec<u8> {
        let value = match self {
            Self::NoOpinion => return Vec::new(),
            Self::Block(reason) if agent == HookAgent::GeminiCli => {
                json!({"decision": "deny", "reason": shown(reason)})
            }
            // Understood by the others in every event, with these two members and no third.
            Self::Block(reason) => json!({"decision": "block", "reason": shown(reason)}),
            Self::Allow(reason) => claude("allow", reason),
            Self::Ask(reason) => claude("ask", reason),
        };
        let mut bytes = value.to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }
}

/// Claude Code's own form; without the event's name it would be ignored.
fn claude(decision: &str, reason: &str) -> serde_json::Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": shown(reason),
    }})
}

/// The reason as people and models read it: one line, bounded, never empty.
fn shown(reason: &str) -> String {
    let line = visible_line(reason);
    let mut text = format!("metier: {}", line.trim());
    if line.trim().is_empty() {
        text = "metier: no reason was given".to_owned();
    }
    if text.chars().count() > MAX_REASON_CHARS {
        text = text.chars().take(MAX_REASON_CHARS - 1).chain(['…']).collect();
    }
    text
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
