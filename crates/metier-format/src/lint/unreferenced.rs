//! Files nobody is told about. An agent reads what `SKILL.md` names; a script, reference or asset
//! the body never mentions is carried around for nothing, or was forgotten.
//!
//! Only the body is known here. A file that another file leads to is reported as well: the
//! standard wants references one step away from `SKILL.md`.

use std::collections::{BTreeMap, BTreeSet};

use super::files::{Files, base_name};
use super::{Body, Findings};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::quoted;

/// Directories whose files are there to be used.
const DIRECTORIES: [&str; 3] = ["scripts/", "references/", "assets/"];

/// How names start that are for people, at any place.
const FOR_PEOPLE: [&str; 7] =
    ["skill.md", "readme", "license", "licence", "notice", "changelog", "contributing"];

/// What a script directory holds besides scripts.
const PLUMBING: [&str; 7] = [
    "__init__.py",
    "package.json",
    "package-lock.json",
    "pyproject.toml",
    "requirements.txt",
    "tsconfig.json",
    "uv.lock",
];

/// Scripts that other scripts import.
const HELPERS: [&str; 8] =
    ["common", "config", "constants", "helpers", "lib", "types", "util", "utils"];

/// Most files named in the finding.
const MAX_NAMED: usize = 5;

/// Longest word taken for a path, and most of its trailing components tried as a directory.
const MAX_WORD: usize = 512;
const MAX_TAILS: usize = 8;

/// Most files with spaces and the like in their names, each of which costs a search of the body.
const MAX_SEARCHES: usize = 64;

/// Gathers what the body mentions.
pub(super) struct References<'f, 'a> {
    body: Body<'f>,
    files: &'f Files<'a>,
    /// Words, in lower case, that mention files.
    by_word: BTreeMap<String, Vec<&'a str>>,
    /// What those words look like.
    looks: Looks,
    mentioned: BTreeSet<&'a str>,
    mentioned_directories: BTreeSet<String>,
}

impl<'f, 'a> References<'f, 'a> {
    pub(super) fn new(body: Body<'f>, files: &'f Files<'a>) -> Self {
        let mut by_word: BTreeMap<String, Vec<&'a str>> = BTreeMap::new();
        for path in files.files().filter(|path| is_candidate(path)) {
            for word in words_for(path) {
                by_word.entry(word).or_default().push(path);
            }
        }
        let mut looks = Looks::default();
        by_word.keys().for_each(|word| looks.add(word));
        Self {
            body,
            files,
            by_word,
            looks,
            mentioned: BTreeSet::new(),
            mentioned_directories: BTreeSet::new(),
        }
    }

    /// Takes in a link to `path`.
    pub(super) fn link(&mut self, path: &str) {
        self.word(base_name(path));
        self.directory(path);
    }

    /// Takes in a piece of code: there a bare directory name is a mention of the directory.
    pub(super) fn code(&mut self, code: &str) {
        self.directory(code.trim_matches('`').trim());
    }

    /// One finding for all that is left.
    pub(super) fn finish(mut self) -> Findings {
        let candidates = || self.files.files().filter(|path| is_candidate(path));
        // Most skills bring no such file or link to each, and then the body is not read again.
        if candidates().all(|path| self.is_known(path)) {
            return Findings::default();
        }
        self.read_body();
        let candidates = self.files.files().filter(|path| is_candidate(path));
        let mut searches = MAX_SEARCHES;
        let left: Vec<&str> =
            candidates.filter(|path| !self.is_mentioned(path, &mut searches)).collect();
        let mut findings = Findings::default();
        if !left.is_empty() {
            findings.push(None, || {
                let finding = Diagnostic::new(Code::UnreferencedFile, message(&left));
                if left.len() == 1 {
                    return finding;
                }
                finding.help("mention them in the body, or remove them")
            });
        }
        findings
    }

    /// Takes in every word of the body that could be a path.
    fn read_body(&mut self) {
        let text = self.body.text;
        let mut start = 0;
        for (at, byte) in text.bytes().enumerate() {
            if IN_PATH.get(usize::from(byte)) == Some(&true) {
                continue;
            }
            if start < at {
                self.read_run(text.get(start..at).unwrap_or_default());
            }
            start = at + 1;
        }
        self.read_run(text.get(start..).unwrap_or_default());
    }

    /// Takes in what stands between bytes that are in no path.
    fn read_run(&mut self, run: &str) {
        if run.is_ascii() {
            self.read_word(run);
        } else {
            run.split(|c| !is_path_character(c)).for_each(|word| self.read_word(word));
        }
    }

    fn read_word(&mut self, word: &str) {
        let word = if word.ends_with('.') { word.trim_end_matches('.') } else { word };
        if word.is_empty() || word.len() > MAX_WORD {
            return;
        }
        match word.strip_suffix('/') {
            Some(directory) => self.directory(directory),
            None => self.word(base_name(word)),
        }
    }

    fn word(&mut self, word: &str) {
        if !self.looks.may_have(word) {
            return;
        }
        if let Some(paths) = self.by_word.get(&word.to_lowercase()) {
            self.mentioned.extend(paths);
        }
    }

    /// Notes that `path`, or what it ends with, is spoken of as a directory.
    fn directory(&mut self, path: &str) {
        let mut tail = path.trim_end_matches('/');
        for _ in 0..MAX_TAILS {
            if self.files.has_directory(tail) {
                self.mentioned_directories.insert(tail.to_owned());
                return;
            }
            let Some((_, rest)) = tail.split_once('/') else { return };
            tail = rest;
        }
    }

    /// Whether `path`, or a directory it lies in, was mentioned.
    fn is_known(&self, path: &str) -> bool {
        let mut parents = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        self.mentioned.contains(path)
            || parents.any(|parent| self.mentioned_directories.contains(parent))
    }

    fn is_mentioned(&self, path: &str, searches: &mut usize) -> bool {
        if self.is_known(path) {
            return true;
        }
        if base_name(path).chars().all(is_path_character) {
            return false;
        }
        *searches = searches.saturating_sub(1);
        *searches == 0 || self.body.text.contains(base_name(path))
    }
}

/// A sieve for words: lets through every one it was given, in any case, and few others. The body has
/// a thousand words and the skill three files.
#[derive(Default)]
struct Looks([u64; 4]);

impl Looks {
    /// Takes in a word in lower case.
    fn add(&mut self, word: &str) {
        let (cell, bit) = Self::place(word);
        if let Some(bits) = self.0.get_mut(cell) {
            *bits |= bit;
        }
    }

    /// Whether `word` may be one of those taken in.
    fn may_have(&self, word: &str) -> bool {
        // The case of other letters can change the length of a word.
        let (cell, bit) = Self::place(word);
        !word.is_ascii() || self.0.get(cell).is_some_and(|bits| bits & bit != 0)
    }

    /// By its length and its first letter.
    fn place(word: &str) -> (usize, u64) {
        let first = word.bytes().next().unwrap_or_default().to_ascii_lowercase();
        let place = word.len().wrapping_mul(37).wrapping_add(usize::from(first)) % 256;
        (place / 64, 1 << (place % 64))
    }
}

/// The words that mention `path`: its base name; for a script also its name without extension and
/// its module name, as in `python -m scripts.check`.
fn words_for(path: &str) -> Vec<String> {
    let lower = path.to_lowercase();
    let mut words = vec![base_name(&lower).to_owned()];
    if lower.starts_with("scripts/")
        && let Some((stem, _)) = lower.rsplit_once('.')
    {
        words.push(base_name(stem).to_owned());
        words.push(stem.replace('/', "."));
    }
    words
}

fn is_candidate(path: &str) -> bool {
    let base = base_name(path).to_lowercase();
    if path.split('/').any(|part| part.starts_with('.') || part == "__pycache__")
        || FOR_PEOPLE.iter().any(|start| base.starts_with(start))
        || PLUMBING.contains(&&*base)
    {
        return false;
    }
    match path.split_once('/') {
        None => base.ends_with(".md"),
        // What lies deeper among the scripts is what scripts import.
        Some(("scripts", rest)) => !rest.contains('/') && !is_for_scripts(&base),
        Some(_) => DIRECTORIES.iter().any(|directory| path.starts_with(directory)),
    }
}

/// Tests of scripts and modules they share, which nobody calls by name.
fn is_for_scripts(base: &str) -> bool {
    let stem = base.split('.').next().unwrap_or(base);
    HELPERS.contains(&stem)
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.starts_with('_')
        || base.contains(".test.")
}

fn is_path_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '~' | '+')
}

/// The bytes a word can have: those of a path's characters, and those of characters whose bytes have
/// to be seen together.
const IN_PATH: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let letter = byte as u8;
        table[byte] = !letter.is_ascii()
            || letter.is_ascii_alphanumeric()
            || matches!(letter, b'_' | b'-' | b'.' | b'/' | b'~' | b'+');
        byte += 1;
    }
    table
};

fn message(left: &[&str]) -> String {
    let named: Vec<String> = left.iter().take(MAX_NAMED).map(|path| quoted(path)).collect();
    let more = left.len().saturating_sub(MAX_NAMED);
    let verb = if left.len() == 1 { "is" } else { "are" };
    let and_more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{and_more} {verb} never mentioned in SKILL.md", named.join(", "))
}

#[cfg(test)]
#[path = "unreferenced_tests.rs"]
mod tests;
