//! A path as the word of a command gives it, where it starts in a directory nobody knows: which paths
//! with known names it may be.
//!
//! A wildcard may find a protected file, and what only a running shell knows may be its name. Taking
//! every `*.json` for one would be a rule against all of them, so it counts where enough of the name is
//! written, or where the rest of it is written elsewhere in the command. Start at [`paths`].

use crate::limits::MAX_READINGS;
use crate::place::folded;
use crate::shell::Word;

/// How many letters of a name have to be written for a wildcard to be about it.
const TELLING: usize = 2;

/// One step of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Is(char),
    One,
    Many,
    /// What only a running shell knows.
    Hole,
}

/// The paths that a word may stand for, by the names on each, in lowercase. `known` are the names that
/// wildcards are held against and `text` is the command, in lowercase. None for a whole path.
pub(super) fn paths(word: &Word, known: &[&str], text: &str) -> Vec<Vec<String>> {
    let readings = word.readings();
    let words = if readings.is_empty() { std::slice::from_ref(word) } else { readings };
    let mut paths = Vec::new();
    for word in words {
        // What starts with the directory one is in is as good as what starts there.
        let here = word.part(0, word.spelling().len()).filter(|part| part.as_known().is_some());
        let word = here.as_ref().unwrap_or(word);
        if let Some(from) = start(word) {
            paths.extend(written_out(word, from, known, text));
        }
    }
    paths
}

/// Where a path starts that starts in a directory nobody knows.
fn start(word: &Word) -> Option<usize> {
    let spelled = word.spelling();
    let behind_slash = || spelled.find('/').map(|slash| slash + 1);
    match word.holes().first() {
        _ if word.starts_with_tilde() => {
            behind_slash().filter(|_| spelled.starts_with("~+") || spelled.starts_with("~-"))
        }
        Some(0) => Some(usize::from(spelled.starts_with('/'))),
        _ if spelled.starts_with("/proc/") => spelled.find("/cwd/").map(|at| at + "/cwd/".len()),
        _ if spelled.starts_with(['/', '~']) || spelled.contains("://") => None,
        _ => Some(0),
    }
}

/// Every path with known names in place of what is not known.
fn written_out(word: &Word, from: usize, known: &[&str], text: &str) -> Vec<Vec<String>> {
    let mut paths: Vec<Vec<String>> = vec![Vec::new()];
    for name in names(word, from) {
        let spelled = spelled(&name);
        let found: Vec<&str> = match name.iter().all(|step| matches!(step, Step::Is(_))) {
            true => Vec::new(),
            false => known.iter().copied().filter(|known| may_be(&name, known, text)).collect(),
        };
        match spelled.as_str() {
            "" | "." => {}
            ".." => paths.iter_mut().for_each(|path| drop(path.pop())),
            _ if found.is_empty() => paths.iter_mut().for_each(|path| path.push(spelled.clone())),
            _ => {
                let with = |path: &Vec<String>, name: &&str| {
                    [path.as_slice(), &[(*name).to_owned()]].concat()
                };
                let longer =
                    found.iter().flat_map(|name| paths.iter().map(move |path| with(path, name)));
                paths = longer.take(MAX_READINGS).collect();
            }
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

fn names(word: &Word, from: usize) -> Vec<Vec<Step>> {
    let spelled = word.spelling();
    let mut names = vec![Vec::new()];
    let mut holes =
        word.holes().iter().filter(|hole| **hole > 0 && **hole >= from || from == 0).peekable();
    let mut push = |step: Step| match (step, names.last_mut()) {
        (Step::Is('/'), _) => names.push(Vec::new()),
        (step, Some(name)) => name.push(step),
        (_, None) => {}
    };
    let mut class = false;
    for (at, c) in spelled.char_indices().filter(|(at, _)| *at >= from) {
        while holes.next_if(|hole| **hole <= at).is_some() {
            push(Step::Hole);
        }
        let wild = at >= word.prefix().len();
        match c {
            ']' | '}' if class => class = false,
            _ if class => {}
            '[' | '{' if wild => {
                class = true;
                push(Step::Many);
            }
            '*' if wild => push(Step::Many),
            '?' if wild => push(Step::One),
            c => folded(c.encode_utf8(&mut [0; 4])).chars().for_each(|c| push(Step::Is(c))),
        }
    }
    holes.for_each(|_| push(Step::Hole));
    names
}

/// A name as a person would recognise it.
fn spelled(name: &[Step]) -> String {
    let shown = |step: &Step| match step {
        Step::Is(c) => *c,
        Step::One => '?',
        Step::Many => '*',
        Step::Hole => '…',
    };
    name.iter().map(shown).collect()
}

/// Whether a name of which parts are left open is this one, and says enough to mean it.
fn may_be(name: &[Step], known: &str, text: &str) -> bool {
    // Most names are told apart by their first letter.
    if let (Some(Step::Is(first)), Some(other)) = (name.first(), known.chars().next())
        && *first != other
    {
        return false;
    }
    let known_chars: Vec<char> = known.chars().collect();
    fits(name, &known_chars) && {
        let own = name.strip_prefix(&[Step::Is('.')]).unwrap_or(name);
        let stem = own.iter().take_while(|step| **step != Step::Is('.'));
        let written = stem.filter(|step| matches!(step, Step::Is(_))).count();
        let elsewhere = || {
            let stem = known.rfind('.').filter(|dot| *dot > 0).and_then(|dot| known.get(..dot));
            name.contains(&Step::Hole) && text.contains(stem.unwrap_or(known))
        };
        written >= TELLING || elsewhere()
    }
}

/// Whether a name of which parts are left open could be these characters. Takes at most the length of
/// one times the length of the other.
fn fits(name: &[Step], known: &[char]) -> bool {
    // Which ends of what is known are reached behind each step.
    let mut reached = vec![false; known.len() + 1];
    if let Some(first) = reached.first_mut() {
        *first = true;
    }
    for step in name {
        let from = reached.iter().position(|open| *open);
        let mut next = vec![false; known.len() + 1];
        match (step, from) {
            (_, None) => return false,
            (Step::Many | Step::Hole, Some(from)) => {
                next.iter_mut().skip(from).for_each(|to| *to = true)
            }
            (Step::Is(_) | Step::One, _) => {
                let read = |k: &char| *step == Step::One || *step == Step::Is(*k);
                let steps = reached.iter().zip(known).map(|(open, k)| *open && read(k));
                next.iter_mut().skip(1).zip(steps).for_each(|(to, open)| *to = open);
            }
        }
        reached = next;
    }
    reached.last() == Some(&true)
}

#[cfg(test)]
#[path = "given_tests.rs"]
mod tests;
