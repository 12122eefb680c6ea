//! The four ways in which agents talk to a model: what a request says, and a reply that asks for one
//! tool call or says that all is done. Pure.

use serde_json::{Value, json};

/// How an agent talks to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// Messages with content blocks.
    Messages,
    /// Responses made of items.
    Responses,
    /// Contents made of parts.
    Contents,
    /// Chat completions.
    Chat,
}

/// One part of a conversation, as far as anybody here looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// What a user, or the agent in the user's name, said.
    User(String),
    /// What came of a tool call.
    Result(String),
}

/// Stands in arguments for the sub-agent that was started last, whose name nobody knows before.
pub(crate) const HELPER: &str = "{helper}";

/// A tool call that the model asks for. Arguments that are a text belong to a tool without a schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The tool; `space/tool` for one in a namespace.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: Value,
}

/// A reply, with what kind of content it is.
pub(crate) struct Reply {
    /// The type.
    pub(crate) kind: &'static str,
    /// The bytes.
    pub(crate) body: String,
}

impl Call {
    /// The call with the sub-agent it means, as a result in the conversation names it.
    pub(crate) fn meant(&self, conversation: &[Item]) -> Self {
        let started = |item: &Item| match item {
            Item::Result(text) => helper_in(text),
            Item::User(_) => None,
        };
        let Some(helper) = conversation.iter().rev().find_map(started) else {
            return self.clone();
        };
        let arguments = self.arguments.to_string().replace(HELPER, &helper);
        let arguments = serde_json::from_str(&arguments).unwrap_or_default();
        Self { tool: self.tool.clone(), arguments }
    }
}

/// The sub-agent that a result names: `{"agent_id": "…"}`, or `task_id: …` in a text.
fn helper_in(result: &str) -> Option<String> {
    let parsed: Value = serde_json::from_str(result).unwrap_or_default();
    if let Some(id) = parsed.get("agent_id").and_then(Value::as_str) {
        return Some(id.to_owned());
    }
    let (_, rest) = result.split_once("ses_")?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    Some(format!("ses_{}", rest.get(..end)?))
}

impl Api {
    /// The conversation a request carries, in order.
    pub(crate) fn conversation(self, request: &Value) -> Vec<Item> {
        let list = |name: &str| request.get(name).and_then(Value::as_array).cloned();
        match self {
            Self::Messages => list("messages").iter().flatten().flat_map(message).collect(),
            Self::Responses => list("input").iter().flatten().filter_map(response_item).collect(),
            Self::Contents => list("contents").iter().flatten().flat_map(content).collect(),
            Self::Chat => list("messages").iter().flatten().filter_map(chat_message).collect(),
        }
    }

    /// The tools a request offers, as one text: names and descriptions.
    pub(crate) fn tools(self, request: &Value) -> String {
        request.get("tools").map(ToString::to_string).unwrap_or_default()
    }

    /// A reply with the number `number` that asks for `call`, or says that all is done.
    pub(crate) fn reply(self, number: usize, call: Option<&Call>, streamed: bool) -> Reply {
        let events = match self {
            Self::Messages if !streamed => {
                return plain(messages_whole(number, call));
            }
            Self::Contents if !streamed => return plain(contents(call)),
            Self::Chat if !streamed => return plain(chat_whole(number, call)),
            Self::Messages => messages(number, call),
            Self::Responses => responses(number, call),
            Self::Contents => vec![contents(call)],
            Self::Chat => chat(number, call),
        };
        let mut body = String::new();
        for event in events {
            let named = event.get("type").and_then(Value::as_str);
            if let (Some(name), true) = (named, self != Self::Chat) {
                body.push_str(&format!("event: {name}\n"));
            }
            body.push_str(&format!("data: {event}\n\n"));
        }
        if self == Self::Chat {
            body.push_str("data: [DONE]\n\n");
        }
        Reply { kind: "text/event-stream", body }
    }
}

fn plain(value: Value) -> Reply {
    Reply { kind: "application/json", body: value.to_string() }
}

/// Text wherever it is: a text, or a list of things with a text in them.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => match fields.get("text") {
            Some(text) => text_of(text),
            None => fields.get("content").map(text_of).unwrap_or_default(),
        },
        _ => String::new(),
    }
}

fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn message(message: &Value) -> Vec<Item> {
    let content = message.get("content").cloned().unwrap_or_default();
    if field(message, "role") != "user" {
        return Vec::new();
    }
    let Value::Array(blocks) = content else { return vec![Item::User(text_of(&content))] };
    let item = |block: &Value| match field(block, "type") {
        "tool_result" => Item::Result(block.get("content").map(text_of).unwrap_or_default()),
        _ => Item::User(text_of(block)),
    };
    blocks.iter().map(item).collect()
}

fn response_item(item: &Value) -> Option<Item> {
    let kind = field(item, "type");
    if kind.ends_with("_output") {
        let output = item.get("output").or_else(|| item.get("tools"));
        let output = output.cloned().unwrap_or_default();
        let text = text_of(&output);
        return Some(Item::Result(if text.is_empty() { output.to_string() } else { text }));
    }
    let said = matches!(kind, "message" | "") && field(item, "role") == "user";
    said.then(|| Item::User(item.get("content").map(text_of).unwrap_or_default()))
}

fn content(content: &Value) -> Vec<Item> {
    if field(content, "role") == "model" {
        return Vec::new();
    }
    let parts = content.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
    let item = |part: &Value| match part.get("functionResponse") {
        Some(response) => {
            Item::Result(response.get("response").cloned().unwrap_or_default().to_string())
        }
        None => Item::User(text_of(part)),
    };
    parts.iter().map(item).collect()
}

fn chat_message(message: &Value) -> Option<Item> {
    let content = message.get("content").map(text_of).unwrap_or_default();
    match field(message, "role") {
        "user" => Some(Item::User(content)),
        "tool" => Some(Item::Result(content)),
        _ => None,
    }
}

/// What a model says when its script is over.
const DONE: &str = "All done.";

fn block(number: usize, call: Option<&Call>) -> Value {
    match call {
        Some(call) => json!({"type": "tool_use", "id": format!("toolu_{number:04}"),
            "name": call.tool, "input": call.arguments}),
        None => json!({"type": "text", "text": DONE}),
    }
}

fn messages_whole(number: usize, call: Option<&Call>) -> Value {
    let reason = if call.is_some() { "tool_use" } else { "end_turn" };
    json!({"id": format!("msg_{number:04}"), "type": "message", "role": "assistant",
        "model": "scripted", "content": [block(number, call)], "stop_reason": reason,
        "stop_sequence": null, "usage": {"input_tokens": 1, "output_tokens": 1}})
}

fn messages(number: usize, call: Option<&Call>) -> Vec<Value> {
    let whole = messages_whole(number, call);
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut opened = block(number, call);
    let delta = match call {
        Some(call) => {
            opened["input"] = json!({});
            json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()})
        }
        None => {
            opened["text"] = json!("");
            json!({"type": "text_delta", "text": DONE})
        }
    };
    vec![
        json!({"type": "message_start", "message": start}),
        json!({"type": "content_block_start", "index": 0, "content_block": opened}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "usage": {"output_tokens": 1},
            "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": null}}),
        json!({"type": "message_stop"}),
    ]
}

fn responses(number: usize, call: Option<&Call>) -> Vec<Value> {
    let id = format!("resp_{number:04}");
    let item = match call {
        Some(call) => response_call(number, call),
        None => json!({"type": "message", "role": "assistant", "id": format!("msg_{number:04}"),
            "content": [{"type": "output_text", "text": DONE}]}),
    };
    let usage = json!({"input_tokens": 1, "input_tokens_details": null, "output_tokens": 1,
        "output_tokens_details": null, "total_tokens": 2});
    vec![
        json!({"type": "response.created", "response": {"id": id}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": id, "usage": usage}}),
    ]
}

fn response_call(number: usize, call: &Call) -> Value {
    let id = format!("call_{number:04}");
    if call.tool == "tool_search" {
        return json!({"type": "tool_search_call", "call_id": id, "execution": "client",
            "status": "completed", "arguments": call.arguments});
    }
    if let Value::String(input) = &call.arguments {
        return json!({"type": "custom_tool_call", "call_id": id, "name": call.tool, "input": input});
    }
    let arguments = call.arguments.to_string();
    match call.tool.split_once('/') {
        Some((space, tool)) => json!({"type": "function_call", "call_id": id, "name": tool,
            "namespace": space, "arguments": arguments}),
        None => json!({"type": "function_call", "call_id": id, "name": call.tool,
            "arguments": arguments}),
    }
}

fn contents(call: Option<&Call>) -> Value {
    let part = match call {
        Some(call) => json!({"functionCall": {"name": call.tool, "args": call.arguments}}),
        None => json!({"text": DONE}),
    };
    json!({
        "candidates": [{"index": 0, "finishReason": "STOP",
            "content": {"role": "model", "parts": [part]}}],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "scripted",
    })
}

fn chat_call(number: usize, call: &Call) -> Value {
    json!({"index": 0, "id": format!("call_{number:04}"), "type": "function",
        "function": {"name": call.tool, "arguments": call.arguments.to_string()}})
}

fn chat_said(number: usize, call: Option<&Call>) -> (Value, &'static str) {
    match call {
        Some(call) => {
            let calls = [chat_call(number, call)];
            (json!({"role": "assistant", "content": null, "tool_calls": calls}), "tool_calls")
        }
        None => (json!({"role": "assistant", "content": DONE}), "stop"),
    }
}

fn chat(number: usize, call: Option<&Call>) -> Vec<Value> {
    let (delta, reason) = chat_said(number, call);
    let chunk = |delta: Value, reason: Value| {
        json!({"id": format!("chat_{number:04}"), "object": "chat.completion.chunk", "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
    };
    vec![chunk(delta, Value::Null), chunk(json!({}), json!(reason))]
}

fn chat_whole(number: usize, call: Option<&Call>) -> Value {
    let (message, reason) = chat_said(number, call);
    json!({"id": format!("chat_{number:04}"), "object": "chat.completion", "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
