//! Untrusted text made safe to look at: which characters hide or reorder, and how they are shown.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether `c` changes what a reader sees without being seen: what Unicode calls default-ignorable
/// (zero-width characters, bidirectional controls, tags, variation selectors, fillers), the line and
/// paragraph separators and the interlinear marks. The emoji selectors U+FE0E and U+FE0F are not
/// hidden: real skills use them.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Whether `c` does something to a terminal or a reader, so that it may not reach them as it is. A
/// carriage return does, except right before a line feed, where it ends a line: [`visible`] knows.
#[must_use]
pub fn is_live(c: char) -> bool {
    !matches!(c, ' '..='~') && ((c.is_control() && c != '\n' && c != '\t') || is_hidden(c))
}

/// `text` with every live character written as `\u{…}`, on as many lines as it has.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escape(text, |c, out| out.extend(c.escape_unicode()))
}

/// `text` on one line: live characters escaped, each run of white space with a line break or a tab
/// in it as one space, none of those at the ends.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    if is_plain(text) {
        return Cow::Borrowed(text);
    }
    if !text.contains(['\n', '\r', '\t']) {
        return visible(text);
    }
    let mut flat = String::with_capacity(text.len());
    let mut rest = text.trim_matches(['\n', '\r', '\t', ' ']);
    while let Some(at) = rest.find(['\n', '\r', '\t']) {
        flat.push_str(rest[..at].trim_end_matches(' '));
        flat.push(' ');
        rest = rest[at..].trim_start_matches(['\n', '\r', '\t', ' ']);
    }
    flat.push_str(rest);
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

/// `json`, which is JSON text, with every live character inside its strings in JSON's own escape:
/// a program reads the same document, a terminal sees nothing it would obey.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    escape(json, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    })
}

fn escape(text: &str, write: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if is_tame(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::new();
    let mut written = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| is_live(*c)) {
        let after = at + c.len_utf8();
        if c == '\r' && text[after..].starts_with('\n') {
            continue;
        }
        out.push_str(&text[written..at]);
        write(c, &mut out);
        written = after;
    }
    if written == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[written..]);
    Cow::Owned(out)
}

/// Printable ASCII on however many lines: never live. Long texts that are all of it, as most are, are
/// looked at by their bytes.
fn is_tame(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

/// Printable ASCII and nothing else: never live, all on one line, and most text there is.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
