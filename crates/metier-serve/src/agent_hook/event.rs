//! What an agent sends, read. Only the fields that decide something are looked at; one of those
//! that is missing or of the wrong kind makes the event unreadable, and that is a block.

use std::path::PathBuf;

use metier_policy::{McpTool, ToolCall};
use metier_runtime::unambiguous;
use serde_json::{Map, Value};

use super::agent::{HookAgent, Occasion};
use super::name;
use crate::limits::{MAX_EVENT_BYTES, MAX_EVENT_ID_BYTES};

/// One event of an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The name of the session it belongs to, made from the agent's own id for it. A sub-agent
    /// shares the session of whoever started it.
    pub session: String,
    /// Where the agent works, when it says so with a whole path.
    pub cwd: Option<PathBuf>,
    /// Whether a sub-agent is at it.
    pub inside_subagent: bool,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A tool is about to be used.
    Call(ToolCall),
    /// The user has typed this.
    Prompt(String),
    /// The user has typed a command.
    Command {
        /// The command.
        name: String,
        /// What came after it.
        arguments: String,
    },
    /// The session is over.
    End,
    /// Nothing that needs an answer.
    Nothing,
}

/// Why something is not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// There are too many bytes of it.
    #[error("the event has more than {MAX_EVENT_BYTES} bytes")]
    TooLarge,
    /// It is not JSON.
    #[error("the event cannot be read as JSON: {0}")]
    NotJson(String),
    /// A field is missing or is not what it should be.
    #[error("the event has no usable `{0}`")]
    Field(&'static str),
    /// The agent is not known to send it.
    #[error("{agent} is not known to send an event `{name}`")]
    Unknown {
        /// The agent.
        agent: &'static str,
        /// The event's name.
        name: String,
    },
}

impl Event {
    /// Reads what `agent` sent.
    pub fn read(agent: HookAgent, input: &[u8]) -> Result<Self, EventError> {
        if input.len() > MAX_EVENT_BYTES {
            return Err(EventError::TooLarge);
        }
        // The agent may take the first of two members where this reader took the last.
        let value = unambiguous::read(input);
        let value = value.map_err(|error| EventError::NotJson(error.to_string()))?;
        let Value::Object(fields) = value else {
            return Err(EventError::NotJson("it is not an object".to_owned()));
        };
        let name = text(&fields, "hook_event_name")?;
        let Some(occasion) = agent.occasion(name) else {
            let name = name.chars().take(MAX_EVENT_ID_BYTES).collect();
            return Err(EventError::Unknown { agent: agent.title(), name });
        };
        let id = match occasion {
            Occasion::Other => "",
            _ => text(&fields, "session_id")?,
        };
        let cwd = fields.get("cwd").and_then(Value::as_str).map(PathBuf::from);
        Ok(Self {
            session: name::session(agent, id),
            cwd: cwd.filter(|cwd| cwd.is_absolute()),
            inside_subagent: fields.get("agent_id").is_some_and(|id| !id.is_null()),
            what: what(occasion, &fields)?,
        })
    }
}

fn what(occasion: Occasion, fields: &Map<String, Value>) -> Result<What, EventError> {
    Ok(match occasion {
        Occasion::Call => What::Call(call(fields)?),
        Occasion::Prompt => What::Prompt(text(fields, "prompt")?.to_owned()),
        Occasion::Command => What::Command {
            name: text(fields, "command_name")?.to_owned(),
            arguments: fields.get("command_args").and_then(Value::as_str).unwrap_or("").to_owned(),
        },
        Occasion::End => What::End,
        Occasion::Other => What::Nothing,
    })
}

fn call(fields: &Map<String, Value>) -> Result<ToolCall, EventError> {
    let tool = text(fields, "tool_name")?;
    let arguments = fields.get("tool_input").cloned().unwrap_or(Value::Object(Map::new()));
    if !arguments.is_object() {
        return Err(EventError::Field("tool_input"));
    }
    let mut call = ToolCall::new(tool, arguments);
    if let Some(context) = fields.get("mcp_context").filter(|context| !context.is_null()) {
        let part = |name| context.get(name).and_then(Value::as_str).map(str::to_owned);
        let (Some(server), Some(tool)) = (part("server_name"), part("tool_name")) else {
            return Err(EventError::Field("mcp_context"));
        };
        call.mcp = Some(McpTool { server, tool });
    }
    Ok(call)
}

/// A field that has to be text, and not empty.
fn text<'a>(fields: &'a Map<String, Value>, name: &'static str) -> Result<&'a str, EventError> {
    let text = fields.get(name).and_then(Value::as_str);
    text.filter(|text| !text.is_empty() || name == "prompt").ok_or(EventError::Field(name))
}

#[cfg(test)]
#[path = "event_tests.rs"]
mod tests;
