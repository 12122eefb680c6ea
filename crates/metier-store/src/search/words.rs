//! Text to words, the same way for what is indexed and what is asked.
//!
//! Words are lowercase runs of letters and digits. A compound such as `JavaScript` or `HTMLParser`
//! is given whole and in its parts, so both spellings find it. Scripts written without spaces are
//! given as overlapping pairs of characters. Latin letters lose their accents; apostrophes and
//! invisible characters neither split a word nor belong to it.

use metier_format::text::is_hidden;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use crate::limits::MAX_WORD_CHARS;

/// Words that say nothing about what is looked for. They are indexed, and left out of a query that
/// has other words. Sorted.
const FUNCTION_WORDS: [&str; 37] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how",
    "i", "in", "is", "it", "me", "my", "of", "on", "or", "please", "that", "the", "this", "to",
    "want", "what", "when", "which", "who", "why", "with", "you", "your",
];

/// Whether `word` says nothing about what is looked for.
pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word).is_ok()
}

/// Gives every word of `text` to `emit`, in order. One pass; the text is never copied whole.
pub(super) fn for_each_word(text: &str, emit: impl FnMut(&str)) {
    let mut scanner = Scanner::new(emit);
    // Normalising costs many times what splitting does, and no normal form reaches across white
    // space, so only the pieces that need it pay.
    for piece in text.split_ascii_whitespace() {
        if piece.is_ascii() {
            piece.bytes().for_each(|byte| scanner.push(char::from(byte)));
        } else {
            piece.nfkc().for_each(|c| scanner.push_folded(c));
        }
        scanner.finish();
    }
}

/// English word endings taken off, so that `reviewing` and `reviews` are one term.
pub(super) struct Stems(Stemmer);

impl Stems {
    /// The one set of rules there is.
    pub(super) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    /// The stem of a word as `for_each_word` gives it. Only plain Latin words have one; every
    /// other word stands for itself.
    pub(super) fn stem(&self, word: &str) -> String {
        if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word.to_owned();
        }
        self.0.stem(plural_of_letters(word).unwrap_or(word)).into_owned()
    }
}

/// The singular of an abbreviation without vowels, such as `pdfs`, which the English rules leave as
/// it is.
fn plural_of_letters(word: &str) -> Option<&str> {
    let singular = word.strip_suffix('s').filter(|rest| rest.len() >= 3 && !rest.ends_with('s'))?;
    (!singular.contains(['a', 'e', 'i', 'o', 'u', 'y'])).then_some(singular)
}

/// What a character is to the scanner.
enum Class {
    Word,
    /// Of a script written without spaces.
    Unspaced,
    /// Neither splits a word nor belongs to it.
    Silent,
    Separator,
}

struct Scanner<F> {
    emit: F,
    /// The compound so far, folded.
    compound: String,
    /// Where its parts after the first begin, in bytes.
    starts: Vec<usize>,
    chars: usize,
    /// Length of the run of capitals that ends at, or just before, the small letters at the end.
    capitals: usize,
    /// Where the last capital lies, in bytes.
    last_capital: usize,
    /// Length of the run of small letters and digits at the end.
    smalls: usize,
    /// The last character of a run without spaces, and how long the run is.
    unspaced: Option<char>,
    unspaced_run: usize,
}

impl<F: FnMut(&str)> Scanner<F> {
    fn new(emit: F) -> Self {
        Self {
            emit,
            compound: String::new(),
            starts: Vec::new(),
            chars: 0,
            capitals: 0,
            last_capital: 0,
            smalls: 0,
            unspaced: None,
            unspaced_run: 0,
        }
    }

    /// Takes one normalised character; a Latin letter is taken without its accents.
    fn push_folded(&mut self, c: char) {
        if matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') {
            decompose_canonical(c, |part| self.push(part));
        } else {
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        match class(c) {
            Class::Word => {
                self.finish_unspaced();
                self.push_letter(c);
            }
            Class::Unspaced => {
                self.finish_compound();
                self.push_unspaced(c);
            }
            Class::Silent => {}
            Class::Separator => self.finish(),
        }
    }

    fn finish(&mut self) {
        self.finish_compound();
        self.finish_unspaced();
    }

    fn push_letter(&mut self, c: char) {
        if self.chars == MAX_WORD_CHARS {
            return;
        }
        self.chars += 1;
        let at = self.compound.len();
        if c.is_ascii() {
            self.compound.push(c.to_ascii_lowercase());
        } else {
            let folded = c.to_lowercase().filter(|part| !matches!(class(*part), Class::Silent));
            self.compound.extend(folded);
        }
        if c.is_uppercase() { self.note_capital(at) } else { self.note_small() }
    }

    /// A capital after a small letter begins a part: `gitHub`.
    fn note_capital(&mut self, at: usize) {
        if self.smalls > 0 {
            self.starts.push(at);
            self.capitals = 0;
        }
        self.capitals += 1;
        self.last_capital = at;
        self.smalls = 0;
    }

    /// The last of several capitals begins a part when two small letters follow: `HTMLParser`. One
    /// alone is a plural: `PDFs`.
    fn note_small(&mut self) {
        self.smalls += 1;
        if self.smalls == 2 && self.capitals > 1 {
            self.starts.push(self.last_capital);
        }
    }

    fn finish_compound(&mut self) {
        if !self.compound.is_empty() {
            (self.emit)(&self.compound);
        }
        if !self.starts.is_empty() {
            self.starts.push(self.compound.len());
            let mut from = 0;
            for to in self.starts.drain(..) {
                if let Some(part) = self.compound.get(from..to).filter(|part| !part.is_empty()) {
                    (self.emit)(part);
                }
                from = to;
            }
        }
        self.compound.clear();
        self.chars = 0;
        self.capitals = 0;
        self.smalls = 0;
    }

    fn push_unspaced(&mut self, c: char) {
        if let Some(before) = self.unspaced {
            let mut pair = [0; 8];
            let first = before.encode_utf8(&mut pair).len();
            let second = pair.get_mut(first..).map_or(0, |rest| c.encode_utf8(rest).len());
            let text = pair.get(..first + second).and_then(|bytes| str::from_utf8(bytes).ok());
            (self.emit)(text.unwrap_or_default());
        }
        self.unspaced = Some(c);
        self.unspaced_run += 1;
    }

    fn finish_unspaced(&mut self) {
        if let (Some(c), 1) = (self.unspaced, self.unspaced_run) {
            (self.emit)(c.encode_utf8(&mut [0; 4]));
        }
        self.unspaced = None;
        self.unspaced_run = 0;
    }
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        '\'' | '\u{2019}' => Class::Silent,
        '\0'..='\u{7f}' => Class::Separator,
        '\u{300}'..='\u{36f}' => Class::Silent,
        _ if is_hidden(c) => Class::Silent,
        _ if is_unspaced(c) => Class::Unspaced,
        // Marks that are no Latin accent carry the vowels of many scripts.
        _ if c.is_alphanumeric() || is_combining_mark(c) => Class::Word,
        _ => Class::Separator,
    }
}

/// Thai, Lao, Myanmar, Khmer, kana, Hangul and Han. Korean has spaces, but glues particles to words.
fn is_unspaced(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}'
        | '\u{1000}'..='\u{103f}' | '\u{1780}'..='\u{17d3}' | '\u{3041}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
