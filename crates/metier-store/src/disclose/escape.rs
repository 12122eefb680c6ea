//! Text that strangers wrote, made safe for the place it is put in: whatever a name, a description
//! or a path contains, it stays inside its element, and no character of it is live.

use metier_format::text::{visible, visible_line};

/// For the text between two tags. Quotes are escaped too, as the reference implementation of the
/// standard does it; line breaks stay.
pub(super) fn xml_text(text: &str) -> String {
    replace(&visible(text), xml)
}

/// For the value of an attribute in double quotes, on one line.
pub(super) fn xml_attribute(text: &str) -> String {
    replace(&visible(text), |c| match c {
        '\n' => Some("&#10;"),
        '\t' => Some("&#9;"),
        _ => xml(c),
    })
}

/// For a line inside an element that holds one skill a line.
pub(super) fn xml_line(text: &str) -> String {
    replace(&visible_line(text), |c| match c {
        '"' | '\'' => None,
        _ => xml(c),
    })
}

/// The same, between double quotes: nothing but the last one ends it.
pub(super) fn xml_quoted(text: &str) -> String {
    let inside = replace(&xml_line(text), |c| match c {
        '"' => Some("\\\""),
        '\\' => Some("\\\\"),
        _ => None,
    });
    format!("\"{inside}\"")
}

/// For Markdown within a line: no emphasis, code, link, HTML or entity comes of it.
pub(super) fn markdown(text: &str) -> String {
    let line = visible_line(text);
    let line = line.trim();
    let mut out = String::with_capacity(line.len() + 8);
    let mut before = ' ';
    for (index, c) in line.char_indices() {
        let after = line.get(index + c.len_utf8()..).unwrap_or_default();
        if is_markup(c, before, after) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

/// For JSON: a quoted string. What is live is written out first, so that it stays so for whoever
/// reads the JSON and shows it.
pub(super) fn json(text: &str) -> String {
    serde_json::Value::from(visible(text)).to_string()
}

fn xml(c: char) -> Option<&'static str> {
    Some(match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#x27;",
        // Only before a line feed is there one left, and there every reader of XML drops it.
        '\r' => "",
        // Not characters at all in XML.
        '\u{fffe}' => "\\u{fffe}",
        '\u{ffff}' => "\\u{ffff}",
        _ => return None,
    })
}

/// Whether Markdown could read something into `c` where it stands.
fn is_markup(c: char, before: char, after: &str) -> bool {
    match c {
        '\\' | '`' | '*' | '<' | '>' | '[' | ']' => true,
        // Within a word an underscore is a letter.
        '_' => !(before.is_alphanumeric() && after.starts_with(char::is_alphanumeric)),
        '&' => is_entity(after),
        _ => false,
    }
}

/// Whether what follows `&` reads as `amp;` or `#38;` do.
fn is_entity(after: &str) -> bool {
    let name = after.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
    name.len() < after.len() && name.starts_with(';')
}

/// Copies what lies between two escapes in one piece; most text has none.
fn replace(text: &str, with: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut copied = 0;
    for (index, c) in text.char_indices() {
        let Some(escape) = with(c) else { continue };
        out.push_str(text.get(copied..index).unwrap_or_default());
        out.push_str(escape);
        copied = index + c.len_utf8();
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

#[cfg(test)]
#[path = "escape_tests.rs"]
mod tests;
