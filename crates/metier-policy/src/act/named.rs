//! Whatever the words of a command may name, for those who must not miss a file: see `own` and
//! `survey`. And the repository a command would obey.

use std::path::Path;

use super::here::{Here, Naming};
use super::{Consequence, FileUse, Look, Manner, Unpacker, input};
use crate::limits::MAX_MENTIONS;
use crate::place::{Layout, Spot, folded};
use crate::programs::{Analysis, Hazard, Touch, What, parts};
use crate::shell::{self, Access, SimpleCommand, Surroundings, Word};

/// What a word that may be a repository is to git.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Where it pushes to: a remote, or an address.
    Target,
    /// An address that it keeps for a remote.
    Address,
    /// A word about remotes.
    Other,
}

impl Unpacker<'_> {
    /// Every file the words of a command may name that are not another command, what it sets, and
    /// the directory it works in. A program that is known to change nothing names none.
    pub(super) fn named(
        &self,
        command: &SimpleCommand,
        analysis: &Analysis,
        here: Here<'_>,
    ) -> Vec<FileUse> {
        if self.look == Look::Plain {
            return Vec::new();
        }
        let values = command.assignments.iter().map(|assignment| &assignment.value);
        let mut words: Vec<Word> = values.flat_map(parts).collect();
        let works = !command.argv.is_empty() && !analysis.only_reads;
        if works {
            words.extend(own_words(command, analysis).take(MAX_MENTIONS).flat_map(parts));
            words.push(Word::known("."));
        }
        // Programs read a tilde that no shell did.
        let home = self.place.home.and_then(Path::to_str).unwrap_or_default();
        let at_home = |word: &Word| {
            let rest = word.prefix().strip_prefix('~').filter(|rest| rest.starts_with('/'));
            rest.and_then(|_| word.tail(1)).map(|rest| rest.after(home))
        };
        let homes: Vec<Word> = words.iter().filter_map(at_home).collect();
        words.extend(homes);
        let naming = Naming { access: Access::Write, manner: Manner::Mentioned, whole: false };
        words.iter().map(|word| self.file_use(word, here, naming)).collect()
    }

    /// Files that a command writes where it is told to by way of the directory it is in: `cp x $PWD`.
    pub(super) fn written_here(&self, command: &SimpleCommand) -> Vec<Touch> {
        let here =
            |word: &Word| word.part(0, word.spelling().len()).filter(|it| it.as_known().is_some());
        let is_told = |word: &Word| word.as_known().is_none() && here(word).is_some();
        if self.look == Look::Plain || !command.argv.iter().any(is_told) {
            return Vec::new();
        }
        let argv = command.argv.iter().map(|word| here(word).unwrap_or_else(|| word.clone()));
        let touches = self.programs.analyse(&argv.collect::<Vec<_>>()).touches;
        let writes = |touch: &Touch| matches!(touch, Touch::File(Access::Write, _));
        touches.into_iter().filter(writes).collect()
    }

    /// The same words as text: code may spell out what it does.
    pub(super) fn spelled(&self, command: &SimpleCommand, analysis: &Analysis) -> Vec<String> {
        if self.look == Look::Plain || !(analysis.untold || analysis.fed.is_some()) {
            return Vec::new();
        }
        own_words(command, analysis).map(|word| folded(word.spelling())).collect()
    }

    /// What git obeys in a directory that is a repository of its own, and not the project's: its
    /// settings may run programs, and they may have come with the project.
    pub(super) fn strange_repository(&self, here: Here<'_>) -> Option<Consequence> {
        if here.fresh && !here.known().all(|directory| self.is_base(directory)) {
            let text = "what another command of this call brings may be a repository of its own there; \
                        run it in a call of its own";
            return Some(Consequence::escape(text.to_owned()));
        }
        let found = here.known().find_map(|directory| self.repository_above(directory))?;
        let text = format!("`{found}` is a repository of its own, whose settings can run programs");
        Some(Consequence::escape(text))
    }

    /// A repository of which nobody knows where it is.
    pub(super) fn unknown_repository(&self, here: Here<'_>) -> Option<Consequence> {
        let text =
            "nobody can tell in which repository it works; say it with `git -C /the/directory`";
        let unknown = here.lost && here.known().next().is_none();
        unknown.then(|| Consequence::escape(text.to_owned()))
    }

    /// Changing what lies in `.git`, which decides what git runs.
    pub(super) fn tracked(&self, word: &Word, here: Here<'_>) -> Option<Consequence> {
        let inside = |path: &str| path.split('/').any(|name| name.eq_ignore_ascii_case(".git"));
        let spots = word.as_known().and_then(|path| self.place.locate(path, here.from()));
        let fine = match (word.as_known(), spots) {
            (Some(path), Some(spots)) => {
                !inside(path) && !spots.iter().any(|spot| inside(&spot.path))
            }
            // Where it works nobody can tell: the words have to do.
            (Some(path), None) => !inside(path),
            // A wildcard finds no hidden name unless it starts with a dot.
            (None, _) => {
                let hidden = |name: &str| name.starts_with(['.', '[', '{']);
                word.holes().is_empty() && !word.spelling().split('/').any(hidden)
            }
        };
        let text = || format!("`{}` may be part of the repository itself", word.shown());
        (!fine).then(|| Consequence::escape(text()))
    }

    /// Whatever of the arguments may be a repository on this machine, which runs its own hooks.
    pub(super) fn local_repositories(
        &self,
        command: &SimpleCommand,
        analysis: &Analysis,
        here: Here<'_>,
    ) -> Vec<(usize, Consequence)> {
        let named = analysis.hazards.iter().filter_map(|hazard| match &hazard.what {
            What::Repository(word) => Some((hazard.at, word)),
            _ => None,
        });
        let named: Vec<(usize, &Word)> = named.collect();
        let is = |word: &Word, names: &[&str]| word.as_known().is_some_and(|w| names.contains(&w));
        let of_remotes = command.argv.iter().any(|word| is(word, &["remote"]));
        let sets = named.first().is_some_and(|(_, verb)| is(verb, &["add", "set-url"]));
        let role = |index: usize| match (of_remotes, sets && index > 1) {
            (true, true) => Role::Address,
            (true, false) => Role::Other,
            (false, _) => Role::Target,
        };
        let found = named.iter().enumerate().filter_map(|(index, (at, word))| {
            Some((*at, self.local_repository(word, here, role(index))?))
        });
        found.collect()
    }

    fn local_repository(&self, word: &Word, here: Here<'_>, role: Role) -> Option<Consequence> {
        let text = word.prefix();
        let lower = text.to_ascii_lowercase();
        let colon = text.find(':').filter(|colon| text.find('/').is_none_or(|at| *colon < at));
        let is_path = lower.starts_with("file:")
            || text.starts_with(['.', '~'])
            || (colon.is_none() && text.contains('/'))
            // Git follows what is kept as an address whenever it is used, wherever it lies then.
            || (colon.is_none() && role == Role::Address)
            || word.as_known().is_none();
        // What has no remote by this name may find a repository that this very call brings.
        let remote = |at: &Path| self.place.resolver.has_remote(at, text);
        let may_come =
            || here.fresh && role == Role::Target && colon.is_none() && !here.known().all(remote);
        let is_there = || {
            let spots = here.known().filter_map(|directory| {
                self.place.locate(text, crate::place::From::Directory(directory))
            });
            let repository = |spot: &Spot| {
                let at = Path::new(&spot.path);
                let with_end = format!("{}.git", spot.path);
                let resolver = self.place.resolver;
                resolver.layout(at).is_some() || resolver.layout(Path::new(&with_end)).is_some()
            };
            spots.into_iter().any(|spots| spots.iter().any(repository))
        };
        (is_path || may_come() || is_there()).then(|| {
            let text = format!("`{}` may be a repository here, which runs its hooks", word.shown());
            Consequence::escape(text)
        })
    }

    /// Which of the commands bring files that nobody has seen: from a repository, a patch or an
    /// archive, or links as they are. Nobody asks about one that is alone.
    pub(super) fn bringing(
        &self,
        commands: &[SimpleCommand],
        analyses: &[Analysis],
        around: Surroundings<'_>,
    ) -> Vec<bool> {
        let alone = commands.len() < 2;
        let pairs = commands.iter().zip(analyses);
        pairs.map(|(command, by)| !alone && self.brings_files(command, by, around)).collect()
    }

    fn brings_files(
        &self,
        command: &SimpleCommand,
        analysis: &Analysis,
        around: Surroundings<'_>,
    ) -> bool {
        let hands_on = |hazard: &Hazard| match &hazard.what {
            What::Run(words) => self.runs_bringer(words, around),
            What::Shell(text) => self.holds_bringer(text, around),
            _ => false,
        };
        brings_itself(command, analysis) || analysis.hazards.iter().any(hands_on)
    }

    /// Whether another command that one runs brings files. What is nested too deep is refused anyway.
    fn runs_bringer(&self, words: &[Word], around: Surroundings<'_>) -> bool {
        let Ok(around) = shell::deeper(around) else { return false };
        let command = SimpleCommand { argv: words.to_vec(), ..SimpleCommand::default() };
        self.brings_files(&command, &self.programs.analyse(words), around)
    }

    /// Whether one of the commands in a text brings files; one nobody can read may.
    fn holds_bringer(&self, text: &str, around: Surroundings<'_>) -> bool {
        let Ok(around) = shell::deeper(around) else { return false };
        let Ok(commands) = shell::parse(text, around) else { return true };
        commands.iter().any(|command| {
            self.brings_files(command, &self.programs.analyse(&command.argv), around)
        })
    }

    /// Whether a directory is the project itself.
    fn is_base(&self, directory: &Path) -> bool {
        let locate = |path: &Path| self.place.locate(path.to_str()?, crate::place::From::Elsewhere);
        locate(directory).zip(locate(self.place.base())).is_some_and(|(here, base)| {
            here.iter().all(|spot| base.iter().any(|base| base.path == spot.path))
        })
    }

    /// The first repository above a directory, up to the project, unless it is the project's own.
    fn repository_above(&self, directory: &Path) -> Option<String> {
        let spots = self.place.locate(directory.to_str()?, crate::place::From::Elsewhere)?;
        let base = self.place.locate(self.place.base().to_str()?, crate::place::From::Elsewhere)?;
        let is_base = |spot: &str| base.iter().any(|base| base.path == spot);
        let strange = |spot: &Spot| {
            for at in Path::new(&spot.path).ancestors() {
                let own = is_base(at.to_str()?);
                match self.place.resolver.layout(at) {
                    Some(Layout::Inside) if own => return None,
                    Some(_) => return Some(at.display().to_string()),
                    None if own => return None,
                    None => {}
                }
            }
            None
        };
        spots.iter().find_map(strange)
    }
}

/// Whether a command brings files by itself, and not by another one that it runs.
pub(super) fn brings_itself(command: &SimpleCommand, analysis: &Analysis) -> bool {
    let brings = |touch: &Touch| matches!(touch, Touch::Around(_) | Touch::Into(_));
    let clones = || command.argv.iter().any(|word| word.as_known() == Some("clone"));
    if only_names_a_branch(command) {
        return false;
    }
    analysis.touches.iter().any(brings)
        || (analysis.repository && clones())
        || (analysis.accounted && command.argv.iter().skip(1).any(keeps_links))
        || input::changed(command).iter().any(brings)
}

/// Whether git makes a branch of what is there, which changes no file.
fn only_names_a_branch(command: &SimpleCommand) -> bool {
    let words: Option<Vec<&str>> = command.argv.iter().map(Word::as_known).collect();
    match words.as_deref() {
        Some(["git", "checkout", "-b", name] | ["git", "switch", "-c", name]) => {
            !name.starts_with('-')
        }
        _ => false,
    }
}

/// Whether an option of a copy keeps links what they are.
fn keeps_links(word: &Word) -> bool {
    let text = word.prefix();
    match text.strip_prefix("--") {
        Some(long) => long.starts_with("no-d") || long.starts_with("preserve"),
        None => text.starts_with('-') && text.contains(['P', 'd']),
    }
}

/// The variable that tells git which directory to fill.
const WORK_TREE: &str = "GIT_WORK_TREE";

/// The directories that git is told to fill by a variable, set before a command or by one.
pub(super) fn work_trees(command: &SimpleCommand, analysis: &Analysis) -> Vec<Word> {
    let before = command.assignments.iter().filter(|set| set.name == WORK_TREE);
    let by_one = analysis.hazards.iter().filter_map(|hazard| match &hazard.what {
        What::Assign(name) if name == WORK_TREE => {
            command.argv.get(hazard.at)?.tail(WORK_TREE.len() + 1)
        }
        _ => None,
    });
    before.map(|set| set.value.clone()).chain(by_one).collect()
}

/// The words behind a program that are not another command, and before them the code it is fed.
fn own_words<'c>(
    command: &'c SimpleCommand,
    analysis: &'c Analysis,
) -> impl Iterator<Item = &'c Word> {
    let handed = |at: usize| analysis.handed.iter().any(|(from, to)| (*from..*to).contains(&at));
    let words = command.argv.iter().enumerate().skip(1).filter(move |(at, _)| !handed(*at));
    analysis.fed.iter().chain(words.map(|(_, word)| word))
}

#[cfg(test)]
#[path = "named_tests.rs"]
mod tests;
