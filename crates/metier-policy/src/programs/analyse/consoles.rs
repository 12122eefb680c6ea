//! Consoles that a program starts because of its options or its code: a debugger, a module that is a
//! prompt, a shell named in a script. By what the words spell out, so that code which hides it passes:
//! this is for hosts that type into running programs, and what such code may do is judged elsewhere.

use super::arguments::names_input;
use super::typed::is_told;
use super::{Input, Language, Reader, Style, language};
use crate::shell::Word;

/// Modules of python that run what is typed.
const MODULES: [&str; 15] = [
    "code",
    "pdb",
    "ipdb",
    "pudb",
    "asyncio",
    "IPython",
    "ptpython",
    "bpython",
    "xonsh",
    "sqlite3",
    "idlelib",
    "jupyter_console",
    "konch",
    "trepan",
    "pexpect",
];

/// Modules that are other programs, and the words with which those run what is typed.
const MODULES_WITH: [(&str, &[&str]); 4] = [
    ("django", &["shell", "shell_plus", "dbshell"]),
    ("manage", &["shell", "shell_plus", "dbshell"]),
    ("flask", &["shell"]),
    ("pytest", &["--pdb", "--trace"]),
];

/// What code spells out that starts a prompt.
const PROMPTS: [&str; 14] = [
    "pty.spawn",
    "code.interact",
    "interactiveconsole",
    "set_trace(",
    "breakpoint(",
    "ipython.embed",
    "embed()",
    "start_ipython",
    "binding.irb",
    "binding.pry",
    "irb.start",
    "pry.start",
    "repl.start",
    "(\"repl\").start",
];

/// Interpreters whose `-n` and `-p` run code for each line they read.
const LOOPS: [&str; 2] = ["perl", "ruby"];

/// Letters of theirs behind which the rest of the word is a value.
const LOOP_VALUES: &str = "eEiMmIFxCDrTKW";

/// Options that tell an interpreter what to do and have no value.
const TASKS: [&str; 4] = ["--test", "--v8-options", "--print-supported-cpus", "--copyright"];

impl Reader<'_> {
    /// Whether an interpreter is told to go on behind what it runs.
    pub(super) fn stays(&self) -> bool {
        let name = self.base_name();
        let python = ["python", "pypy", "ipython"].iter().any(|stem| name.starts_with(stem));
        let asked = |word: &Word| match word.prefix() {
            "--interactive" => true,
            // To these it is another thing.
            text if LOOPS.iter().any(|stem| name.starts_with(stem)) => {
                name.starts_with("perl") && has_letter(text, 'd')
            }
            "-a" => name.starts_with("php"),
            text if python && !text.starts_with("--") => {
                let letters = text.split(['c', 'm', 'W', 'X']).next().unwrap_or_default();
                letters.starts_with('-') && letters.contains('i')
            }
            text => text == "-i",
        };
        self.own_options().any(asked)
    }

    /// Whether an option tells an interpreter what to do, as code would.
    pub(super) fn has_task(&self) -> bool {
        let name = self.base_name();
        let version = |text: &str| match text {
            "-V" => name.starts_with("python") || name.starts_with("pypy"),
            "-v" => !name.starts_with("python") && !name.starts_with("pypy"),
            _ => false,
        };
        let task = |word: &Word| {
            let text = word.as_known().unwrap_or_default();
            TASKS.contains(&text) || version(text)
        };
        self.usage.style != Style::Shell && self.own_options().any(task)
    }

    /// Whether it starts a console by what it is told.
    pub(super) fn starts_console(&self) -> bool {
        let named = || self.argv.iter().skip(1).any(names_input);
        self.runs_module()
            || self.loops_on_input()
            || self.spells_prompt()
            || self.scripts_shell()
            || self.told_to_exec()
            || (self.usage.input == Input::Named && named())
    }

    /// The words before the first argument.
    fn own_options(&self) -> impl Iterator<Item = &Word> {
        let end = self.arguments.first().copied().unwrap_or(self.argv.len());
        self.argv.iter().take(end).skip(1)
    }

    fn base_name(&self) -> &str {
        self.name().rsplit('/').next().unwrap_or_default()
    }

    /// `-m module`, where that is a console, or has a word that makes it one.
    fn runs_module(&self) -> bool {
        if !["python", "pypy"].iter().any(|stem| self.base_name().starts_with(stem)) {
            return false;
        }
        let words = || self.argv.iter().map(|word| word.as_known().unwrap_or_default());
        let bundle = |text: &str| {
            let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
            let at =
                letters.find(['m', 'c', 'W', 'X']).filter(|at| letters[*at..].starts_with('m'));
            at.and_then(|at| letters.get(at + 1..)).map(str::to_owned)
        };
        let found = words().enumerate().find_map(|(at, text)| Some((at, bundle(text)?)));
        let Some((at, attached)) = found else { return false };
        let module = match attached.is_empty() {
            true => words().nth(at + 1).unwrap_or_default().to_owned(),
            false => attached,
        };
        let top = module.split('.').next().unwrap_or_default();
        let with = |(name, marks): &(&str, &[&str])| {
            *name == top && words().skip(at + 1).any(|word| marks.contains(&word))
        };
        MODULES.contains(&module.as_str())
            || ["IPython", "idlelib"].contains(&top)
            || MODULES_WITH.iter().any(with)
    }

    /// `perl -ne code` without a file runs its code for each line that is typed.
    fn loops_on_input(&self) -> bool {
        let name = self.base_name();
        if !LOOPS.iter().any(|stem| name.starts_with(stem)) {
            return false;
        }
        let (mut loops, mut code) = (false, false);
        for word in self.argv.iter().skip(1) {
            let text = word.prefix();
            match std::mem::take(&mut code) {
                true => {}
                // A file to read, or whatever is one when it is known.
                false if !text.starts_with('-') => return false,
                false => {
                    loops |= has_letter(text, 'n') || has_letter(text, 'p');
                    code = text.ends_with(['e', 'E']);
                }
            }
        }
        loops
    }

    /// Whether code among the words spells out a prompt, or a shell that is told nothing.
    fn spells_prompt(&self) -> bool {
        let runs = self.runs_code() && self.usage.style != Style::Shell;
        let code = |word: &&Word| word.spelling().contains(['(', ' ', '.', '"', '`']);
        let prompt = |word: &Word| {
            let text = word.spelling().to_lowercase();
            PROMPTS.iter().any(|mark| text.contains(mark)) || names_shell(&text)
        };
        runs && self.argv.iter().skip(1).filter(code).any(prompt)
    }

    /// Scripts for awk and sed that run a shell, or run what is typed.
    fn scripts_shell(&self) -> bool {
        let Some(kind) = self.usage.language else { return false };
        let fed = self.waits();
        self.scripts.iter().any(|(_, script)| {
            let text = script.spelling();
            let open = || !language::is_harmless(kind, text);
            match kind {
                Language::Awk => open() && (fed || names_shell(text)),
                Language::Sed => open() && (fed || text.split(['\n', ';']).any(executes_shell)),
                Language::Sqlite => false,
            }
        })
    }

    /// A shell that is told nothing as what another program is told to run.
    fn told_to_exec(&self) -> bool {
        let git = self.base_name() == "git";
        let told = |(at, word): (usize, &Word)| {
            let text = word.as_known().unwrap_or_default();
            let behind = |mark: &str| text.split_once(mark).is_some_and(|(_, rest)| is_told(rest));
            let set = || {
                let before = self.argv.get(at - 1).map_or("", |word| word.prefix());
                before == "-c"
                    && text
                        .split_once('=')
                        .is_some_and(|(_, v)| is_told(v.trim_start().trim_start_matches('!')))
            };
            let pager =
                || text.strip_prefix("-O").is_some_and(is_told) || behind("--open-files-in-pager=");
            behind("exec=") || (git && (set() || pager()))
        };
        self.argv.iter().enumerate().skip(1).any(told)
    }
}

/// Whether a bundle has a letter that is none of a value.
fn has_letter(text: &str, wanted: char) -> bool {
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    let mut letters = letters.unwrap_or_default().chars();
    letters.find(|c| *c == wanted || LOOP_VALUES.contains(*c)) == Some(wanted)
}

/// Whether a text in quotes is a shell that is told nothing: one with `-c` behind it is.
fn names_shell(text: &str) -> bool {
    let quoted = |part: &str| !part.is_empty() && is_told(part);
    !text.contains("-c") && text.split(['"', '\'', '`']).skip(1).any(quoted)
}

/// Whether a command of sed is `e` with a shell.
fn executes_shell(command: &str) -> bool {
    let address = |c: char| c.is_ascii_digit() || "$,~+! {".contains(c);
    let command = command.trim_start_matches(address);
    command.strip_prefix('e').is_some_and(is_told)
}
