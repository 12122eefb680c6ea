//! What a tool answers.

use std::borrow::Cow;

use metier_format::text::{is_live, visible, visible_json};
use metier_runtime::capability::write_out;
use metier_runtime::{CapabilityError, JournalError};
use serde_json::{Map, Value, json};

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
    /// Data, whose words are its JSON. What nobody would see is in JSON's own escapes there, so that
    /// a model sees it and a program reads the same.
    #[must_use]
    pub fn data(data: Value) -> Self {
        Self { text: written(&data), data: Some(data), failed: false }
    }

    /// Words only.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), data: None, failed: false }
    }

    /// A failure, by its code and its sentence.
    #[must_use]
    pub fn failure(code: &str, sentence: &str) -> Self {
        let sentence = visible(sentence);
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

    /// The same with every live character written as `\u{…}`; in the words only where `verbatim`
    /// says that the data is what somebody wants to have as it is.
    pub(super) fn written_out(mut self, verbatim: bool) -> Self {
        if let Some(data) = self.data.as_mut().filter(|_| !verbatim) {
            let same = written(data) == self.text;
            write_out(data);
            if same {
                self.text = written(data);
            }
        }
        if let Cow::Owned(seen) = visible(&self.text) {
            self.text = seen;
        }
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

/// What saying that a list was cut, and how to get the rest, may take in an answer.
const LISTED_MARGIN: usize = 200;

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

/// Characters a character is as JSON in which nothing is live.
pub(crate) fn escaped(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        char if is_live(char) => 6 * char.len_utf16(),
        _ => 1,
    }
}

/// The data as JSON in which nothing is live.
pub(crate) fn written(data: &Value) -> String {
    match visible_json(&data.to_string()) {
        Cow::Owned(seen) => seen,
        Cow::Borrowed(json) => json.to_owned(),
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

/// The scripts of as many skills as agents take whole, each with all of its own or, when even one
/// skill has more, with its first. What is missing is counted, and how to get it said.
pub(super) fn listed_scripts(mut answer: Value) -> Reply {
    let chars = |value: &Value| written(value).chars().count();
    if chars(&answer) <= MAX_RESULT_CHARS {
        return Reply::data(answer);
    }
    let Some(members) = answer.as_object_mut() else { return Reply::data(answer) };
    let Some(Value::Object(all)) = members.remove("result") else { return Reply::data(answer) };
    let around = chars(&Value::Object(members.clone())) + LISTED_MARGIN;
    let mut left = MAX_RESULT_CHARS.saturating_sub(around);
    let total = all.len();
    let mut result = Map::new();
    let mut scripts = None;
    for (skill, list) in all {
        let cost = chars(&list) + chars(&skill.as_str().into()) + 2;
        if cost <= left {
            left -= cost;
            result.insert(skill, list);
        } else if result.is_empty()
            && let Value::Array(items) = list
        {
            let first = first_of(&items, left.saturating_sub(cost - chars(&items.clone().into())));
            scripts = Some(json!({ "kept": first.len(), "total": items.len() }));
            result.insert(skill, first.into());
            break;
        } else {
            break;
        }
    }
    let said = members.get("message").and_then(Value::as_str).unwrap_or_default();
    let said = format!("{said}; the first are listed, name a skill for its own");
    let skills = json!({ "kept": result.len(), "total": total });
    members.insert("message".to_owned(), said.into());
    members.insert("result".to_owned(), result.into());
    members.insert("truncated".to_owned(), scripts.filter(|_| total == 1).unwrap_or(skills));
    Reply::data(answer)
}

/// The first of `items` that fit into `room` characters of JSON.
fn first_of(items: &[Value], room: usize) -> Vec<Value> {
    let mut left = room.saturating_sub(2);
    let fits = |item: &&Value| {
        let cost = written(item).chars().count() + 1;
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    };
    items.iter().take_while(fits).cloned().collect()
}

/// The text `arguments` has under `name`; empty when there is none.
pub(super) fn text_of<'a>(arguments: &'a Value, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
#[path = "reply_tests.rs"]
mod tests;
