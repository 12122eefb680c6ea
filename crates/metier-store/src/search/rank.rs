//! A query to hits.
//!
//! Each word of the query stands for one or more terms: itself, the words it begins (the last word
//! only, since it may still be being typed), or, when there is neither, the words a slip away. A
//! word's terms weigh together as one: a document gets the best of them, and how much the word says is
//! measured by all documents that have any. So neither many similar terms nor one rare one outweigh
//! the right one. The words of the query add up.

use std::cmp::Reverse;

use metier_format::NameKey;

use super::build::IMPACT_STEPS;
use super::words::{for_each_word, is_function_word};
use super::{Field, Fields, Hit, SearchIndex};
use crate::limits::{MAX_EXPANSIONS, MAX_QUERY_BYTES, MAX_QUERY_WORDS};

/// What a word counts that begins with what was typed.
const PREFIX_COUNTS: f32 = 0.6;

/// What a word counts that is one edit, or two, from what was typed.
const EDITED_COUNTS: [f32; 2] = [0.5, 0.3];

/// A term to look for and what finding it counts, at most one.
struct Wanted {
    term: u32,
    counts: f32,
}

pub(super) fn search<'a>(index: &'a SearchIndex, query: &str, limit: usize) -> Vec<Hit<'a>> {
    let query = query.get(..query.floor_char_boundary(MAX_QUERY_BYTES)).unwrap_or_default();
    let mut scores = Scores::new(index.len());
    let mut most = 1.0;
    let words = query_words(query);
    for (at, word) in words.iter().enumerate() {
        most += scores.add_word(index, &wanted(index, word, at + 1 == words.len()));
    }
    for document in named(index, query) {
        scores.add_name(document, most);
    }
    best(index, scores, limit)
}

/// The different words of the query, in order, function words only when there is nothing else.
fn query_words(query: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for_each_word(query, |word| {
        if words.len() < MAX_QUERY_WORDS && !words.iter().any(|known| known == word) {
            words.push(word.to_owned());
        }
    });
    if words.iter().any(|word| !is_function_word(word)) {
        words.retain(|word| !is_function_word(word));
    }
    words
}

/// The documents whose name the query is.
fn named<'a>(index: &'a SearchIndex, query: &str) -> impl Iterator<Item = u32> + use<'a> {
    let key = NameKey::of(query);
    let from = index.by_key.partition_point(|(known, _)| *known < key);
    let same = index.by_key.get(from..).unwrap_or_default();
    same.iter()
        .take_while(move |(known, _)| *known == key && !key.as_str().is_empty())
        .map(|(_, document)| *document)
}

/// The terms a word of the query stands for.
fn wanted(index: &SearchIndex, word: &str, last: bool) -> Vec<Wanted> {
    let exact = index.words.find(word).or_else(|| index.words.find(&index.stems.stem(word)));
    let mut wanted: Vec<Wanted> = Vec::new();
    wanted.extend(exact.map(|term| Wanted { term, counts: 1.0 }));
    if last && word.len() >= 2 {
        let longer = index.words.with_prefix(word).filter(|term| Some(*term) != exact);
        wanted.extend(expand(index, longer, PREFIX_COUNTS));
    }
    if wanted.is_empty() {
        let near = index.words.near(word, edits_allowed(word));
        for (edits, counts) in (1..).zip(EDITED_COUNTS) {
            let terms = near.iter().filter(|(away, _)| *away == edits).map(|(_, term)| *term);
            wanted.extend(expand(index, terms, counts));
        }
    }
    wanted
}

/// Half of a short word would be another word.
fn edits_allowed(word: &str) -> usize {
    match word.chars().count() {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// The commonest of `terms`, which come in the order of their words and may repeat.
fn expand(
    index: &SearchIndex,
    terms: impl Iterator<Item = u32>,
    counts: f32,
) -> impl Iterator<Item = Wanted> {
    let mut placed: Vec<(u32, usize)> = terms.zip(0..).collect();
    placed.sort_unstable();
    placed.dedup_by_key(|(term, _)| *term);
    placed.sort_unstable_by_key(|(term, place)| (Reverse(index.postings.of(*term).len()), *place));
    placed.truncate(MAX_EXPANSIONS);
    placed.into_iter().map(move |(term, _)| Wanted { term, counts })
}

/// How much a word says: the fewer documents have it, the more. Always above zero.
fn weight(all: usize, having: usize) -> f32 {
    let (all, having) = (all as f32, having as f32);
    ((all - having + 0.5) / (having + 0.5)).ln_1p()
}

/// What the documents have scored so far, by number.
struct Scores {
    totals: Vec<f32>,
    fields: Vec<u8>,
    /// The documents whose total is not zero.
    hit: Vec<u32>,
    /// The best of the word at hand, zero again once it is added.
    word: Vec<f32>,
}

impl Scores {
    fn new(documents: usize) -> Self {
        let zeros = vec![0.0; documents];
        Self { word: zeros.clone(), totals: zeros, fields: vec![0; documents], hit: Vec::new() }
    }

    /// Adds what one word of the query scores and returns the most it can.
    fn add_word(&mut self, index: &SearchIndex, wanted: &[Wanted]) -> f32 {
        let mut touched = Vec::new();
        for one in wanted {
            let step = one.counts / f32::from(IMPACT_STEPS);
            for (document, impact) in index.postings.of(one.term) {
                let at = document as usize;
                if self.word[at] == 0.0 {
                    touched.push(document);
                }
                self.word[at] = self.word[at].max(step * f32::from(impact >> 4));
                self.fields[at] |= (impact & 0xf) as u8;
            }
        }
        let weight = weight(index.len(), touched.len());
        for document in touched {
            let share = std::mem::take(&mut self.word[document as usize]);
            self.add(document, weight * share);
        }
        weight
    }

    fn add_name(&mut self, document: u32, score: f32) {
        self.fields[document as usize] |= 1 << Field::Name as u8;
        self.add(document, score);
    }

    fn add(&mut self, document: u32, score: f32) {
        let total = &mut self.totals[document as usize];
        if *total == 0.0 {
            self.hit.push(document);
        }
        *total += score;
    }
}

/// The first `limit` hits in order. Only those are sorted.
fn best(index: &SearchIndex, scores: Scores, limit: usize) -> Vec<Hit<'_>> {
    let mut hits: Vec<Hit<'_>> = scores
        .hit
        .iter()
        .map(|number| {
            let document = *number as usize;
            let (score, matched) = (scores.totals[document], Fields(scores.fields[document]));
            Hit { document, name: &index.names[document], score, matched }
        })
        .collect();
    let order = |a: &Hit<'_>, b: &Hit<'_>| {
        b.score.total_cmp(&a.score).then(a.name.cmp(b.name)).then(a.document.cmp(&b.document))
    };
    if limit < hits.len() {
        hits.select_nth_unstable_by(limit, order);
        hits.truncate(limit);
    }
    hits.sort_unstable_by(order);
    hits
}

#[cfg(test)]
#[path = "rank_tests.rs"]
mod tests;
