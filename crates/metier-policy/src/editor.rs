//! Commands that open the user's editor. An editor runs what is typed into it, so where a host types
//! into running programs without asking anyone, such a command could be any command. Pure.
//!
//! The reader errs on one side: what may open an editor does. Start at [`opens`].

use crate::shell::Word;

/// When a subcommand of git opens an editor.
struct Sub {
    name: &'static str,
    /// It does so by itself.
    alone: bool,
    /// These words make it.
    with: &'static [&'static str],
    /// These keep it from that: a message, or nothing to say one about.
    unless: &'static [&'static str],
    /// These make it whatever else is said.
    always: &'static [&'static str],
}

const MESSAGE: &[&str] = &["-m", "--message", "-F", "--file"];

const HUNKS: &[&str] = &["-p", "--patch", "-i", "--interactive", "-e", "--edit"];

const GIT: &[Sub] = &[
    Sub {
        name: "commit",
        alone: true,
        with: &[],
        unless: &[
            "-m",
            "--message",
            "-F",
            "--file",
            "-C",
            "--reuse-message",
            "--no-edit",
            "--dry-run",
        ],
        always: &["-e", "--edit", "-c", "--reedit-message", "-p", "--patch", "--interactive"],
    },
    Sub {
        name: "merge",
        alone: true,
        with: &[],
        unless: &[
            "-m",
            "--message",
            "-F",
            "--file",
            "--no-edit",
            "--ff-only",
            "--abort",
            "--quit",
            "--squash",
        ],
        always: &["-e", "--edit"],
    },
    Sub {
        name: "pull",
        alone: true,
        with: &[],
        unless: &["--no-edit", "--ff-only", "--rebase", "-r", "--squash"],
        always: &["-e", "--edit"],
    },
    Sub {
        name: "revert",
        alone: true,
        with: &[],
        unless: &["--no-edit", "-n", "--no-commit", "--abort", "--quit", "--skip"],
        always: &["-e", "--edit"],
    },
    sub("rebase", &["-i", "--interactive", "--edit-todo", "--continue"]),
    sub("cherry-pick", &["-e", "--edit", "--continue"]),
    Sub {
        name: "tag",
        alone: false,
        with: &["-a", "--annotate", "-s", "--sign", "-u", "--local-user"],
        unless: MESSAGE,
        always: &["-e", "--edit"],
    },
    Sub {
        name: "notes",
        alone: false,
        with: &["add", "append", "edit"],
        unless: MESSAGE,
        always: &["-c", "--reedit-message"],
    },
    sub("add", HUNKS),
    sub("checkout", HUNKS),
    sub("reset", HUNKS),
    sub("restore", HUNKS),
    sub("stash", HUNKS),
    sub("branch", &["--edit-description"]),
    sub("replace", &["-e", "--edit"]),
    sub("am", &["-i", "--interactive", "--continue"]),
];

/// Letters of git's short options behind which the rest of the word is a value.
const VALUED: &str = "mFCctuSbBxX";

const fn sub(name: &'static str, always: &'static [&'static str]) -> Sub {
    Sub { name, alone: false, with: &[], unless: &[], always }
}

/// Whether this command may open an editor. Linear in its words.
pub(crate) fn opens(argv: &[Word]) -> bool {
    may_open(argv, |sub| sub.alone)
}

/// The same where its standard input is no terminal: those that join histories open one only when they
/// are told to.
pub(crate) fn opens_fed(argv: &[Word]) -> bool {
    may_open(argv, |sub| sub.alone && !["merge", "pull", "revert"].contains(&sub.name))
}

fn may_open(argv: &[Word], alone: impl Fn(&Sub) -> bool) -> bool {
    let program = argv.first().and_then(Word::as_known).unwrap_or_default();
    if program.rsplit('/').next() != Some("git") {
        return false;
    }
    let named = |word: &Word| GIT.iter().find(|sub| word.as_known() == Some(sub.name));
    let Some(at) = argv.iter().position(|word| named(word).is_some()) else { return false };
    let Some(sub) = argv.get(at).and_then(named) else { return false };
    let words: Vec<&Word> = argv.iter().skip(at + 1).collect();
    let end = words.iter().position(|word| word.as_known() == Some("--")).unwrap_or(words.len());
    let words = words.get(..end).unwrap_or_default();
    let any = |flags: &[&str], strict: bool| {
        flags.iter().any(|flag| words.iter().any(|word| is_flag(word, flag, strict)))
    };
    any(sub.always, false) || ((alone(sub) || any(sub.with, false)) && !any(sub.unless, true))
}

/// Whether a word is this option. A strict reader wants it spelled out; the other one takes an
/// abbreviation, and a word nobody knows, for it.
fn is_flag(word: &Word, flag: &str, strict: bool) -> bool {
    let Some(text) = word.as_known() else { return !strict && word.may_be_option() };
    if !flag.starts_with('-') {
        return text == flag;
    }
    if flag.starts_with("--") {
        let given = text.split('=').next().unwrap_or_default();
        return given == flag || (!strict && given.len() > 2 && flag.starts_with(given));
    }
    let (Some(letters), Some(wanted)) = (text.strip_prefix('-'), flag.chars().nth(1)) else {
        return false;
    };
    for letter in letters.chars() {
        if letter == wanted {
            return true;
        }
        if !letter.is_ascii_alphabetic() || VALUED.contains(letter) {
            return false;
        }
    }
    false
}

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
