//! Files behind a directory that the call itself may bring as a link to anywhere: a checkout, an
//! archive and a copy bring what nobody has seen yet.
//!
//! What brings files puts them beneath one directory and can make no link of that, nor of what is
//! above it; everything beneath may become one, also what is empty now, and for git what is tracked.
//! So nothing that the call does besides (`mkdir` least of all) shows that a directory is one, and no
//! order of commands does. Whoever runs the second half in a call of its own is judged by what is there.

use std::path::Path;

use super::hidden::Names;
use crate::act::{Act, Command, Consequence, FileUse, Manner, quoted};
use crate::limits::{MAX_DIRECTORIES, MAX_PARTS};
use crate::place::{Place, folded, normalize};
use crate::shell::Word;
use crate::verdict::{Reason, Verdict};

/// How many names at the end of a path are held against protected ones, which have fewer.
const LOOKED_AT: usize = 16;

/// Programs that put something else in the place of directories with files in them.
const REPLACES: [&str; 12] =
    ["git", "hg", "jj", "svn", "bzr", "fossil", "gh", "glab", "hub", "rsync", "stow", "unison"];

/// Options with which an archive does.
const UNLINKS: [&str; 4] = ["-U", "--unlink-first", "--recursive-unlink", "--overwrite-dir"];

/// Whatever brings files in a call.
#[derive(Default)]
pub(super) struct Bringers(Vec<Bringer>);

/// A command that brings files.
struct Bringer {
    /// The directories beneath which they may be, in lowercase; nothing where nobody can tell.
    places: Option<Vec<String>>,
    /// What it copies or moves: from where, and to where.
    copies: Vec<(String, String)>,
    /// It puts links in the place of directories that are there.
    replaces: bool,
}

impl Bringers {
    /// Those of a call.
    pub(super) fn of(acts: &[Act], place: &Place<'_>) -> Self {
        let mut bringers = Self::default();
        acts.iter().for_each(|act| bringers.act(act, place));
        bringers
    }

    fn act(&mut self, act: &Act, place: &Place<'_>) {
        match act {
            Act::Command(command) => {
                if command.brings {
                    self.0.push(Bringer::of(command, place));
                }
                for (_, consequence) in &command.consequences {
                    if let Consequence::Acts(acts) = consequence {
                        acts.iter().for_each(|act| self.act(act, place));
                    }
                }
            }
            Act::Pieces(acts) => acts.iter().for_each(|act| self.act(act, place)),
            Act::Tool | Act::File(_) | Act::Fetch(_) | Act::Unresolvable(_) => {}
        }
    }

    /// What is said about a file, where one of these may bring what it lies in as a link; `named` is
    /// whether it is only named, and perhaps not written.
    pub(super) fn reason(
        &self,
        file: &FileUse,
        named: bool,
        names: &Names,
        place: &Place<'_>,
    ) -> Option<Reason> {
        let paths = paths(file, names, place);
        paths.iter().find_map(|path| self.reason_for(path, file, named, (names, place)))
    }

    fn reason_for(
        &self,
        path: &str,
        file: &FileUse,
        named: bool,
        (names, place): (&Names, &Place<'_>),
    ) -> Option<Reason> {
        let slashes = path.rmatch_indices('/').take_while(|(slash, _)| *slash > 0);
        for (slash, _) in slashes.take(LOOKED_AT) {
            let (above, below) = path.split_at(slash);
            let Some(rule) = names.rule_for(below) else { continue };
            let exists = place.resolver.exists(Path::new(above));
            let may_bring = |bringer: &Bringer| match exists {
                true => !named && bringer.replaces && bringer.is_above(above),
                false => bringer.may_bring(above, place),
            };
            if !self.0.iter().any(may_bring) {
                continue;
            }
            let text = format!(
                "`{}` may be one that only the user changes: nobody has seen yet what this call \
                 brings as `{}`; run it in a call of its own",
                quoted(&file.shown),
                quoted(above)
            );
            return Some(Reason::new(Verdict::Ask, text).of_rule(rule));
        }
        None
    }
}

impl Bringer {
    fn of(command: &Command, place: &Place<'_>) -> Self {
        let words = || command.argv.iter().skip(1).filter_map(Word::as_known);
        let clones = words().any(|word| word == "clone");
        let unlinks = words().any(|word| UNLINKS.contains(&word));
        let replaces = (command.runs_one_of(&REPLACES) && !clones) || unlinks;
        let copies = copied_by(command, place);
        let places = match (clones, &copies) {
            (true, _) => cloned_to(command, place),
            // What is copied is known by its names.
            (false, Some(_)) => Some(Vec::new()),
            (false, None) => filled_by(command),
        };
        Self { places, copies: copies.unwrap_or_default(), replaces }
    }

    /// Whether a directory lies beneath one that this fills.
    fn is_above(&self, directory: &str) -> bool {
        let directory = folded(directory);
        let is = |place: &String| {
            let rest = directory.strip_prefix(place.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        self.places.as_ref().is_none_or(|places| places.iter().any(is))
    }

    /// Whether it may make a link of a directory that is not there.
    fn may_bring(&self, directory: &str, place: &Place<'_>) -> bool {
        let copies = |(from, to): &(String, String)| match directory.strip_prefix(to.as_str()) {
            Some("") => !is_no_link(from, place),
            Some(rest) if rest.starts_with('/') => leads_away(from, rest, place),
            Some(_) | None => false,
        };
        self.is_above(directory) || self.copies.iter().any(copies)
    }
}

/// Every path that a file may be, spelled from the root.
fn paths(file: &FileUse, names: &Names, place: &Place<'_>) -> Vec<String> {
    let Some(given) = &file.given else { return Vec::new() };
    let spelled: Vec<String> = match given.word.as_known() {
        Some(path) => vec![path.to_owned()],
        None => names.paths(file).iter().map(|path| path.join("/")).collect(),
    };
    let from = |path: String| match path.starts_with('/') || given.directories.is_empty() {
        true => vec![place.cwd.join(path)],
        false => given.directories.iter().map(|from| from.join(&path)).collect(),
    };
    let paths = spelled.into_iter().flat_map(from);
    paths.filter_map(|path| normalize(path.to_str()?, place.cwd.to_str())).collect()
}

/// Programs that fill the directory they are told and no other.
const FILLS: [&str; 9] = ["git", "hg", "jj", "svn", "tar", "gtar", "bsdtar", "unzip", "rsync"];

/// The directories that a command fills, as far as all of them are known.
fn filled_by(command: &Command) -> Option<Vec<String>> {
    if !command.runs_one_of(&FILLS) {
        return None;
    }
    let filled = command.touches.iter().filter_map(|touch| match touch {
        Act::File(file) if matches!(file.manner, Manner::Into | Manner::Around) => Some(file),
        _ => None,
    });
    let mut places = Vec::new();
    for file in filled {
        if file.spots.is_none() && (file.vague || file.shapes.is_empty()) {
            return None;
        }
        places
            .extend(file.spots.iter().flat_map(|spots| spots.iter()).map(|s| s.lowercase.clone()));
        places.extend(file.shapes.iter().map(|shape| shape.fixed()));
    }
    (!places.is_empty()).then_some(places)
}

/// The directories that a command may clone to: whatever it names, and what is called like that.
fn cloned_to(command: &Command, place: &Place<'_>) -> Option<Vec<String>> {
    let words: Option<Vec<&str>> = command.argv.iter().skip(1).map(Word::as_known).collect();
    let words = words.filter(|words| words.len() <= MAX_PARTS * 2)?;
    let last = |word: &&str| {
        let name = word.trim_end_matches('/').rsplit(['/', ':']).next()?;
        Some(name.strip_suffix(".git").unwrap_or(name).to_owned())
    };
    let called: Vec<String> = words.iter().filter_map(last).collect();
    let given = words.into_iter().map(str::to_owned).chain(called);
    let given = given.flat_map(|word| absolute(&word, command, place));
    Some(given.map(|path| folded(&path)).collect())
}

/// What a command copies or moves: from where, and what it may be called then. Nothing for one that does
/// neither, or where nobody can tell.
fn copied_by(command: &Command, place: &Place<'_>) -> Option<Vec<(String, String)>> {
    let links = command.runs_one_of(&["ln"]);
    if !links && !command.runs_one_of(&["cp", "mv"]) {
        return None;
    }
    // An option with a directory as its value is none of those that are understood here.
    let is_target = |word: &&Word| {
        let text = word.prefix();
        text.starts_with("-t") || text.starts_with("--t") || text.starts_with("--p")
    };
    if command.argv.iter().any(|word| is_target(&word)) {
        return None;
    }
    let words = command.argv.iter().skip(1).filter(|word| !word.prefix().starts_with('-'));
    let words: Option<Vec<&str>> = words.map(Word::as_known).collect();
    let words = words.filter(|words| words.len() <= MAX_PARTS * 2)?;
    let (to, sources) = match words.as_slice() {
        // One word is linked to here.
        [from] if links => (".", std::slice::from_ref(from)),
        words => words.split_last().map(|(to, sources)| (*to, sources))?,
    };
    // Several are put into a directory.
    let alone = sources.len() == 1;
    let pair = |from: &&str| {
        let name = from.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let itself = alone.then(|| to.to_owned());
        let from = (*from).to_owned();
        itself.into_iter().chain([format!("{to}/{name}")]).map(move |to| (from.clone(), to))
    };
    let pairs = sources.iter().flat_map(pair).flat_map(|(from, to)| {
        let (from, to) = (absolute(&from, command, place), absolute(&to, command, place));
        from.into_iter().zip(to).collect::<Vec<_>>()
    });
    // What a link leads to says nothing about the link.
    let pairs = pairs.map(|(from, to)| (if links { String::new() } else { from }, to));
    Some(pairs.filter(|(_, to)| !links || !place.resolver.exists(Path::new(to))).collect())
}

/// A path in each directory that a command may run in.
fn absolute(path: &str, command: &Command, place: &Place<'_>) -> Vec<String> {
    let from = command.directories.iter().take(MAX_DIRECTORIES);
    let paths = from.map(|directory| directory.join(path));
    paths.filter_map(|path| normalize(path.to_str()?, place.cwd.to_str())).collect()
}

/// Whether what lies below something is there and is reached by a link.
fn leads_away(from: &str, rest: &str, place: &Place<'_>) -> bool {
    let real = |path: &str| place.resolver.real(Path::new(path));
    let below = format!("{from}{rest}");
    let straight = real(from).map(|from| from.join(rest.trim_start_matches('/')));
    from.is_empty() || (place.resolver.exists(Path::new(&below)) && real(&below) != straight)
}

/// Whether something is there and is itself no link, whatever leads to it.
fn is_no_link(path: &str, place: &Place<'_>) -> bool {
    let at = Path::new(path);
    let (Some(parent), Some(name)) = (at.parent(), at.file_name()) else { return false };
    let real = |path: &Path| place.resolver.real(path);
    place.resolver.exists(at) && real(at) == real(parent).map(|parent| parent.join(name))
}

#[cfg(test)]
#[path = "arrived_tests.rs"]
mod tests;
