//! What a tool answers.

use std::borrow::Cow;

use metier_format::text::visible;
use metier_runtime::capability::write_out;
use metier_runtime::{CapabilityError, JournalError};
use serde_json::{Value, json};

use crate::limits::MAX_RESULT_CHARS;

/// What a tool answers: the same in words and, where the dialect has it, as data.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The words.
    pub text: String,
    /// The data.
    pub data: Option<Value>,
    /// Whether the call failed.
    pub failed: bool,
}

impl Reply {
    /// Data, whose words are its JSON.
    #[must_use]
    pub fn data(data: Value) -> Self {
        Self { text: data.to_string(), data: Some(data), failed: false }
    }

    /// Words only.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), data: None, failed: false }
    }

    /// A failure, by its code and its sentence.
    #[must_use]
    pub fn failure(code: &str, sentence: &str) -> Self {
        Self {
            text: format!("{code}: {sentence}"),
            data: Some(json!({ "error": { "code": code, "message": sentence } })),
            failed: true,
        }
    }

    /// A failure of an operation.
    #[must_use]
    pub fn error(error: &CapabilityError) -> Self {
        Self::failure(error.code(), &error.sentence())
    }

    /// The same with every live character written as `\u{…}`.
    pub(super) fn written_out(mut self) -> Self {
        if let Cow::Owned(seen) = visible(&self.text) {
            self.text = seen;
        }
        self.data.iter_mut().for_each(write_out);
        self
    }

    /// The session could not be opened.
    #[must_use]
    pub fn refused(error: &JournalError) -> Self {
        Self::failure("journal_refused", &error.to_string())
    }
}

/// What the word that something was cut may take in an answer.
const CUT_MARGIN: usize = 100;

/// As much of `text` as agents take whole, and whether something was left out. Counted as JSON
/// has it, since that is what agents count.
pub(super) fn fitting(text: &str) -> (&str, bool) {
    fitting_in(text, MAX_RESULT_CHARS)
}

pub(super) fn fitting_in(text: &str, mut room: usize) -> (&str, bool) {
    for (at, char) in text.char_indices() {
        let cost = escaped(char);
        if cost > room {
            return (text.get(..at).unwrap_or_default(), true);
        }
        room -= cost;
    }
    (text, false)
}

/// Characters a character is as JSON.
pub(crate) fn escaped(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        char if (char as u32) < 0x20 => 6,
        _ => 1,
    }
}

/// The answer of a script, no longer than agents take whole: where its result is longer, the
/// beginning of it as text, with the word that it is.
pub(super) fn enveloped(mut answer: Value) -> Reply {
    let failed = answer.get("success") == Some(&Value::Bool(false));
    for member in ["result", "stdout"] {
        let Some(value) = answer.get(member) else { continue };
        let whole = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        // What stands around it, and that it was cut, has to fit too.
        let around = answer.to_string().len().saturating_sub(value.to_string().len());
        let room = MAX_RESULT_CHARS.saturating_sub(around + CUT_MARGIN);
        let (part, cut) = fitting_in(&whole, room);
        if let (true, Value::Object(members)) = (cut, &mut answer) {
            let truncated = json!({ "kept": part.len(), "total": whole.len() });
            members.insert(member.to_owned(), part.into());
            members.insert("truncated".to_owned(), truncated);
        }
    }
    Reply { failed, ..Reply::data(answer) }
}

/// The text `arguments` has under `name`; empty when there is none.
pub(super) fn text_of<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
