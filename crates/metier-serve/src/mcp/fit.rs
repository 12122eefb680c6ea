//! Answers no longer than agents take. Agents cut what is longer, mostly in the middle, and then no
//! form of it can be read; so what is too long is shortened here, where its shape is known: lists
//! lose their last items and texts their ends, members stay as long as their names fit, and the answer
//! says that it was cut.

use serde_json::{Map, Value, json};

use crate::dialect::{Reply, escaped, units, written};
use crate::limits::MAX_RESULT_CHARS;

/// Where an answer says that it was shortened.
const CUT: &str = "truncated";

/// Room for saying so.
const REMARK: usize = 80;

/// The reply in both of its forms, none longer than [`MAX_RESULT_CHARS`].
pub(super) fn fitted(mut reply: Reply) -> Reply {
    let fits = reply.data.as_ref().is_none_or(fits);
    if fits && reply.text.len() <= MAX_RESULT_CHARS {
        return reply;
    }
    let same = reply.data.as_ref().map(written).as_deref() == Some(reply.text.as_str());
    if let Some(data) = reply.data.take() {
        reply.data = Some(shortened(data));
    }
    match &reply.data {
        Some(data) if same => reply.text = written(data),
        _ => reply.text = cut_with_a_word(reply.text),
    }
    reply
}

/// Whether the value is short enough as it is. [`size`] counts a comma too much here and there.
fn fits(data: &Value) -> bool {
    size(data) <= MAX_RESULT_CHARS || units(&written(data)) <= MAX_RESULT_CHARS
}

/// The text, or its beginning and how much is missing.
fn cut_with_a_word(mut text: String) -> String {
    let total = units(&text);
    if total <= MAX_RESULT_CHARS {
        return text;
    }
    let mut kept = 0;
    let mut fits = |char: char| {
        kept += char.len_utf16();
        kept <= MAX_RESULT_CHARS - REMARK
    };
    let end = text.chars().take_while(|char| fits(*char)).map(char::len_utf8).sum();
    text.truncate(end);
    let more = total - units(&text);
    text.push_str(&format!("… ({more} more characters)"));
    text
}

/// The value, or as much of it as fits.
fn shortened(data: Value) -> Value {
    if fits(&data) {
        return data;
    }
    let total = size(&data);
    let mut data = shrunk(data, MAX_RESULT_CHARS - REMARK);
    if let Value::Object(members) = &mut data {
        let kept = members.values().map(size).sum::<usize>();
        members.entry(CUT).or_insert_with(|| json!({ "kept": kept, "total": total }));
    }
    data
}

/// As much of the value as `room` characters of JSON hold, of the same type. Linear in the value,
/// times its depth.
fn shrunk(value: Value, room: usize) -> Value {
    if size(&value) <= room {
        return value;
    }
    match value {
        Value::String(text) => cut(&text, room).into(),
        Value::Array(items) => first(items, room).into(),
        Value::Object(members) => shared(members, room).into(),
        other => other,
    }
}

/// The first items that fit, and a part of the first where it does not.
fn first(items: Vec<Value>, room: usize) -> Vec<Value> {
    let mut left = room.saturating_sub(2);
    let mut kept = Vec::new();
    for item in items {
        let cost = size(&item) + 1;
        if cost <= left {
            left -= cost;
            kept.push(item);
            continue;
        }
        let part = kept.is_empty().then(|| shrunk(item, left.saturating_sub(1)));
        kept.extend(part.filter(|part| size(part) < left));
        break;
    }
    kept
}

/// Every member, as long as their names leave room, and else the first of them: the small ones whole,
/// the others in equal shares of what those leave.
fn shared(members: Map<String, Value>, room: usize) -> Map<String, Value> {
    let mut left = room.saturating_sub(2);
    let fits = |(name, value): &(String, Value)| {
        let least = named(name) + least(value);
        left.checked_sub(least).map(|rest| left = rest).is_some()
    };
    let members: Vec<(String, Value)> = members.into_iter().take_while(fits).collect();
    let wanted = |value: &Value| size(value) - least(value);
    let mut order: Vec<(usize, usize)> =
        members.iter().enumerate().map(|(at, (_, value))| (wanted(value), at)).collect();
    order.sort_unstable();
    let mut shares = vec![0; members.len()];
    for (rank, (wanted, at)) in order.iter().enumerate() {
        let share = (*wanted).min(left / (order.len() - rank).max(1));
        left -= share;
        if let Some(place) = shares.get_mut(*at) {
            *place = share;
        }
    }
    let shrink = |((name, value), share): ((String, Value), usize)| {
        let room = least(&value) + share;
        (name, shrunk(value, room))
    };
    members.into_iter().zip(shares).map(shrink).collect()
}

/// Characters a value has at least, however short it is made: a number is whole or is none.
fn least(value: &Value) -> usize {
    match value {
        Value::String(_) | Value::Array(_) | Value::Object(_) => 2,
        other => size(other),
    }
}

/// Characters of a member beside its value.
fn named(name: &str) -> usize {
    4 + name.chars().map(escaped).sum::<usize>()
}

/// The beginning of a text whose JSON fits.
fn cut(text: &str, room: usize) -> &str {
    let mut left = room.saturating_sub(2);
    for (at, char) in text.char_indices() {
        let cost = escaped(char);
        if cost > left {
            return text.get(..at).unwrap_or_default();
        }
        left -= cost;
    }
    text
}

/// Characters of the value as JSON.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 2 + text.chars().map(escaped).sum::<usize>(),
        Value::Array(items) => 2 + items.iter().map(|item| size(item) + 1).sum::<usize>(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| named(name) + size(value);
            2 + members.iter().map(member).sum::<usize>()
        }
        other => other.to_string().len(),
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
