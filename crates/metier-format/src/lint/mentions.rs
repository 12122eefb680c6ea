//! Paths in code: `scripts/check.py` in a command must be there. Prose about scripts in general is
//! full of paths that are nobody's file, so everything that might be an example is let go.

use std::collections::BTreeSet;

use super::files::{Files, base_name};
use super::links::{has_placeholder_character, resolve};
use super::{Body, Findings};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;
use crate::text::quoted;

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
    "<skill-dir>/",
];

/// First words of names that stand for a name to be chosen.
const EXAMPLE_WORDS: [&str; 7] = ["your", "my", "some", "example", "sample", "foo", "bar"];

/// Whole names that do.
const EXAMPLE_NAMES: [&str; 8] =
    ["name", "script", "file", "filename", "script_name", "script-name", "xxx", "baz"];

/// Words before a path that make it an example.
const EXAMPLE_PHRASES: [&str; 5] = ["e.g.", "example", "such as", "for instance", "a scenario"];

/// Words right after a path that make it a wish.
const WISH: &str = " would ";

/// How far back in the paragraph an example may be announced, and how far ahead a wish may be
/// uttered, in bytes. Enough for a long sentence; the bound keeps the check linear.
const LOOK_BACK: usize = 400;
const LOOK_AHEAD: usize = 60;

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

    /// Looks at inline code. Prose may introduce it as an example.
    pub(super) fn code(&mut self, span: Span) {
        let (start, end) = (self.offset(span.start), self.offset(span.end));
        self.visit(span, |this| this.is_example(start) || this.is_wish(end));
    }

    /// Looks at a line of a code block: a command that will be run as it stands.
    pub(super) fn block(&mut self, span: Span) {
        self.visit(span, |_| false);
    }

    pub(super) fn finish(self) -> Findings {
        self.findings
    }

    fn visit(&mut self, span: Span, excused: impl Fn(&Self) -> bool) {
        for (offset, word) in words(self.body.slice(span)) {
            let Some(mention) = Mention::of(word) else { continue };
            if self.files.has(&mention.path) || self.reported.contains(&mention.path) {
                continue;
            }
            if !self.is_ours(&mention) || excused(self) {
                continue;
            }
            let at = span.start as usize + offset;
            self.report(&mention.path, Span::new(at + mention.skip, at + word.len()));
            self.reported.insert(mention.path);
        }
    }

    /// Whether the path is in the skill or nowhere. `tools/` and `bin/` are as often those of the
    /// project the agent works in, unless the skill has one.
    fn is_ours(&self, mention: &Mention) -> bool {
        let first = mention.path.split('/').next().unwrap_or_default();
        mention.rooted || !matches!(first, "tools" | "bin") || self.files.has_directory(first)
    }

    fn report(&mut self, path: &str, span: Span) {
        let help = match self.files.meant(path) {
            Some(meant) => meant.help(),
            None => "add the file, or correct the path".to_owned(),
        };
        self.findings.push(Some(span), || {
            let message = format!("{} does not exist in the skill", quoted(path));
            Diagnostic::new(Code::MissingScript, message).help(help)
        });
    }

    /// The offset in the body of an offset in the file.
    fn offset(&self, at: u32) -> usize {
        (at as usize).saturating_sub(self.body.start)
    }

    /// Whether the paragraph says before `at` that what follows is only an example.
    fn is_example(&self, at: usize) -> bool {
        let from = self.body.text.ceil_char_boundary(at.saturating_sub(LOOK_BACK));
        let before = self.body.text.get(from..at).unwrap_or_default();
        let paragraph = before.rsplit("\n\n").next().unwrap_or_default().to_lowercase();
        EXAMPLE_PHRASES.iter().any(|phrase| paragraph.contains(phrase))
    }

    /// Whether the line says after `at` that this would be good to have.
    fn is_wish(&self, at: usize) -> bool {
        let until = self.body.text.floor_char_boundary(at + LOOK_AHEAD);
        let after = self.body.text.get(at..until).unwrap_or_default();
        after.lines().next().unwrap_or_default().contains(WISH)
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

/// A word that certainly is a path of the skill.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    /// The path relative to the skill.
    path: String,
    /// How many bytes of the word come before it.
    skip: usize,
    /// Whether it is written from the skill's directory.
    rooted: bool,
}

impl Mention {
    fn of(word: &str) -> Option<Self> {
        let from_root = ROOTS.iter().find_map(|root| word.strip_prefix(root));
        let path = from_root.unwrap_or(word).trim_start_matches("./");
        let (first, rest) = path.split_once('/')?;
        let is_example = has_placeholder_character(path) || rest.split('/').any(is_example_name);
        if !DIRECTORIES.contains(&first) || is_example || !has_extension(rest) {
            return None;
        }
        let skip = word.len() - path.len();
        Some(Self { path: resolve(path)?, skip, rooted: from_root.is_some() })
    }
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
