//! The arguments of one command: what is left when its options are read.

use super::{Assigns, Reader, Style, Touch, Verb, What, is_idle_variable, listed, machine};
use crate::shell::{Access, Word};

impl<'p> Reader<'p> {
    pub(super) fn argument(&mut self, word: &'p Word) {
        let at = self.at;
        self.at += 1;
        if let Some((name, value)) = assignment(word) {
            match self.usage.assigns {
                Assigns::Variables if self.arguments.is_empty() && is_idle(&name, &value) => {
                    return;
                }
                Assigns::Variables if self.arguments.is_empty() => {
                    return self.hazard(at, What::Assign(name));
                }
                Assigns::Code => self.hazard(at, What::Code(format!("`{name}` changes what runs"))),
                _ => {}
            }
        }
        if self.shifts(word) {
            self.escape(at, format!("`{}` may be several arguments", word.shown()));
        }
        self.arguments.push(at);
        let count = self.arguments.len();
        if at == 1 && self.usage.style == Style::Bundle {
            return self.bundle(at, word);
        }
        if count == 1 && !self.usage.sub.is_empty() {
            return self.subcommand(at, word);
        }
        if self.usage.style == Style::Shell {
            return self.shell_argument(at, word);
        }
        if self.is_forbidden(word) {
            self.escape(at, format!("`{}` can run anything", word.shown()));
        }
        if let Some(machine) = self.usage.machine_at {
            self.machine(at, word, count.checked_sub(machine));
        }
        if count == 1 && !self.flags.query && (self.usage.listed || !self.usage.verbs.is_empty()) {
            self.verb(at, word);
        } else if self.starts_command(count) {
            self.hand_on(at);
        } else if self.usage.write_at == Some(count) {
            self.hazard(at, What::File(Access::Write, word.clone()));
        } else if self.usage.touch_at == Some(count) {
            self.out.touches.push(Touch::File(Access::Write, word.clone()));
        } else if self.usage.output_at == Some(count) {
            self.hazard(
                at,
                match self.usage.beside {
                    true => What::Beside(word.clone()),
                    false => What::Output(word.clone()),
                },
            );
        } else if self.usage.code_at == Some(count) {
            self.run_file(at, word);
        } else if self.usage.repository_at == Some(count) {
            self.hazard(at, What::Repository(word.clone()));
        }
        if self.usage.stops_at == count {
            self.flags.ended = true;
        }
    }

    /// A machine, and what a shell runs there: on this one that is a command like any other, which
    /// starts at home.
    fn machine(&mut self, at: usize, word: &'p Word, behind: Option<usize>) {
        match behind {
            Some(0) if machine::may_be_this_one(word) => {
                self.flags.local = true;
                let text =
                    format!("`{}` may be this machine: what it runs, runs here", word.shown());
                self.escape(at, text);
                self.hazard(at, What::Go(Word::known("")));
            }
            Some(1) if self.flags.local => {
                self.flags.done = true;
                self.rest_runs(at, true);
            }
            _ => {}
        }
    }

    fn is_forbidden(&self, word: &Word) -> bool {
        let starts =
            |start: &String| word.prefix().to_ascii_lowercase().starts_with(start.as_str());
        self.usage.forbidden.iter().chain(&self.program.forbidden).any(starts)
    }

    /// A first argument that decides what the others are.
    fn verb(&mut self, at: usize, word: &'p Word) {
        let name = word.as_known().unwrap_or_default();
        match self.usage.verbs.get(name) {
            Some(Verb::Plain) => {}
            Some(Verb::Options) => {
                let rest = self.argv.get(at + 1..).unwrap_or_default();
                let safe = |word: &Word| {
                    word.as_known().is_some_and(|word| self.usage.safe.iter().any(|s| s == word))
                };
                if !rest.iter().all(safe) {
                    let text = format!("`{name}` of `{}` can run anything", self.name());
                    self.escape(at, text);
                }
            }
            None if listed(&self.usage.settings, &name.to_ascii_lowercase()) => {}
            None if name.contains('.') && self.only_asks(at) => {}
            Some(verb) => {
                self.flags.done = true;
                self.rest_runs(at + 1, *verb == Verb::Shell);
            }
            None if self.usage.listed || word.as_known().is_none() => {
                self.escape(
                    at,
                    format!("`{}` of `{}` can run or change anything", word.shown(), self.name()),
                );
            }
            None => {}
        }
    }

    /// Whether nothing follows the first argument, and nothing before it says more than how it is asked
    /// about.
    fn only_asks(&self, at: usize) -> bool {
        let before = self.argv.get(self.flags.entered_at + 1..at).unwrap_or_default();
        let mut options = before.iter().filter(|word| word.may_be_option());
        let asks = |word: &Word| {
            let name = word.as_known().map(|text| text.split('=').next().unwrap_or(text));
            name.is_some_and(|name| self.usage.asks.iter().any(|known| known == name))
        };
        !self.usage.asks.is_empty() && at + 1 == self.argv.len() && options.all(asks)
    }

    pub(super) fn starts_command(&self, count: usize) -> bool {
        self.usage.command_at == Some(count) || self.usage.shell_at == Some(count)
    }

    /// Everything from here on is another command, or the text of one.
    fn hand_on(&mut self, at: usize) {
        self.flags.done = true;
        if !self.flags.query {
            self.rest_runs(at, self.usage.shell_at.is_some());
        }
    }

    fn rest_runs(&mut self, at: usize, as_text: bool) {
        let rest = self.argv.get(at..).unwrap_or_default();
        self.out.handed.push((at, self.argv.len()));
        if !as_text {
            let mut words = rest.to_vec();
            self.append(&mut words);
            return self.hazard(at, What::Run(words));
        }
        let texts: Option<Vec<&str>> = rest.iter().map(Word::as_known).collect();
        match texts {
            Some(texts) => self.hazard(at, What::Shell(texts.join(" "))),
            None => self.blind(at, "what it runs cannot be told".to_owned()),
        }
    }

    /// Words that are read elsewhere take the place of a mark, or follow at the end.
    fn append(&self, words: &mut Vec<Word>) {
        if !self.usage.appends {
            return;
        }
        match self.replaced.as_ref().map(|mark| mark.as_known().unwrap_or_default().to_owned()) {
            Some(mark) => {
                for word in words.iter_mut() {
                    let Some(at) = word.spelling().find(&mark) else { continue };
                    // What stands before the mark stays there.
                    *word = match word.prefix().get(..at) {
                        Some(start) if !start.is_empty() => Word::starting(start),
                        _ => Word::unknown(),
                    };
                }
            }
            None => words.push(Word::unknown()),
        }
    }

    fn subcommand(&mut self, at: usize, word: &'p Word) {
        let Some(name) = word.as_known() else {
            return self.escape(at, format!("the subcommand of `{}` cannot be told", self.name()));
        };
        let mut subs = self.usage.sub.iter();
        let found = subs.find(|(names, _)| names.split(' ').any(|known| known == name));
        self.flags.entered = true;
        self.flags.entered_at = at;
        match found {
            Some((_, usage)) => {
                self.usage = usage;
                self.arguments.clear();
                self.out.moves |= usage.moves;
            }
            None if self.usage.listed => {
                self.escape(at, format!("`{name}` is not a known subcommand of `{}`", self.name()));
            }
            None => {}
        }
    }

    /// tar's first word: letters without a dash, whose values follow in order.
    fn bundle(&mut self, at: usize, word: &'p Word) {
        for letter in word.prefix().chars() {
            let name = format!("-{letter}");
            if let Some(effect) = self.exact(&name) {
                self.apply(effect, at, &name, None);
            }
        }
        if word.as_known().is_none() {
            self.escape(at, format!("the options of `{}` cannot be told", self.name()));
        }
    }

    fn shell_argument(&mut self, at: usize, word: &'p Word) {
        self.flags.done = true;
        if self.flags.reads_input {
            return;
        }
        if !self.flags.shell_text {
            return self.run_file(at, word);
        }
        match word.as_known() {
            Some(text) => {
                self.out.handed.push((at, at + 1));
                self.hazard(at, What::Shell(text.to_owned()));
            }
            None => self.blind(at, format!("what `{}` runs cannot be told", self.name())),
        }
    }
}

impl<'p> Reader<'p> {
    /// A file of code: one that stands for standard input, what another command writes, or a file
    /// that is run and so read.
    pub(super) fn run_file(&mut self, at: usize, word: &'p Word) {
        let text = format!("`{}` runs `{}`", self.name(), word.shown());
        if is_input(word) {
            self.flags.reads_input = true;
        } else if word.is_process() {
            self.blind(at, format!("`{}` runs what another command writes", self.name()));
        }
        // With code told by an option, what follows is what that code works on.
        if !self.out.hazards.iter().any(|hazard| matches!(hazard.what, What::Code(_))) {
            self.out.handed.push((at, at + 1));
        }
        self.out.touches.push(Touch::Mention(word.clone()));
        self.hazard(at, What::Code(text));
    }
}

/// Names of standard input.
const STANDARD_INPUT: [&str; 5] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/tty", "-"];

/// Whether a word is a name of standard input, also by the number of a process that nobody knows.
fn is_input(word: &Word) -> bool {
    let by_process = word.prefix().starts_with("/proc/") && word.spelling().ends_with("/fd/0");
    by_process || word.as_known().is_some_and(|path| STANDARD_INPUT.contains(&path))
}

/// Whether a word is standard input, or an option with it: `-`, `-f-`, `--file=/dev/stdin`.
pub(super) fn names_input(word: &Word) -> bool {
    let Some(text) = word.as_known() else { return false };
    let value = match text.split_once('=') {
        Some((_, value)) => value,
        None if text.starts_with('-') && !text.starts_with("--") => text.get(2..).unwrap_or(text),
        None => text,
    };
    STANDARD_INPUT.contains(&value)
}

/// Whether a variable is set to what does nothing.
pub(super) fn is_idle(name: &str, value: &Word) -> bool {
    value.as_known().is_some_and(|value| is_idle_variable(name, value))
}

/// `NAME=value`, however it is quoted: to a program it is one word.
pub(super) fn assignment(word: &Word) -> Option<(String, Word)> {
    let prefix = word.prefix();
    let (name, _) = prefix.split_once('=')?;
    (!name.is_empty()).then(|| (name.to_owned(), word.tail(name.len() + 1).unwrap_or_default()))
}
