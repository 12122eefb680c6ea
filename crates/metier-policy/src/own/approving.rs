//! Commands of metier that are a person's: they say yes, take a yes back, or change what an agent
//! gets to see and who guards it.
//!
//! A model that could run them could approve for itself, so they are denied like writing metier's
//! state is; those that lift what skills restrict are asked about. [`is_for_the_user`] reads the words behind `metier`; [`found`] looks for such a command
//! in all that a call does. What cannot be told from a call (a program from a variable, code, text
//! for another shell) is searched for the same words, as text: that finds what is spelled out and
//! nothing else, for asking about all of it would be a rule against every script.
//!
//! It knows the commands and the flags that take a value, and nothing about what they do; a test of
//! the command line holds both tables against its own.

use super::program::{PLUGIN, PROGRAM, Programs, name};
use crate::act::{Act, Command, Consequence, Manner};
use crate::call::Understood;
use crate::limits::MAX_SEARCHED_BYTES;
use crate::place::Place;
use crate::shell::Word;

/// The commands, each with those of its own subcommands that are meant.
const COMMANDS: [(&str, Which); 13] = [
    ("trust", Which::All),
    ("untrust", Which::All),
    ("add", Which::All),
    ("adopt", Which::All),
    ("update", Which::All),
    ("sync", Which::All),
    ("rollback", Which::All),
    ("remove", Which::All),
    ("link", Which::All),
    ("unlink", Which::All),
    ("index", Which::Only(&["add", "remove"])),
    // An agent starts its hook by itself; a model that does could speak for the user.
    ("hook", Which::AllBut(&["check"])),
    // So does chibi its plugin, which installs what it is told.
    ("chibi", Which::All),
];

/// Flags of every command whose value is the next word.
const VALUED: [&str; 10] = [
    "--root",
    "--project",
    "--home",
    "--config",
    "--skills",
    "--session",
    "--journal",
    "--policy",
    "--profile",
    "--color",
];

/// Commands that lift what active skills restrict, or lose what could be gone back to, each with the
/// flags that make them do so; without any they always do.
const LIFTING: [(&str, &[&str], &str); 6] = [
    ("release", &[], LIFTS),
    ("end", &[], LIFTS),
    // Who speaks to it for a session can let go of that session's skills.
    ("mcp", &["--session", "--journal"], LIFTS),
    ("serve", &["--session", "--journal"], LIFTS),
    ("gc", &["--earlier"], "it removes what could be gone back to"),
    ("doctor", &["--fix"], "it changes what is installed or guarded"),
];

const LIFTS: &str = "it lifts what active skills restrict";

/// Variables that say the same as the flags of [`LIFTING`], in lowercase.
const VARIABLES: [&str; 2] = ["metier_session", "metier_journal"];

/// What stands between words in code and in text for a shell.
pub(super) const BETWEEN: [char; 16] =
    [' ', '\t', '\n', '\r', '"', '\'', '`', ',', '[', ']', '(', ')', '{', '}', '\\', ';'];

/// Which subcommands of a command are meant.
#[derive(Clone, Copy)]
enum Which {
    All,
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// What the words behind the program's name ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    /// A command that is a person's, by its name.
    Approving(String),
    /// A command that a person is asked about, by its name, and why.
    Lifting(String, &'static str),
    /// Another command, or none.
    Ordinary,
    /// A command that only a running shell knows.
    Unknown,
}

/// A command in a call that is a person's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// As a person would recognise it.
    pub(super) command: String,
    /// Why it is asked about; nothing where it is refused.
    pub(super) asked_about: Option<&'static str>,
}

/// Whether the words behind `metier` are a command only the user runs.
#[must_use]
pub fn is_for_the_user(words: &[&str]) -> bool {
    let words: Vec<Word> = words.iter().copied().map(Word::known).collect();
    matches!(asked(&words, false), Asked::Approving(_))
}

/// The skill whose own file a command of metier's prints; nothing for any other command.
pub(crate) fn read_by(argv: &[Word]) -> Option<String> {
    let (program, words) = argv.split_first()?;
    name(program.as_known()?.rsplit('/').next()?).filter(|name| *name == PROGRAM)?;
    let Next::Word(command, rest) = next(words) else { return None };
    let Next::Word(skill, rest) = next(rest) else { return None };
    let prints = match (command, next(rest)) {
        ("use", _) | ("read", Next::Unknown) => true,
        ("read", Next::Word(path, _)) => {
            path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"))
        }
        _ => false,
    };
    prints.then(|| skill.to_owned())
}

/// The first command in a call that is a person's; one that is refused before one that is asked about.
pub(super) fn found(call: &Understood, place: &Place<'_>, acts: &[Act]) -> Option<Found> {
    let text = super::command_text(call);
    let says = |variable: &&str| text.as_ref().is_some_and(|text| text.contains(*variable));
    let mut search = Search {
        programs: Programs::of(place, acts),
        hidden: call.hidden,
        of_session: VARIABLES.iter().any(says),
        untold: false,
        found: None,
        by_nobody: None,
        by_another: None,
        by_made: None,
        in_pieces: false,
    };
    acts.iter().for_each(|act| search.act(act));
    let sure = search.found.as_ref().is_some_and(|found| found.asked_about.is_none());
    let Some(text) = text.filter(|_| !sure) else { return search.found };
    let programs = &search.programs;
    let named = || programs.names().any(|own| behind(&text, own).next().is_some());
    let mut found = search.found;
    let made = search.by_made.filter(|_| named());
    note(&mut found, search.by_another.clone().filter(|_| programs.renamed));
    if search.untold {
        let renamed = search.by_another.filter(|_| programs.renames);
        let more = search.by_nobody.or(renamed).filter(|_| named());
        let text = super::untold_text(call).unwrap_or_else(|| text.clone());
        let spelled = || programs.names().find_map(|own| in_text(&text, own, search.of_session));
        let more = more.or_else(spelled).or_else(|| in_text(&text, PLUGIN, search.of_session));
        note(&mut found, more);
    }
    note(&mut found, made);
    found
}

/// Keeps the stricter of two.
fn note(found: &mut Option<Found>, more: Option<Found>) {
    if let Some(more) = more
        && (found.is_none() || more.asked_about.is_none())
    {
        *found = Some(more);
    }
}

struct Search<'a> {
    programs: Programs<'a>,
    /// Nobody tells where the call runs.
    hidden: bool,
    /// The call names a session by a variable.
    of_session: bool,
    /// Something cannot be told: code, or a program only a running shell knows.
    untold: bool,
    found: Option<Found>,
    /// Such a command, of a program only a running shell knows.
    by_nobody: Option<Found>,
    /// Such a command, of a program that is not metier unless something gave it that name.
    by_another: Option<Found>,
    /// Such a command, of a program that the call itself writes.
    by_made: Option<Found>,
    /// What is looked at is a part of a call that cannot be read.
    in_pieces: bool,
}

/// Commands that no other program is likely to have.
const RARE: [&str; 4] = ["trust", "untrust", "adopt", "rollback"];

/// Commands that hardly a program of a project has either: many of those can roll something back.
const UNHEARD_OF: [&str; 4] = ["trust", "untrust", "adopt", "unlink"];

/// Agents, as `hook` is told them.
const AGENTS: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// Why a program is asked about of which nobody can tell whether it is metier.
const PERHAPS: &str = "nobody can tell whether this is metier by another name, whose command it may \
                       be; give the program's whole path";

impl Search<'_> {
    fn act(&mut self, act: &Act) {
        match act {
            Act::Command(command) => self.command(command),
            Act::Pieces(acts) => {
                self.in_pieces = true;
                acts.iter().for_each(|act| self.act(act));
            }
            Act::Unresolvable(_) => self.untold = true,
            Act::Tool | Act::File(_) | Act::Fetch(_) => {}
        }
    }

    fn command(&mut self, command: &Command) {
        if let Some((program, words)) = command.argv.split_first() {
            // Words nobody knows of a program nobody knows, in a call that nobody can read.
            let unknown = program.spelling().is_empty() && program.as_known().is_none();
            if self.in_pieces && unknown && matches!(next(words), Next::Unknown) {
                let asked_about = Some(PERHAPS);
                note(&mut self.by_nobody, Some(Found { command: command.shown(), asked_about }));
            }
            self.untold |= program.as_known().is_none();
            self.program(program, words, command);
        }
        for (_, consequence) in &command.consequences {
            match consequence {
                Consequence::Acts(acts) => acts.iter().for_each(|act| self.act(act)),
                Consequence::Escape(_) | Consequence::Code(_) => self.untold = true,
            }
        }
    }

    fn program(&mut self, program: &Word, words: &[Word], command: &Command) {
        let meant = asked(words, self.of_session);
        let found = meant.found(command);
        match program.as_known() {
            None if self.programs.may_be_metier(program) || meant.is_rare() => {
                note(&mut self.found, found);
            }
            // What a wildcard finds nobody can tell.
            None if program.is_wildcard() && meant.is_approving() => {
                let asked_about = Some(PERHAPS);
                note(&mut self.found, found.map(|found| Found { asked_about, ..found }));
            }
            None => note(&mut self.by_nobody, found),
            Some(path) if found.is_some() => {
                if path.contains('/') && self.programs.is_made(path, command) {
                    note(&mut self.by_made, found.clone());
                }
                note(&mut self.by_another, found);
                let perhaps = self.perhaps(path, words, command);
                note(&mut self.found, perhaps);
            }
            Some(_) => {}
        }
        let is_path = program.prefix().contains('/');
        let worth = meant != Asked::Ordinary && (is_path || meant != Asked::Unknown);
        let asked = match self.programs.called(program, worth, command) {
            Some(PLUGIN) => Asked::Approving("chibi".to_owned()),
            Some(_) => meant,
            None if may_run_its_words(command) => self.among(words),
            None => Asked::Ordinary,
        };
        note(&mut self.found, asked.named(command));
    }

    /// What is said about a program of which nobody can tell which file it is, where its words are those
    /// of metier and hardly of any other.
    fn perhaps(&self, program: &str, words: &[Word], command: &Command) -> Option<Found> {
        let Next::Word(name, rest) = next(words) else { return None };
        let of_agent = || rest.iter().filter_map(Word::as_known).any(|it| AGENTS.contains(&it));
        let unheard_of = UNHEARD_OF.contains(&name) || (name == "hook" && of_agent());
        let hidden = self.hidden && program.contains('/') && !program.starts_with('/');
        let untold = hidden || self.programs.is_untold(program, command);
        (unheard_of && untold)
            .then(|| Found { command: command.shown(), asked_about: Some(PERHAPS) })
    }

    /// What the words ask for behind metier's name, where that is no option's value: `runner metier
    /// trust` and not `cargo test -p metier trust`.
    fn among(&self, words: &[Word]) -> Asked {
        let mut behind_option = false;
        for (at, word) in words.iter().enumerate() {
            let last = word.as_known().and_then(|path| path.rsplit('/').next());
            let called = last.and_then(|file| self.programs.name(file));
            if !behind_option && called == Some(PROGRAM) {
                let asked = asked(words.get(at + 1..).unwrap_or_default(), self.of_session);
                if asked != Asked::Ordinary {
                    return asked;
                }
            }
            behind_option = word.as_known().is_some_and(|w| w.starts_with('-') && w != "--");
        }
        Asked::Ordinary
    }
}

impl Asked {
    /// Such a command by the words it was given with.
    fn found(&self, command: &Command) -> Option<Found> {
        let asked_about = match self {
            Self::Approving(_) => None,
            Self::Lifting(_, why) => Some(*why),
            Self::Ordinary | Self::Unknown => return None,
        };
        Some(Found { command: command.shown(), asked_about })
    }

    /// Such a command by its name; what only a running shell knows is refused.
    fn named(&self, command: &Command) -> Option<Found> {
        match self {
            Self::Approving(name) => Some(Found::new(name, None)),
            Self::Lifting(name, why) => Some(Found::new(name, Some(why))),
            Self::Unknown => Some(Found { command: command.shown(), asked_about: None }),
            Self::Ordinary => None,
        }
    }

    fn is_approving(&self) -> bool {
        matches!(self, Self::Approving(_))
    }

    fn is_rare(&self) -> bool {
        matches!(self, Self::Approving(name) if RARE.contains(&name.as_str()))
    }
}

impl Found {
    fn new(name: &str, asked_about: Option<&'static str>) -> Self {
        Self { command: format!("{PROGRAM} {name}"), asked_about }
    }
}

/// Whether a program may run what its words name: nobody knows it, or it runs any code.
pub(super) fn may_run_its_words(command: &Command) -> bool {
    let mentioned =
        |touch: &Act| matches!(touch, Act::File(file) if file.manner == Manner::Mentioned);
    command.note.is_some() || command.touches.iter().any(mentioned)
}

/// What the words behind the program's name ask for; `of_session` is whether a variable names a session.
fn asked(words: &[Word], of_session: bool) -> Asked {
    let (name, rest) = match next(words) {
        Next::Word(name, rest) => (name, rest),
        Next::None => return Asked::Ordinary,
        Next::Unknown => return Asked::Unknown,
    };
    let Some((_, which)) = COMMANDS.iter().find(|(command, _)| *command == name) else {
        return lifting(name, words, of_session);
    };
    let inner = next(rest);
    let meant = match (which, &inner) {
        (Which::All, _) => true,
        (_, Next::Unknown) => return Asked::Unknown,
        (Which::Only(list), Next::Word(inner, _)) => list.contains(inner),
        (Which::Only(_), Next::None) => false,
        (Which::AllBut(list), Next::Word(inner, _)) => !list.contains(inner),
        (Which::AllBut(_), Next::None) => true,
    };
    if !meant {
        return Asked::Ordinary;
    }
    match (which, inner) {
        (Which::Only(_), Next::Word(inner, _)) => Asked::Approving(format!("{name} {inner}")),
        _ => Asked::Approving(name.to_owned()),
    }
}

/// Whether a command lifts what skills restrict, with these words.
fn lifting(name: &str, words: &[Word], of_session: bool) -> Asked {
    let Some((_, flags, why)) = LIFTING.iter().find(|(command, ..)| *command == name) else {
        return Asked::Ordinary;
    };
    let is_one = |word: &Word| {
        let flag = word.prefix().split('=').next().unwrap_or_default();
        word.splits() || flags.contains(&flag)
    };
    let by_variable = of_session && flags.contains(&"--session");
    match flags.is_empty() || by_variable || words.iter().any(is_one) {
        true => Asked::Lifting(name.to_owned(), why),
        false => Asked::Ordinary,
    }
}

/// The next word that is no flag.
enum Next<'w> {
    Word(&'w str, &'w [Word]),
    None,
    /// It depends on what only a running shell knows.
    Unknown,
}

fn next(words: &[Word]) -> Next<'_> {
    let mut rest = words;
    while let Some((word, behind)) = rest.split_first() {
        rest = behind;
        let value_follows = match word.as_known() {
            Some(known) if !known.starts_with('-') => return Next::Word(known, behind),
            Some(flag) => VALUED.contains(&flag),
            // `--home="$x"` is one flag, whatever stands behind the sign.
            None if !word.splits() && word.prefix().starts_with("--") => {
                match word.prefix().contains('=') {
                    true => false,
                    false => return Next::Unknown,
                }
            }
            None => return Next::Unknown,
        };
        if value_follows {
            match rest.split_first() {
                Some((value, _)) if value.splits() => return Next::Unknown,
                Some((_, behind)) => rest = behind,
                None => {}
            }
        }
    }
    Next::None
}

/// The first such command that is spelled out behind this name in text nobody can read as commands.
/// Linear: what stands behind a name is looked at up to its next mention.
fn in_text(text: &str, called: &str, of_session: bool) -> Option<Found> {
    let mut found = None;
    for behind in behind(text, called) {
        let near = behind.split(called).next()?;
        let near = near.get(..near.floor_char_boundary(MAX_SEARCHED_BYTES))?;
        let words = near.split(BETWEEN).filter(|word| !word.is_empty() && !word.starts_with(":::"));
        let known = |word: &str| match word.contains('$') {
            true => Word::unknown(),
            false => Word::known(word),
        };
        let words: Vec<Word> = words.map(known).collect();
        match if called == PLUGIN { in_plugin(&words) } else { asked(&words, of_session) } {
            Asked::Approving(name) => return Some(Found::new(&name, None)),
            Asked::Unknown => return Some(Found::new("…", None)),
            Asked::Lifting(name, why) => note(&mut found, Some(Found::new(&name, Some(why)))),
            Asked::Ordinary => {}
        }
    }
    found
}

/// What stands behind each mention of a name as a word of its own.
pub(super) fn behind<'t>(text: &'t str, called: &'t str) -> impl Iterator<Item = &'t str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(called).filter_map(move |(at, _)| {
        let (before, behind) = (text.get(..at)?, text.get(at + called.len()..)?);
        let alone = !before.ends_with(is_part) && !behind.starts_with(is_part);
        alone.then_some(behind)
    })
}

/// In text, the plugin's name is often that of something else; what it installs or removes is not.
fn in_plugin(words: &[Word]) -> Asked {
    match next(words) {
        Next::Word("install" | "remove", _) => Asked::Approving("chibi".to_owned()),
        _ => Asked::Ordinary,
    }
}

#[cfg(test)]
#[path = "approving_tests.rs"]
mod tests;
