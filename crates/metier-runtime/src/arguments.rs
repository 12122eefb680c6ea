//! Arguments: how a text is split into words, and where a skill's body takes them.
//!
//! Substitution is one pass over the body: what is put in is never looked at again, so arguments
//! cannot bring placeholders of their own. A positional placeholder is replaced only when there is
//! an argument for it, because `$1` in a shell example is not meant for us.

use std::path::Path;

/// What number the first argument has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// `$0` is the first.
    #[default]
    Zero,
    /// `$1` is the first.
    One,
}

/// What goes into a body.
#[derive(Clone, Copy, Debug)]
pub struct Substitution<'a> {
    /// The arguments as given, one text.
    pub arguments: &'a str,
    /// The names positional arguments have, in order.
    pub names: &'a [String],
    /// What number the first one has.
    pub base: Base,
    /// The skill's directory.
    pub directory: &'a Path,
    /// The session's id.
    pub session: &'a str,
}

/// Spellings of the skill's directory that clients use.
const DIRECTORY_NAMES: &[&str] = &[
    "SKILL_DIR",
    "CLAUDE_SKILL_DIR",
    "CLAUDE_PLUGIN_ROOT",
    "SKILL_ROOT",
    "SKILL_PATH",
    "BASE_PATH",
];

/// What arguments begin with at the end of a body that has no place for them.
const APPENDED: &str = "ARGUMENTS: ";

/// Spellings of the session's id that clients use.
const SESSION_NAMES: &[&str] = &["SESSION_ID", "CLAUDE_SESSION_ID"];

/// `body` with its placeholders filled: `$ARGUMENTS`, `$ARGUMENTS[n]`, `$n`, `$name`, `${name}`,
/// `${SKILL_DIR}` and the client spellings. A body without a placeholder for the arguments gets
/// them at its end. A backslash before a placeholder keeps it and goes itself. Linear in the sizes
/// of body and result.
#[must_use]
pub fn substitute(body: &str, with: &Substitution<'_>) -> String {
    let words = split(with.arguments);
    let mut out = String::with_capacity(body.len() + with.arguments.len());
    let mut used = false;
    let mut rest = body;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        let Some((length, place)) = placeholder(from, with, words.len()) else {
            out.push_str(before);
            out.push('$');
            rest = &from[1..];
            continue;
        };
        rest = &from[length..];
        if let Some(before) = before.strip_suffix('\\') {
            out.push_str(before);
            out.push_str(&from[..length]);
            continue;
        }
        out.push_str(before);
        used |= !matches!(place, Place::Directory | Place::Session);
        match place {
            Place::All => out.push_str(with.arguments),
            Place::Word(index) => out.push_str(words.get(index).map_or("", String::as_str)),
            Place::Directory => out.push_str(&with.directory.to_string_lossy()),
            Place::Session => out.push_str(with.session),
        }
    }
    out.push_str(rest);
    if !used && !with.arguments.trim().is_empty() {
        let gap = if out.ends_with('\n') { "\n" } else { "\n\n" };
        out.push_str(gap);
        out.push_str(APPENDED);
        out.push_str(with.arguments);
        out.push('\n');
    }
    out
}

/// `body` without the `arguments` that [`substitute`] put at its end, for who tells them elsewhere.
#[must_use]
pub fn without_arguments<'a>(body: &'a str, arguments: &str) -> &'a str {
    let whole = body.trim_end();
    let rest =
        whole.strip_suffix(arguments.trim_end()).and_then(|rest| rest.strip_suffix(APPENDED));
    match rest {
        Some(rest) if !arguments.trim().is_empty() => rest.trim_end(),
        _ => body,
    }
}

/// What a placeholder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    All,
    Word(usize),
    Directory,
    Session,
}

/// The placeholder `text` starts with: its length and what it stands for.
fn placeholder(text: &str, with: &Substitution<'_>, given: usize) -> Option<(usize, Place)> {
    let after = text.strip_prefix('$')?;
    if let Some(braced) = after.strip_prefix('{') {
        let end = braced.find('}')?;
        let place = named(&braced[..end], with, given)?;
        return Some((end + 3, place));
    }
    if let Some(rest) = after.strip_prefix("ARGUMENTS") {
        if let Some(index) = bracketed(rest) {
            let length = 1 + "ARGUMENTS".len() + index.len() + 2;
            return Some((length, Place::Word(position(index, with.base)?)));
        }
        let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        return ends.then_some((1 + "ARGUMENTS".len(), Place::All));
    }
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    let place = named(&after[..end], with, given)?;
    // Without braces only numbers and declared names count: `$HOME` belongs to the shell.
    matches!(place, Place::Word(_)).then_some((end + 1, place))
}

/// What a name between braces, or a number, stands for.
fn named(name: &str, with: &Substitution<'_>, given: usize) -> Option<Place> {
    if name.is_empty() {
        return None;
    }
    if name.bytes().all(|b| b.is_ascii_digit()) {
        return position(name, with.base).filter(|index| *index < given).map(Place::Word);
    }
    if name == "ARGUMENTS" {
        return Some(Place::All);
    }
    if DIRECTORY_NAMES.contains(&name) {
        return Some(Place::Directory);
    }
    if SESSION_NAMES.contains(&name) {
        return Some(Place::Session);
    }
    with.names.iter().position(|known| known == name).map(Place::Word)
}

/// The digits in `[12]…`.
fn bracketed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('[')?;
    let digits = &inner[..inner.find(']')?];
    (!digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(digits)
}

/// The index of the argument numbered `digits`.
fn position(digits: &str, base: Base) -> Option<usize> {
    let number: usize = digits.parse().ok()?;
    match base {
        Base::Zero => Some(number),
        Base::One => number.checked_sub(1),
    }
}

/// Splits `text` into words as a shell would: white space separates, quotes and backslashes keep
/// together. An unclosed quote ends with the text.
#[must_use]
pub fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\\', Some('"') | None) => {
                word.get_or_insert_default().push(chars.next().unwrap_or('\\'));
            }
            (c, Some(_)) => word.get_or_insert_default().push(c),
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, None) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// A word as it is written so that [`split`] gives it back.
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"\"'\\".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
}

/// `/skill:NAME args` or `/NAME args`, as a user types it to a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlashCommand {
    /// The name as typed; looked up like any other.
    pub name: String,
    /// What follows it.
    pub arguments: String,
    /// Whether it was written `/skill:NAME`, which can only mean a skill.
    pub explicit: bool,
}

impl SlashCommand {
    /// The command `line` is, when it is one. A path such as `/etc/hosts` is not.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let line = line.trim();
        let rest = line.strip_prefix('/')?;
        let (explicit, rest) = match rest.strip_prefix("skill:") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, rest),
        };
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (name, arguments) = rest.split_at(end);
        if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
            return None;
        }
        let arguments = arguments.trim().to_owned();
        Some(Self { name: name.to_owned(), arguments, explicit })
    }
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
