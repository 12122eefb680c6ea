//! What becomes of one value: whether it has a known mistake, and how it reads in quotes. Knows
//! nothing of lines and places.

use crate::yaml::{self, Value};

/// How a `key:` starts a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Bytes of the key and its colon.
    pub(super) length: usize,
    /// Whether a blank or nothing follows the colon, as YAML wants it.
    pub(super) spaced: bool,
}

/// A value in quotes, and how many bytes of the original it replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mended {
    pub(super) length: usize,
    pub(super) text: String,
}

/// Keys that are recognised without a space after their colon. Of anything else that looks like it,
/// such as `https:`, nobody can say that it is a key.
const KNOWN_KEYS: &[&str] = &[
    "agent",
    "allowed-tools",
    "argument-hint",
    "arguments",
    "author",
    "compatibility",
    "context",
    "description",
    "license",
    "metadata",
    "model",
    "name",
    "priority",
    "repository",
    "tags",
    "version",
];

/// The key that `content` starts with: a word, or anything in quotes, and a colon.
pub(super) fn key_of(content: &str) -> Option<Key> {
    let bytes = content.as_bytes();
    let end = match bytes.first()? {
        quote @ (b'"' | b'\'') => quoted_len(content, *quote)?,
        first if first.is_ascii_alphanumeric() || *first == b'_' => {
            bytes.iter().take_while(|byte| is_key_byte(**byte)).count()
        }
        _ => return None,
    };
    let spaced = match bytes.get(end..)? {
        [b':'] | [b':', b' ' | b'\t', ..] => true,
        [b':', ..] => false,
        _ => return None,
    };
    Some(Key { length: end + 1, spaced })
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether `content` starts with one of the known keys and a colon.
pub(super) fn is_known(content: &str) -> bool {
    content.split_once(':').is_some_and(|(key, _)| KNOWN_KEYS.binary_search(&key).is_ok())
}

/// Whether `yaml` has something like an anchor and something like an alias. Then they belong
/// together, and neither is a value somebody forgot to quote.
pub(super) fn has_references(yaml: &str) -> bool {
    let has = |mark: u8| {
        yaml.as_bytes().windows(3).any(|window| match window {
            [before, at, after] => {
                *at == mark
                    && matches!(before, b' ' | b'\t' | b'\n' | b'\r' | b'[' | b'{' | b',' | b':')
                    && !after.is_ascii_whitespace()
            }
            _ => false,
        })
    };
    has(b'&') && has(b'*')
}

/// Whether a value that starts with a bracket does not close it in `rest` or the lines below.
pub(super) fn leaves_bracket_open<'a>(rest: &'a str, below: impl Iterator<Item = &'a str>) -> bool {
    rest.starts_with(['[', '{']) && {
        let mut depth = 0;
        !std::iter::once(rest).chain(below).any(|text| closing_bracket(text, &mut depth).is_some())
    }
}

/// `value`, the only line of its entry, in quotes. None when it has no mistake that is known, or
/// one that only a person can mend.
pub(super) fn mend(value: &str, references: bool) -> Option<Mended> {
    let body = without_comment(value);
    let text = match body.as_bytes() {
        [quote @ (b'"' | b'\''), ..] => match quoted_len(body, *quote) {
            Some(length) if length == body.len() => return None,
            Some(_) => quote_text(body)?,
            None => return close_quote(value, *quote),
        },
        [b'[' | b'{', ..] => match closing_bracket(body, &mut 0)? {
            length if length == body.len() => return None,
            _ => quote_text(body)?,
        },
        [b'*' | b'&', ..] if references => return None,
        [b'!', b'!' | b'<', ..] => return None,
        [b'|' | b'>', header @ ..] if is_block_header(header) => return None,
        _ if starts_with_indicator(body) || has_colon(body) => quote_text(body)?,
        _ => return None,
    };
    Some(Mended { length: body.len(), text })
}

/// The lines of a plain value as one, in quotes, when a colon is what is wrong with them.
pub(super) fn mend_lines(lines: &[&str]) -> Option<String> {
    let first = lines.first()?;
    let starts_plain = !first.starts_with(['"', '\'', '[', '{']) && !starts_with_indicator(first);
    if !starts_plain || lines.iter().any(|line| without_comment(line) != *line) {
        return None;
    }
    let whole = lines.join(" ");
    if has_colon(&whole) { quote_text(&whole) } else { None }
}

/// A value with an opening quote gets its closing one.
fn close_quote(value: &str, quote: u8) -> Option<Mended> {
    let text = format!("{value}{}", char::from(quote));
    read_text(&text)?;
    Some(Mended { length: value.len(), text })
}

/// `text` in the quotes that need fewer escapes, single ones when that is equal. None when it has a
/// character that no reader accepts.
fn quote_text(text: &str) -> Option<String> {
    let count = |wanted: &[char]| text.matches(wanted).count();
    let quoted = match count(&['\'']) <= count(&['"', '\\']) {
        true => format!("'{}'", text.replace('\'', "''")),
        false => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")),
    };
    (read_text(&quoted)? == text).then_some(quoted)
}

/// What `value` reads as, when it reads as text.
fn read_text(value: &str) -> Option<String> {
    let line = format!("key: {value}");
    let tree = yaml::read(&line, 0).ok()?;
    match tree.entries.into_iter().next()?.value.value {
        Value::Scalar(scalar) => Some(scalar.text.into_owned()),
        Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

/// `value` without a comment: ` #` and a blank or nothing. `issue #12` has none, though YAML would
/// say so; whoever forgot the quotes did not think of that either.
fn without_comment(value: &str) -> &str {
    let skip = match value.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => quoted_len(value, *quote).unwrap_or(value.len()),
        _ => 0,
    };
    let is_comment = |(at, _): &(usize, &str)| {
        let before = value.get(..*at).unwrap_or("");
        let after = value.get(at + 1..).unwrap_or("");
        *at >= skip
            && before.ends_with([' ', '\t'])
            && (after.is_empty() || after.starts_with([' ', '\t']))
    };
    let end = value.match_indices('#').find(is_comment).map_or(value.len(), |(at, _)| at);
    value.get(..end).unwrap_or(value).trim_end_matches([' ', '\t'])
}

/// Whether YAML gives the start of `value` a meaning that is not text. Quotes and brackets are
/// another matter.
fn starts_with_indicator(value: &str) -> bool {
    match value.as_bytes() {
        [b'-' | b'?' | b':'] | [b'-' | b'?' | b':', b' ' | b'\t', ..] => true,
        [first, ..] => b"`@%,]}*&!|>#".contains(first),
        [] => false,
    }
}

/// Whether `value` has a colon that ends a key.
fn has_colon(value: &str) -> bool {
    value.ends_with(':') || value.contains(": ") || value.contains(":\t")
}

/// Whether `header` is what may follow `|` or `>` when the text starts on the next line.
fn is_block_header(header: &[u8]) -> bool {
    matches!(header, [] | [b'+' | b'-' | b'1'..=b'9'])
        || matches!(header, [b'+' | b'-', b'1'..=b'9'] | [b'1'..=b'9', b'+' | b'-'])
}

/// The length of the quoted text `content` starts with, quotes included.
fn quoted_len(content: &str, quote: u8) -> Option<usize> {
    let bytes = content.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'\\' if quote == b'"' => at += 2,
            byte if *byte == quote => {
                if quote == b'\'' && bytes.get(at + 1) == Some(&quote) {
                    at += 2;
                } else {
                    return Some(at + 1);
                }
            }
            _ => at += 1,
        }
    }
}

/// How far `text` goes until every bracket is closed again, `depth` of them being open before.
fn closing_bracket(text: &str, depth: &mut usize) -> Option<usize> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' | b'{' => *depth += 1,
            b']' | b'}' => {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
