//! Whether a program runs what is typed into it: because it was told nothing to run, because that is
//! what it is for, or because it shows something and takes keys meanwhile. By the data; whether anybody
//! can type into it is not known here.

use super::arguments::names_input;
use super::values::is_option;
use super::{Arguments, Input, Reader};
use crate::programs::Typed;
use crate::shell::Word;

/// Programs that run what is typed into them unless they are told something else.
const SHELLS: [&str; 20] = [
    "sh", "bash", "dash", "ash", "hush", "zsh", "ksh", "mksh", "rbash", "fish", "yash", "csh",
    "tcsh", "nu", "elvish", "xonsh", "python", "python3", "node", "pwsh",
];

/// Words with which alone a program tells about itself and ends.
const TELLS: [&str; 7] = ["--version", "-version", "--help", "-help", "-h", "-V", "-v"];

/// How many arguments behind the subcommand are looked at for the next word of a console.
const NEAR: usize = 4;

impl Reader<'_> {
    /// Notes what it does with what is typed, and with what it gets from elsewhere.
    pub(super) fn note_typed(&mut self, idle: bool) {
        let asked = self.argv.iter().any(|word| word.as_known() == Some("-i"));
        let runs = self.runs_code() && (idle || asked || self.flags.reads_input);
        let sourced = self.usage.arguments == Arguments::Code && self.flags.reads_input;
        let tells = matches!(self.argv, [_, word] if is_one_of(word, &TELLS));
        let told = |typed: &&Typed| !tells && self.is_typed(typed);
        let typed: Vec<&Typed> = self.usage.typed.iter().filter(told).collect();
        self.out.pages = typed.iter().any(|typed| typed.pages);
        self.out.interactive = runs
            || sourced
            || typed.iter().any(|typed| !typed.pages)
            || (!tells && self.wraps_shell())
            || (self.flags.local && !self.flags.done);
        self.out.waits = self.waits();
    }

    fn is_typed(&self, typed: &Typed) -> bool {
        let starts = match typed.by.is_empty() {
            true => Some(0),
            false => typed.by.iter().find_map(|console| self.console(console)),
        };
        let Some(at) = starts else { return false };
        let asked = typed.with.is_empty() || self.finds(&typed.with, typed.within, at, false);
        let ends = self.finds(&typed.ends, typed.within, at, true);
        let enough = typed.ends_at.is_some_and(|count| self.sure_arguments() >= count);
        asked && !ends && (!enough || self.idle_shell_at().is_some_and(|at| at > 1))
    }

    /// Where the last word of a console stands: its first is the first argument, the others follow.
    fn console(&self, console: &str) -> Option<usize> {
        let mut words = console.split(' ');
        let first = *self.arguments.first()?;
        let names = |at: usize, wanted: &str| {
            let text = self.argv.get(at).and_then(Word::as_known).unwrap_or_default();
            text == wanted || text.rsplit('/').next() == Some(wanted)
        };
        if !names(first, words.next()?) {
            return None;
        }
        words.try_fold(first, |from, wanted| {
            let behind = self.arguments.iter().copied().filter(|at| *at > from).take(NEAR);
            behind.into_iter().find(|at| names(*at, wanted))
        })
    }

    /// Whether one of the options stands behind `at`, before what another program is told; `surely` if
    /// what may be the value of another option is none.
    fn finds(&self, options: &[String], within: Option<usize>, at: usize, surely: bool) -> bool {
        let mut seen = 0;
        for (index, word) in self.argv.iter().enumerate().skip(at + 1) {
            let passed = within.is_some_and(|within| seen >= within);
            if passed || is_one_of(word, &["--", "--args"]) {
                return false;
            }
            let before = self.argv.get(index - 1).filter(|_| index > 1);
            let value = before.is_some_and(|before| self.may_take_next(before));
            let meant = !(surely && value);
            if is_option(word) {
                if meant && options.iter().any(|option| spells(word, option)) {
                    return true;
                }
            } else if !value {
                seen += 1;
            }
        }
        false
    }

    /// How many arguments there are that are no value of an option nobody knows.
    fn sure_arguments(&self) -> usize {
        let before = |at: usize| at.checked_sub(1).filter(|before| *before > 0);
        let sure = |at: &&usize| {
            let before = before(**at).and_then(|before| self.argv.get(before));
            !before.is_some_and(|word| self.may_take_next(word))
        };
        self.arguments.iter().filter(sure).count()
    }

    /// A program that starts a shell where it is told no command, or that is told a shell.
    fn wraps_shell(&self) -> bool {
        let starts = self.usage.input == Input::Commands
            && self.usage.arguments == Arguments::Escape
            && self.usage.typed.is_empty();
        starts && (self.arguments.is_empty() || self.idle_shell_at().is_some())
    }

    /// Where a shell stands that is told nothing to run.
    fn idle_shell_at(&self) -> Option<usize> {
        let at = self.argv.iter().rposition(|word| {
            let text = word.as_known().unwrap_or_default();
            SHELLS.contains(&text.rsplit('/').next().unwrap_or(text))
        })?;
        let behind = self.argv.get(at + 1..).unwrap_or_default();
        let idle = |word: &Word| is_one_of(word, &["-i", "-l", "-s", "-il", "-li", "--login"]);
        (at > 0 && behind.iter().all(idle)).then_some(at)
    }

    /// Whether it waits for what is typed, to hand it on.
    fn waits(&self) -> bool {
        let files = |from: usize| self.arguments.len() > from;
        let named = || self.argv.iter().skip(1).any(names_input);
        let looks_for = usize::from(self.scripts.is_empty());
        named()
            || match self.usage.arguments {
                Arguments::Searches => !files(looks_for),
                _ if self.usage.looks_here => false,
                Arguments::Reads => !files(0),
                Arguments::Names => self.argv.first().is_some_and(|word| word.prefix() == "read"),
                Arguments::Writes => self.argv.first().is_some_and(|word| word.prefix() == "tee"),
                Arguments::Dd => !self.argv.iter().any(|word| word.prefix().starts_with("if=")),
                _ => self.usage.appends,
            }
    }
}

fn is_one_of(word: &Word, texts: &[&str]) -> bool {
    word.as_known().is_some_and(|text| texts.contains(&text))
}

/// Whether a word is this option: as it is, with a value behind `=`, or as a letter among others.
fn spells(word: &Word, option: &str) -> bool {
    let text = word.prefix();
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let named =
        text.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
    let bundled = |letter: &str| {
        let letters = text.strip_prefix('-').unwrap_or_default();
        let plain = letters.chars().all(|c| c.is_ascii_alphanumeric());
        plain && letters.contains(letter)
    };
    named || letter.is_some_and(bundled)
}

#[cfg(test)]
#[path = "typed_tests.rs"]
mod tests;
