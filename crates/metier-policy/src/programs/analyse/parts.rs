//! The parts of a word that may name files: all of it, what follows an option's letter, `=`, `@` or
//! `file://`, and what stands between commas and colons.

use crate::limits::MAX_PARTS;
use crate::shell::Word;

/// What one word of a program nobody knows may name.
pub(crate) fn parts(word: &Word) -> Vec<Word> {
    let prefix = word.prefix();
    let mut found: Vec<Word> = starts(prefix)
        .into_iter()
        .filter_map(|from| {
            let value = prefix.get(from..).unwrap_or_default();
            let marks = ["file://", "fileb://", "@"];
            let mark = marks.into_iter().find(|mark| value.starts_with(mark));
            if value.is_empty() || (mark.is_none() && value.contains("://")) {
                return None;
            }
            word.tail(from + mark.map_or(0, str::len))
        })
        .collect();
    let listed = |text: &&str| text.contains('/') && text.contains([',', ':', '=', '@']);
    if let Some(text) = word.as_known().filter(listed).filter(|text| !text.contains("://")) {
        let pieces = text.split([',', ':', '=', '@']).filter(|piece| piece.contains('/'));
        found.extend(pieces.take(MAX_PARTS).map(Word::known));
    }
    for reading in word.readings() {
        found.extend(parts(reading));
    }
    found
}

/// Where in a word a path may start.
fn starts(prefix: &str) -> Vec<usize> {
    let equals = prefix.find('=').map(|equals| equals + 1);
    if !prefix.starts_with('-') {
        return match equals {
            Some(from) => vec![from, 0],
            None => vec![0],
        };
    }
    let slash = prefix.find('/').filter(|_| !prefix.starts_with("--"));
    let attached = slash.filter(|at| *at >= 2).map(|_| 2);
    let mut starts: Vec<usize> = equals.into_iter().chain(attached).chain(slash).collect();
    starts.dedup();
    starts
}
