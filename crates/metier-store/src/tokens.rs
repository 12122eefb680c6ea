//! How many tokens a text is: between two bounds at once, or exactly when it matters.
//!
//! The exact counter is OpenAI's `o200k_base`, which is in this crate and needs no network. Its start
//! costs about 100 ms, so that `quick` counts in its stead wherever it can, with the same result over
//! a `vocabulary` that needs no start. Other vendors count a little differently, so even an exact
//! number is exact for one tokenizer only. [`estimate`] reads the text once and never undercounts:
//! its upper bound decides most budgets alone.

mod quick;
mod slot;
mod vocabulary;

use std::sync::OnceLock;

use serde::Serialize;
use tiktoken::CoreBpe;

/// A number of tokens, and whether somebody counted them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Tokens {
    /// How many.
    pub count: usize,
    /// Whether this is a count; otherwise it is an estimate.
    pub exact: bool,
}

/// What can be said about a text's tokens without counting them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// It has no fewer than these.
    pub at_least: usize,
    /// It has roughly these: 4 % off on average over real skill files, 7 % over descriptions alone.
    pub about: usize,
    /// It has no more than these, whatever the text. English has a third of it.
    pub at_most: usize,
}

impl Estimate {
    /// The likely number, for showing.
    #[must_use]
    pub fn tokens(self) -> Tokens {
        Tokens { count: self.about, exact: false }
    }
}

/// Counts the tokens of `text`. The first text in a process with a rare character or a word of more
/// than 64 bytes takes about 100 ms.
#[must_use]
pub fn exact(text: &str) -> Tokens {
    match quick::count(text, usize::MAX) {
        Some(count) => Tokens { count, exact: true },
        None => by_tokenizer(text),
    }
}

/// Whether `text` has no more tokens than `budget`. Counts no further than it has to.
#[must_use]
pub fn fits(text: &str, budget: usize) -> bool {
    quick::count(text, budget).unwrap_or_else(|| by_tokenizer(text).count) <= budget
}

/// Counts with the tokenizer itself.
pub(crate) fn by_tokenizer(text: &str) -> Tokens {
    static TOKENIZER: OnceLock<Option<&'static CoreBpe>> = OnceLock::new();
    let tokenizer = TOKENIZER.get_or_init(|| tiktoken::get_encoding("o200k_base"));
    match tokenizer {
        Some(tokenizer) => Tokens { count: tokenizer.count(text), exact: true },
        // Cannot happen while the vocabulary is compiled in; if it did, the bound would be safe.
        None => Tokens { count: estimate(text).at_most, exact: false },
    }
}

/// Bounds the tokens of `text`, in one pass over its bytes.
///
/// Why the bounds hold: the tokenizer first cuts a text into pieces by a pattern, then joins the
/// bytes of each piece until no two neighbours together are a token.
///
/// - *At most.* When two neighbouring bytes of one piece are a token together, at least one of the
///   two is joined to something in the end. One join can serve three such pairs in a row (its own
///   and one on each side), so every third one saves a token against the number of bytes. Digits
///   are cut in threes, and every three digits are a token.
/// - *At least.* No piece holds two runs of lowercase letters, except after an apostrophe or
///   around letters outside ASCII; so such runs, and groups of three digits, are pieces of their
///   own and at least a token each.
#[must_use]
pub fn estimate(text: &str) -> Estimate {
    let bytes = text.as_bytes();
    let mut scan = Scan { bytes, saved: 0, covered: 0, at_least: 0, likely: 0 };
    let mut index = 0;
    while index < bytes.len() {
        index = scan.run(index);
    }
    let at_most = bytes.len() - scan.saved;
    let lowest = scan.at_least.max(usize::from(!bytes.is_empty()));
    let about = (scan.likely / PARTS).clamp(lowest, at_most.max(lowest));
    Estimate { at_least: lowest, about, at_most }
}

/// The likely number is added up in sixths of a token, the weights fitted to real skills.
const PARTS: usize = 6;

/// Letters of a word that likely make one more token.
const LONG_WORD: usize = 12;

/// Two lowercase letters that are no token together.
const NO_TOKEN: &[&[u8; 2]] = &[
    b"bq", b"gk", b"gq", b"jv", b"jz", b"kq", b"kz", b"lq", b"nq", b"qf", b"qg", b"qj", b"qk",
    b"qv", b"qz", b"rj", b"tq", b"wq", b"wz", b"xg", b"xj", b"xk", b"xq", b"xv", b"xw", b"yq",
    b"zj", b"zq", b"zv",
];

struct Scan<'a> {
    bytes: &'a [u8],
    /// How many tokens fewer than bytes there certainly are.
    saved: usize,
    /// Pairs that begin before this are served by a join already counted.
    covered: usize,
    at_least: usize,
    likely: usize,
}

impl Scan<'_> {
    /// Takes in the run of one kind of byte that begins at `start`; returns where it ends.
    fn run(&mut self, start: usize) -> usize {
        let first = self.at(start);
        let end = self.end_of(start, kind(first));
        match kind(first) {
            Kind::Lower => self.word(start, end),
            Kind::Digit => self.number(start, end),
            Kind::Upper => self.likely += (end - start) * PARTS / 3,
            Kind::Punctuation => self.likely += PARTS,
            Kind::Other => {
                let characters = (start..end).filter(|i| self.at(*i) >= 0xc0).count();
                self.likely += characters * PARTS;
            }
            Kind::Space | Kind::Newline => {}
        }
        if !matches!(kind(first), Kind::Digit) {
            (start..end).for_each(|index| self.pair(index));
        }
        end
    }

    fn word(&mut self, start: usize, end: usize) {
        self.likely += PARTS * (1 + (end - start - 1) / LONG_WORD);
        let alone = start == 0 || self.at(start - 1).is_ascii();
        self.at_least += usize::from(alone && !self.follows_apostrophe(start));
    }

    fn number(&mut self, start: usize, end: usize) {
        let groups = (end - start).div_ceil(3);
        self.likely += groups * PARTS * 3 / 2;
        // Digits of other scripts before these would shift the groups.
        let aligned = start == 0 || self.at(start - 1).is_ascii();
        if aligned {
            self.at_least += groups;
        }
        let most = if aligned { groups } else { groups + 1 };
        self.saved += (end - start).saturating_sub(most);
        self.covered = self.covered.max(end);
    }

    /// Counts a saved token when the pair at `index` certainly is joined to something.
    fn pair(&mut self, index: usize) {
        if index < self.covered || index + 1 >= self.bytes.len() || !self.is_joined(index) {
            return;
        }
        self.saved += 1;
        self.covered = index + 3;
    }

    /// Whether the two bytes at `index` are a token together and in one piece.
    fn is_joined(&self, index: usize) -> bool {
        let pair = [self.at(index), self.at(index + 1)];
        match (kind(pair[0]), kind(pair[1])) {
            (Kind::Lower, Kind::Lower) => {
                !self.follows_apostrophe(index) && !NO_TOKEN.contains(&&pair)
            }
            (Kind::Space, Kind::Lower | Kind::Upper) | (Kind::Newline, Kind::Newline) => true,
            (Kind::Punctuation, Kind::Newline) => pair[0] != b'^',
            _ => false,
        }
    }

    /// Whether a contraction such as `'s` or `'ll` may end within the next bytes.
    fn follows_apostrophe(&self, index: usize) -> bool {
        (1..=2).any(|back| index >= back && self.at(index - back) == b'\'')
    }

    fn end_of(&self, start: usize, kind_of_run: Kind) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        start + rest.iter().take_while(|byte| kind(**byte) == kind_of_run).count().max(1)
    }

    fn at(&self, index: usize) -> u8 {
        self.bytes.get(index).copied().unwrap_or(0)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Punctuation,
    Space,
    Newline,
    Other,
}

fn kind(byte: u8) -> Kind {
    match byte {
        b'a'..=b'z' => Kind::Lower,
        b'A'..=b'Z' => Kind::Upper,
        b'0'..=b'9' => Kind::Digit,
        b' ' => Kind::Space,
        b'\n' => Kind::Newline,
        _ if byte.is_ascii_punctuation() => Kind::Punctuation,
        _ => Kind::Other,
    }
}

#[cfg(test)]
#[path = "tokens_tests.rs"]
mod tests;
