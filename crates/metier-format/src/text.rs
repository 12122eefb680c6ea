//! Untrusted text made safe to look at: which characters hide or reorder, and how they are shown.

use std::borrow::Cow;

/// Whether `c` changes what a reader sees without being seen: bidirectional controls, zero-width
/// characters, tags, variation selectors supplement, line and paragraph separators, interlinear
/// marks. The emoji selectors U+FE0E and U+FE0F are not hidden: real skills use them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `c` may reach a terminal as it is.
#[must_use]
pub fn is_live(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t') || is_hidden(c)
}

/// `text` with every live character written as `\u{…}`, on as many lines as it has.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, is_live)
}

/// `text` on one line: live characters escaped, line breaks and tabs as single spaces.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r', '\t']) {
        return visible(text);
    }
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Cow::Owned(visible(&flat).into_owned())
}

/// `text` as a message quotes it: in backticks, on one line, nothing live, cut where it gets long.
#[must_use]
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", visible_line(text.get(..end).unwrap_or_default())),
        None => format!("`{}`", visible_line(text)),
    }
}

fn escape(text: &str, live: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&live) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if live(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}
