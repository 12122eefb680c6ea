//! Commands that open the user's editor. An editor runs what is typed into it, so where a host types
//! into running programs without asking anyone, such a command could be any command. Pure.
//!
//! The reader errs on one side: what may open an editor does. It reads options as git does, each
//! subcommand with its own: a letter that takes a value in one is a flag in another, and `--` behind an
//! option that takes a value is that value. Start at [`opens`]; what each subcommand does is in `git`.

mod git;

use crate::shell::Word;
use git::{Excuse, GIT, SETTINGS, Sub};

/// Options before the subcommand that take the next word.
const GLOBAL: [&str; 9] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--exec-path",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];

/// Whether this command may open an editor. Linear in its words.
pub(crate) fn opens(argv: &[Word]) -> bool {
    may_open(argv, |sub| sub.alone)
}

/// The same where its standard input is no terminal: those that join histories open one only when they
/// are told to.
pub(crate) fn opens_fed(argv: &[Word]) -> bool {
    may_open(argv, |sub| sub.alone && !["merge", "pull", "revert"].contains(&sub.name))
}

/// A word that is no value of the option before it.
struct Given<'w> {
    word: &'w Word,
    /// Git surely reads it as an option, if it is one.
    sure: bool,
}

/// Whether an option takes the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Perhaps,
    Surely,
}

fn may_open(argv: &[Word], alone: impl Fn(&Sub) -> bool) -> bool {
    let program = argv.first().and_then(Word::as_known).unwrap_or_default();
    if program.rsplit('/').next() != Some("git") {
        return false;
    }
    let named = |word: &Word| GIT.iter().find(|sub| word.as_known() == Some(sub.name));
    let opens = |at: usize| {
        let rest = argv.get(at + 1..).unwrap_or_default();
        argv.get(at).and_then(named).is_some_and(|sub| sub.opens(rest, alone(sub)))
    };
    // Behind a word nobody knows, and in a command that git hands on, any of them may be it.
    let hands_on = |word: &Word| matches!(word.as_known(), Some("bisect" | "submodule"));
    match subcommand(argv) {
        Some(at) if argv.get(at).is_some_and(|word| !hands_on(word)) => {
            opens(at) || argv.iter().take(at).any(is_set)
        }
        _ => (1..argv.len()).any(opens),
    }
}

/// Where the subcommand stands, when that can be told.
fn subcommand(argv: &[Word]) -> Option<usize> {
    let mut at = 1;
    loop {
        let text = argv.get(at)?.as_known()?;
        match text {
            _ if GLOBAL.contains(&text) => at += 2,
            _ if text.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
}

/// Whether a word sets what makes a subcommand open an editor, or has git page what it prints.
fn is_set(word: &Word) -> bool {
    let text = word.prefix().to_ascii_lowercase();
    let set = |(key, fine): &(&str, &[&str])| {
        let value = text.strip_prefix(key).and_then(|rest| rest.strip_prefix('='));
        value.is_some_and(|value| word.as_known().is_none() || !fine.contains(&value))
    };
    SETTINGS.iter().any(set) || matches!(word.as_known(), Some("-p" | "--paginate"))
}

impl Sub {
    fn opens(&self, words: &[Word], alone: bool) -> bool {
        let given = self.given(words);
        let any = |flags: &[&str]| {
            given.iter().any(|it| flags.iter().any(|flag| self.may_be(it.word, flag)))
        };
        let excused = || self.unless.iter().any(|excuse| self.is_excused(excuse, &given));
        let odd = |excuse: &Excuse| given.iter().any(|it| self.is_odd(excuse, it.word));
        any(self.always) || self.unless.iter().any(odd) || ((alone || any(self.with)) && !excused())
    }

    /// The words that are no values, up to the `--` that ends the options.
    fn given<'w>(&self, words: &'w [Word]) -> Vec<Given<'w>> {
        let (mut given, mut sure, mut takes) = (Vec::new(), true, Takes::Nothing);
        for word in words {
            if takes == Takes::Surely && !word.splits() {
                takes = Takes::Nothing;
                continue;
            }
            match (word.as_known() == Some("--"), takes) {
                (true, Takes::Nothing) => break,
                (true, _) => {
                    (sure, takes) = (false, Takes::Nothing);
                    continue;
                }
                (false, _) => {}
            }
            given.push(Given { word, sure: sure && takes == Takes::Nothing });
            takes = self.takes(word);
        }
        given
    }

    /// Whether an option takes the word behind it. An abbreviation may be of one that does.
    fn takes(&self, word: &Word) -> Takes {
        let Some(text) = word.as_known() else { return Takes::Nothing };
        if text.starts_with("--") {
            return match self.long {
                _ if text.contains('=') => Takes::Nothing,
                long if long.contains(&text) => Takes::Surely,
                long if long.iter().any(|option| option.starts_with(text)) => Takes::Perhaps,
                _ => Takes::Nothing,
            };
        }
        let letters = text.strip_prefix('-').unwrap_or_default();
        let stop = letters.find(|c| self.valued.contains(c) || self.attached.contains(c));
        let last = stop.and_then(|stop| letters.get(stop..)).and_then(|rest| {
            let mut rest = rest.chars();
            rest.next().filter(|_| rest.next().is_none())
        });
        match last.is_some_and(|letter| self.valued.contains(letter)) {
            true => Takes::Surely,
            false => Takes::Nothing,
        }
    }

    /// Whether one of the words surely is the excuse, and nothing takes it back.
    fn is_excused(&self, excuse: &Excuse, given: &[Given<'_>]) -> bool {
        let surely = |it: &Given<'_>| it.sure && self.is_spelled(excuse, it.word);
        let but = |it: &Given<'_>| {
            let back = excuse.but.iter().any(|flag| self.may_be(it.word, flag));
            back || (excuse.by.iter().any(|flag| self.may_be(it.word, flag))
                && !self.is_spelled(excuse, it.word))
        };
        given.iter().any(surely) && !given.iter().any(but)
    }

    /// Whether a word is the excuse as it is spelled out, with a value that leaves it one.
    fn is_spelled(&self, excuse: &Excuse, word: &Word) -> bool {
        let Some(text) = word.as_known() else {
            // Whatever is behind it, a message is one.
            return excuse.values.is_empty()
                && excuse.by.iter().any(|flag| self.is_start_of(word, flag));
        };
        let fine = |value: &str| excuse.values.is_empty() || excuse.values.contains(&value);
        excuse.by.iter().any(|flag| match text.strip_prefix(flag) {
            Some("") => true,
            Some(rest) if flag.starts_with("--") => rest.strip_prefix('=').is_some_and(fine),
            _ if flag.starts_with("--") => false,
            _ => self.letter(text, flag).is_some_and(|rest| rest.is_empty() || fine(rest)),
        })
    }

    /// Whether a word surely is this option with something behind it that nobody knows.
    fn is_start_of(&self, word: &Word, flag: &str) -> bool {
        let text = word.prefix();
        let long = || text.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='));
        let short = || self.letter(text, flag).is_some() && !text.starts_with("--");
        !word.splits() && if flag.starts_with("--") { long() } else { short() }
    }

    /// Whether a word is an option that excuses with one value, and makes it open one with another.
    fn is_odd(&self, excuse: &Excuse, word: &Word) -> bool {
        let named = excuse.by.iter().any(|flag| self.may_be(word, flag));
        let text = word.as_known().unwrap_or_default();
        let off = text.ends_with("=false") || text.ends_with("=no") || text.ends_with("=0");
        !excuse.values.is_empty() && named && !off && !self.is_spelled(excuse, word) && {
            let value = text.split_once('=').map(|(_, value)| value);
            let bundled = || excuse.by.iter().find_map(|flag| self.letter(text, flag));
            !value.or_else(bundled).unwrap_or_default().is_empty() || word.as_known().is_none()
        }
    }

    /// Whether a word may be this option: as it is, abbreviated, as a letter among others, or because
    /// nobody knows what it is.
    fn may_be(&self, word: &Word, flag: &str) -> bool {
        let text = word.prefix();
        if word.as_known().is_none() && !self.is_told(word) {
            return word.may_be_option();
        }
        if !flag.starts_with('-') {
            return text == flag;
        }
        if flag.starts_with("--") {
            let given = text.split('=').next().unwrap_or_default();
            return given.len() > 2 && given.starts_with("--") && flag.starts_with(given);
        }
        self.letter(text, flag).is_some()
    }

    /// Whether of a word with something unknown at least the option is known.
    fn is_told(&self, word: &Word) -> bool {
        let text = word.prefix();
        let long = || text.starts_with("--") && text.contains('=');
        let short = || {
            let letters = text.strip_prefix('-').unwrap_or_default();
            letters.contains(|c| self.valued.contains(c) || self.attached.contains(c))
        };
        !word.splits() && (long() || (!text.starts_with("--") && short()))
    }

    /// What stands behind a letter in a bundle of them, where no letter before it takes a value.
    fn letter<'t>(&self, text: &'t str, flag: &str) -> Option<&'t str> {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
        let wanted = flag.strip_prefix('-')?.chars().next()?;
        for (at, letter) in letters.char_indices() {
            if letter == wanted {
                return letters.get(at + letter.len_utf8()..);
            }
            let stops = self.valued.contains(letter) || self.attached.contains(letter);
            if !letter.is_ascii_alphanumeric() || stops {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
#[path = "editor_tests.rs"]
mod tests;
