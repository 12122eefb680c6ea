//! Whether a program runs what is typed into it: because it was told nothing to run, because that is
//! what it is for, or because it shows something and takes keys meanwhile. By the data; whether anybody
//! can type into it is not known here.

use super::arguments::names_input;
use super::values::is_option;
use super::{Arguments, Input, Reader};
use crate::programs::Typed;
use crate::shell::Word;

/// Programs that run what is typed into them unless they are told something else.
const SHELLS: [&str; 26] = [
    "sh", "bash", "dash", "ash", "hush", "zsh", "ksh", "mksh", "rbash", "fish", "yash", "csh",
    "tcsh", "nu", "elvish", "xonsh", "python", "python3", "node", "pwsh", "ksh93", "oksh", "posh",
    "osh", "lksh", "irb",
];

/// Options with which a shell is still told nothing.
const IDLE: [&str; 7] = ["-i", "-l", "-s", "-il", "-li", "--login", "-"];

/// Words with which alone a program tells about itself and ends.
const TELLS: [&str; 2] = ["--version", "--help"];

/// How many arguments behind the subcommand are looked at for the next word of a console.
const NEAR: usize = 4;

impl Reader<'_> {
    /// Notes what it does with what is typed, and with what it gets from elsewhere.
    pub(super) fn note_typed(&mut self, idle: bool) {
        let tells = matches!(self.argv, [_, word] if tells(word));
        let idle = idle && !tells && !self.has_task();
        let runs = self.runs_code() && (idle || self.stays() || self.flags.reads_input);
        let sourced = self.usage.arguments == Arguments::Code && self.flags.reads_input;
        let told = |typed: &&Typed| !tells && self.is_typed(typed);
        let typed: Vec<&Typed> = self.usage.typed.iter().filter(told).collect();
        self.out.pages = typed.iter().any(|typed| typed.pages);
        // What may be an option of a wrapper may be the command as well.
        let wraps = self.usage.command_at.is_some() && !self.flags.done && !self.flags.query;
        self.out.interactive = runs
            || (wraps && self.out.blind)
            || sourced
            || typed.iter().any(|typed| !typed.pages)
            || (!tells && (self.wraps_shell() || self.starts_console()))
            || (self.flags.local && !self.flags.done);
        self.out.waits = self.waits();
        self.out.wraps = !tells && self.is_wrapper();
    }

    /// Whether words of it are a command, wherever that starts.
    fn is_wrapper(&self) -> bool {
        let typed = &self.usage.typed;
        let counts = |typed: &Typed| typed.ends_at.is_some();
        let told = |typed: &Typed| {
            counts(typed) && typed.by.iter().any(|console| self.console(console).is_some())
        };
        let runs = self.usage.input == Input::Commands
            && self.usage.arguments == Arguments::Escape
            && (typed.is_empty() || typed.iter().any(counts));
        runs || typed.iter().any(told)
    }

    fn is_typed(&self, typed: &Typed) -> bool {
        let starts = match typed.by.is_empty() {
            true => Some(0),
            false => typed.by.iter().find_map(|console| self.console(console)),
        };
        let Some(at) = starts else { return false };
        if !typed.with.is_empty() && !self.finds(&typed.with, typed.within, at, false) {
            return false;
        }
        let starts =
            |word: &Word| typed.starts.iter().any(|start| word.prefix().starts_with(start));
        if self.argv.iter().skip(1).any(starts) {
            return true;
        }
        if typed.sequences && self.argv.iter().any(|word| word.prefix().ends_with(';')) {
            return true;
        }
        // What an option tells may come from the terminal all the same.
        let named = !self.stands_alone("-") && self.argv.iter().skip(1).any(names_input);
        let ends = !named && self.finds(&typed.ends, typed.within, at, true);
        let other = typed.unless.iter().any(|word| self.console(word).is_some());
        let enough = typed.ends_at.is_some_and(|count| self.sure_arguments() >= count);
        !ends && !other && (!enough || self.is_told_shell())
    }

    /// Where the last word of a console stands: its first is the first argument, the others follow.
    fn console(&self, console: &str) -> Option<usize> {
        let mut words = console.split(' ');
        let wanted = words.next()?;
        let names = |at: usize, wanted: &str| {
            let text = self.argv.get(at).and_then(Word::as_known).unwrap_or_default();
            text == wanted || text.rsplit('/').next() == Some(wanted)
        };
        // What may be a value is passed over.
        let sure = self.arguments.iter().position(|at| self.is_sure(*at))?;
        let mut firsts = self.arguments.iter().take(sure + 1).copied();
        let first = firsts.find(|at| names(*at, wanted))?;
        words.try_fold(first, |from, wanted| {
            let mut behind = self.arguments.iter().copied().filter(|at| *at > from).take(NEAR);
            behind.find(|at| names(*at, wanted))
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
                if meant && options.iter().any(|option| self.spells(word, option, surely)) {
                    return true;
                }
            } else if !value {
                seen += 1;
            }
        }
        false
    }

    /// How many arguments there are that are no value of an option nobody knows, and not empty.
    fn sure_arguments(&self) -> usize {
        let empty = |at: usize| self.argv.get(at).and_then(Word::as_known) == Some("");
        self.arguments.iter().filter(|at| self.is_sure(**at) && !empty(**at)).count()
    }

    /// Whether an argument is no value of an option nobody knows.
    fn is_sure(&self, at: usize) -> bool {
        let before = at.checked_sub(1).filter(|before| *before > 0);
        let before = before.and_then(|before| self.argv.get(before));
        let before = before.filter(|word| word.as_known() != Some("--"));
        !before.is_some_and(|word| self.may_take_next(word))
    }

    /// A program that starts a shell where it is told no command, or that is told a shell.
    fn wraps_shell(&self) -> bool {
        let starts = self.usage.input == Input::Commands
            && self.usage.arguments == Arguments::Escape
            && self.usage.typed.is_empty();
        let tells = matches!(self.argv, [_, word] if is_one_of(word, &["-V", "-h"]));
        let words = self.argv.iter().skip(1).rev();
        let mut words = words.map(|word| word.as_known().unwrap_or_default());
        let shell = words.find(|word| !IDLE.contains(word)).is_some_and(is_shell);
        starts && !tells && (self.arguments.is_empty() || shell)
    }

    /// Whether what runs on another machine, or on another terminal, is a shell that is told nothing.
    fn is_told_shell(&self) -> bool {
        let behind = self.arguments.get(1).and_then(|at| self.argv.get(*at..)).unwrap_or_default();
        let words: Vec<&str> = behind.iter().map(Word::spelling).collect();
        is_told(&words.join(" "))
    }

    /// Whether a word is this option: as it is, with a value behind `=`, or as a letter among others;
    /// `surely` if those before it are known to take no value.
    fn spells(&self, word: &Word, option: &str, surely: bool) -> bool {
        let text = word.prefix();
        let rest = text.strip_prefix(option);
        let named = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='));
        let Some(letter) = option.strip_prefix('-').filter(|letter| letter.len() == 1) else {
            return named;
        };
        let letters = text.strip_prefix('-').unwrap_or_default();
        let before = letters.split(letter).next().unwrap_or_default();
        let alone = |c: char| c.is_ascii_alphanumeric();
        let sure = |c: char| self.stands_alone(&format!("-{c}"));
        let clear = if surely { before.chars().all(sure) } else { before.chars().all(alone) };
        named || (letters.contains(letter) && clear)
    }

    /// Whether it waits for what is typed, to hand it on.
    pub(super) fn waits(&self) -> bool {
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

/// Whether a command is a shell that is told nothing.
pub(super) fn is_told(command: &str) -> bool {
    let mut words = command.split_whitespace();
    let starts = ["exec", "sudo", "env", "nohup", "command", "!"];
    words.find(|word| !starts.contains(word)).is_some_and(is_shell)
        && words.all(|word| IDLE.contains(&word))
}

/// Whether a program with this word alone tells about itself and ends.
pub(crate) fn tells(word: &Word) -> bool {
    is_one_of(word, &TELLS)
}

fn is_one_of(word: &Word, texts: &[&str]) -> bool {
    word.as_known().is_some_and(|text| texts.contains(&text))
}

fn is_shell(text: &str) -> bool {
    SHELLS.contains(&text.rsplit('/').next().unwrap_or(text))
}

#[cfg(test)]
#[path = "typed_tests.rs"]
mod tests;
