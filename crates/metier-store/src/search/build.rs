//! Documents to postings. Time and memory grow with the text given.
//!
//! Each word is looked up once per occurrence, mostly in a small cache of packed words; behind it
//! stands an ordered map, so that no choice of words makes a lookup slow. A posting is started when
//! a document first has a term and counted up from then on; at the end one stable counting sort
//! groups the postings by term.

use std::collections::BTreeMap;

use metier_format::NameKey;

use super::vocabulary::Vocabulary;
use super::words::{Stems, for_each_word};
use super::{Document, Field, SearchIndex};
use crate::limits::{MAX_SEARCH_BYTES, MAX_SEARCH_FIELD_BYTES, MAX_TYPED_BYTES};

/// How fast repeating a word stops to matter.
const SATURATION: f32 = 1.2;

/// How much an occurrence in each field is worth, in the order of [`Field::ALL`].
const WEIGHT: [f32; 4] = [6.0, 4.0, 2.5, 1.0];

/// How much a field's length counts against it, in the order of [`Field::ALL`].
const LENGTH_COUNTS: [f32; 4] = [0.3, 0.3, 0.5, 0.75];

/// How many words each field of a usual skill has. Length is measured against these and not against
/// the average of the documents at hand, so what one word scores in one document does not depend on
/// what else is installed.
const USUAL_LENGTH: [f32; 4] = [3.0, 4.0, 35.0, 700.0];

/// Steps an impact is stored in. Twelve bits; the other four of a stored impact are the fields.
pub(super) const IMPACT_STEPS: u16 = 4095;

/// Slots of the cache of words, a power of two.
const CACHE_SLOTS: usize = 1 << 13;

/// Takes documents one by one, so that only one body needs to be in memory at a time.
pub struct SearchIndexBuilder {
    names: Vec<Box<str>>,
    words: BTreeMap<Packed, u32>,
    stems: Stems,
    cache: Vec<(u128, u32)>,
    /// For each term the last document that has it and where that document's counts are.
    last: Vec<(u32, usize)>,
    counts: Vec<Counts>,
    /// For each document how many words each field has.
    lengths: Vec<[u32; 4]>,
    bytes: usize,
    cut: usize,
}

/// How often one term is in each field of one document.
struct Counts {
    term: u32,
    document: u32,
    fields: [u16; 4],
}

/// What the documents of one term are: `documents[starts[t]..starts[t + 1]]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Postings {
    starts: Vec<usize>,
    documents: Vec<u32>,
    /// The share of the term's weight the document gets, in [`IMPACT_STEPS`] steps above four bits
    /// that say in which fields the term is.
    impacts: Vec<u16>,
}

impl Postings {
    /// The documents that have `term`, in order, each with its impact.
    pub(super) fn of(&self, term: u32) -> impl ExactSizeIterator<Item = (u32, u16)> {
        let term = term as usize;
        let from = self.starts.get(term).copied().unwrap_or(0);
        let to = self.starts.get(term + 1).copied().unwrap_or(from);
        let documents = self.documents.get(from..to).unwrap_or_default();
        let impacts = self.impacts.get(from..to).unwrap_or_default();
        documents.iter().copied().zip(impacts.iter().copied())
    }

    /// Bytes held on the heap.
    pub(super) fn bytes(&self) -> usize {
        8 * self.starts.capacity() + 4 * self.documents.capacity() + 2 * self.impacts.capacity()
    }
}

impl Default for SearchIndexBuilder {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            words: BTreeMap::new(),
            stems: Stems::new(),
            cache: vec![(0, 0); CACHE_SLOTS],
            last: Vec::new(),
            counts: Vec::new(),
            lengths: Vec::new(),
            bytes: 0,
            cut: 0,
        }
    }
}

impl SearchIndexBuilder {
    /// An index of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one document; its number is how many were added before it.
    pub fn add(&mut self, document: Document<'_>) {
        self.names.push(document.name.into());
        self.lengths.push([0; 4]);
        let mut whole = self.add_text(document.name, Field::Name);
        self.add_joined(document.name);
        for tag in document.tags {
            whole &= self.add_text(tag, Field::Tags);
        }
        whole &= self.add_text(document.description, Field::Description);
        if let Some(body) = document.body {
            whole &= self.add_text(body, Field::Body);
        }
        self.cut += usize::from(!whole);
    }

    /// The finished index.
    #[must_use]
    pub fn finish(self) -> SearchIndex {
        let keyed = self.names.iter().zip(0..);
        let mut by_key: Vec<(NameKey, u32)> =
            keyed.map(|(name, number)| (NameKey::of(name), number)).collect();
        by_key.sort_unstable();
        SearchIndex {
            names: self.names,
            by_key,
            postings: group(&self.counts, &self.lengths, self.last.len()),
            words: Vocabulary::new(self.words.into_iter().map(|(word, term)| (word.text(), term))),
            stems: self.stems,
            cut: self.cut,
        }
    }

    /// Indexes `text` as far as the limits allow and says whether that was all of it.
    fn add_text(&mut self, text: &str, field: Field) -> bool {
        let room = MAX_SEARCH_FIELD_BYTES.min(MAX_SEARCH_BYTES.saturating_sub(self.bytes));
        let taken = text.get(..text.floor_char_boundary(room)).unwrap_or_default();
        self.bytes += taken.len();
        let mut length = 0;
        for_each_word(taken, |word| {
            self.add_word(word, field);
            length += 1;
        });
        if let Some(lengths) = self.lengths.last_mut() {
            lengths[field as usize] += length;
        }
        taken.len() == text.len()
    }

    /// A name of several words is also found written as one. That word adds no length.
    fn add_joined(&mut self, name: &str) {
        if name.len() > MAX_TYPED_BYTES {
            return;
        }
        let joined: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
        if joined != name {
            for_each_word(&joined.to_lowercase(), |word| self.add_word(word, Field::Name));
        }
    }

    fn add_word(&mut self, word: &str, field: Field) {
        let term = self.term(word);
        let document = number(self.names.len().saturating_sub(1));
        let Some(last) = self.last.get_mut(term as usize) else { return };
        if last.0 != document {
            *last = (document, self.counts.len());
            self.counts.push(Counts { term, document, fields: [0; 4] });
        }
        if let Some(counts) = self.counts.get_mut(last.1) {
            let count = &mut counts.fields[field as usize];
            *count = count.saturating_add(1);
        }
    }

    fn term(&mut self, word: &str) -> u32 {
        let packed = Packed::new(word);
        let slot = packed.slot();
        match self.cache.get(slot) {
            Some((known, term)) if *known == packed.head && packed.tail.is_empty() => return *term,
            _ => {}
        }
        let head = packed.head;
        let cacheable = packed.tail.is_empty();
        let term = match self.words.get(&packed) {
            Some(term) => *term,
            None => self.new_word(word, packed),
        };
        if let Some(cached) = self.cache.get_mut(slot).filter(|_| cacheable) {
            *cached = (head, term);
        }
        term
    }

    fn new_word(&mut self, word: &str, packed: Packed) -> u32 {
        let stem = Packed::new(&self.stems.stem(word));
        let new = number(self.last.len());
        let term = *self.words.entry(stem).or_insert(new);
        if term == new {
            self.last.push((u32::MAX, 0));
        }
        self.words.entry(packed).or_insert(term);
        term
    }
}

/// A word as a number and what does not fit in it. Compares as the word does, since no word
/// contains a NUL, but mostly without following a pointer.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Packed {
    head: u128,
    tail: Box<[u8]>,
}

impl Packed {
    fn new(word: &str) -> Self {
        let (head, tail) = word.as_bytes().split_at(word.len().min(16));
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(head).for_each(|(to, from)| *to = *from);
        Self { head: u128::from_be_bytes(bytes), tail: tail.into() }
    }

    /// The word again.
    fn text(&self) -> String {
        let head = self.head.to_be_bytes();
        let used = head.iter().take_while(|byte| **byte != 0);
        let bytes: Vec<u8> = used.chain(&self.tail).copied().collect();
        String::from_utf8(bytes).unwrap_or_default()
    }

    fn slot(&self) -> usize {
        let folded = (self.head as u64) ^ ((self.head >> 64) as u64).rotate_left(29);
        let mixed = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 51) as usize % CACHE_SLOTS
    }
}

/// Groups the counts by term. They come in the order of documents and leave so.
fn group(counts: &[Counts], lengths: &[[u32; 4]], terms: usize) -> Postings {
    let mut starts = vec![0usize; terms + 1];
    for one in counts {
        starts[one.term as usize + 1] += 1;
    }
    for term in 0..terms {
        starts[term + 1] += starts[term];
    }
    let mut next = starts.clone();
    let mut documents = vec![0; counts.len()];
    let mut impacts = vec![0; counts.len()];
    for one in counts {
        let at = &mut next[one.term as usize];
        documents[*at] = one.document;
        impacts[*at] = impact(&one.fields, &lengths[one.document as usize]);
        *at += 1;
    }
    Postings { starts, documents, impacts }
}

/// BM25F: occurrences weighed by field and length are summed first and saturate together.
fn impact(counts: &[u16; 4], lengths: &[u32; 4]) -> u16 {
    let mut weighed = 0.0;
    let mut fields = 0u16;
    for field in Field::ALL.map(|field| field as usize) {
        if counts[field] > 0 {
            let length = lengths[field] as f32 / USUAL_LENGTH[field];
            let norm = 1.0 - LENGTH_COUNTS[field] + LENGTH_COUNTS[field] * length;
            weighed += WEIGHT[field] * f32::from(counts[field]) / norm;
            fields |= 1 << field;
        }
    }
    let share = weighed / (SATURATION + weighed);
    let steps = (share * f32::from(IMPACT_STEPS)) as u16;
    steps.clamp(1, IMPACT_STEPS) << 4 | fields
}

/// Documents and terms are numbered in 32 bits: more do not fit in the memory of any machine this
/// runs on, since each term alone takes longer to store than its number.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;
