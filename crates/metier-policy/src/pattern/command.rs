//! What stands in the parentheses of `Bash(…)`.
//!
//! | spelling | means |
//! |---|---|
//! | `git:*`, `git *` | git with any arguments, or none; never `gitk` |
//! | `git add *` | git add with any arguments, or none |
//! | `npm run test` | exactly these words |
//! | `git * main` | at least one word in place of the star |
//! | `* --version` | any one program with exactly this argument |
//! | `scripts/*.sh` | one word, the star without slashes; a star that ends the pattern also takes more words |
//!
//! Words are compared as words, never as characters of a line. The words a pattern spells out
//! before its first star are what its author approved; what a star lets in is looked at more
//! closely ([`Coverage`]).

use crate::glob;
use crate::place::{From, Place};
use crate::shell::{Assignment, Word, word};

/// A compiled command pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// `NAME=value` before the program.
    assignments: Vec<(String, String)>,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    /// This word.
    Word(String),
    /// One word with wildcards.
    Glob(String),
    /// Any one word.
    One,
    /// Any words, or none.
    Many,
}

/// How far a pattern's author spelled a command out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coverage {
    /// So many words from the front were spelled out.
    pub(crate) literal: usize,
    /// So many words from the front were spelled out or given a shape.
    pub(crate) bound: usize,
    /// Everything behind the program's name was left open.
    pub(crate) whole_program: bool,
    /// The variables in front of the program were spelled out.
    pub(crate) assignments: bool,
}

impl Coverage {
    /// A pattern that asks about no argument.
    pub(crate) const EVERYTHING: Self =
        Self { literal: usize::MAX, bound: usize::MAX, whole_program: true, assignments: true };

    /// What both spell out.
    pub(crate) fn narrower(self, other: Self) -> Self {
        Self {
            literal: self.literal.min(other.literal),
            bound: self.bound.min(other.bound),
            whole_program: self.whole_program && other.whole_program,
            assignments: self.assignments && other.assignments,
        }
    }
}

/// Where a command runs, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// The place of the call.
    pub(crate) place: &'a Place<'a>,
    /// Where the command's relative paths start.
    pub(crate) from: From<'a>,
}

impl Frame<'_> {
    /// Whether a path in a pattern and a path in a command are the same file. A pattern's paths
    /// start at the project, a command's where it runs.
    fn is_same_file(self, wanted: &str, named: &str) -> bool {
        let wanted = self.place.locate(wanted, From::Directory(self.place.base()));
        let named = self.place.locate(named, self.from);
        named.is_some() && wanted == named
    }

    /// Whether relative paths of patterns and commands start at the same directory.
    fn is_at_base(self) -> bool {
        matches!(self.from, From::Directory(directory) if directory == self.place.base())
    }
}

impl CommandPattern {
    /// Compiles `text`; the error says what is not understood.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (text, open) = match text.strip_suffix(":*") {
            Some(front) => (front.trim_end(), true),
            None => (text, false),
        };
        let words = split(text)?;
        let (assignments, words) = take_assignments(words);
        let mut pieces = Vec::new();
        let last = words.len().saturating_sub(1);
        for (index, (word, quoted)) in words.into_iter().enumerate() {
            match word.as_str() {
                "*" if !quoted && index == 0 => pieces.push(Piece::One),
                "*" if !quoted && index == last => pieces.push(Piece::Many),
                "*" if !quoted => pieces.extend([Piece::One, Piece::Many]),
                _ if quoted || !glob::has_wildcard(&word) => pieces.push(Piece::Word(word)),
                _ if !glob::is_understood(&word) => {
                    return Err(format!("`{word}` uses wildcards other than `*` and `?`"));
                }
                _ => {
                    let ends_open = index == last && word.ends_with('*');
                    pieces.push(Piece::Glob(word));
                    pieces.extend(ends_open.then_some(Piece::Many));
                }
            }
        }
        if pieces.is_empty() {
            return Err("the command is empty".to_owned());
        }
        if open && pieces.last() != Some(&Piece::Many) {
            pieces.push(Piece::Many);
        }
        Ok(Self { assignments, pieces })
    }

    /// Whether the pattern is this command, as every reader would take it.
    pub(crate) fn surely(
        &self,
        argv: &[Word],
        set: &[Assignment],
        frame: Frame<'_>,
    ) -> Option<Coverage> {
        argv.first()?.as_known()?;
        let open = self.pieces.last() == Some(&Piece::Many);
        // A word that may become several, or none, moves every word behind it.
        let fixed = match argv.iter().position(Word::splits) {
            Some(at) if open => argv.get(..at)?,
            Some(_) => return None,
            None => argv,
        };
        let program_fits = self.pieces.first().is_some_and(|first| is_program(first, argv, frame));
        let fits = |piece: &Piece, word: &Word| is_word(piece, word, frame);
        let (rest, words) = (self.pieces.get(1..)?, fixed.get(1..)?);
        if !program_fits || !glob::wildcard(rest, words, |p| *p == Piece::Many, fits, |_| true) {
            return None;
        }
        let assignments = self.sets_exactly(set);
        if !self.assignments.is_empty() && !assignments {
            return None;
        }
        let literal =
            self.pieces.iter().take_while(|piece| matches!(piece, Piece::Word(_))).count();
        let is_bound = |piece: &&Piece| matches!(piece, Piece::Word(_) | Piece::Glob(_));
        let bound = self.pieces.iter().take_while(is_bound).count();
        let whole_program = literal == 1 && rest == [Piece::Many];
        Some(Coverage { literal, bound, whole_program, assignments })
    }

    /// Whether one reader might take the command for what the pattern means. Options between the
    /// program and the words of the pattern do not hide them, nor does a path before the program.
    pub(crate) fn possibly(&self, argv: &[Word]) -> bool {
        let Some(program) = argv.first() else { return false };
        let (Some(first), Some(rest)) = (self.pieces.first(), self.pieces.get(1..)) else {
            return false;
        };
        let name = match program.as_known() {
            None => return true,
            Some(name) => name.rsplit('/').next().unwrap_or(name),
        };
        let same = match first {
            Piece::Word(word) => word.rsplit('/').next() == Some(name),
            Piece::Glob(glob) => glob::matches(glob.rsplit('/').next().unwrap_or(glob), name, None),
            Piece::One | Piece::Many => true,
        };
        same && follows(rest, argv.get(1..).unwrap_or_default())
    }

    fn sets_exactly(&self, set: &[Assignment]) -> bool {
        let same = |((name, value), assignment): (&(String, String), &Assignment)| {
            *name == assignment.name && assignment.value.as_known() == Some(value.as_str())
        };
        self.assignments.len() == set.len() && self.assignments.iter().zip(set).all(same)
    }
}

/// Whether the words of a pattern follow in order, with only options and their values between.
fn follows(pieces: &[Piece], words: &[Word]) -> bool {
    let Some((piece, later)) = pieces.split_first() else {
        return words.iter().all(Word::may_be_option);
    };
    if *piece == Piece::Many && later.is_empty() {
        return true;
    }
    let anywhere = match piece {
        Piece::Many | Piece::One => true,
        Piece::Word(text) | Piece::Glob(text) => text.starts_with('-'),
    };
    let mut after_option = false;
    for (at, word) in words.iter().enumerate() {
        let unknown = word.splits() || (word.as_known().is_none() && word.prefix().is_empty());
        if unknown {
            return true;
        }
        if matches!(piece, Piece::Many | Piece::One) || is_alike(piece, word) {
            return follows(later, words.get(at + 1..).unwrap_or_default());
        }
        let option = word.may_be_option();
        if !anywhere && !option && !after_option {
            return false;
        }
        after_option = option;
    }
    false
}

/// Whether an argument might be the word a pattern has in its place.
fn is_alike(piece: &Piece, word: &Word) -> bool {
    match piece {
        Piece::One | Piece::Many => true,
        Piece::Word(wanted) => match word.as_known() {
            Some(text) => plain_start(text) == plain_start(wanted),
            None => wanted.starts_with(word.prefix()),
        },
        Piece::Glob(glob) => {
            glob::matches(glob, word.spelling(), None) || word.as_known().is_none()
        }
    }
}

/// Whether the first word of a command is the program a pattern names. A bare name is only itself:
/// a path that ends in it may be anybody's file. A path is compared as the file it names.
fn is_program(piece: &Piece, argv: &[Word], frame: Frame<'_>) -> bool {
    let Some(name) = argv.first().and_then(Word::as_known) else { return false };
    match piece {
        Piece::Word(wanted) if wanted.contains('/') && name.contains('/') => {
            frame.is_same_file(wanted, name)
        }
        Piece::Word(wanted) => wanted == name,
        Piece::Glob(glob) if glob.contains('/') => {
            name.contains('/') && is_globbed_path(glob, name, frame)
        }
        Piece::Glob(glob) => !name.contains('/') && glob::matches(glob, name, None),
        Piece::One | Piece::Many => !name.contains('/'),
    }
}

/// Whether an argument is the word a pattern has in its place.
fn is_word(piece: &Piece, word: &Word, frame: Frame<'_>) -> bool {
    let Some(text) = word.as_known() else {
        return match piece {
            Piece::One | Piece::Many => true,
            // The shell puts file names here that fit the same wildcards.
            Piece::Glob(glob) => word.spelling() == glob && !word.splits() && frame.is_at_base(),
            Piece::Word(_) => false,
        };
    };
    match piece {
        Piece::One | Piece::Many => true,
        Piece::Word(wanted) if is_path(wanted) && is_path(text) => frame.is_same_file(wanted, text),
        Piece::Word(wanted) => wanted == text,
        // A star in an option's value may stand for anything; elsewhere it stays in its folder.
        Piece::Glob(glob) if glob.starts_with('-') => glob::matches(glob, text, None),
        // A star that was not meant for options takes none.
        Piece::Glob(_) if text.starts_with('-') => false,
        Piece::Glob(glob) if glob.contains('/') => is_globbed_path(glob, text, frame),
        Piece::Glob(glob) => glob::matches(glob, plain_start(text), Some(b'/')),
    }
}

/// A path with wildcards. Relative ones mean something only where both start at one directory.
fn is_globbed_path(glob: &str, text: &str, frame: Frame<'_>) -> bool {
    let anchored = glob.starts_with('/') || frame.is_at_base();
    let plain = !text.split('/').any(|part| part == "..");
    anchored && plain && glob::matches(plain_start(glob), plain_start(text), Some(b'/'))
}

/// Whether a word could be a path that depends on where it is read.
fn is_path(text: &str) -> bool {
    text.contains('/') && !text.starts_with('-') && !text.contains("://")
}

/// A relative path without its leading `./`.
fn plain_start(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// The words of a pattern, each with whether it was quoted. Shell syntax is not understood.
fn split(text: &str) -> Result<Vec<(String, bool)>, String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let mut word = String::new();
        let mut quoted = false;
        while let Some(c) = rest.chars().next().filter(|c| !c.is_whitespace()) {
            rest = &rest[c.len_utf8()..];
            match c {
                '\'' | '"' => {
                    let end = rest.find(c).ok_or("a quote is not closed")?;
                    word.push_str(&rest[..end]);
                    rest = &rest[end + 1..];
                    quoted = true;
                }
                ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`' | '$' | '\\' => {
                    return Err(format!("`{c}` is not understood in a command pattern"));
                }
                c if c.is_control() => return Err("a control character".to_owned()),
                c => word.push(c),
            }
        }
        words.push((word, quoted));
        rest = rest.trim_start();
    }
    Ok(words)
}

/// Separates the leading `NAME=value` words.
#[expect(clippy::type_complexity, reason = "two lists of pairs, named by the caller")]
fn take_assignments(words: Vec<(String, bool)>) -> (Vec<(String, String)>, Vec<(String, bool)>) {
    let as_assignment = |(word, _): &(String, bool)| {
        let (name, value) = word.split_once('=')?;
        word::is_name(name).then(|| (name.to_owned(), value.to_owned()))
    };
    let count = words.iter().take_while(|word| as_assignment(word).is_some()).count();
    let assignments = words.iter().take(count).filter_map(as_assignment).collect();
    (assignments, words.into_iter().skip(count).collect())
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
