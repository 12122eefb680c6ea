//! Paths in code: `scripts/check.py` in a command must be there. Prose about scripts in general is
//! full of paths that are nobody's file, so everything that might be an example is let go.

use std::collections::BTreeSet;

use super::files::{Files, base_name};
use super::links::{has_placeholder_character, resolve};
use super::{Body, Findings};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;

/// The directories a skill brings.
const DIRECTORIES: [&str; 5] = ["scripts", "bin", "tools", "references", "assets"];

/// How skills spell their own directory in commands.
const ROOTS: [&str; 8] = [
    "${SKILL_DIR}/",
    "$SKILL_DIR/",
    "${CLAUDE_SKILL_DIR}/",
    "$CLAUDE_SKILL_DIR/",
    "{baseDir}/",
    "${SKILL_ROOT}/",
    "$SKILL_ROOT/",
    "./",
];

/// First words of names that stand for a name to be chosen.
const EXAMPLE_WORDS: [&str; 7] = ["your", "my", "some", "example", "sample", "foo", "bar"];

/// Whole names that do.
const EXAMPLE_NAMES: [&str; 8] =
    ["name", "script", "file", "filename", "script_name", "script-name", "xxx", "baz"];

/// Words before a path on its line that make it an example.
const EXAMPLE_PHRASES: [&str; 7] =
    ["e.g.", "example", "such as", "for instance", "like ", "would ", "i.e."];

/// How far back on the line an example may be announced, in bytes.
const LOOK_BACK: usize = 120;

/// Checks one piece of code after the other.
pub(super) struct Mentions<'f, 'a> {
    body: Body<'f>,
    files: &'f Files<'a>,
    reported: BTreeSet<String>,
    findings: Findings,
}

impl<'f, 'a> Mentions<'f, 'a> {
    pub(super) fn new(body: Body<'f>, files: &'f Files<'a>) -> Self {
        Self { body, files, reported: BTreeSet::new(), findings: Findings::default() }
    }

    /// Looks at the code at `span`.
    pub(super) fn visit(&mut self, span: Span) {
        let start = (span.start as usize).saturating_sub(self.body.start);
        for (offset, word) in words(self.body.slice(span)) {
            if let Some((skip, path)) = skill_path(word)
                && !self.files.has(&path)
                && !self.is_announced_as_example(start + offset)
                && !self.reported.contains(&path)
            {
                let at = self.body.start + start + offset + skip;
                self.report(&path, Span::new(at, at + word.len() - skip));
                self.reported.insert(path);
            }
        }
    }

    pub(super) fn finish(self) -> Findings {
        self.findings
    }

    fn report(&mut self, path: &str, span: Span) {
        let help = match self.files.meant(path) {
            Some(meant) => meant.help(),
            None => "add the file, or correct the path".to_owned(),
        };
        self.findings.push(Some(span), || {
            let message = format!("`{path}` does not exist in the skill");
            Diagnostic::new(Code::MissingScript, message).help(help)
        });
    }

    /// Whether the line says before `at` that what follows is only an example.
    fn is_announced_as_example(&self, at: usize) -> bool {
        let mut from = at.saturating_sub(LOOK_BACK);
        while !self.body.text.is_char_boundary(from) {
            from += 1;
        }
        let before = self.body.text.get(from..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default().to_lowercase();
        EXAMPLE_PHRASES.iter().any(|phrase| line.contains(phrase))
    }
}

/// The words of a command with their offsets: what stands between white space, quotes and the
/// signs a shell gives a meaning, except those that show a placeholder.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_separator = |c: char| {
        c.is_whitespace()
            || matches!(c, '`' | '"' | '\'' | '(' | ')' | ',' | ';' | '&' | '=' | '@' | '#')
    };
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = code.get(at..)?;
        let start = at + rest.find(|c| !is_separator(c))?;
        let word = code.get(start..)?.split(is_separator).next()?;
        at = start + word.len();
        // `scripts/check.py:12` is a place in a file.
        Some((start, word.split(':').next()?.trim_end_matches(['.', '!', '?'])))
    })
}

/// The path relative to the skill that `word` certainly is, and how many bytes of the word come
/// before it.
fn skill_path(word: &str) -> Option<(usize, String)> {
    let mut path = word;
    while let Some(rest) = ROOTS.iter().find_map(|root| path.strip_prefix(root)) {
        path = rest;
    }
    let (first, rest) = path.split_once('/')?;
    let is_ours = DIRECTORIES.contains(&first) && !rest.is_empty();
    if !is_ours || has_placeholder_character(path) || !has_extension(rest) {
        return None;
    }
    if rest.split('/').any(is_example_name) {
        return None;
    }
    Some((word.len() - path.len(), resolve(path)?))
}

/// A file is told from a command or a method such as `tools/call` by its extension.
fn has_extension(path: &str) -> bool {
    base_name(path).rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
            && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// `your_script.py`, `NAME.py`, `foo.sh`, `x.py`: names that stand for a name.
fn is_example_name(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or(component).to_lowercase();
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let first = stem.split(['-', '_']).next().unwrap_or(stem);
    stem.len() <= 1 || EXAMPLE_WORDS.contains(&first) || EXAMPLE_NAMES.contains(&stem)
}

#[cfg(test)]
#[path = "mentions_tests.rs"]
mod tests;
