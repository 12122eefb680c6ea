//! Copies under whose names nobody would know what is metier's: of its program, and of its files where a
//! copy is another link to the same file. What is written there later names neither.

use std::path::{Path, PathBuf};

use super::somewhere::Somewhere;
use super::{Inquiry, OWN_STATE};
use crate::act::{Act, FileUse, files};
use crate::limits::MAX_MENTIONS;
use crate::place::Spots;
use crate::shell::{Access, Word};
use crate::verdict::{Reason, Verdict};

/// Programs that say something about a file and hand none of it on.
const DESCRIBE: [&str; 12] = [
    "ls",
    "stat",
    "file",
    "wc",
    "du",
    "test",
    "[",
    "realpath",
    "readlink",
    "md5sum",
    "sha1sum",
    "sha256sum",
];

/// What is said about reading metier's own program into another file: under another name nobody would
/// know its commands.
pub(super) fn program(inquiry: Inquiry<'_>, acts: &[Act]) -> Option<Reason> {
    let (mut written, mut read) = (Vec::new(), Vec::new());
    acts.iter().for_each(|act| files(act, Access::Write, &mut written));
    if written.is_empty() {
        return None;
    }
    let describes = |act: &&Act| match act {
        Act::Command(command) => command.runs_one_of(&DESCRIBE),
        _ => false,
    };
    acts.iter().filter(|act| !describes(act)).for_each(|act| files(act, Access::Read, &mut read));
    if read.is_empty() {
        return None;
    }
    let resolver = inquiry.place.resolver;
    let own = resolver.program()?;
    let spots = inquiry.place.locate_at_least(own.to_str()?)?;
    let is_own = |file: &&FileUse| {
        let read = file.spots.iter().flat_map(Spots::iter);
        read.into_iter().any(|read| {
            let is_it = spots.iter().any(|own| read.lowercase == own.lowercase);
            is_it || resolver.is_program(Path::new(&read.path))
        })
    };
    read.iter().take(MAX_MENTIONS).any(is_own).then(|| {
        let text = "this may copy metier's own program, whose commands nobody would know then";
        Reason::new(Verdict::Deny, text).of_rule(OWN_STATE)
    })
}

/// What is said about a copy of a directory around metier's own files that is made of hard links: under
/// their other names nobody would know them.
pub(super) fn files_linked(inquiry: Inquiry<'_>, acts: &[Act]) -> Option<Reason> {
    let mut read = Vec::new();
    let links = |act: &&Act| match act {
        Act::Command(command) => {
            let words = command.argv.iter().skip(1);
            command.runs_one_of(&["cp", "gcp"]) && words.map(Word::prefix).any(makes_hard_links)
        }
        _ => false,
    };
    acts.iter().filter(links).for_each(|act| files(act, Access::Read, &mut read));
    let place = inquiry.place;
    let is_around = |own: &PathBuf| {
        let spots = own.to_str().and_then(|own| place.locate_at_least(own)).map(Somewhere::new);
        spots.is_some_and(|own| read.iter().any(|file| own.is_on_the_way(file, place)))
    };
    (!read.is_empty() && place.protected.iter().any(is_around)).then(|| {
        let text = "this gives metier's own files other names, by which nobody would know them";
        Reason::new(Verdict::Ask, text).of_rule(OWN_STATE)
    })
}

/// Whether a word is an option of a copy that links files instead of copying them.
fn makes_hard_links(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => long.starts_with("li"),
        None => word.starts_with('-') && word.contains('l'),
    }
}
