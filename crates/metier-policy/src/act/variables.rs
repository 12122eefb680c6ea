//! Variables that a command sets: which of them can change what runs.
//!
//! A variable that is set alone changes nothing unless a shell or a program gives its name a meaning,
//! or it came from outside and is handed on. Nobody here knows what came from outside, so beside
//! lowercase names only those count as private that are put together from plain words.

use super::{Consequence, Unpacker};
use crate::programs::is_idle_variable;
use crate::shell::Assignment;

/// Words that make a name which no program gives a meaning.
const PLAIN: [&str; 68] = [
    "AUTHOR",
    "BASE",
    "BODY",
    "BRANCH",
    "BRANCHES",
    "CHANGED",
    "CHANGES",
    "COMMIT",
    "COMMITS",
    "COUNT",
    "CURRENT",
    "DATE",
    "DEFAULT",
    "DIFF",
    "END",
    "FEATURE",
    "FILE",
    "FILES",
    "FIRST",
    "FROM",
    "HASH",
    "HEAD",
    "ID",
    "ISSUE",
    "LAST",
    "LATEST",
    "LINE",
    "MAIN",
    "MERGE",
    "MESSAGE",
    "MR",
    "MSG",
    "NAME",
    "NAMES",
    "NEW",
    "NEXT",
    "NOW",
    "NUM",
    "NUMBER",
    "OLD",
    "ORIGIN",
    "OUT",
    "OUTPUT",
    "PR",
    "PREV",
    "PREVIOUS",
    "RANGE",
    "REF",
    "RELEASE",
    "REMOTE",
    "REPO",
    "RESULT",
    "REV",
    "SHA",
    "SHORT",
    "START",
    "SUBJECT",
    "SUMMARY",
    "TAG",
    "TAGS",
    "TARGET",
    "TEXT",
    "TIMESTAMP",
    "TITLE",
    "TODAY",
    "TOTAL",
    "UPSTREAM",
    "VERSION",
];

impl Unpacker<'_> {
    /// What setting a variable to this value leads to.
    pub(super) fn set(&self, set: &Assignment, alone: bool) -> Option<Consequence> {
        let idle = set.value.as_known().is_some_and(|value| is_idle_variable(&set.name, value));
        if idle { None } else { self.assignment(&set.name, alone) }
    }

    /// Setting a variable, unless it changes nothing. A variable of the shell alone may have any
    /// lowercase name but those that a shell or a program gives a meaning.
    pub(super) fn assignment(&self, name: &str, alone: bool) -> Option<Consequence> {
        let own = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let private = name.bytes().all(own) && !is_meant(name);
        if (alone && (private || is_plain(name))) || self.programs.is_harmless_variable(name) {
            return None;
        }
        Some(Consequence::escape(format!("setting `{name}` can change what runs")))
    }
}

fn is_plain(name: &str) -> bool {
    name.split('_').all(|part| PLAIN.contains(&part))
}

/// Lowercase variables that a shell or a program gives a meaning.
fn is_meant(name: &str) -> bool {
    let zsh = [
        "path",
        "cdpath",
        "fpath",
        "manpath",
        "mailpath",
        "module_path",
        "fignore",
        "psvar",
        "prompt",
        "histchars",
        "watch",
        "argv",
        "status",
        "signals",
        "zsh_eval_context",
        "aliases",
        "commands",
        "functions",
        "options",
        "parameters",
        "nameddirs",
        "userdirs",
        "galiases",
        "saliases",
        "builtins",
        "modules",
        "dirstack",
        "historywords",
        "history",
        "keymaps",
        "widgets",
    ];
    let program =
        name.ends_with("_proxy") || name.starts_with("npm_") || name.starts_with("ac_cv_");
    zsh.contains(&name) || program
}

#[cfg(test)]
#[path = "variables_tests.rs"]
mod tests;
