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

/// The variable that every reader of a command knows.
const HOME: &str = "HOME";

/// Commands that print their words.
const PRINTS: [&str; 4] = ["$(echo -n ", "$(echo ", "$(printf %s ", "$(printf '%s' "];

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
    let known = home.map(|home| (HOME.to_owned(), vec![home.to_owned()]));
    let values = known.into_iter().collect();
    let mut writer = Writer { text, home, orderly, values, ..Writer::default() };
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
        match name {
            "for" | "select" => self.note_loop(behind),
            "set" => self.note_arguments(behind),
            "read" => self.note_read(behind),
            "printf" => self.note_printed(behind),
            _ => {}
        }
        let adds = behind.starts_with("+=");
        let value = behind.strip_prefix('+').unwrap_or(behind).strip_prefix('=');
        let Some(value) = value.filter(|_| name != HOME) else { return self.push(name.len()) };
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

    /// What a variable is read from: `read NAME <<< WORD`.
    fn note_read(&mut self, behind: &str) {
        let line = near(behind).split([';', '\n']).next().unwrap_or_default();
        let Some((names, word)) = line.split_once("<<<") else { return };
        let mut names = names.split_whitespace().filter(|name| is_name(name));
        if let (Some(name), None) = (names.next(), names.next()) {
            let words = self.value(word.trim_start());
            self.note(name, words, false);
        }
    }

    /// What a variable is printed to: `printf -v NAME FORMAT WORD`.
    fn note_printed(&mut self, behind: &str) {
        let line = near(behind).split([';', '\n']).next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["-v", name, .., word] = words.as_slice() {
            let values = self.value(word);
            self.note(name, values, false);
        }
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
                    let (known, used) = match self.held(rest) {
                        Some((known, used)) => (known.to_vec(), used),
                        None => self.printed(rest).map(|(text, used)| (vec![text], used))?,
                    };
                    values = joined(&values, &known);
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

    /// What a substitution prints that a text starts with, where it prints words that stand in it, and
    /// how long it is written.
    fn printed(&self, text: &str) -> Option<(String, usize)> {
        let start = PRINTS.iter().find(|start| text.starts_with(**start))?;
        let inner = near(text.get(start.len()..)?).split(')').next()?;
        let plain = |c: char| c.is_alphanumeric() || PLAIN.contains(c) || "'\"$".contains(c);
        let words = Some(inner).filter(|inner| inner.chars().all(plain) && !inner.is_empty())?;
        let words: Option<Vec<String>> =
            words.split_whitespace().map(|word| self.value(word)?.into_iter().next()).collect();
        Some((words?.join(" "), start.len() + inner.len() + 1))
    }

    /// Puts what a variable holds in its place.
    fn variable(&mut self) -> Option<()> {
        let escaped = usize::from(self.rest().starts_with('\\'));
        let rest = self.rest().get(escaped..)?;
        if let Some((text, used)) = self.printed(rest) {
            self.out.push_str(&text);
            self.at += escaped + used;
            self.replaced = true;
            return Some(());
        }
        let name = rest.get(1..)?;
        let is_home = reference_at(name.strip_prefix('{').unwrap_or(name)) == HOME;
        let Some((values, used)) = self.held(rest).filter(|_| !is_home) else {
            return self.push(escaped + 1);
        };
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
