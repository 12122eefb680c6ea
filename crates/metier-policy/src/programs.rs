//! Programs that run other programs, run code or touch files because of an option.
//!
//! `Bash(git:*)` lets a skill use git. It must not let it use `git -c alias.x='!rm -rf .' x`. What
//! git, find, tar, ssh and some two hundred others do with their options is data, in
//! `data/programs.toml`; settings may add to it. [`ProgramTable::analyse`] reads a command by that
//! data and answers with its [`Analysis`]: what else would run, be written or be read.
//!
//! This module knows programs, not policy: whether what it finds may happen is decided elsewhere.

mod analyse;
mod built_in;
mod language;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::limits::MAX_HANDED_WORDS;
use crate::shell::{Access, Word};

pub(crate) use analyse::parts;
pub(crate) use language::is_harmless;

/// Everything known about programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ProgramsFile", into = "ProgramsFile")]
pub struct ProgramTable {
    /// Beneath its own, it knows the programs that metier knows.
    built_in: bool,
    programs: Vec<Program>,
    /// Names to positions in `programs`.
    exact: BTreeMap<String, usize>,
    /// Names that end in `*`, without it.
    families: Vec<(String, usize)>,
    /// Environment variables that change nothing about what runs; a final `*` stands for any end.
    harmless_variables: Vec<String>,
}

/// One program, or several that share everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Program {
    /// What it is called. A final `*` stands for any version behind the name.
    pub names: Vec<String>,
    /// Whether it needs a pattern of its own.
    pub role: Role,
    /// What allowing it means, for the reason; given for programs that run any code.
    pub note: Option<String>,
    /// Subcommands with a usage of their own, and perhaps with subcommands. A key may name several,
    /// separated by spaces.
    pub sub: BTreeMap<String, Self>,
    /// Subcommands not in `sub`, and first arguments not in `verbs`, are refused.
    pub listed: bool,
    /// How options are written.
    pub style: Style,
    /// Options end at this argument, counted from 1; never if it is 0.
    pub stops_at: usize,
    /// What may stand before the name of a long option and changes nothing about what that does.
    pub prefixes: Vec<String>,
    /// Options that take the next word and do nothing that matters.
    pub takes: Vec<String>,
    /// Options that take the next two words and do nothing that matters.
    pub takes_two: Vec<String>,
    /// Options that could be mistaken for the abbreviation of a dangerous one, and all that a
    /// program has which runs a command given to it: an unknown one could move that command.
    pub safe: Vec<String>,
    /// Options that run something unknown, or change what everything else means.
    pub escape: Vec<String>,
    /// Options with shell text.
    pub shell: Vec<String>,
    /// Options after which a command follows, up to `;` or `+`.
    pub command: Vec<String>,
    /// Options with code, or with a file of code.
    pub code: Vec<String>,
    /// Options that write a file.
    pub write: Vec<String>,
    /// Options that write what the program is for: fine inside the project, a file elsewhere.
    pub output: Vec<String>,
    /// Options that write a file with a name of their own choice here.
    pub here: Vec<String>,
    /// Options that read a file.
    pub read: Vec<String>,
    /// Options whose value names a file to read behind `@` or `<`.
    pub at_file: Vec<String>,
    /// Options whose value names a file to read behind a leading `@` alone.
    pub at_start: Vec<String>,
    /// Options of the form `KEY=VALUE`; only the keys in `settings` are harmless.
    pub setting: Vec<String>,
    /// Starts of words that pass options to another program, between commas; only those in `settings`
    /// are harmless.
    pub passes_on: Vec<String>,
    /// The harmless keys; a final `*` stands for any end.
    pub settings: Vec<String>,
    /// Options with which a first argument `a.b` that nothing follows is only asked about.
    pub asks: Vec<String>,
    /// Options with an archive; one on another machine, `host:file`, is reached by a program.
    pub archive: Vec<String>,
    /// Options with an address.
    pub url: Vec<String>,
    /// Options that choose the directory to work in.
    pub directory: Vec<String>,
    /// Options that turn a wrapper into a question about a command.
    pub query: Vec<String>,
    /// Options that make every file argument a file to write.
    pub in_place: Vec<String>,
    /// Options with a script in `language`, or with what to look for.
    pub script: Vec<String>,
    /// Options with the text that stands for appended words.
    pub replace: Vec<String>,
    /// The language of the first argument.
    pub language: Option<Language>,
    /// What the arguments are.
    pub arguments: Arguments,
    /// Which argument starts a command, counted from 1.
    pub command_at: Option<usize>,
    /// Which argument starts shell text.
    pub shell_at: Option<usize>,
    /// Which argument is code or a file of code.
    pub code_at: Option<usize>,
    /// Which argument is the machine on which a shell runs the words behind it.
    pub machine_at: Option<usize>,
    /// Which argument is a file to write.
    pub write_at: Option<usize>,
    /// Which argument it writes because that is what it is for, wherever that lies.
    pub touch_at: Option<usize>,
    /// Which argument is what the program is there to write, as in `output`.
    pub output_at: Option<usize>,
    /// First arguments that decide what the others are.
    pub verbs: BTreeMap<String, Verb>,
    /// Arguments that start like this can run anything.
    pub forbidden: Vec<String>,
    /// Words that contain this can run or write anything.
    pub forbidden_inside: Vec<String>,
    /// Words read elsewhere are appended to the command.
    pub appends: bool,
    /// What `NAME=value` arguments do.
    pub assigns: Assigns,
    /// It changes the directory for what follows.
    pub moves: bool,
    /// Options that make it use directories with everything in them; `*` when it always does.
    pub recurses: Vec<String>,
    /// It reads what it is told and changes nothing, whatever its harmless options say.
    pub only_reads: bool,
    /// Without a file it reads the directory it works in.
    pub looks_here: bool,
    /// Options with the directory that arguments, or files nobody names, are put into.
    pub into: Vec<String>,
    /// Options with the directory that an archive is unpacked into.
    pub unpack: Vec<String>,
    /// Options with a directory that the program fills, and that change what everything else means.
    pub fills: Vec<String>,
    /// Options with a directory that another machine gets to use: `directory:there`.
    pub mounts: Vec<String>,
    /// It unpacks an archive: into the directory it works in, unless told another.
    pub unpacks: bool,
    /// Options that let an archive say where its files go; `*` when it always does.
    pub anywhere: Vec<String>,
    /// Options that make it write an archive instead.
    pub packs: Vec<String>,
    /// Options that remove what the arguments name, with everything in it.
    pub removes: Vec<String>,
    /// It gives what it reads another name.
    pub links: bool,
    /// Options with which a copy keeps the directories that its source or address is spelled with.
    pub parents: Vec<String>,
    /// Options that write what is fetched under the last name in its address; `*` when it always does.
    pub downloads: Vec<String>,
    /// It fills a directory: the one in `output_at`, the second argument where there is none, or one
    /// that is called like the first.
    pub clones: bool,
    /// What it writes may also lie right beside the project.
    pub beside: bool,
    /// With so many arguments, those that lie outside the project are files it reads; never if 0.
    pub reads_elsewhere: usize,
    /// Its arguments are files of a repository: what lies in `.git` is none.
    pub tracked: bool,
    /// It changes files where it works that nobody names, unless its first argument is in `looks`.
    pub fills_here: bool,
    /// First arguments with which it changes no file.
    pub looks: Vec<String>,
    /// Which argument names a repository whose hooks run: one on this machine runs them here.
    pub repository_at: Option<usize>,
    /// Every argument may name such a repository.
    pub repositories: bool,
    /// Ends of names that are gone from what it writes beside what it reads.
    pub strips: Vec<String>,
    /// It obeys the settings of the repository it works in.
    pub repository: bool,
    /// What it runs from its standard input, where being an interpreter does not say so.
    pub input: Input,
    /// When it runs what is typed into it, where being an interpreter does not say so.
    pub typed: Vec<Typed>,
}

/// A way in which a program runs what is typed into it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Typed {
    /// Arguments that make it, separated by blanks: the first is the first there is, the others stand
    /// somewhere behind. None where it needs none.
    pub by: Vec<String>,
    /// Options that make it, of which one is needed where there are any.
    pub with: Vec<String>,
    /// First arguments with which it ends by itself.
    pub unless: Vec<String>,
    /// A word that ends in `;` ends one of its own commands, and another follows.
    pub sequences: bool,
    /// Those options stand before this many arguments behind `by`.
    pub within: Option<usize>,
    /// Options with which it ends by itself.
    pub ends: Vec<String>,
    /// With this many arguments it ends by itself.
    pub ends_at: Option<usize>,
    /// It takes keys from the terminal while it shows something there.
    pub pages: bool,
    /// A word that starts like this is a command of its own that starts a shell, whatever ends it.
    pub starts: Vec<String>,
}

/// What a program runs from its standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Input {
    /// Nothing, unless it is an interpreter.
    #[default]
    Nothing,
    /// Commands, by rules of its own.
    Commands,
    /// Code.
    Code,
    /// Code, where a word names standard input.
    Named,
}

/// Whether a program needs a pattern of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It does.
    #[default]
    Plain,
    /// It runs another command and adds nothing that matters: only that command is judged.
    Transparent,
    /// It changes nothing and tells nothing.
    Inert,
}

/// How a program's options are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// `-xvf`, `--long=value`, abbreviations.
    #[default]
    Gnu,
    /// As `Gnu`, and the first argument may be a bundle of letters without a dash.
    Bundle,
    /// `-name`, never bundled.
    Long,
    /// A shell's own: letters behind `-` or `+`, text behind `-c`.
    Shell,
    /// The operators of `[` and `test`, some of which evaluate their words.
    Test,
    /// No options at all.
    None,
}

/// What a program does with its arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arguments {
    /// Nothing that matters.
    #[default]
    Plain,
    /// Nothing is known but that some may be files it reads.
    Mentions,
    /// Reads them.
    Reads,
    /// Reads all but the first, which it looks for.
    Searches,
    /// Writes or removes them.
    Writes,
    /// Reads all but the last, which it writes.
    Copies,
    /// As `Copies`, and what it reads is gone afterwards.
    Moves,
    /// Writes or removes them with everything in them; where there are none, the directory it works in.
    Cleans,
    /// Writes those behind `--`, behind the first, and the first where it looks like a path.
    Checkout,
    /// Fetches them.
    Urls,
    /// `of=file` and `if=file`.
    Dd,
    /// Sets variables with these names.
    Names,
    /// Code, or files of code.
    Code,
    /// Something unknown runs.
    Escape,
}

/// What `NAME=value` does as an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Assigns {
    /// Nothing special.
    #[default]
    Nothing,
    /// Sets a variable for what runs.
    Variables,
    /// Changes the code that runs.
    Code,
}

/// What follows a first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Nothing that matters.
    Plain,
    /// A command.
    Command,
    /// Shell text.
    Shell,
    /// Options in `safe`; anything else runs something unknown.
    Options,
}

/// Languages in which a short text can run programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// `sed`, with its `e` and `w`.
    Sed,
    /// `awk`, with `system`, pipes and redirections.
    Awk,
    /// SQL with the commands of a database's shell: `.shell`, `.output`, `writefile()`.
    Sqlite,
}

/// What a command is, beyond its own name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Whether the program needs a pattern of its own.
    pub role: Role,
    /// What allowing the program means.
    pub note: Option<String>,
    /// What an option or argument makes it do, beyond what the program is for.
    pub hazards: Vec<Hazard>,
    /// Files and addresses it uses because that is what it is for.
    pub touches: Vec<Touch>,
    /// It changes the directory for the commands that follow.
    pub moves: bool,
    /// It would run what is typed into it.
    pub interactive: bool,
    /// It would run what is typed while it shows something, wherever that came from.
    pub pages: bool,
    /// It reads what is typed, unless something comes in by itself.
    pub waits: bool,
    /// It runs something that cannot be told.
    pub blind: bool,
    /// Some of its words are a command that it runs, and nobody can tell where that starts.
    pub wraps: bool,
    /// What it does with its standard input, where that is more than reading it.
    pub obeys: Obeys,
    /// It is known, and changes nothing.
    pub only_reads: bool,
    /// Nobody knows what it does with its words.
    pub untold: bool,
    /// What it does with each of its words is among its touches.
    pub accounted: bool,
    /// It obeys the settings of the repository it works in.
    pub repository: bool,
    /// The words that are another command, or text for another shell: from here up to there.
    pub handed: Vec<(usize, usize)>,
    /// Code that it gets on its standard input.
    pub fed: Option<Word>,
}

/// What a program does with its standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Obeys {
    /// Reads it, or not.
    #[default]
    Nothing,
    /// Runs it as commands of a shell.
    Shell,
    /// Runs it as commands, by rules that are not those of a usual shell.
    Commands,
    /// Runs it as code.
    Code,
    /// Runs it as a script in a language that can be read here.
    Script(Language),
}

/// Something an option or argument makes a program do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// The word it starts at. A pattern that spells the words up to here has approved it.
    pub at: usize,
    /// What.
    pub what: What,
}

/// The kinds of [`Hazard`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// Something that cannot be told runs or changes. One sentence.
    Escape(String),
    /// Any code. One sentence.
    Code(String),
    /// Another command.
    Run(Vec<Word>),
    /// Another shell with this text.
    Shell(String),
    /// A file is used.
    File(Access, Word),
    /// What the program is for is written here: fine inside the project, a file elsewhere.
    Output(Word),
    /// As `Output`, and fine right beside the project, too.
    Beside(Word),
    /// Something of the project is meant: a file that is read where it lies elsewhere.
    Input(Word),
    /// A file with a name of the program's choice is written here.
    Here,
    /// It works in this directory, whose files may bring settings that run programs.
    Enter(Word),
    /// What it runs works in the directories of what it finds.
    Go(Word),
    /// A variable is set for what runs.
    Assign(String),
    /// A file of a repository is changed; what lies in `.git` decides what git runs.
    Tracked(Word),
    /// What may be a repository on this machine runs its hooks.
    Repository(Word),
}

/// A file or an address a program uses because that is what it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Touch {
    /// A file.
    File(Access, Word),
    /// A directory with everything in it.
    Tree(Access, Word),
    /// A directory into which files are put that nobody names.
    Into(Word),
    /// One file that is written, of whose name at most a part is known.
    Within(Word),
    /// A directory in which files change that are part of what is being worked on.
    Around(Word),
    /// A word that may be a file it reads: nobody knows what it does with its words.
    Mention(Word),
    /// An address.
    Fetch(String),
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct ProgramsFile {
    harmless_variables: Vec<String>,
    program: Vec<Program>,
}

static BUILT_IN: ProgramTable = ProgramTable {
    built_in: true,
    programs: Vec::new(),
    exact: BTreeMap::new(),
    families: Vec::new(),
    harmless_variables: Vec::new(),
};

impl ProgramTable {
    /// The programs metier knows.
    #[must_use]
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// This table with the programs and variables of `more`, which win where both know a name.
    #[must_use]
    pub fn extended(self, more: &Self) -> Self {
        let built_in = self.built_in || more.built_in;
        let mut file =
            ProgramsFile { harmless_variables: self.harmless_variables, program: self.programs };
        file.program.extend(more.programs.iter().cloned());
        file.harmless_variables.extend(more.harmless_variables.iter().cloned());
        Self { built_in, ..file.into() }
    }

    /// What is known about a program, by its name or the last part of its path.
    #[must_use]
    pub fn program(&self, command: &str) -> Option<&Program> {
        let name = command.rsplit('/').next().unwrap_or(command);
        let own = |at: &usize| self.programs.get(*at);
        let fits =
            |(stem, _): &&(String, usize)| name.strip_prefix(stem.as_str()).is_some_and(is_version);
        let family = || self.families.iter().find(fits).and_then(|(_, at)| own(at));
        self.exact
            .get(name)
            .and_then(own)
            .or_else(|| self.built_in.then(|| built_in::exact(name)).flatten())
            .or_else(family)
            .or_else(|| self.built_in.then(|| built_in::family(name)).flatten())
    }

    /// Whether setting a variable changes nothing about what runs.
    #[must_use]
    pub fn is_harmless_variable(&self, name: &str) -> bool {
        let built_in = || built_in::harmless_variables().any(|entry| is_listed(entry, name));
        listed(&self.harmless_variables, name) || (self.built_in && built_in())
    }

    /// What the words would do. A program that is not known does only what it is for.
    #[must_use]
    pub fn analyse(&self, argv: &[Word]) -> Analysis {
        let name = argv.first().and_then(Word::as_known).unwrap_or_default();
        match self.program(name) {
            Some(program) => {
                let mut analysis = analyse::analyse(program, argv);
                analysis.interactive |= analysis.wraps && self.hands_on_console(argv);
                analysis
            }
            None => {
                let touches = analyse::mentions(argv.get(1..).unwrap_or_default()).collect();
                let blind = argv.first().is_some_and(|word| word.as_known().is_none());
                let interactive = blind && self.may_be_console(argv);
                Analysis { touches, untold: true, blind, interactive, ..Analysis::default() }
            }
        }
    }

    /// Whether somewhere in the words of a program that runs others one starts that runs what is typed.
    /// Takes time linear in the words, for so many of them as are looked at.
    fn hands_on_console(&self, argv: &[Word]) -> bool {
        let starts = (1..argv.len()).take(MAX_HANDED_WORDS).filter_map(|at| argv.get(at..));
        starts.into_iter().any(|words| {
            let name = words.first().and_then(Word::as_known).unwrap_or_default();
            self.program(name).is_some_and(|program| is_console(program, words))
        })
    }

    /// Whether a program of which the name is not known may run what is typed. One in a directory that
    /// nobody knows is the program by that name.
    fn may_be_console(&self, argv: &[Word]) -> bool {
        let Some((program, words)) = argv.split_first() else { return false };
        if matches!(words, [word] if analyse::tells(word)) {
            return false;
        }
        let text = program.spelling();
        let name = text.rfind('/').and_then(|slash| Some((slash, text.get(slash + 1..)?)));
        let odd = program.splits() || program.is_wildcard() || !program.readings().is_empty();
        match name {
            Some((slash, name)) if !odd && program.holes().iter().all(|hole| *hole <= slash) => {
                self.program(name).is_some_and(|known| is_console(known, argv))
            }
            _ => true,
        }
    }
}

fn is_console(program: &Program, argv: &[Word]) -> bool {
    let analysis = analyse::analyse(program, argv);
    analysis.interactive || analysis.pages
}

/// Whether a variable names a pager that only passes on what it gets, or an editor that does nothing.
pub(crate) fn is_idle_variable(name: &str, value: &str) -> bool {
    match name {
        "PAGER" | "GIT_PAGER" | "GH_PAGER" | "MANPAGER" | "SYSTEMD_PAGER" => is_idle_pager(value),
        "EDITOR" | "VISUAL" | "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR" => is_idle_editor(value),
        _ => false,
    }
}

/// The same for a setting of git, whose key is in lowercase.
fn is_idle_setting(key: &str, value: &str) -> bool {
    match key {
        "core.pager" => is_idle_pager(value),
        "core.editor" | "sequence.editor" => is_idle_editor(value),
        key => key.starts_with("pager.") && ["true", "false", "cat"].contains(&value),
    }
}

fn is_idle_pager(value: &str) -> bool {
    ["", "cat"].contains(&value)
}

fn is_idle_editor(value: &str) -> bool {
    ["true", ":"].contains(&value)
}

/// Whether a name is in a list whose entries may end in `*`.
fn listed(list: &[String], name: &str) -> bool {
    list.iter().any(|entry| is_listed(entry, name))
}

fn is_listed(entry: &str, name: &str) -> bool {
    match entry.strip_suffix('*') {
        Some(stem) => name.starts_with(stem),
        None => entry == name,
    }
}

/// Whether what follows a name may be a version.
fn is_version(rest: &str) -> bool {
    rest.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-')
}

impl FromIterator<Program> for ProgramTable {
    fn from_iter<I: IntoIterator<Item = Program>>(programs: I) -> Self {
        let program = programs.into_iter().collect();
        ProgramsFile { program, ..ProgramsFile::default() }.into()
    }
}

impl From<ProgramsFile> for ProgramTable {
    fn from(file: ProgramsFile) -> Self {
        let mut table = Self { harmless_variables: file.harmless_variables, ..Self::default() };
        for (at, program) in file.program.iter().enumerate() {
            for name in &program.names {
                match name.strip_suffix('*') {
                    Some(stem) => table.families.push((stem.to_owned(), at)),
                    None => {
                        table.exact.insert(name.clone(), at);
                    }
                }
            }
        }
        // A later entry wins, so that settings can replace a built-in one.
        table.families.reverse();
        table.programs = file.program;
        table
    }
}

impl From<ProgramTable> for ProgramsFile {
    fn from(table: ProgramTable) -> Self {
        let mut file = Self::default();
        if table.built_in {
            file.program.extend(built_in::all().cloned());
            let harmless = built_in::harmless_variables();
            file.harmless_variables.extend(harmless.map(str::to_owned));
        }
        file.program.extend(table.programs);
        file.harmless_variables.extend(table.harmless_variables);
        file
    }
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "programs_table_tests.rs"]
mod table_tests;
