//! What a tool answers.

use std::borrow::Cow;

use metier_format::NameKey;
use metier_format::text::{is_live, visible, visible_json};
use metier_runtime::capability::write_out;
use metier_runtime::{CapabilityError, JournalError, Session};
use metier_store::vouch::is_served;
use serde_json::{Map, Value, json};

use crate::brief::from_server;
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
const LISTED_MARGIN: usize = 300;

/// Bytes of the end of a text by which its place in a file is found.
const TAIL: usize = 400;

/// As much of `text` as fits into `room` characters, and whether something was left out. Counted as
/// JSON has it, since that is what agents count.
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

/// A part of a text, and the byte at which the next part begins, when there is one.
pub(super) struct Part<'a> {
    pub(super) text: &'a str,
    pub(super) next: Option<usize>,
}

/// As much of `text` from byte `offset` on as fits into `room` characters of JSON: at least one
/// character, so that whoever goes on comes to the end.
pub(super) fn part_of(text: &str, offset: usize, room: usize) -> Part<'_> {
    let from = text.floor_char_boundary(offset);
    let rest = text.get(from..).unwrap_or_default();
    match fitting_in(rest, room) {
        (_, false) => Part { text: rest, next: None },
        (part, true) => {
            let end = part.len().max(rest.ceil_char_boundary(1));
            Part { text: rest.get(..end).unwrap_or_default(), next: Some(from + end) }
        }
    }
}

/// As much of a part of a file as fits into `room` characters of JSON, with `next` where it ends.
pub(super) fn file_part(mut answer: Value, room: usize) -> Value {
    let from = answer.get("offset").and_then(Value::as_u64).unwrap_or_default();
    let (member, kept, bytes) = match answer.get("base64").and_then(Value::as_str) {
        // Four characters are three bytes.
        Some(base64) if base64.len() > room => {
            let end = room / 4 * 4;
            ("base64", base64.get(..end).unwrap_or_default().to_owned(), end / 4 * 3)
        }
        Some(_) => return answer,
        None => match part_of(text_of(&answer, "text"), 0, room) {
            Part { next: None, .. } => return answer,
            Part { text, next: Some(next) } => ("text", text.to_owned(), next),
        },
    };
    if let Value::Object(members) = &mut answer {
        members.insert("next".to_owned(), (from + bytes as u64).into());
        members.insert(member.to_owned(), kept.into());
    }
    answer
}

/// Characters of the value as JSON in which nothing is live.
pub(super) fn length(value: &Value) -> usize {
    units(&written(value))
}

/// The byte of `SKILL.md` of the skill called `name` at which the text goes on that ends with `kept`:
/// never later, so that whoever goes on there misses nothing.
pub(super) fn goes_on(session: &Session, name: &str, kept: &str) -> usize {
    let entry = session.catalog().get(&NameKey::of(name));
    let skill = entry.and_then(|entry| session.store().load(&entry.location()).ok());
    let source = skill.map(|skill| skill.source).unwrap_or_default();
    let source = std::str::from_utf8(&source).unwrap_or_default();
    let end = kept.get(kept.floor_char_boundary(kept.len().saturating_sub(TAIL))..);
    let end = end.filter(|end| !end.is_empty());
    end.and_then(|end| source.find(end).map(|at| at + end.len())).unwrap_or_default()
}

/// The MCP server an activated skill is from, when it is from one.
pub(super) fn origin_of(activated: &Value) -> Option<&str> {
    let source = activated.pointer("/chain/source").and_then(Value::as_str)?;
    is_served(source).then_some(source)
}

/// The body of an activated skill; before it stands which server it is from, when it is from one.
pub(super) fn body_of(activated: &Value) -> String {
    let body = text_of(activated, "body");
    match origin_of(activated) {
        Some(origin) => format!("{}\n\n{body}", from_server(origin)),
        None => body.to_owned(),
    }
}

/// Characters of a text as agents count them that are written in JavaScript: units of UTF-16, of which
/// what lies beyond the first plane has two.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Characters a character is as JSON in which nothing is live, as [`units`] counts.
pub(crate) fn escaped(char: char) -> usize {
    match char {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        char if is_live(char) => 6 * char.len_utf16(),
        char => char.len_utf16(),
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
    let chars = |value: &Value| length(value);
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
    let last = result.keys().max().filter(|_| total > 1);
    let on = last.map(|last| format!(" `after` `{last}` goes on,")).unwrap_or_default();
    let said = format!("{said}; the first are listed,{on} name a skill for its own");
    let skills = json!({ "kept": result.len(), "total": total });
    members.insert("message".to_owned(), said.into());
    members.insert("result".to_owned(), result.into());
    members.insert("truncated".to_owned(), scripts.filter(|_| total == 1).unwrap_or(skills));
    Reply::data(answer)
}

/// The first of `items` that fit into `room` characters of JSON.
pub(super) fn first_of(items: &[Value], room: usize) -> Vec<Value> {
    let mut left = room.saturating_sub(2);
    let fits = |item: &&Value| {
        let cost = length(item) + 1;
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
