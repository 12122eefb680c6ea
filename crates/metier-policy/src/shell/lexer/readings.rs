//! The texts that shells may make of one word before they look for files: braces are written out, a
//! tilde behind `NAME=` is the home directory to some and a tilde to others, and a wildcard behind a
//! dot may find `..`.
//!
//! They serve those who must not miss a file; what a word certainly is, the lexer alone says. Linear
//! in what is written out, of which [`MAX_READINGS`] bounds the number.

use crate::limits::{MAX_PATH_BYTES, MAX_READINGS};
use crate::shell::word::is_name;

/// The texts `written` may stand for, when they are more than itself. Nothing also where they cannot
/// be told: too many, or with a substitution inside. `spelled` is the word without its quotes.
pub(super) fn of(written: &str, spelled: &str) -> Option<Vec<String>> {
    let braces = written.contains('{') && (written.contains(',') || written.contains(".."));
    let tilde = is_tilde_behind_name(written);
    let dotted = may_lead_up(spelled);
    if !(braces || tilde || dotted) || written.contains(['`', '\n']) || written.contains("$(") {
        return None;
    }
    let mut texts = vec![written.to_owned()];
    if braces {
        texts = written_out(written)?;
    }
    if tilde {
        let homes: Vec<String> = texts.iter().filter_map(|text| at_home(text)).collect();
        texts.extend(homes);
    }
    let up: Vec<String> =
        texts.iter().filter(|text| may_lead_up(text)).map(|t| led_up(t)).collect();
    texts.extend(up);
    let same = texts.iter().all(|text| text == written);
    (texts.len() <= MAX_READINGS && !same).then_some(texts)
}

/// Every word that braces make of one; nothing for more than a few.
fn written_out(text: &str) -> Option<Vec<String>> {
    let (mut open, mut done) = (vec![text.to_owned()], Vec::new());
    while let Some(text) = open.pop() {
        if open.len() + done.len() > MAX_READINGS || text.len() > MAX_PATH_BYTES {
            return None;
        }
        match first_list(&text) {
            Some((before, parts, behind)) => {
                let words = parts.iter().rev().map(|part| format!("{before}{part}{behind}"));
                open.extend(words);
            }
            None => done.push(text),
        }
    }
    Some(done)
}

/// The first list in braces: what stands before it, its parts and what stands behind it.
fn first_list(text: &str) -> Option<(&str, Vec<String>, &str)> {
    let mut from = 0;
    while let Some(at) = unquoted(text, from, '{') {
        if let Some((parts, end)) = list(text, at)
            && !text.get(..at)?.ends_with('$')
        {
            return Some((text.get(..at)?, parts, text.get(end..)?));
        }
        from = at + 1;
    }
    None
}

/// The parts of the list that opens at byte `at`, and where it ends.
fn list(text: &str, at: usize) -> Option<(Vec<String>, usize)> {
    let (mut depth, mut from, mut parts) = (0_usize, at + 1, Vec::new());
    for (index, c) in bare(text.get(at..)?).map(|(index, c)| (at + index, c)) {
        match c {
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(text.get(from..index)?.to_owned());
                from = index + 1;
            }
            '}' if depth == 1 => {
                let last = text.get(from..index)?;
                if parts.is_empty() {
                    return Some((vec![range(last)?.to_owned()], index + 1));
                }
                parts.push(last.to_owned());
                return Some((parts, index + 1));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A wildcard for what `{a..e}` and `{1..9}` stand for.
fn range(inner: &str) -> Option<&'static str> {
    let (first, rest) = inner.split_once("..")?;
    let last = rest.split("..").next()?;
    let number = |text: &str| text.parse::<i64>().is_ok();
    let letter = |text: &str| text.len() == 1 && text.bytes().all(|b| b.is_ascii_alphabetic());
    match (first, last) {
        _ if number(first) && number(last) => Some("*"),
        _ if letter(first) && letter(last) => Some("?"),
        _ => None,
    }
}

/// Where an unquoted character stands, at or behind `from`.
fn unquoted(text: &str, from: usize, wanted: char) -> Option<usize> {
    bare(text).find(|(index, c)| *c == wanted && *index >= from).map(|(index, _)| index)
}

/// The characters that are neither quoted nor escaped nor do that to others, and where they stand.
fn bare(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let (mut quote, mut escaped) = (None, false);
    text.char_indices().filter(move |(_, c)| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        match (quote, *c) {
            (None, '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(*c),
            (Some(mark), c) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, _) => return true,
        }
        false
    })
}

/// Whether it is `NAME=~…`, or a list behind `NAME=` with such a part.
fn is_tilde_behind_name(written: &str) -> bool {
    let Some((name, value)) = written.split_once('=') else { return false };
    is_name(name)
        && (value.starts_with('~') || (value.contains(":~") && !value.contains(['"', '\''])))
}

/// The same with the home directory for each tilde behind `=` or `:`.
fn at_home(text: &str) -> Option<String> {
    let home = text.replace("=~/", "=$HOME/").replace(":~/", ":$HOME/");
    let home = match home.strip_suffix('~').filter(|rest| rest.ends_with(['=', ':'])) {
        Some(rest) => format!("{rest}$HOME"),
        None => home,
    };
    (home != text).then_some(home)
}

/// Whether a part of the path may turn out to be `..`: a dot, and wildcards behind it.
fn may_lead_up(text: &str) -> bool {
    text.contains('.') && text.contains(['*', '?', '[']) && text.split('/').any(may_be_parent)
}

fn may_be_parent(part: &str) -> bool {
    let plain = part.replace(['\'', '"', '\\'], "");
    let Some(rest) = plain.strip_prefix('.') else { return false };
    let wild = rest.contains(['*', '?', '[']);
    // `[.]` is a class; what is in it is not told apart.
    wild && (rest.starts_with('[') && rest.ends_with(']')
        || rest.chars().all(|c| "*?.".contains(c)))
}

fn led_up(text: &str) -> String {
    let parts = text.split('/').map(|part| if may_be_parent(part) { ".." } else { part });
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
#[path = "readings_tests.rs"]
mod tests;
