//! A shell command as the list of simple commands it would run.
//!
//! Three steps, each in its own file. `lexer` cuts the text into words and operators the way bash,
//! dash and zsh agree to, reads every substitution inside them, and refuses what they read
//! differently. `word` is what a word is after that: text that is known, or text only a running
//! shell knows. `grammar` hands the tokens to a real shell grammar and flattens its tree.
//!
//! Nothing here decides: an unusual command is [`Unresolvable`], and the rules treat that as not
//! allowed. Whatever is accepted costs time linear in its length, and no input is deeper than
//! [`crate::limits`] says.

mod feed;
mod grammar;
mod lexer;
pub(crate) mod word;

pub use word::{Feed, Word};

use crate::limits::MAX_COMMAND_BYTES;

/// One simple command: what runs, with what environment, reading and writing which files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// The words, the program first. Empty for a list of assignments or redirections alone.
    pub argv: Vec<Word>,
    /// `NAME=value` before the program, or a variable a loop sets.
    pub assignments: Vec<Assignment>,
    /// Files opened for it.
    pub redirects: Vec<Redirect>,
    /// What it finds on its standard input, where the text says so.
    pub input: Option<Feed>,
    /// What it writes goes to another command.
    pub piped: bool,
}

/// A variable that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What it is set to.
    pub value: Word,
}

/// A file opened by the shell itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Which way.
    pub access: Access,
    /// The file.
    pub target: Word,
}

/// Which way a file is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Its content is read.
    Read,
    /// It is created, changed or removed.
    Write,
}

/// Why a command cannot be told from its text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Unresolvable {
    /// One sentence.
    pub reason: String,
}

/// What a shell knows before it starts, as far as the text may use it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// The home directory, for `~` and `$HOME`.
    pub home: Option<&'a str>,
    /// How many shells this text is already inside of.
    pub depth: usize,
}

impl Unresolvable {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

/// Every simple command in `text`, in no particular order: those of lists, pipelines, loops,
/// conditions and groups, and those of every substitution, however deep.
pub fn parse(
    text: &str,
    surroundings: Surroundings<'_>,
) -> Result<Vec<SimpleCommand>, Unresolvable> {
    if text.len() > MAX_COMMAND_BYTES {
        return Err(Unresolvable::new(format!(
            "the command is longer than {MAX_COMMAND_BYTES} bytes"
        )));
    }
    // The home directory is known only while the text leaves the variable alone.
    let home = surroundings.home.filter(|_| {
        let uses = text.matches("$HOME").count() + text.matches("${HOME}").count();
        text.matches("HOME").count() == uses
    });
    let lexed = lexer::lex(text, Surroundings { home, ..surroundings })?;
    grammar::commands(&lexed)
}

/// Why a coprocess cannot be told.
pub(crate) const COPROCESS: &str = "it starts a coprocess";

/// The surroundings of a shell that this one starts.
pub(crate) fn deeper(around: Surroundings<'_>) -> Result<Surroundings<'_>, Unresolvable> {
    lexer::deeper(around)
}

#[cfg(test)]
#[path = "shell_tests.rs"]
mod tests;
