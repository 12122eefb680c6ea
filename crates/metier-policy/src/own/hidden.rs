//! Commands of which the host does not tell where they run, though it may have been told, and those that
//! change the directory by what only a running shell knows. Those that bring links are in `arrived`.
//!
//! Codex runs a command where its model says and tells nobody, so `echo x > hooks.json` may be about
//! the settings beside its own. Taking every such path for a protected one would be a rule against all
//! commands; this one is about paths that end as a protected path does, or are called as metier calls
//! its own files. Whoever gives the whole path is judged by that.

use super::arrived::Bringers;
use super::{AGENT_HOOKS, Inquiry, OWN_STATE, command_text, given, untold_text};
use crate::act::{Act, Command, Consequence, FileUse};
use crate::place::folded;
use crate::shell::Access;
use crate::verdict::{Reason, Verdict};

/// What metier calls files in its own directory and in that of its settings, whatever lies beside them.
/// Their owners are other crates: a test of the command line holds this against what they say.
const KEPT: [&str; 17] = [
    "approvals.jsonl",
    "approvals.brief",
    "folders.json",
    "generations.json",
    "skills.lock",
    "skills.toml",
    "lock.brief",
    "config.toml",
    "policy.toml",
    "packages.turn",
    "pending.json",
    "pending-links.json",
    "links.json",
    "registry.json",
    "replaced.jsonl",
    "indexes.json",
    "stamps",
];

/// Directories of metier's own in which everything is called by a digest.
const DIGESTED: [&str; 5] = ["store", "projects", "memos", "artifacts", "indexes"];

/// How the names of sessions start that agents and chibi have.
const SESSIONS: [&str; 5] = ["claude-code.", "codex.", "gemini-cli.", "opencode.", "chibi-"];

/// Sessions of metier's own.
const COMMON: [&str; 2] = ["default", "packages"];

/// What a name contains of which a part is open.
const WILD: [char; 3] = ['*', '?', '…'];

/// How long the names are that stand for digests, and for paths.
const DIGEST: usize = 64;
const KEY: usize = 32;

/// A refusal for a path that may be a protected one, where nobody says where the call runs.
pub(super) fn reason(inquiry: Inquiry<'_>, acts: &[Act]) -> Option<Reason> {
    if inquiry.place.protected.is_empty() {
        return None;
    }
    let hidden = inquiry.understood.hidden;
    let mut search = Search::default();
    acts.iter().for_each(|act| search.act(act));
    let mut written = Vec::new();
    acts.iter().for_each(|act| crate::act::files(act, Access::Write, &mut written));
    let mut files: Vec<(&FileUse, bool)> = search.named.iter().map(|file| (*file, true)).collect();
    files.extend(written.into_iter().map(|file| (file, false)));
    files.retain(|(file, _)| !file.manner.is_by_chance());
    let arrived: Vec<(&FileUse, bool)> =
        files.iter().copied().filter(|(file, _)| file.fresh).collect();
    files.retain(|(file, _)| hidden || file.unplaced);
    if arrived.is_empty() && files.is_empty() && !(hidden && search.code) {
        return None;
    }
    let names = Names::of(inquiry);
    let found = files.into_iter().find_map(|(file, _)| names.met(file));
    let in_text = || {
        let text = untold_text(inquiry.understood).filter(|_| hidden && search.code)?;
        names.spelled(&text)
    };
    let Some((path, rule)) = found.or_else(in_text) else {
        let bringers = Bringers::of(acts, inquiry.place);
        let mut arrived = arrived.into_iter();
        return arrived
            .find_map(|(file, named)| bringers.reason(file, named, &names, inquiry.place));
    };
    let text = format!(
        "`{path}` may be one that only the user changes, for nobody says in which directory this \
         runs; give its whole path, from `/` on"
    );
    // Who changes the directory by what only a running shell knows may do so for many reasons.
    let verdict = if hidden { Verdict::Deny } else { Verdict::Ask };
    Some(Reason::new(verdict, text).of_rule(rule))
}

/// What is protected, by its names.
pub(super) struct Names {
    /// The names on each protected path, in lowercase, and the rule it is protected by.
    own: Vec<(Vec<String>, &'static str)>,
    /// The command, in lowercase.
    text: String,
}

#[derive(Default)]
struct Search<'a> {
    /// Files that are named where nobody knows what for.
    named: Vec<&'a FileUse>,
    /// Code runs, or something that cannot be told.
    code: bool,
}

impl<'a> Search<'a> {
    fn act(&mut self, act: &'a Act) {
        match act {
            Act::Command(command) => self.command(command),
            Act::Pieces(acts) => acts.iter().for_each(|act| self.act(act)),
            Act::Unresolvable(_) => self.code = true,
            Act::Tool | Act::File(_) | Act::Fetch(_) => {}
        }
    }

    fn command(&mut self, command: &'a Command) {
        if command.untold {
            self.named.extend(&command.named);
        }
        for (_, consequence) in &command.consequences {
            match consequence {
                Consequence::Acts(acts) => acts.iter().for_each(|act| self.act(act)),
                Consequence::Escape(_) | Consequence::Code(_) => self.code = true,
            }
        }
    }
}

impl Names {
    fn of(inquiry: Inquiry<'_>) -> Self {
        let named = |own: &std::path::PathBuf| {
            let rule = if own.is_relative() { AGENT_HOOKS } else { OWN_STATE };
            Some((parts(own.to_str()?)?, rule))
        };
        let own = inquiry.place.protected.iter().filter_map(named).collect();
        Self { own, text: command_text(inquiry.understood).unwrap_or_default() }
    }

    /// The rule by which something is protected that a relative path may lead to.
    pub(super) fn rule_for(&self, path: &str) -> Option<&'static str> {
        self.rule(&parts(path)?, false)
    }

    /// The path as given, where it may be a protected one.
    fn met(&self, file: &FileUse) -> Option<(String, &'static str)> {
        let whole = !file.shapes.is_empty();
        let rule = self.paths(file).iter().find_map(|path| self.rule(path, whole))?;
        Some((crate::act::quoted(&file.shown), rule))
    }

    /// The rule by which something is protected that a path from some directory leads to; `whole` is
    /// whether everything beneath is meant as well.
    fn rule(&self, path: &[String], whole: bool) -> Option<&'static str> {
        let is_met = |own: &[String]| ends_in(own, path) || (whole && is_on(own, path));
        let mut own = self.own.iter().filter(|(own, _)| is_met(own));
        let kept = keeps(path).then_some(OWN_STATE);
        kept.or_else(|| own.next().map(|(_, rule)| *rule))
    }

    /// The paths that a file may be, from a directory nobody knows.
    pub(super) fn paths(&self, file: &FileUse) -> Vec<Vec<String>> {
        let shown = file.shown.as_str();
        match &file.given {
            Some(given) => {
                let own = self.own.iter().flat_map(|(own, _)| own).map(String::as_str);
                let known: Vec<&str> = own.chain(KEPT).collect();
                given::paths(&given.word, &known, &self.text)
            }
            None if shown.starts_with(['/', '~']) || shown.contains("://") => Vec::new(),
            None => parts(shown).into_iter().collect(),
        }
    }

    /// The first such name that stands alone in code.
    fn spelled(&self, text: &str) -> Option<(String, &'static str)> {
        let last = self.own.iter().filter_map(|(own, _)| own.last()).map(String::as_str);
        let telling = |name: &&str| is_distinct(name) && name.contains('.');
        let mut names = last.chain(KEPT).filter(telling);
        let part = |c: char| c.is_alphanumeric() || "_-./".contains(c);
        let alone = |name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let (before, behind) = (text.get(..at), text.get(at + name.len()..));
                let open = |c: char| c.is_alphanumeric() || "_-.".contains(c);
                !before.is_some_and(|text| text.ends_with(part))
                    && !behind.is_some_and(|text| text.starts_with(open))
            })
        };
        let rule = |name: &str| if KEPT.contains(&name) { OWN_STATE } else { AGENT_HOOKS };
        names.find(|name| alone(name)).map(|name| (name.to_owned(), rule(name)))
    }
}

/// The names on a path, in lowercase; nothing for one that names nothing.
fn parts(path: &str) -> Option<Vec<String>> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(folded(name)),
        }
    }
    (!parts.is_empty()).then_some(parts)
}

/// Whether a path from some directory leads to the protected one or below it: it starts with what that
/// one ends with.
fn ends_in(own: &[String], path: &[String]) -> bool {
    (1..=path.len()).any(|count| {
        let start = path.get(..count).unwrap_or_default();
        own.ends_with(start) && start.iter().any(|name| is_distinct(name))
    })
}

/// Whether a directory may be one above the protected path, by a name that few others have.
fn is_on(own: &[String], path: &[String]) -> bool {
    let hidden = |name: &String| name.starts_with('.') || name == "metier";
    own.windows(path.len()).any(|names| names == path) && path.iter().any(hidden)
}

/// Whether a name says something: `plugin` is that of many directories.
fn is_distinct(name: &str) -> bool {
    name.contains('.') || name == "metier"
}

/// Whether a relative path leads to something metier keeps in its own directory, from there or from a
/// directory in it.
#[must_use]
pub fn is_kept(path: &str) -> bool {
    parts(path).is_some_and(|parts| keeps(&parts))
}

/// The same for the names on a path. What lies in directories that others have as well counts by the
/// digest it is called by: `store/` alone is that of many programs.
fn keeps(path: &[String]) -> bool {
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match names.as_slice() {
        [name] => KEPT.contains(name) || is_session(name) || is_digest(name, DIGEST),
        ["sessions", name] => is_journal(name),
        ["hooks", name] => SESSIONS.iter().any(|agent| *name == format!("{agent}json")),
        ["chibi", name] => name.starts_with("chibi-"),
        ["cache", rest @ ..] if rest.first() == Some(&"indexes") => keeps_digested(rest),
        [folder, .., "skill.md"]
            if *folder == "store" && names.iter().any(|n| n.contains(WILD)) =>
        {
            true
        }
        [folder, ..] if DIGESTED.contains(folder) => keeps_digested(&names),
        [key, name] if is_digest(key, KEY) => KEPT.contains(name),
        [first, ..] => is_digest(first, DIGEST),
        [] => false,
    }
}

/// Whether a path that starts in a directory of digests leads to one.
fn keeps_digested(names: &[&str]) -> bool {
    names.get(1).is_some_and(|name| is_digest(name, DIGEST) || is_digest(name, KEY))
}

fn is_digest(name: &str, length: usize) -> bool {
    // What stands behind says what kind of file it is.
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() == length && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a file is the journal of a session, or lies beside one and tells of it.
fn is_journal(name: &str) -> bool {
    name.find(".jsonl")
        .and_then(|at| name.get(at + ".jsonl".len()..))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The same where its name has to say whose session it is.
fn is_session(name: &str) -> bool {
    let common = || {
        COMMON
            .iter()
            .any(|own| name.strip_prefix(own).is_some_and(|rest| rest.starts_with(".jsonl")))
    };
    is_journal(name) && (SESSIONS.iter().any(|start| name.starts_with(start)) || common())
}

#[cfg(test)]
#[path = "hidden_tests.rs"]
mod tests;
