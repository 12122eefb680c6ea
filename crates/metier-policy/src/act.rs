//! A call as the acts it consists of: commands, files, addresses, or the bare use of a tool.
//!
//! A shell command is many acts: every simple command, every file the shell opens, and whatever a
//! program would run or write because of its options, as the consequence of the command it belongs
//! to. Each act is judged on its own and the strictest verdict wins.

mod here;
mod input;
mod named;
mod pieces;
mod variables;

use std::path::{Path, PathBuf};

use here::{Here, Naming, Walk};
use named::{brings_itself, work_trees};

use crate::call::{Kind, ShellInput, Target, Understood};
use crate::limits::{MAX_COMMANDS, MAX_PATH_BYTES, MAX_QUOTED_CHARS};
use crate::place::{From, Place, Spot, Spots};
use crate::programs::{Analysis, Hazard, Obeys, ProgramTable, Role, Touch, What};
use crate::shape::Shape;
use crate::shell::{
    self, Access, Assignment, Feed, SimpleCommand, Surroundings, Unresolvable, Word,
};

/// Something a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// Uses the tool, in a way that names nothing.
    Tool,
    /// Runs a command.
    Command(Command),
    /// Uses a file.
    File(FileUse),
    /// Fetches from an address; nothing where it cannot be read.
    Fetch(Option<String>),
    /// Does something that cannot be told. One sentence.
    Unresolvable(String),
    /// What parts of that would do, as far as they can be told alone: for whoever must not miss a
    /// file, and no ground for an allow.
    Pieces(Vec<Act>),
}

/// A simple command with everything it would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) argv: Vec<Word>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) role: Role,
    pub(crate) note: Option<String>,
    /// What it does because of an option, each with the word it starts at.
    pub(crate) consequences: Vec<(usize, Consequence)>,
    /// Files and addresses it uses because that is what it is for.
    pub(crate) touches: Vec<Act>,
    /// It would run what is typed into it.
    pub(crate) interactive: bool,
    /// It reads what is typed.
    pub(crate) waits: bool,
    /// It runs something that cannot be told.
    pub(crate) blind: bool,
    /// Something comes in by itself.
    pub(crate) fed: bool,
    /// Where its relative paths start; nothing when the directory was changed on the way.
    pub(crate) directory: Option<PathBuf>,
    /// Every directory known of in which it may run.
    pub(crate) directories: Box<[PathBuf]>,
    /// It may run in any other.
    pub(crate) lost: bool,
    /// It is known, and changes nothing.
    pub(crate) only_reads: bool,
    /// It brings files that nobody has seen.
    pub(crate) brings: bool,
    /// Nobody knows what it does with its words.
    pub(crate) untold: bool,
    /// What it does with each of its words is among its touches.
    pub(crate) accounted: bool,
    /// Whatever its words may name, and where it works: looked for only where somebody needs it.
    pub(crate) named: Vec<FileUse>,
    /// Its words in lowercase, where nobody knows what it does with them and somebody needs that.
    pub(crate) spelled: Vec<String>,
}

/// What a command does because of an option or an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    /// Something that cannot be told, as the act it is judged as.
    Escape(Act),
    /// Any code. One sentence.
    Code(String),
    /// These acts.
    Acts(Vec<Act>),
}

/// A file that is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileUse {
    /// The tool a pattern must allow for it, in lowercase.
    pub(crate) tool: String,
    pub(crate) access: Access,
    /// The files it may be; nothing when that cannot be told.
    pub(crate) spots: Option<Spots>,
    /// What else it may be, where only a part is known or everything beneath is used.
    pub(crate) shapes: Vec<Shape>,
    /// It may be anything else.
    pub(crate) vague: bool,
    pub(crate) manner: Manner,
    /// The path as given.
    pub(crate) shown: String,
    /// It starts in a directory of which nothing is known.
    pub(crate) unplaced: bool,
    /// Another command of the same call brings files, and perhaps links on the way to it.
    pub(crate) fresh: bool,
    /// How it is given, where that may lead anywhere.
    pub(crate) given: Option<Box<Given>>,
}

/// How a file is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) word: Word,
    /// Every directory known of in which the word may start.
    pub(crate) directories: Vec<PathBuf>,
}

/// How a file comes to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// By a tool, by the shell itself, or because of an option.
    Opened,
    /// Because that is what a program is for.
    Touched,
    /// As a directory into which files are put that nobody names.
    Into,
    /// As a file in a directory, of whose name at most a part is known.
    Within,
    /// As a directory in which files change that are part of what is being worked on.
    Around,
    /// Perhaps not at all: it is an argument of a program nobody knows.
    Mentioned,
}

/// Files every command may use: they hold nothing.
const NOTHING: [&str; 6] =
    ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/tty"];

/// Names of directories in which programs are looked for.
const PROGRAMS: [&str; 2] = ["bin", "sbin"];

/// How closely a call is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// For what it does.
    Plain,
    /// Also for whatever its words may name.
    Thorough,
}

/// Everything a call does.
pub(crate) fn acts(
    call: &Understood,
    place: &Place<'_>,
    programs: &ProgramTable,
    look: Look,
) -> Vec<Act> {
    let acts = particular_acts(call, &Unpacker { place, programs, look, hidden: call.hidden });
    // A call that does nothing in particular is still a call of its tool.
    if acts.is_empty() { vec![Act::Tool] } else { acts }
}

/// Every file an act uses this way, however deep.
pub(crate) fn files<'a>(act: &'a Act, access: Access, found: &mut Vec<&'a FileUse>) {
    match act {
        Act::File(file) if file.access == access => found.push(file),
        Act::Pieces(acts) => acts.iter().for_each(|act| files(act, access, found)),
        Act::Command(Command { consequences, touches, .. }) => {
            touches.iter().for_each(|touch| files(touch, access, found));
            for (_, consequence) in consequences {
                if let Consequence::Acts(acts) = consequence {
                    acts.iter().for_each(|act| files(act, access, found));
                }
            }
        }
        _ => {}
    }
}

fn particular_acts(call: &Understood, unpacker: &Unpacker<'_>) -> Vec<Act> {
    let place = unpacker.place;
    let directory = call_directory(call, place);
    let here = Here::at(directory.as_deref());
    match &call.kind {
        Kind::Shell { command } => {
            let around = Surroundings { home: place.home.and_then(Path::to_str), depth: 0 };
            match command {
                ShellInput::Text(text) => unpacker.text(text, None, around, here),
                ShellInput::Words(words) if words.is_empty() => Vec::new(),
                ShellInput::Words(words) => {
                    let argv = words.iter().map(Word::known).collect();
                    let command = SimpleCommand { argv, ..SimpleCommand::default() };
                    unpacker.commands(vec![command], around, here)
                }
                ShellInput::Unreadable => {
                    vec![Act::Unresolvable("the command cannot be read".into())]
                }
            }
        }
        Kind::Read { paths } | Kind::Write { paths } if !paths.is_empty() => {
            let access = call.kind.access().unwrap_or(Access::Write);
            let from = from(directory.as_deref());
            paths.iter().map(|target| Act::File(file_use(target, access, place, from))).collect()
        }
        Kind::Fetch { urls } => urls.iter().cloned().map(Act::Fetch).collect(),
        Kind::Read { .. } | Kind::Write { .. } | Kind::Mcp { .. } | Kind::Other => vec![Act::Tool],
    }
}

/// The directory a call works in; nothing when it cannot be told.
fn call_directory(call: &Understood, place: &Place<'_>) -> Option<PathBuf> {
    match &call.directory {
        None => Some(place.cwd.to_owned()),
        Some(Some(directory)) if directory.len() > MAX_PATH_BYTES => None,
        Some(Some(directory)) => Some(place.cwd.join(directory)),
        Some(None) => None,
    }
}

fn from(directory: Option<&Path>) -> From<'_> {
    directory.map_or(From::Elsewhere, From::Directory)
}

fn file_use(target: &Target, access: Access, place: &Place<'_>, from: From<'_>) -> FileUse {
    let spots = target.path.as_deref().and_then(|path| place.locate_argument(path, from));
    let shown = target.path.clone().unwrap_or_else(|| "…".to_owned());
    let vague = spots.is_none();
    let (tool, shapes, manner) = (target.tool.clone(), Vec::new(), Manner::Opened);
    let unplaced = matches!(from, From::Elsewhere) && !shown.starts_with('/');
    FileUse {
        tool,
        access,
        spots,
        shapes,
        vague,
        manner,
        shown,
        unplaced,
        fresh: false,
        given: None,
    }
}

struct Unpacker<'a> {
    place: &'a Place<'a>,
    programs: &'a ProgramTable,
    look: Look,
    /// The host may have been told another directory.
    hidden: bool,
}

impl Unpacker<'_> {
    /// The acts of shell text.
    fn text(
        &self,
        text: &str,
        input: Option<&Feed>,
        around: Surroundings<'_>,
        here: Here<'_>,
    ) -> Vec<Act> {
        match shell::parse(text, around) {
            Ok(mut commands) => {
                input::hand_down(input, &mut commands);
                self.commands(commands, around, here)
            }
            Err(Unresolvable { reason }) => {
                let pieces = || self.all(pieces::read(text, around), around, here);
                self.untold(reason, pieces)
            }
        }
    }

    /// Something that cannot be told, with what parts of it would do where somebody needs that.
    fn untold(&self, reason: String, pieces: impl FnOnce() -> Vec<Act>) -> Vec<Act> {
        let mut acts = vec![Act::Unresolvable(reason)];
        if self.look == Look::Thorough {
            acts.push(Act::Pieces(pieces()));
        }
        acts
    }

    /// The acts of simple commands, unless they are too many to judge.
    fn commands(
        &self,
        commands: Vec<SimpleCommand>,
        around: Surroundings<'_>,
        here: Here<'_>,
    ) -> Vec<Act> {
        match commands.len() > MAX_COMMANDS {
            true => {
                let reason = format!("it runs more than {MAX_COMMANDS} commands");
                self.untold(reason, || self.all(commands, around, here))
            }
            false => self.all(commands, around, here),
        }
    }

    /// The acts of any number of commands. One that changes the directory leaves open where any of
    /// them looks for relative paths, for nothing says in which order they run: see `here`.
    fn all(
        &self,
        commands: Vec<SimpleCommand>,
        around: Surroundings<'_>,
        here: Here<'_>,
    ) -> Vec<Act> {
        let analyse = |command: &SimpleCommand| {
            let mut analysis = self.programs.analyse(&command.argv);
            input::obey(&mut analysis, command.input.as_ref());
            input::edit(&mut analysis, command);
            analysis
        };
        let mut analyses: Vec<Analysis> = commands.iter().map(analyse).collect();
        let walk = self.walk(&commands, &analyses, here);
        let here = walk.as_ref().map_or(here, Walk::here);
        self.let_git_walk(&commands, &mut analyses, here);
        let mut acts = Vec::new();
        let bringing = self.bringing(&commands, &analyses, around);
        let count = bringing.iter().filter(|brings| **brings).count();
        for ((command, analysis), brings) in commands.into_iter().zip(analyses).zip(bringing) {
            let here = Here { fresh: here.fresh || count > usize::from(brings), ..here };
            for redirect in &command.redirects {
                acts.extend(self.redirect(redirect.access, &redirect.target, here));
            }
            acts.push(Act::Command(self.command(command, analysis, around, here)));
        }
        acts
    }

    fn command(
        &self,
        command: SimpleCommand,
        analysis: Analysis,
        around: Surroundings<'_>,
        here: Here<'_>,
    ) -> Command {
        let entered = here::entered(&analysis);
        let walk = (!entered.is_empty()).then(|| self.entered(&entered, here));
        let told = here::told(&command.argv, &entered);
        let inner = match (&told, &walk) {
            (Some(told), _) => Here { fresh: here.fresh, ..Here::at(Some(told)) },
            (None, Some(walk)) => walk.here(),
            (None, None) => here,
        };
        let mut consequences = Vec::new();
        let alone = command.argv.is_empty();
        for assignment in &command.assignments {
            consequences.extend(self.set(assignment, alone).map(|it| (0, it)));
        }
        let mut touches: Vec<Act> =
            analysis.touches.iter().map(|touch| self.touch(touch, inner)).collect();
        let trees = work_trees(&command, &analysis);
        touches.extend(trees.into_iter().map(|tree| self.touch(&Touch::Into(tree), inner)));
        touches.extend(self.written_here(&command).iter().map(|touch| self.touch(touch, inner)));
        let changed = input::changed(&command);
        if input::changes_more(&changed) {
            let text = "it changes more files than are looked at".to_owned();
            consequences.push((0, Consequence::escape(text)));
        }
        touches.extend(changed.iter().map(|touch| self.touch(touch, inner)));
        consequences.extend(self.local_repositories(&command, &analysis, inner));
        for hazard in &analysis.hazards {
            if let Some(word) = self.output(&hazard.what, inner) {
                touches.push(self.touch(&Touch::File(Access::Write, word.clone()), inner));
                continue;
            }
            // What is read as commands is used up by them.
            let input = command.input.as_ref().filter(|_| hazard.at > 0);
            let consequence = self.consequence(hazard, input, around, (here, inner));
            consequences.extend(consequence.map(|it| (hazard.at, it)));
        }
        consequences.extend(self.patch(&command, inner).map(|it| (0, it)));
        if analysis.repository {
            consequences.extend(self.unknown_repository(inner).map(|it| (0, it)));
            consequences.extend(self.strange_repository(inner).map(|it| (0, it)));
        }
        let brings = brings_itself(&command, &analysis);
        let inert = alone || input::is_text(&command);
        let role = if inert { Role::Inert } else { analysis.role };
        let named = self.named(&command, &analysis, inner);
        let spelled = self.spelled(&command, &analysis);
        Command {
            argv: command.argv,
            assignments: command.assignments,
            role,
            note: analysis.note,
            interactive: analysis.interactive || (analysis.pages && !command.piped),
            waits: analysis.waits && command.input.is_none(),
            fed: command.input.is_some(),
            blind: analysis.blind
                || (analysis.obeys != Obeys::Nothing && command.input == Some(Feed::Unknown)),
            consequences,
            touches,
            directory: here.sure.map(Path::to_owned),
            directories: here.known().map(Path::to_owned).collect(),
            lost: here.lost,
            only_reads: alone || analysis.only_reads,
            brings,
            untold: analysis.untold,
            accounted: analysis.accounted,
            named,
            spelled,
        }
    }

    /// What a hazard leads to; `input` is what it reads. `outer` is where the command runs, `inner` where it then works.
    fn consequence(
        &self,
        hazard: &Hazard,
        input: Option<&Feed>,
        around: Surroundings<'_>,
        (outer, inner): (Here<'_>, Here<'_>),
    ) -> Option<Consequence> {
        let acts = match &hazard.what {
            What::Escape(text) => return Some(Consequence::escape(text.clone())),
            What::Code(text) => return Some(Consequence::Code(text.clone())),
            What::Assign(name) => return self.assignment(name, false),
            What::Enter(word) => return self.enter(word, outer),
            // What may be repositories is looked at together.
            What::Go(_) | What::Repository(_) => return None,
            What::Tracked(word) => return self.tracked(word, inner),
            What::Here => {
                // Only a pattern that covers any name here covers this one.
                let word = Word::known("\u{fffd}");
                vec![self.file(Access::Write, &word, inner)]
            }
            What::File(access, word) => vec![self.file(*access, word, inner)],
            What::Output(word) | What::Beside(word) => {
                vec![self.file(Access::Write, word, inner)]
            }
            What::Input(word) if !self.may_lie_elsewhere(word, inner) => return None,
            What::Input(word) => vec![self.file(Access::Read, word, inner)],
            What::Run(words) if words.is_empty() => return None,
            What::Run(words) => {
                let (argv, input) = (words.clone(), input.cloned());
                let command = SimpleCommand { argv, input, ..SimpleCommand::default() };
                match shell::deeper(around) {
                    Ok(around) => self.commands(vec![command], around, inner),
                    Err(refused) => return Some(Consequence::escape(refused.reason)),
                }
            }
            What::Shell(text) => match shell::deeper(around) {
                Ok(around) => self.text(text, input, around, inner),
                Err(refused) => return Some(Consequence::escape(refused.reason)),
            },
        };
        Some(Consequence::Acts(acts))
    }

    /// Working in a directory is fine inside the project; elsewhere its files may bring settings
    /// that run programs.
    fn enter(&self, word: &Word, here: Here<'_>) -> Option<Consequence> {
        if self.is_inside(word, here) {
            return None;
        }
        Some(Consequence::escape(format!("`{}` is not inside the project", word.shown())))
    }

    /// What a program is there to write, where it may write that.
    fn output<'w>(&self, what: &'w What, here: Here<'_>) -> Option<&'w Word> {
        let (word, fine) = match what {
            What::Output(word) => (word, self.is_inside(word, here)),
            What::Beside(word) => (word, self.is_inside(word, here) || self.is_beside(word, here)),
            _ => return None,
        };
        (fine && self.tracked(word, here).is_none()).then_some(word)
    }

    /// Going to a directory of the project changes nothing for git, which finds the same repository
    /// there: it needs no pattern. To others a relative path is another file.
    fn let_git_walk(&self, commands: &[SimpleCommand], analyses: &mut [Analysis], here: Here<'_>) {
        let is_git = |(command, by): (&SimpleCommand, &Analysis)| {
            by.repository || by.moves || input::is_text(command)
        };
        if !commands.iter().zip(analyses.iter()).all(is_git) {
            return;
        }
        for (command, analysis) in commands.iter().zip(analyses) {
            if self.stays_inside(&command.argv, here) {
                analysis.role = Role::Inert;
            }
        }
    }

    /// Whether the words change the directory to one of the project, wherever they are run from.
    fn stays_inside(&self, argv: &[Word], here: Here<'_>) -> bool {
        let words: Option<Vec<&str>> = argv.iter().map(Word::as_known).collect();
        let Some(["cd", path] | ["cd", "--", path]) = words.as_deref() else { return false };
        let inside = |directory| self.lies_inside(path, From::Directory(directory));
        let goes = !path.is_empty() && !path.starts_with(['-', '+']);
        goes && !here.lost && here.known().all(inside)
    }

    /// Whether a word certainly names something in the project, or the project itself.
    fn is_inside(&self, word: &Word, here: Here<'_>) -> bool {
        word.as_known().is_some_and(|path| self.lies_inside(path, here.from()))
    }

    /// Whether a word certainly names something in the directory that the project lies in: a new one
    /// there is no place that programs look into, unless it is hidden or called like one of those.
    fn is_beside(&self, word: &Word, here: Here<'_>) -> bool {
        let spots = word.as_known().and_then(|path| self.place.locate(path, here.from()));
        let above = self.place.base().parent().and_then(Path::to_str);
        let above = above.and_then(|above| self.place.locate(above, From::Elsewhere));
        let beside = |spot: &Spot| {
            let (directory, name) = spot.path.rsplit_once('/').unwrap_or_default();
            let plain = !name.is_empty() && !name.starts_with('.') && !PROGRAMS.contains(&name);
            let same = |above: &Spot| above.path.trim_end_matches('/') == directory;
            plain && above.as_ref().is_some_and(|above| above.iter().any(same))
        };
        spots.is_some_and(|spots| spots.iter().all(beside))
    }

    /// Whether a word may name something outside the project. One that says nothing about that is
    /// read in every directory the command may work in.
    fn may_lie_elsewhere(&self, word: &Word, here: Here<'_>) -> bool {
        let leads_up = |text: &str| text.split('/').any(|name| name == "..");
        let Some(path) = word.as_known() else {
            let open = word.holes().first() == Some(&0) || word.starts_with_tilde();
            return open || word.prefix().starts_with('/') || leads_up(word.spelling());
        };
        if path.starts_with('/') {
            return !NOTHING.contains(&path) && !self.lies_inside(path, From::Elsewhere);
        }
        let inside = |directory| self.lies_inside(path, From::Directory(directory));
        !here.known().all(inside) || (here.lost && leads_up(path))
    }

    fn lies_inside(&self, path: &str, from: From<'_>) -> bool {
        let base = self.place.locate(self.place.base().to_str().unwrap_or("/"), From::Elsewhere);
        let spots = self.place.locate(path, from);
        let inside = |spot: &Spot| {
            let below = |base: &Spot| {
                let rest = spot.path.strip_prefix(base.path.trim_end_matches('/'));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            base.as_ref().is_some_and(|base| base.iter().any(below))
        };
        spots.is_some_and(|spots| spots.iter().all(inside))
    }

    fn redirect(&self, access: Access, target: &Word, here: Here<'_>) -> Option<Act> {
        let path = target.prefix();
        if path.starts_with("/dev/tcp") || path.starts_with("/dev/udp") {
            return Some(Act::Unresolvable("it opens a connection through `/dev/tcp`".to_owned()));
        }
        let holds_nothing = target.as_known().is_some_and(|path| NOTHING.contains(&path));
        (!holds_nothing).then(|| self.file(access, target, here))
    }

    fn touch(&self, touch: &Touch, here: Here<'_>) -> Act {
        let (access, word, manner, whole) = match touch {
            Touch::File(access, word) => (*access, word, Manner::Touched, false),
            Touch::Tree(access, word) => (*access, word, Manner::Touched, true),
            Touch::Into(word) => (Access::Write, word, Manner::Into, true),
            Touch::Within(word) => (Access::Write, word, Manner::Within, false),
            Touch::Around(word) => (Access::Write, word, Manner::Around, true),
            Touch::Mention(word) => (Access::Read, word, Manner::Mentioned, false),
            Touch::Fetch(url) => return Act::Fetch(Some(url.clone())),
        };
        Act::File(self.file_use(word, here, Naming { access, manner, whole }))
    }

    fn file(&self, access: Access, word: &Word, here: Here<'_>) -> Act {
        let naming = Naming { access, manner: Manner::Opened, whole: false };
        Act::File(self.file_use(word, here, naming))
    }
}

impl Manner {
    /// Whether nobody says which files it is about.
    pub(crate) fn is_by_chance(self) -> bool {
        matches!(self, Self::Into | Self::Within | Self::Around)
    }
}

impl FileUse {
    /// Whether nothing is known about it, and it may not even be a file.
    pub(crate) fn is_unheard_of(&self) -> bool {
        let nothing = self.spots.is_none() && self.shapes.is_empty();
        nothing && (!self.vague || self.manner == Manner::Mentioned)
    }
}

impl Consequence {
    fn escape(text: String) -> Self {
        Self::Escape(Act::Unresolvable(text))
    }
}

impl Command {
    /// Whether its program has one of these names.
    pub(crate) fn runs_one_of(&self, names: &[&str]) -> bool {
        let program = self.argv.first().and_then(Word::as_known).unwrap_or_default();
        names.contains(&program.rsplit('/').next().unwrap_or_default())
    }

    /// The command as a person would recognise it.
    pub(crate) fn shown(&self) -> String {
        let set = self.assignments.iter().map(|a| format!("{}={}", a.name, a.value.shown()));
        let words = set.chain(self.argv.iter().map(Word::shown));
        quoted(&words.collect::<Vec<_>>().join(" "))
    }
}

impl Act {
    /// The act as a person would recognise it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Tool => "the call".to_owned(),
            Self::Command(command) => format!("`{}`", command.shown()),
            Self::File(file) => {
                let verb = match file.access {
                    Access::Read => "reading",
                    Access::Write => "writing",
                };
                format!("{verb} `{}`", quoted(&file.shown))
            }
            Self::Fetch(Some(url)) => format!("fetching `{}`", quoted(url)),
            Self::Fetch(None) => "fetching an address that cannot be read".to_owned(),
            Self::Unresolvable(reason) => format!("what cannot be judged: {reason}"),
            Self::Pieces(_) => "parts of what cannot be judged".to_owned(),
        }
    }
}

/// Text that is safe and short enough to show.
pub(crate) fn quoted(text: &str) -> String {
    let line = metier_format::text::visible_line(text);
    match line.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}

#[cfg(test)]
#[path = "act_tests.rs"]
mod tests;
