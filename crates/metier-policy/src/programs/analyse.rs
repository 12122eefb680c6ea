//! One command read by the data about its program.
//!
//! The reader errs on one side only: a word that could be a dangerous option counts as one, an
//! abbreviation of a dangerous option counts as the option, and a bundle of letters counts for
//! each of them. Options are read in `options`, with their `values`; what is left in `arguments`.

mod arguments;
mod consoles;
mod directories;
mod machine;
mod options;
mod parts;
mod pathspec;
mod typed;
mod values;

use super::{
    Analysis, Arguments, Assigns, Hazard, Input, Language, Obeys, Program, Role, Style, Touch,
    Verb, What, is_idle_setting, is_idle_variable, language, listed,
};
use crate::limits::MAX_MENTIONS;
use crate::shell::{Access, Word};
use crate::url::decoded;
use arguments::{assignment, is_idle, names_input};
pub(crate) use parts::parts;
use pathspec::Pathspec;
pub(super) use typed::tells;

/// What the words would do, by the data about their program.
pub(super) fn analyse(program: &Program, argv: &[Word]) -> Analysis {
    let mut reader = Reader {
        program,
        usage: program,
        argv,
        at: 1,
        out: Analysis { role: program.role, note: program.note.clone(), ..Analysis::default() },
        arguments: Vec::new(),
        scripts: Vec::new(),
        replaced: None,
        into: Vec::new(),
        archives: Vec::new(),
        flags: Flags::default(),
    };
    reader.read();
    reader.judge_itself();
    reader.out
}

/// The words that may be files: arguments, values behind `=`, and what follows `@`.
pub(super) fn mentions(words: &[Word]) -> impl Iterator<Item = Touch> {
    words.iter().take(MAX_MENTIONS).flat_map(|word| parts(word).into_iter().map(Touch::Mention))
}

/// The path in what follows `file://`: behind the host, with `%2e` and the like undone.
fn file_path(text: &str) -> Option<String> {
    let path = text.get(text.find('/')?..)?.split(['?', '#']).next()?;
    decoded(path)
}

/// The scheme of an address, in lowercase where it is known, and what follows it.
fn scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let known =
        ["http", "https", "file"].into_iter().find(|known| scheme.eq_ignore_ascii_case(known));
    let named = scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let absolute = rest.starts_with('/') && named && !scheme.is_empty();
    let behind = match known {
        Some("file") => rest.strip_prefix("//").unwrap_or(rest),
        _ => rest.trim_start_matches('/'),
    };
    (absolute || known == Some("file")).then(|| (known.unwrap_or(scheme), behind))
}

/// Interpreters that end behind `--version`, whatever is on their standard input.
const ANSWERS: [&str; 8] = ["node", "nodejs", "deno", "bun", "python", "python3", "ruby", "perl"];

struct Reader<'p> {
    program: &'p Program,
    /// The program, or its subcommand once that was read.
    usage: &'p Program,
    argv: &'p [Word],
    at: usize,
    out: Analysis,
    /// Positions of the arguments that are no options.
    arguments: Vec<usize>,
    /// Scripts in the usage's language, with the word they start at.
    scripts: Vec<(usize, Word)>,
    /// What stands for appended words.
    replaced: Option<Word>,
    /// Directories that arguments are put into.
    into: Vec<Word>,
    /// Archives that are read or written.
    archives: Vec<Word>,
    flags: Flags,
}

#[derive(Default)]
struct Flags {
    /// `--` was passed.
    ended: bool,
    /// The command was handed on; nothing after it is this program's.
    done: bool,
    /// A wrapper only answers a question.
    query: bool,
    /// File arguments are written.
    in_place: bool,
    /// A shell gets text with `-c`.
    shell_text: bool,
    /// It is told to run what is on its standard input.
    reads_input: bool,
    /// It writes an archive instead of unpacking one.
    packs: bool,
    /// It removes what its arguments name.
    removes: bool,
    /// A subcommand was entered.
    entered: bool,
    /// The word that did it last.
    entered_at: usize,
    /// What it runs on another machine may run on this one.
    local: bool,
}

impl<'p> Reader<'p> {
    fn read(&mut self) {
        self.out.moves = self.usage.moves;
        self.check_forbidden();
        if self.usage.style == Style::Test {
            return self.test();
        }
        while !self.flags.done && self.at < self.argv.len() {
            let Some(word) = self.argv.get(self.at) else { break };
            if !self.flags.ended && self.usage.style != Style::None && self.may_be_option(word) {
                self.option(word);
            } else {
                self.argument(word);
            }
        }
        self.finish();
    }

    /// Shells have options behind `+`, too.
    fn may_be_option(&self, word: &Word) -> bool {
        let shell = self.usage.style == Style::Shell && word.prefix().starts_with('+');
        shell || word.may_be_option()
    }

    /// What is to be said about the command as a whole.
    fn judge_itself(&mut self) {
        let open = |hazard: &Hazard| matches!(hazard.what, What::Escape(_) | What::Code(_));
        let open = self.out.hazards.iter().any(open);
        let mentions = matches!(self.usage.arguments, Arguments::Mentions | Arguments::Code);
        let knows = self.usage.only_reads || self.program.only_reads;
        let asks = self.flags.query || self.out.role == Role::Inert;
        self.out.only_reads = !open && ((knows && !self.flags.removes) || asks);
        self.out.untold = open || (mentions && !self.out.only_reads);
        self.out.accounted = !open && self.only_copies();
        self.out.repository = self.program.repository;
    }

    /// Whether it copies files and does nothing else with them: another name for one is no copy.
    fn only_copies(&self) -> bool {
        let links = |word: &Word| {
            word.may_be_option() && word.prefix().contains(['l', 's']) || word.prefix() == "--"
        };
        let copies = self.usage.arguments == Arguments::Copies && !self.usage.links;
        copies && !self.argv.iter().skip(1).any(links)
    }

    /// `[` and `test`: `-v` evaluates the name behind it, comparisons of numbers evaluate both sides
    /// in some shells, and a word nobody knows could be `-v` unless an operator follows.
    fn test(&mut self) {
        let known = |at: usize| self.argv.get(at).map(|word| word.as_known().unwrap_or_default());
        let number = |at: usize| known(at).is_some_and(|text| text.parse::<i64>().is_ok());
        let mut faults = Vec::new();
        for (at, word) in self.argv.iter().enumerate().skip(1) {
            let fine = match word.as_known() {
                Some("-v" | "-R") => false,
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => {
                    number(at - 1) && number(at + 1)
                }
                Some(_) => true,
                None if word.splits() => false,
                None => matches!(
                    known(at + 1),
                    None | Some("]" | "=" | "==" | "!=" | "-nt" | "-ot" | "-ef" | "-a" | "-o")
                ),
            };
            if !fine {
                faults.push(at);
            }
        }
        for at in faults {
            self.escape(at, "a test may evaluate its words".to_owned());
        }
    }

    /// Words that contain something no wildcard may let in.
    fn check_forbidden(&mut self) {
        let forbidden = &self.program.forbidden_inside;
        if forbidden.is_empty() {
            return;
        }
        for (at, word) in self.argv.iter().enumerate().skip(1) {
            if forbidden.iter().any(|text| word.prefix().to_ascii_lowercase().contains(text)) {
                self.escape(at, format!("`{}` can run or write anything", word.shown()));
            }
        }
    }

    fn finish(&mut self) {
        if self.flags.query {
            if self.out.role == Role::Transparent {
                self.out.role = Role::Inert;
            }
            // Who only asks a file something does not write it.
            for hazard in &mut self.out.hazards {
                if let What::File(access, _) = &mut hazard.what {
                    *access = Access::Read;
                }
            }
            return;
        }
        if self.usage.style == Style::Shell && (!self.flags.done || self.flags.reads_input) {
            let text = format!("`{}` runs what it reads", self.name());
            self.hazard(0, What::Code(text));
        }
        // Without a script or code to run, an interpreter runs what it reads.
        let runs_code = self.runs_code();
        let given = |hazard: &Hazard| matches!(hazard.what, What::Code(_) | What::Shell(_));
        let idle =
            self.arguments.is_empty() && !self.out.hazards.iter().any(|h| h.at > 0 && given(h));
        // A wrapper that wraps nothing is a program like any other.
        let wraps = |hazard: &Hazard| matches!(hazard.what, What::Run(_) | What::Shell(_));
        if self.out.role == Role::Transparent && !self.out.hazards.iter().any(wraps) {
            self.out.role = Role::Plain;
        }
        self.check_scripts();
        self.use_arguments();
        self.use_directories();
        self.note_typed(idle);
        let takes_it = self.flags.reads_input || (runs_code && idle && !self.only_answers());
        self.out.obeys = self.obeys(takes_it);
    }

    fn runs_code(&self) -> bool {
        self.usage.code_at.is_some() || self.usage.style == Style::Shell
    }

    /// Whether it is asked for its version and ends. Some interpreters take that for a word of the code
    /// they read: only those count that do not.
    fn only_answers(&self) -> bool {
        let [program, word] = self.argv else { return false };
        let name = program.as_known().and_then(|path| path.rsplit('/').next());
        name.is_some_and(|name| ANSWERS.contains(&name)) && word.as_known() == Some("--version")
    }

    /// What it does with its standard input. `takes_it` is whether it is told no other code.
    fn obeys(&self, takes_it: bool) -> Obeys {
        let named = || self.argv.iter().skip(1).any(names_input);
        match (self.usage.input, self.usage.style) {
            _ if self.flags.local && !self.flags.done => Obeys::Shell,
            (Input::Code, _) if self.usage.language == Some(Language::Sqlite) => {
                Obeys::Script(Language::Sqlite)
            }
            (Input::Commands, _) if takes_it || !self.runs_code() => Obeys::Commands,
            (Input::Code, _) => Obeys::Code,
            (Input::Named, _) if named() => Obeys::Code,
            _ if !takes_it => Obeys::Nothing,
            (_, Style::Shell) => Obeys::Shell,
            _ if self.usage.arguments == Arguments::Code => Obeys::Shell,
            _ => Obeys::Code,
        }
    }

    fn check_scripts(&mut self) {
        let Some(kind) = self.usage.language else { return };
        if kind == Language::Sqlite {
            // A database, and then scripts.
            let behind = self.arguments.iter().skip(1).filter_map(|at| self.argv.get(*at));
            let scripts = self.arguments.iter().skip(1).copied().zip(behind.cloned());
            self.scripts.extend(scripts);
        } else if self.scripts.is_empty() && !self.arguments.is_empty() {
            let at = self.arguments.remove(0);
            self.scripts.extend(self.argv.get(at).map(|word| (at, word.clone())));
        }
        for (at, script) in self.scripts.clone() {
            let text = match kind {
                // What is put into a statement leaves it one.
                Language::Sqlite if !script.prefix().is_empty() => Some(script.spelling()),
                _ => script.as_known(),
            };
            if !text.is_some_and(|text| language::is_harmless(kind, text)) {
                let text =
                    format!("the script of `{}` may run programs or write files", self.name());
                self.escape(at, text);
            }
        }
    }

    fn use_arguments(&mut self) {
        let words: Vec<(usize, &'p Word)> =
            self.arguments.iter().filter_map(|at| Some((*at, self.argv.get(*at)?))).collect();
        if self.flags.in_place {
            for (at, word) in &words {
                self.hazard(*at, What::File(Access::Write, (*word).clone()));
            }
        }
        if matches!(self.usage.arguments, Arguments::Mentions | Arguments::Code) {
            let from = if self.flags.entered { 2 } else { 1 };
            self.out.touches.extend(mentions(self.argv.get(from..).unwrap_or_default()));
        }
        let elsewhere = self.reads_elsewhere(&words);
        // With the directory told by an option, every argument is put into it.
        let last = if self.into.is_empty() { words.len().saturating_sub(1) } else { usize::MAX };
        for (index, (at, word)) in words.into_iter().enumerate() {
            if self.usage.tracked {
                self.track(at, word);
            }
            if self.usage.repositories {
                self.hazard(at, What::Repository(word.clone()));
            }
            if elsewhere {
                self.hazard(at, What::Input(word.clone()));
            }
            match self.usage.arguments {
                Arguments::Plain | Arguments::Mentions => {}
                Arguments::Reads => self.touch(Access::Read, word),
                Arguments::Writes => self.touch(Access::Write, word),
                Arguments::Searches if index == 0 && self.scripts.is_empty() => {}
                Arguments::Searches => self.touch(Access::Read, word),
                Arguments::Copies if index == last => {
                    self.out.touches.push(Touch::File(Access::Write, word.clone()));
                }
                Arguments::Copies => self.touch(Access::Read, word),
                Arguments::Moves if index == last => {
                    self.out.touches.push(Touch::File(Access::Write, word.clone()));
                }
                Arguments::Moves => {
                    self.touch(Access::Read, word);
                    self.out.touches.push(Touch::Tree(Access::Write, word.clone()));
                }
                Arguments::Cleans => {
                    self.out.touches.push(Touch::Tree(Access::Write, word.clone()));
                }
                Arguments::Checkout => self.checkout(index, at, word),
                Arguments::Urls => self.url(at, word),
                Arguments::Dd => self.dd(word),
                Arguments::Names => self.variable_name(at, word),
                Arguments::Code => self.run_file(at, word),
                Arguments::Escape => {
                    self.escape(at, format!("`{}` can run or change anything", self.name()));
                }
            }
        }
    }

    /// A file of a repository, or what git takes the word for.
    fn track(&mut self, at: usize, word: &Word) {
        self.hazard(at, What::Tracked(word.clone()));
        let meant = match pathspec::read(word) {
            Pathspec::Plain => return,
            Pathspec::Path(path) => {
                self.hazard(at, What::Tracked(path.clone()));
                path
            }
            // Wildcards find nothing of the repository itself, and the last goes on further down.
            Pathspec::Found(path) => {
                let ends_open = path.spelling().ends_with('*');
                let below = ends_open.then(|| Word::any_name().within(&path));
                let found = std::iter::once(path).chain(below);
                let touches = found.map(|path| Touch::File(Access::Write, path));
                return self.out.touches.extend(touches);
            }
            Pathspec::Others => Word::known("."),
        };
        self.out.touches.push(Touch::Tree(Access::Write, meant));
    }

    /// `git checkout main` is about a branch, `git checkout main a` and `git checkout ./a` are about `a`.
    fn checkout(&mut self, index: usize, at: usize, word: &Word) {
        let ended = self.argv.iter().position(|word| word.as_known() == Some("--"));
        let path = word.prefix();
        let is_path = path.contains('.') || path.starts_with('/') || word.as_known().is_none();
        if index > 0 || is_path || ended.is_some_and(|ended| ended < at) {
            self.out.touches.push(Touch::Tree(Access::Write, word.clone()));
        }
    }

    /// Whether arguments may be files outside the project. Behind a revision and `--` none is, and a
    /// word that may be several is.
    fn reads_elsewhere(&self, words: &[(usize, &Word)]) -> bool {
        let needed = self.usage.reads_elsewhere;
        let ended = self.argv.iter().position(|word| word.as_known() == Some("--"));
        let is_told =
            |ended: usize| needed > 1 && words.first().is_some_and(|(first, _)| *first < ended);
        let several = |(_, word): &(usize, &Word)| word.splits() || word.is_wildcard();
        let enough = words.len() >= needed || words.iter().any(several);
        needed > 0 && enough && !ended.is_some_and(is_told)
    }

    pub(super) fn touch(&mut self, access: Access, word: &Word) {
        self.out.touches.push(match self.recurses() {
            true => Touch::Tree(access, word.clone()),
            false => Touch::File(access, word.clone()),
        });
    }

    /// Whether directories are used with everything in them.
    pub(super) fn recurses(&self) -> bool {
        self.flags.removes || self.is_asked(&self.usage.recurses)
    }

    /// Whether one of the options is there. A letter in a bundle counts, and so does the beginning of
    /// a long option; `*` always is.
    pub(super) fn is_asked(&self, options: &[String]) -> bool {
        let bundle = (self.usage.style == Style::Bundle).then(|| self.argv.get(1)).flatten();
        let bundle = bundle.map_or("", |word| word.prefix());
        let asked = |option: &String| {
            let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
            letter.is_some_and(|letter| bundle.contains(letter))
                || self.argv.iter().skip(1).any(|word| {
                    let text = word.prefix();
                    match letter {
                        Some(letter) => {
                            text.starts_with('-')
                                && !text.starts_with("--")
                                && text.contains(letter)
                        }
                        None => text.len() > 3 && option.starts_with(text),
                    }
                })
        };
        options.iter().any(|option| option == "*" || asked(option))
    }

    fn url(&mut self, at: usize, word: &Word) {
        let Some(text) = word.as_known() else {
            let scheme = word.prefix().to_ascii_lowercase();
            if !scheme.starts_with("http://") && !scheme.starts_with("https://") {
                self.escape(at, "what it fetches cannot be told".to_owned());
            }
            return;
        };
        match scheme(text) {
            Some(("http" | "https", _)) if text.contains("://") => {
                self.out.touches.push(Touch::Fetch(text.to_owned()));
            }
            // One slash does, too.
            Some((scheme @ ("http" | "https"), rest)) => {
                self.out.touches.push(Touch::Fetch(format!("{scheme}://{rest}")));
            }
            None if text.starts_with('@') => {
                let list = word.tail(1).unwrap_or_else(Word::unknown);
                self.hazard(at, What::File(Access::Read, list));
            }
            None => self.out.touches.push(Touch::Fetch(format!("http://{text}"))),
            Some(("file", path)) => {
                let path = file_path(path).map_or_else(Word::unknown, Word::known);
                self.hazard(at, What::File(Access::Read, path));
            }
            Some(_) => self.escape(at, format!("`{text}` is neither http nor https")),
        }
    }

    fn dd(&mut self, word: &Word) {
        let prefix = word.prefix();
        let access = [("of=", Access::Write), ("if=", Access::Read)];
        for (mark, access) in access {
            if let Some(path) = prefix.strip_prefix(mark).and_then(|_| word.tail(mark.len())) {
                self.touch(access, &path);
            }
        }
    }

    fn variable_name(&mut self, at: usize, word: &Word) {
        let set = assignment(word);
        match set.as_ref().map(|(name, _)| name.clone()).or(word.as_known().map(str::to_owned)) {
            Some(_) if set.is_some_and(|(name, value)| is_idle(&name, &value)) => {}
            Some(name) => self.hazard(at, What::Assign(name)),
            None => self.escape(at, "the variable it sets cannot be told".to_owned()),
        }
    }

    fn hazard(&mut self, at: usize, what: What) {
        self.out.hazards.push(Hazard { at, what });
    }

    fn escape(&mut self, at: usize, text: String) {
        self.hazard(at, What::Escape(text));
    }

    /// It runs something, and nobody can tell what.
    fn blind(&mut self, at: usize, text: String) {
        self.out.blind = true;
        self.escape(at, text);
    }

    fn name(&self) -> &'p str {
        self.argv.first().map_or("", |word| word.prefix())
    }
}
