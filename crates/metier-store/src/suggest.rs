//! "Did you mean": the known words nearest to a mistyped one.
//!
//! Serves skill names, commands and configuration keys alike, so it knows nothing of catalogs: it is
//! given what was typed and what exists. Both are compared as [`NameKey`]s, so case and `_` for `-`
//! never count as a mistake. Nothing near means no suggestion: a wrong hint is worse than none.
//! Start at [`did_you_mean`]; `Typed::cost` says what near means.

mod distance;

use metier_format::NameKey;
use metier_format::limits::MAX_USABLE_NAME_CHARS;

use crate::limits::MAX_TYPED_BYTES;

pub(crate) use distance::Rows;

/// What one edit costs. The other costs are placed between multiples of it.
const EDIT: usize = 10;
/// What was typed begins the candidate: likelier than two edits, less likely than one.
const PREFIX: usize = 15;
/// Every word typed is a word of the candidate, in any order.
const WORDS: usize = 18;
/// Every word of the candidate was typed, among others.
const MORE_WORDS: usize = 22;
/// What was typed lies somewhere inside the candidate.
const INSIDE: usize = 25;

/// The candidate that was most probably meant, if any is near. A candidate spelled exactly as typed
/// is no suggestion.
///
/// ```
/// use metier_store::suggest::did_you_mean;
///
/// let skills = ["code-review", "pdf"];
/// assert_eq!(did_you_mean("code-reveiw", skills).as_deref(), Some("code-review"));
/// assert_eq!(did_you_mean("kubernetes", skills), None);
/// ```
#[must_use]
pub fn did_you_mean<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    closest(typed, candidates, 1).pop()
}

/// At most `n` candidates that may have been meant, the nearest first; equally near ones by the
/// smaller difference in length, then by their spelling. Time grows with the number of candidates;
/// text too long to be a name costs nothing.
#[must_use]
pub fn closest<'a>(
    typed: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    n: usize,
) -> Vec<String> {
    let Some(mut word) = Typed::new(typed) else { return Vec::new() };
    let mut near: Vec<(usize, usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| *candidate != typed)
        .filter_map(|candidate| {
            let (cost, gap) = word.nearness(candidate)?;
            Some((cost, gap, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(n).map(|(_, _, candidate)| candidate.to_owned()).collect()
}

/// The key of what was typed, with everything that comparing it needs.
struct Typed {
    key: Box<str>,
    length: usize,
    rows: Rows,
    words: Vec<(Box<str>, Rows)>,
}

impl Typed {
    fn new(typed: &str) -> Option<Self> {
        let (key, length) = key_of(typed)?;
        let words = words(&key).map(|word| (word.into(), Rows::new(word))).collect();
        let rows = Rows::new(&key);
        Some(Self { key, length, rows, words })
    }

    /// Cost and difference in length, when the candidate is near.
    fn nearness(&mut self, candidate: &str) -> Option<(usize, usize)> {
        let (key, length) = key_of(candidate)?;
        Some((self.cost(&key, length)?, self.length.abs_diff(length)))
    }

    /// The cheapest way from what was typed to `key`.
    fn cost(&mut self, key: &str, length: usize) -> Option<usize> {
        if *self.key == *key {
            return Some(0);
        }
        let allowed = edits_allowed(self.length.max(length));
        let by_edits = self.rows.distance(key, allowed).map(|edits| edits * EDIT);
        [by_edits, self.cost_by_part(key), self.cost_by_words(key)].into_iter().flatten().min()
    }

    fn cost_by_part(&self, key: &str) -> Option<usize> {
        if self.length >= 2 && key.starts_with(&*self.key) {
            return Some(PREFIX);
        }
        (self.length >= 3 && key.contains(&*self.key)).then_some(INSIDE)
    }

    /// Words in another order, some left out or some too many, and a slip or two inside them.
    fn cost_by_words(&mut self, key: &str) -> Option<usize> {
        if self.words.is_empty() || (self.words.len() == 1 && !key.contains(is_separator)) {
            return None;
        }
        let theirs: Vec<&str> = words(key).collect();
        if covers(&theirs, &self.words) {
            return Some(MORE_WORDS);
        }
        let edits: Option<usize> = self.words.iter_mut().map(|ours| nearest(ours, &theirs)).sum();
        edits.filter(|_| self.length >= 3).map(|edits| WORDS + edits * EDIT)
    }
}

/// How many slips of the finger a word of this many characters may hide. Half of a short word
/// would be another word.
fn edits_allowed(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    }
}

/// The key and its length in characters, when it is short enough to be a name at all. The length
/// in bytes is looked at first, because making the key of a megabyte would cost what comparing it
/// would.
fn key_of(text: &str) -> Option<(Box<str>, usize)> {
    if text.len() > MAX_TYPED_BYTES {
        return None;
    }
    let key = NameKey::of(text);
    let length = key.as_str().chars().count();
    (length > 0 && length <= MAX_USABLE_NAME_CHARS).then(|| (key.as_str().into(), length))
}

fn is_separator(c: char) -> bool {
    !c.is_alphanumeric()
}

fn words(key: &str) -> impl Iterator<Item = &str> {
    key.split(is_separator).filter(|word| !word.is_empty())
}

/// Whether what was typed says the whole candidate and more.
fn covers(theirs: &[&str], typed: &[(Box<str>, Rows)]) -> bool {
    let has = |word: &&str| typed.iter().any(|(ours, _)| **ours == **word);
    theirs.iter().any(|word| word.len() >= 3)
        && theirs.len() < typed.len()
        && theirs.iter().all(has)
}

/// The fewest edits from one typed word to any word of the candidate.
fn nearest((word, rows): &mut (Box<str>, Rows), theirs: &[&str]) -> Option<usize> {
    let allowed = edits_allowed(word.chars().count());
    theirs.iter().filter_map(|other| rows.distance(other, allowed)).min()
}

#[cfg(test)]
#[path = "suggest_tests.rs"]
mod tests;
