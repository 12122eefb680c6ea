//! One message of JSON-RPC: what is asked, and what came back. Pure.

use metier_format::json::weigh;
use metier_package::served::ServerError;
use serde_json::{Map, Value, json};

/// The extension of the protocol that skills are.
pub(super) const EXTENSION: &str = crate::mcp::SKILLS_EXTENSION;

/// The version without a handshake.
pub(super) const MODERN: &str = "2026-07-28";

/// The versions with one that are spoken here, the newest first.
pub(super) const BEFORE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Versions a server can name that are looked at.
const MAX_VERSIONS: usize = 32;

/// What is said back to a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Reply {
    /// An answer.
    Result(Value),
    /// A no, with its number and reason.
    Error {
        /// The number.
        code: i64,
        /// The reason.
        message: String,
        /// The versions it names instead.
        supported: Vec<String>,
    },
}

/// What a message is to somebody who waits for answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Heard {
    /// The answer to the question of this number.
    Reply(u64, Reply),
    /// A question back, with what it is answered with.
    Question(Value),
    /// Something else.
    Other,
}

/// A question.
pub(super) fn question(id: u64, method: &str, params: Map<String, Value>) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Something that is told and not answered.
pub(super) fn notice(method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "method": method })
}

/// What this client can do.
pub(super) fn capabilities() -> Value {
    json!({ "extensions": { EXTENSION: {} } })
}

/// Who this client is.
pub(super) fn who() -> Value {
    json!({ "name": "metier", "version": env!("CARGO_PKG_VERSION") })
}

/// What every question of the version without a handshake carries.
pub(super) fn about() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": who(),
        "io.modelcontextprotocol/clientCapabilities": capabilities(),
    })
}

/// What `bytes` are to somebody who waits for the answers to `ids`.
pub(super) fn read(bytes: &[u8], ids: &[u64]) -> Result<Heard, ServerError> {
    let nonsense = |why: &str| ServerError::Nonsense(why.to_owned());
    weigh(bytes).map_err(|heavy| nonsense(&heavy.to_string()))?;
    let parsed: Result<Value, _> = serde_json::from_slice(bytes);
    let message = parsed.map_err(|error| nonsense(&error.to_string()))?;
    let Some(message) = message.as_object() else {
        return Err(nonsense("a message is not a JSON object"));
    };
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(nonsense("a message is not one of JSON-RPC 2.0"));
    }
    if let Some(method) = message.get("method") {
        let asker = message.get("id").filter(|id| id.is_string() || id.is_number());
        return Ok(match asker {
            Some(asker) => Heard::Question(answer(asker, method == "ping")),
            None => Heard::Other,
        });
    }
    let id = message.get("id").and_then(Value::as_u64).filter(|id| ids.contains(id));
    let Some(id) = id else { return Ok(Heard::Other) };
    match (message.get("result"), message.get("error")) {
        (Some(result), None) if result.is_object() => {
            Ok(Heard::Reply(id, Reply::Result(result.clone())))
        }
        (None, Some(error)) => {
            let code = error.get("code").and_then(Value::as_i64);
            let code = code.ok_or_else(|| nonsense("an error has no number"))?;
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            let supported = error.pointer("/data/supported").and_then(Value::as_array);
            let supported = supported.into_iter().flatten().take(MAX_VERSIONS);
            let supported = supported.filter_map(Value::as_str).map(str::to_owned).collect();
            Ok(Heard::Reply(id, Reply::Error { code, message: message.to_owned(), supported }))
        }
        _ => Err(nonsense("an answer has neither a result nor an error, or both")),
    }
}

/// What a server that asks something is told: that this client is there, and can do nothing else.
fn answer(asker: &Value, ping: bool) -> Value {
    match ping {
        true => json!({ "jsonrpc": "2.0", "id": asker, "result": {} }),
        false => {
            let error = json!({ "code": -32601, "message": "this client is asked nothing" });
            json!({ "jsonrpc": "2.0", "id": asker, "error": error })
        }
    }
}

#[cfg(test)]
#[path = "message_tests.rs"]
mod tests;
