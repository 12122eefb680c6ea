//! Variables that a command sets to text that stands in it: `x=~/.cl; rm -r ${x}aude` names what it
//! removes, though not in one word.
//!
//! [`written_out`] is the same command with that text in the place of the variables, for whoever must
//! not miss a file; what else a variable may hold is nobody's to know. It follows no order beyond that
//! of the text: where there are branches or loops, a variable may have any value it is given. Quotes
//! are no border, for what stands in them may be for another shell. Start there.
//!
//! Time is linear in what comes out, of which there is no more than [`MAX_CUT_BYTES`].

use std::collections::BTreeMap;

use crate::limits::{MAX_CUT_BYTES, MAX_PATH_BYTES, MAX_READINGS, MAX_SEARCHED_BYTES};
use crate::shell::word::is_name;

/// Words and signs by which commands may run in another order than they are written in, or not at all.
const BRANCHES: [&str; 10] =
    ["if ", "for ", "while ", "until ", "case ", "function ", "()", "&&", "||", "select "];

/// What ends a word.
const ENDS: &str = " \t\n;&|()<>`";

/// What may stand in a value that is put where a variable was.
const PLAIN: &str = "_./~@%+,:=-*?[]^!{} ";

/// A command with variables replaced by what they are set to; nothing where that changes nothing.
pub(super) fn written_out(text: &str, home: Option<&str>) -> Option<String> {
    if !text.contains('$') {
        return None;
    }
    let orderly = !BRANCHES.iter().any(|sign| text.contains(sign));
    let mut writer = Writer { text, at: 0, home, orderly, ..Writer::default() };
    while writer.out.len() < MAX_CUT_BYTES && writer.step().is_some() {}
    writer.replaced.then_some(writer.out)
}

#[derive(Default)]
struct Writer<'t> {
    text: &'t str,
    at: usize,
    home: Option<&'t str>,
    /// Commands run in the order they are written in.
    orderly: bool,
    /// What each variable may hold.
    values: BTreeMap<String, Vec<String>>,
    out: String,
    /// Between two double quotes.
    quoted: bool,
    replaced: bool,
}

impl<'t> Writer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes on by one character, one variable or one assignment.
    fn step(&mut self) -> Option<()> {
        let rest = self.rest();
        let c = rest.chars().next()?;
        let before = self.text.get(..self.at).and_then(|text| text.chars().next_back());
        let starts = before.is_none_or(|c| ENDS.contains(c) || "'\"{".contains(c));
        if starts && (c.is_ascii_alphabetic() || c == '_') {
            return self.word();
        }
        if c == '$' || rest.starts_with("\\$") {
            return self.variable();
        }
        self.quoted ^= c == '"' && before != Some('\\');
        self.push(c.len_utf8())
    }

    fn push(&mut self, bytes: usize) -> Option<()> {
        self.out.push_str(self.rest().get(..bytes)?);
        self.at += bytes;
        Some(())
    }

    /// A word: a loop over others, an assignment, or neither.
    fn word(&mut self) -> Option<()> {
        let rest = self.rest();
        let name = name_at(rest);
        let behind = rest.get(name.len()..)?;
        if matches!(name, "for" | "select") {
            self.note_loop(behind);
        } else if name == "set" {
            self.note_arguments(behind);
        }
        let adds = behind.starts_with("+=");
        let value = behind.strip_prefix('+').unwrap_or(behind).strip_prefix('=');
        let Some(value) = value.filter(|_| name != "HOME") else { return self.push(name.len()) };
        let values = match value.strip_prefix('(') {
            Some(list) => self.words(near(list).split(')').next().unwrap_or_default()),
            None => self.value(value),
        };
        self.note(name, values, adds);
        let sign = behind.len() - value.len();
        self.push(name.len() + sign)
    }

    /// The values that the variable of a loop has: `for NAME in WORDS`.
    fn note_loop(&mut self, behind: &str) {
        let Some((name, list)) = near(behind).trim_start().split_once(" in ") else { return };
        if is_name(name.trim()) {
            let words = self.words(list.split([';', '\n']).next().unwrap_or_default());
            self.note(name.trim(), words, false);
        }
    }

    /// The arguments that a shell gives itself: `set -- WORDS`.
    fn note_arguments(&mut self, behind: &str) {
        let Some(list) = near(behind).trim_start().strip_prefix("-- ") else { return };
        let list = list.split([';', '\n', '&', '|']).next().unwrap_or_default();
        let words = self.words(list).unwrap_or_default();
        for (at, word) in words.iter().enumerate() {
            self.note(&(at + 1).to_string(), Some(vec![word.clone()]), false);
        }
        ["@", "*"].iter().for_each(|all| self.note(all, Some(words.clone()), false));
    }

    /// Notes what a variable holds now; nothing for what only a running shell knows.
    fn note(&mut self, name: &str, values: Option<Vec<String>>, adds: bool) {
        let known = self.values.entry(name.to_owned()).or_default();
        let Some(values) = values else {
            if self.orderly {
                known.clear();
            }
            return;
        };
        let values = match (adds, known.last(), values.first()) {
            (true, Some(start), Some(end)) => vec![format!("{start}{end}")],
            _ => values,
        };
        if self.orderly {
            known.clear();
        }
        for value in values {
            if known.len() < MAX_READINGS && !known.contains(&value) {
                known.push(value);
            }
        }
    }

    /// Each word of a list, with variables in them replaced.
    fn words(&self, list: &str) -> Option<Vec<String>> {
        let words = list.split_whitespace().take(MAX_READINGS);
        let words: Vec<String> =
            words.filter_map(|word| self.value(word)).flatten().filter(|w| !w.is_empty()).collect();
        (!words.is_empty()).then_some(words)
    }

    /// What the word that a text starts with stands for, quotes taken away; nothing where a part of it
    /// is not known.
    fn value(&self, text: &str) -> Option<Vec<String>> {
        let mut values = vec![String::new()];
        let mut rest = text;
        let mut quote = None;
        while let Some(c) = rest.chars().next() {
            let mut length = c.len_utf8();
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                ('\'' | '"', None) => quote = Some(c),
                ('$', None | Some('"')) => {
                    let (known, used) = self.held(rest)?;
                    values = joined(&values, known);
                    length = used;
                }
                ('\\', None) => {}
                ('`', _) => return None,
                (c, None) if ENDS.contains(c) => break,
                (c, _) if c.is_alphanumeric() || PLAIN.contains(c) => {
                    values.iter_mut().for_each(|value| value.push(c));
                }
                _ => return None,
            }
            if values.iter().any(|value| value.len() > MAX_PATH_BYTES) {
                return None;
            }
            rest = rest.get(length..)?;
        }
        let home = self.home.unwrap_or("~");
        let at_home = |value: String| match value.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
            _ => value,
        };
        Some(values.into_iter().map(at_home).collect())
    }

    /// What the variable that a text starts with holds, and how long it is written.
    fn held(&self, text: &str) -> Option<(&[String], usize)> {
        let behind = text.strip_prefix('$')?;
        let (name, used) = match behind.strip_prefix('{') {
            Some(inner) => {
                let inner = inner.get(..near(inner).find('}')?)?;
                let name = reference_at(inner);
                // Of an array, one or all: each of its words.
                let index = inner.get(name.len()..)?;
                let whole = index.is_empty() || (index.starts_with('[') && index.ends_with(']'));
                (name, whole.then_some(inner.len() + 3)?)
            }
            None => {
                let name = reference_at(behind);
                (name, name.len() + 1)
            }
        };
        let values = self.values.get(name).filter(|values| !values.is_empty())?;
        Some((values, used))
    }

    /// Puts what a variable holds in its place.
    fn variable(&mut self) -> Option<()> {
        let escaped = usize::from(self.rest().starts_with('\\'));
        let rest = self.rest().get(escaped..)?;
        let Some((values, used)) = self.held(rest) else { return self.push(escaped + 1) };
        let words = values.iter().flat_map(|value| value.split_whitespace());
        let words: Vec<&str> = words.collect();
        let text = match (words.as_slice(), values) {
            (_, [value]) => value.clone(),
            // Braces say that it may be each of them.
            (words, _) => {
                let listed = words.iter().filter(|word| !word.contains(['{', '}', ',']));
                format!("{{{}}}", listed.copied().collect::<Vec<_>>().join(","))
            }
        };
        // Wildcards of a list are read before any quotes around the variable.
        let open = values.len() > 1 || text.contains(['*', '?', '[']);
        self.out.push_str(&if open && self.quoted { format!("\"{text}\"") } else { text });
        self.at += escaped + used;
        self.replaced = true;
        Some(())
    }
}

/// As much of a text as is looked through at once, so that it is looked through but a few times.
fn near(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_SEARCHED_BYTES)).unwrap_or_default()
}

/// The name that a text starts with; empty where it starts with none.
fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let name = text.get(..end).unwrap_or_default();
    if is_name(name) { name } else { text.get(..1).unwrap_or_default() }
}

/// The name behind a dollar sign: of a variable, or of an argument.
fn reference_at(text: &str) -> &str {
    match text.chars().next() {
        Some(c) if c.is_ascii_digit() || c == '@' || c == '*' => text.get(..1).unwrap_or_default(),
        Some(c) if c.is_ascii_alphabetic() || c == '_' => name_at(text),
        _ => "",
    }
}

/// Every start with every end, no more than are looked at.
fn joined(starts: &[String], ends: &[String]) -> Vec<String> {
    let with = |start: &String| ends.iter().map(|end| format!("{start}{end}")).collect::<Vec<_>>();
    starts.iter().flat_map(with).take(MAX_READINGS).collect()
}

#[cfg(test)]
#[path = "variables_tests.rs"]
mod tests;
