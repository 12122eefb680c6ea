//! Every word the index knows, sorted, each with the term it stands for. Several words share a term
//! when they share a stem; a stem is listed as a word too, so that a form never seen still finds it.

use crate::suggest::Rows;

/// The words in one string, found by halving.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    text: String,
    /// Where each word ends in `text`.
    ends: Vec<u32>,
    terms: Vec<u32>,
}

impl Vocabulary {
    /// The vocabulary of words given in order. A text past 4 GiB cannot arise: the builder stops
    /// taking text long before.
    pub(super) fn new(sorted: impl ExactSizeIterator<Item = (String, u32)>) -> Self {
        let mut words = Self::default();
        words.ends.reserve_exact(sorted.len());
        words.terms.reserve_exact(sorted.len());
        for (word, term) in sorted {
            words.text.push_str(&word);
            words.ends.push(u32::try_from(words.text.len()).unwrap_or(u32::MAX));
            words.terms.push(term);
        }
        words.text.shrink_to_fit();
        words
    }

    /// The term of `word`.
    pub(super) fn find(&self, word: &str) -> Option<u32> {
        let at = self.first_not(0, |known| known < word);
        (self.word(at)? == word).then(|| self.term(at))?
    }

    /// The terms of all words that begin with `prefix`, in the order of the words.
    pub(super) fn with_prefix(&self, prefix: &str) -> impl Iterator<Item = u32> {
        let from = self.first_not(0, |known| known < prefix);
        let to = self.first_not(from, |known| known.starts_with(prefix));
        self.terms.get(from..to).unwrap_or_default().iter().copied()
    }

    /// The terms of all words at most `max` edits from `word`, each with its distance, in the order
    /// of the words. Words that begin alike are compared once as far as they do, and all words
    /// behind a beginning that is already too far are passed over.
    pub(super) fn near(&self, word: &str, max: usize) -> Vec<(usize, u32)> {
        let mut rows = Rows::new(word);
        let mut near = Vec::new();
        let (mut at, mut before) = (0, "");
        while let Some(known) = self.word(at) {
            match walk(&mut rows, before, known, max) {
                Ok(()) => {
                    near.extend(
                        self.term(at).filter(|_| rows.last() <= max).map(|t| (rows.last(), t)),
                    );
                    (before, at) = (known, at + 1);
                }
                Err(dead) => {
                    before = dead;
                    at = self.first_not(at + 1, |later| later.starts_with(dead));
                }
            }
        }
        near
    }

    /// Bytes held on the heap.
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity() + 4 * (self.ends.capacity() + self.terms.capacity())
    }

    fn word(&self, at: usize) -> Option<&str> {
        let to = *self.ends.get(at)? as usize;
        let from =
            at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |e| *e as usize);
        self.text.get(from..to)
    }

    fn term(&self, at: usize) -> Option<u32> {
        self.terms.get(at).copied()
    }

    /// The first place from `from` on where `holds`, true at first and false then, is false.
    fn first_not(&self, from: usize, holds: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (from.min(self.ends.len()), self.ends.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.word(middle).is_some_and(&holds) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Leads `rows` from `before` to `known`, or says which beginning of `known` is already more
/// than `max` edits away.
fn walk<'a>(rows: &mut Rows, before: &str, known: &'a str, max: usize) -> Result<(), &'a str> {
    let shared = known.chars().zip(before.chars()).take_while(|(a, b)| a == b).count();
    rows.truncate(shared);
    for (start, c) in known.char_indices().skip(shared) {
        if rows.push(c) > max {
            return Err(known.get(..start + c.len_utf8()).unwrap_or(known));
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "vocabulary_tests.rs"]
mod tests;
