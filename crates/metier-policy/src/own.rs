//! What is metier's own: its state and its settings, which no call writes, and the commands with
//! which a person approves, which no call runs.
//!
//! Approvals, locks, journals and settings say what is trusted, what is active and what was decided.
//! A model that could write them, or run what writes them, could approve for itself, so this is no
//! rule of a profile that a policy could relax: every profile, `full-auto` included, denies it.
//!
//! It fails closed. A word that names such a place is refused unless its program is known to change
//! nothing; so is a call that spells one out and does something else that cannot be told; and putting
//! files that nobody names into a directory above one is asked about. What a model works out by
//! itself, from parts, inside code, nobody can see here: the walls around scripts and the chain of
//! the journal are for that.
//!
//! The same holds for the settings by which an agent's hooks are switched off, and with them metier.
//!
//! Start reading at `reasons`. It knows the places it is told ([`Place::protected`]) and nothing
//! about what lies in them; the commands are in `approving`, the names metier has in `program`, one place in `somewhere`, agents that nobody would guard in
//! `agents`, settings that may lie anywhere in
//! `settings`, commands of which nobody says where they run in `hidden`, links that a call brings in `arrived`, copies by which metier would be known no more in `copied`, tools nobody knows in `tools`, text that spells out a place
//! in `spelled`, and variables in `variables`.

mod agents;
mod approving;
mod arrived;
mod copied;
mod given;
mod hidden;
mod listed;
mod program;
mod settings;
mod somewhere;
mod spelled;
mod tools;
mod variables;

use std::path::Path;

use crate::act::{Act, Command, Consequence, FileUse, Look, Manner, quoted};
use crate::call::{Kind, ShellInput, ToolCall, Understood};
use crate::place::{From, Place, Spots, folded};
use crate::programs::ProgramTable;
use crate::shape::Shape;
use crate::shell::{Access, Word};
use crate::stack::ActiveStack;
use crate::verdict::{Reason, Verdict};

use agents::Start;
use approving::Found;
use listed::Listed;
use settings::Wherever;
use somewhere::Somewhere;

pub use approving::is_for_the_user;
pub(crate) use approving::read_by;
pub use hidden::is_kept;

/// The rule that the reason for not writing metier's own files names.
pub const OWN_STATE: &str = "metier-state";

/// The rule that the reason for not switching off an agent's hooks names.
pub const AGENT_HOOKS: &str = "agent-hooks";

/// The rule that the reason for not running a command of the user's names.
pub const OWN_COMMAND: &str = "metier-command";

/// Everything the question is about.
#[derive(Clone, Copy)]
pub(crate) struct Inquiry<'a> {
    pub(crate) call: &'a ToolCall,
    pub(crate) understood: &'a Understood,
    pub(crate) place: &'a Place<'a>,
    pub(crate) stack: &'a ActiveStack,
}

/// A refusal for each protected place that a call writes or may write, and for a command that is a
/// person's; a question where files may end up in such a place.
pub(crate) fn reasons(inquiry: Inquiry<'_>, acts: &[Act]) -> Vec<Reason> {
    let mut reasons = of_acts(inquiry, acts);
    // A tool nobody knows may run the command it is told as any shell would.
    let told = tools::as_shell(inquiry);
    let written_out = with_values(told.as_ref().unwrap_or(inquiry.understood), inquiry.place);
    for understood in told.into_iter().chain(written_out) {
        let programs = ProgramTable::built_in();
        let acts = crate::act::acts(&understood, inquiry.place, programs, Look::Thorough);
        let more = of_acts(Inquiry { understood: &understood, ..inquiry }, &acts);
        let new: Vec<Reason> =
            more.into_iter().filter(|reason| !reasons.contains(reason)).collect();
        reasons.extend(new);
    }
    reasons
}

/// The same command with what its variables are set to in their place, where it sets any.
fn with_values(call: &Understood, place: &Place<'_>) -> Option<Understood> {
    let Kind::Shell { command: ShellInput::Text(text) } = &call.kind else { return None };
    if place.protected.is_empty() {
        return None;
    }
    let home = place.home.and_then(Path::to_str);
    let command = ShellInput::Text(variables::written_out(text, home)?);
    Some(Understood { kind: Kind::Shell { command }, ..call.clone() })
}

fn of_acts(inquiry: Inquiry<'_>, acts: &[Act]) -> Vec<Reason> {
    let mut reasons = written(inquiry, acts);
    let command = approving::found(inquiry.understood, inquiry.place, acts);
    reasons.extend(command.map(|Found { command, asked_about }| {
        let (verdict, text) = match asked_about {
            Some(why) => (Verdict::Ask, format!("`{command}`: {why}")),
            None => {
                let text = format!(
                    "`{command}` is for the user to run: it decides what is trusted, installed or \
                     guarded"
                );
                (Verdict::Deny, text)
            }
        };
        Reason::new(verdict, text).of_rule(OWN_COMMAND)
    }));
    reasons.extend(copied::program(inquiry, acts));
    reasons.extend(copied::files_linked(inquiry, acts));
    reasons.extend(hidden::reason(inquiry, acts));
    reasons.extend(unguarded(agents::found(inquiry.understood, acts)));
    reasons
}

/// What is said about starting an agent like this.
fn unguarded(start: Start) -> Option<Reason> {
    let (verdict, text) = match start {
        Start::Guarded => return None,
        Start::Perhaps(by) => {
            let by = quoted(&by);
            (Verdict::Ask, format!("this may start an agent without its hooks: `{by}`"))
        }
        Start::Unguarded(by) => {
            let by = quoted(&by);
            let text = format!(
                "this starts an agent without its hooks, by `{by}`: nothing would guard it; only the \
                 user starts one like that"
            );
            (Verdict::Deny, text)
        }
    };
    Some(Reason::new(verdict, text).of_rule(AGENT_HOOKS))
}

/// The text of a command nobody can read, in lowercase: as it is written, and without what a shell
/// takes away. Between the two stands a mark that is no word.
fn untold_text(call: &Understood) -> Option<String> {
    let mut text = command_text(call)?;
    let plain = spelled::plain(&text);
    if plain != text {
        text.push_str("\n\0\n");
        text.push_str(&plain);
    }
    Some(text)
}

/// The text of a command as it is written, in lowercase.
fn command_text(call: &Understood) -> Option<String> {
    match &call.kind {
        Kind::Shell { command: ShellInput::Text(text) } => Some(folded(text)),
        Kind::Shell { command: ShellInput::Words(words) } => Some(folded(&words.join(" "))),
        _ => None,
    }
}

/// How a call deals with a protected place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Dealing {
    #[default]
    Nothing,
    /// Files that nobody names may end up in it.
    PerhapsInto,
    /// It is written, or named where nobody can tell what for.
    Writes,
}

/// What is protected.
enum Own {
    /// One place.
    Somewhere(Somewhere),
    /// Everything that is called like this.
    Wherever(Wherever),
}

fn written(inquiry: Inquiry<'_>, acts: &[Act]) -> Vec<Reason> {
    let place = inquiry.place;
    if place.protected.is_empty() {
        return Vec::new();
    }
    let mut search = Search::default();
    acts.iter().for_each(|act| search.act(act));
    search.untold |= search.code && !search.written.is_empty();
    search.read_tool(inquiry);
    search.listed = listed::listed(inquiry, acts);
    if search.is_idle() {
        return Vec::new();
    }
    let skills = skills(inquiry);
    let text = search.text(inquiry.understood);
    let text = search.without_skills(&skills, place, text);
    let deal = |own: &std::path::PathBuf| match Own::new(place, own) {
        Some(own) => search.dealing(&own, &skills, place, text.as_deref()),
        None => Dealing::Nothing,
    };
    let reasons = place.protected.iter().filter_map(|own| match deal(own) {
        Dealing::Nothing => None,
        dealing => Some(reason(own, dealing)),
    });
    reasons.collect()
}

/// The directories of active skills, which are there to be used: they may lie among metier's own.
fn skills(inquiry: Inquiry<'_>) -> Vec<Spots> {
    let directories = inquiry.stack.entries().iter();
    let directories = directories.filter_map(|active| active.skill.directory.as_deref()?.to_str());
    directories.filter_map(|path| inquiry.place.locate(path, From::Elsewhere)).collect()
}

/// What is looked at.
#[derive(Default)]
struct Search<'a> {
    /// Files that are written.
    written: Vec<&'a FileUse>,
    /// Those of them that may come to be directories with anything in them.
    replaced: Vec<&'a FileUse>,
    /// Files that are named where nobody knows what for.
    named: Vec<&'a FileUse>,
    /// Files that are named by a program that only copies them.
    copied: Vec<&'a FileUse>,
    /// Those named by a program that may change what lies in them.
    entered: Vec<&'a FileUse>,
    /// Those of them that an option says its files are put into.
    filled: Vec<&'a FileUse>,
    /// Words in which a place may be spelled out, in lowercase.
    words: Vec<String>,
    /// Paths that a tool nobody knows is told.
    told: Vec<Spots>,
    /// Paths that it may put together.
    joined: Vec<Spots>,
    /// Files that are found, of which any may be written.
    listed: Vec<Listed>,
    /// Something is done that cannot be told.
    untold: bool,
    /// Code runs: what a call writes first, it may run then.
    code: bool,
}

impl<'a> Search<'a> {
    fn act(&mut self, act: &'a Act) {
        match act {
            Act::Command(command) => self.command(command),
            Act::Pieces(acts) => acts.iter().for_each(|act| self.act(act)),
            Act::File(file) if file.access == Access::Write => {
                self.untold |= file.vague || file.shapes.iter().any(Shape::has_hole);
                self.written.push(file);
            }
            Act::Unresolvable(_) => self.untold = true,
            Act::File(_) | Act::Tool | Act::Fetch(_) => {}
        }
    }

    fn command(&mut self, command: &'a Command) {
        let named = if command.accounted { &mut self.copied } else { &mut self.named };
        named.extend(&command.named);
        if may_change_inside(command) {
            self.entered.extend(command.named.iter().filter(|file| is_entered(file, command)));
            self.filled.extend(command.named.iter().filter(|file| is_filled(file, command)));
        }
        let from = self.written.len();
        command.touches.iter().for_each(|touch| self.act(touch));
        if !only_makes(command) {
            self.replaced.extend(self.written.iter().skip(from).copied());
        }
        for (_, consequence) in &command.consequences {
            match consequence {
                Consequence::Acts(acts) => acts.iter().for_each(|act| self.act(act)),
                Consequence::Escape(_) => self.untold = true,
                Consequence::Code(_) => self.code = true,
            }
        }
        self.words.extend(command.spelled.iter().cloned());
        let unknown = |word: &Word| word.as_known().is_none();
        self.untold |= match command.argv.split_first() {
            Some((program, words)) => {
                unknown(program) || (command.untold && words.iter().any(unknown))
            }
            None => false,
        };
    }

    fn read_tool(&mut self, inquiry: Inquiry<'_>) {
        if tools::is_unknown(inquiry.understood) {
            let told = tools::told(inquiry.call, inquiry.place);
            self.told = told.paths;
            self.joined = told.joined;
            self.words.extend(told.texts);
        }
    }

    fn is_idle(&self) -> bool {
        let told = !self.told.is_empty() || !self.words.is_empty();
        let named = !self.named.is_empty() || !self.copied.is_empty();
        let found = !self.listed.is_empty();
        self.written.is_empty() && !named && !told && !found && !self.untold
    }

    /// The whole command, in lowercase, where a part of it cannot be told.
    fn text(&self, call: &Understood) -> Option<String> {
        self.untold.then(|| untold_text(call)).flatten()
    }

    /// Takes what spells out a file of an active skill out of the words, and out of the text.
    fn without_skills(
        &mut self,
        skills: &[Spots],
        place: &Place<'_>,
        text: Option<String>,
    ) -> Option<String> {
        let spots = skills.iter().flat_map(|spots| spots.iter());
        let spelled: Vec<String> =
            spots.flat_map(|spot| spelled::of(&spot.lowercase, place)).collect();
        let strip = |text: String| match text.contains("..") {
            true => text,
            false => spelled.iter().fold(text, |text, path| text.replace(path.as_str(), "")),
        };
        if !spelled.is_empty() {
            self.words = std::mem::take(&mut self.words).into_iter().map(strip).collect();
        }
        text.map(strip)
    }

    fn dealing(
        &self,
        own: &Own,
        skills: &[Spots],
        place: &Place<'_>,
        text: Option<&str>,
    ) -> Dealing {
        let texts = || self.words.iter().map(String::as_str).chain(text);
        let is_spelled = || {
            texts().any(|text| own.may_be_in(text)) && {
                let spelled = own.spelled(place);
                texts().any(|text| spelled::is_in(text, &spelled))
            }
        };
        let copied = self.copied.iter().filter(|_| own.is_taken_by_copies());
        if self.named.iter().chain(copied).any(|file| own.is_named(file, skills))
            || self.told.iter().any(|spots| own.holds(spots))
            || is_spelled()
        {
            return Dealing::Writes;
        }
        let written = self.written.iter().map(|file| own.dealing(file));
        let replaced = self.replaced.iter().map(|file| own.replaced(file));
        let worst = written.chain(replaced).max().unwrap_or_default();
        let perhaps = || {
            self.entered.iter().any(|file| own.is_around(file))
                || self.filled.iter().any(|file| own.is_on_the_way(file, place))
                || self.listed.iter().any(|listed| own.is_listed(listed))
                || self.told.iter().any(|spots| own.lies_in(spots))
                || self.joined.iter().any(|spots| own.holds(spots))
                || text.is_some_and(|text| own.is_in_parts(text, place))
        };
        match worst == Dealing::Nothing && perhaps() {
            true => Dealing::PerhapsInto,
            false => worst,
        }
    }
}

/// Programs that make or change what they name and put nothing else there.
const MAKES: [&str; 8] =
    ["mkdir", "rmdir", "touch", "chmod", "chown", "chgrp", "chattr", "setfacl"];

fn only_makes(command: &Command) -> bool {
    command.runs_one_of(&MAKES)
}

/// Programs that leave alone what lies in a directory they name.
const LEAVES: [&str; 3] = ["mkdir", "touch", "rmdir"];

/// What git does that fills a directory it is told; what else it does with one is among its touches.
const FILLS: [&str; 7] =
    ["worktree", "clone", "init", "submodule", "subtree", "checkout-index", "bundle"];

/// Programs that also fetch into what else they would read.
const BRINGS: [&str; 4] = ["gh", "glab", "hub", "tea"];

/// Whether a command may change files in a directory that it names, by rules nobody knows.
fn may_change_inside(command: &Command) -> bool {
    let fills = |word: &Word| word.as_known().is_some_and(|word| FILLS.contains(&word));
    let known = command.only_reads || command.accounted || command.argv.is_empty();
    !known
        && !command.runs_one_of(&LEAVES)
        && (!command.runs_one_of(&["git"]) || command.argv.iter().any(fills))
}

/// Whether a word of such a command names a place to change: neither where it works anyway, nor what it
/// only reads or sets a variable to.
fn is_entered(file: &FileUse, command: &Command) -> bool {
    let is_read = |touch: &Act| match touch {
        Act::File(read) => {
            let certain = read.access == Access::Read && read.manner != Manner::Mentioned;
            certain && read.shown == file.shown
        }
        _ => false,
    };
    let is_set = || command.assignments.iter().any(|set| set.value.shown() == file.shown);
    let is_read = || !command.runs_one_of(&BRINGS) && command.touches.iter().any(is_read);
    file.shown != "." && !is_read() && !is_set()
}

/// Options behind which a directory stands that a program fills or empties.
const FILLED: [&str; 6] = ["-D", "-d", "-o", "-O", "-t", "-P"];

/// What the names of other such options contain.
const FILLED_BY: [&str; 7] = ["dir", "out", "dest", "target", "prefix", "root", "into"];

/// Whether a word of such a command is the value of an option that says where files go.
fn is_filled(file: &FileUse, command: &Command) -> bool {
    let says = |option: &str| match option.strip_prefix("--") {
        Some(long) => FILLED_BY.iter().any(|part| long.contains(part)),
        None => FILLED.contains(&option),
    };
    let mut before = "";
    command.argv.iter().any(|word| {
        let text = word.spelling();
        let option = std::mem::replace(&mut before, text);
        match text.split_once('=').filter(|_| text.starts_with("--")) {
            Some((option, value)) => value == file.shown && says(option),
            None => text == file.shown && says(option),
        }
    })
}

impl Own {
    /// Nothing for a path that no call can name.
    fn new(place: &Place<'_>, path: &Path) -> Option<Self> {
        let path = path.to_str()?;
        if !path.starts_with('/') {
            return Some(Self::Wherever(Wherever::new(path)));
        }
        Some(Self::Somewhere(Somewhere::new(place.locate_at_least(path)?)))
    }

    fn spelled(&self, place: &Place<'_>) -> Vec<String> {
        match self {
            Self::Somewhere(own) => own.spelled(place),
            Self::Wherever(own) => own.spelled(),
        }
    }

    /// Whether a text could spell it out, for a quick no: every way to do that ends with its name.
    fn may_be_in(&self, text: &str) -> bool {
        let named = |path: &str| text.contains(path.rsplit('/').next().unwrap_or_default());
        match self {
            Self::Somewhere(own) => own.paths().any(named),
            Self::Wherever(own) => own.spelled().iter().any(|path| named(path)),
        }
    }

    /// Whether a text that nobody can read names the directory it lies in, and its name.
    fn is_in_parts(&self, text: &str, place: &Place<'_>) -> bool {
        match self {
            Self::Somewhere(own) => own.is_in_parts(text, place),
            Self::Wherever(own) => own.is_in_parts(text),
        }
    }

    /// Whether it may be among files that are found.
    fn is_listed(&self, listed: &Listed) -> bool {
        match self {
            Self::Somewhere(own) => own.is_listed(listed),
            Self::Wherever(own) => own.is_listed(listed),
        }
    }

    fn holds(&self, spots: &Spots) -> bool {
        match self {
            Self::Somewhere(own) => own.holds(spots),
            Self::Wherever(own) => own.holds(spots),
        }
    }

    /// Whether a file is the directory that settings lie in.
    fn is_around(&self, file: &FileUse) -> bool {
        self.replaced(file) != Dealing::Nothing
    }

    /// Whether a file is a directory from home to metier's own.
    fn is_on_the_way(&self, file: &FileUse, place: &Place<'_>) -> bool {
        match self {
            Self::Somewhere(own) => own.is_on_the_way(file, place),
            Self::Wherever(_) => false,
        }
    }

    /// Whether settings lie in one of these paths.
    fn lies_in(&self, spots: &Spots) -> bool {
        match self {
            Self::Somewhere(_) => false,
            Self::Wherever(own) => spots.iter().any(|spot| own.is_around(spot)),
        }
    }

    fn dealing(&self, file: &FileUse) -> Dealing {
        match self {
            Self::Somewhere(own) => own.dealing(file),
            Self::Wherever(own) => own.dealing(file),
        }
    }

    fn replaced(&self, file: &FileUse) -> Dealing {
        match self {
            Self::Somewhere(_) => Dealing::Nothing,
            Self::Wherever(own) => own.replaced(file),
        }
    }

    /// Whether a copy of it is nobody's either: what metier keeps is for metier to use.
    fn is_taken_by_copies(&self) -> bool {
        matches!(self, Self::Somewhere(_))
    }

    fn is_named(&self, file: &FileUse, skills: &[Spots]) -> bool {
        match self {
            Self::Somewhere(own) => own.is_named(file, skills),
            Self::Wherever(own) => own.is_named(file),
        }
    }
}

fn reason(own: &Path, dealing: Dealing) -> Reason {
    let shown = metier_format::text::visible_line(&own.to_string_lossy()).into_owned();
    let asks = dealing == Dealing::PerhapsInto;
    let (text, rule) = match (own.is_relative(), asks) {
        (true, true) => {
            let text = format!(
                "this could write `{shown}`, which can switch off the hooks that guard an agent"
            );
            (text, AGENT_HOOKS)
        }
        (true, false) => {
            let text = format!(
                "`{shown}` can switch off the hooks that guard an agent: only the user changes it, \
                 by hand and not by a tool call"
            );
            (text, AGENT_HOOKS)
        }
        (false, true) => {
            (format!("this could put files into `{shown}`, which is metier's own"), OWN_STATE)
        }
        (false, false) => {
            let text = format!(
                "`{shown}` is metier's own: only the user changes it, by a command of metier"
            );
            (text, OWN_STATE)
        }
    };
    Reason::new(if asks { Verdict::Ask } else { Verdict::Deny }, text).of_rule(rule)
}

#[cfg(test)]
#[path = "own_tests.rs"]
mod tests;
