//! What a client writes, read as messages. The SDK passes over what it cannot read, and whoever waits
//! for an answer waits for ever; here everything that could be a request is answered. Start at [`read`];
//! [`Scan`] finds the number of a message that is too long to be kept.

use metier_format::json::{TooHeavy, weigh};
use metier_runtime::unambiguous;
use serde_json::{Value, json};

use super::sdk::{ClientJsonRpcMessage, ErrorCode};
use crate::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_MEMORY};

/// Most characters of a request's own number that are repeated; clients count.
const MAX_ID_BYTES: usize = 256;

/// Why something is no message, as the client is told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refusal {
    /// The request's own number; null when it has none that can be read.
    id: Value,
    code: ErrorCode,
    message: String,
}

impl Refusal {
    /// It has more bytes than a message may have.
    pub(super) fn too_long(id: Value) -> Self {
        let message = format!("a message has at most {MAX_MESSAGE_BYTES} bytes");
        Self { id, code: ErrorCode::INVALID_REQUEST, message }
    }

    /// Its values take more memory than those of a message may. Nobody reads it, so that its number is
    /// looked for as in what is too long.
    fn too_heavy(bytes: &[u8], heavy: TooHeavy) -> Self {
        let mut scan = Scan::default();
        scan.read(bytes);
        Self { id: scan.id(), code: ErrorCode::INVALID_REQUEST, message: heavy.to_string() }
    }

    /// The answer.
    pub(crate) fn to_json(&self) -> Value {
        let error = json!({ "code": self.code.0, "message": self.message });
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error })
    }
}

/// The message in `bytes`; none when there is nothing in them that anybody waits for an answer to.
pub(crate) fn read(bytes: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refusal> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return Ok(None);
    }
    weigh(bytes, MAX_MESSAGE_MEMORY).map_err(|heavy| Refusal::too_heavy(bytes, heavy))?;
    // Of two members of one name every reader takes another, and somebody rules on one of them.
    let is_clear = unambiguous::read(bytes).is_ok();
    if let (true, Ok(message)) = (is_clear, serde_json::from_slice(bytes)) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(bytes).map_err(|_| Refusal {
        id: Value::Null,
        code: ErrorCode::PARSE_ERROR,
        message: "this is no JSON".to_owned(),
    })?;
    let is_notification = value.get("method").is_some() && value.get("id").is_none();
    let is_answer = value.get("method").is_none()
        && (value.get("result").is_some() || value.get("error").is_some());
    if is_notification || is_answer {
        // Neither is ever answered, not even when it is wrong.
        return Ok(None);
    }
    let id = value.get("id").filter(|id| id.is_string() || id.is_number());
    Err(Refusal {
        id: id.cloned().unwrap_or_default(),
        code: ErrorCode::INVALID_REQUEST,
        message: if is_clear { "this is no request" } else { "a name stands twice in it" }
            .to_owned(),
    })
}

/// The value of `id` in a JSON object that is read byte by byte and not kept. Linear in the object,
/// in memory that does not grow with it.
#[derive(Debug, Default)]
pub(super) struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
    /// What stands in the object itself since its last comma or colon.
    text: Vec<u8>,
    /// Whether that is the value of `id`.
    is_id: bool,
    id: Value,
}

impl Scan {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.step(*byte));
    }

    /// The number, when there was one.
    pub(super) fn id(self) -> Value {
        self.id
    }

    fn step(&mut self, byte: u8) {
        if self.in_string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => {
                self.end_member();
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(),
            b':' if self.depth == 1 => {
                self.is_id = self.text == b"\"id\"";
                self.text.clear();
            }
            _ if byte.is_ascii_whitespace() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.text.len() < MAX_ID_BYTES {
            self.text.push(byte);
        }
    }

    fn end_member(&mut self) {
        if self.depth != 1 {
            return;
        }
        if self.is_id {
            let value: Value = serde_json::from_slice(&self.text).unwrap_or_default();
            self.id = if value.is_string() || value.is_number() { value } else { Value::Null };
        }
        self.is_id = false;
        self.text.clear();
    }
}

#[cfg(test)]
#[path = "incoming_tests.rs"]
mod tests;
