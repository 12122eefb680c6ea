//! Versions as people write them, compared as they mean them: numbers by value, a pre-release below
//! its release, build data ignored.

use std::cmp::Ordering;

/// A version: numbers separated by dots, then an optional pre-release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The numbers, as many as were written.
    numbers: Vec<u64>,
    /// The parts after `-`; empty for a release.
    pre_release: Vec<Identifier>,
}

/// One part of a pre-release. Numbers come before words, as semantic versioning has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(Box<str>),
}

impl Version {
    /// Reads `1`, `1.2`, `v1.2.3`, `1.2.3-rc.1` or `1.2.3+build`. Anything else is no version.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
        let (text, build) = text.split_once('+').unwrap_or((text, "0"));
        if build.is_empty() {
            return None;
        }
        let (numbers, pre_release) = match text.split_once('-') {
            Some((numbers, pre_release)) => (numbers, identifiers(pre_release)?),
            None => (text, Vec::new()),
        };
        let numbers = numbers.split('.').map(number).collect::<Option<Vec<_>>>()?;
        Some(Self { numbers, pre_release })
    }

    /// Whether this version is below `minimum`; numbers not written are zero.
    #[must_use]
    pub fn is_below(&self, minimum: &Self) -> bool {
        let length = self.numbers.len().max(minimum.numbers.len());
        self.compare(minimum, length) == Ordering::Less
    }

    /// Whether this version is above `maximum`, looking only at the numbers `maximum` has: 1.2.9
    /// is not above 1.2, because who writes 1.2 means all of it.
    #[must_use]
    pub fn is_above(&self, maximum: &Self) -> bool {
        self.compare(maximum, maximum.numbers.len()) == Ordering::Greater
    }

    fn compare(&self, other: &Self, length: usize) -> Ordering {
        let at = |version: &Self, index| version.numbers.get(index).copied().unwrap_or(0);
        let numbers = (0..length).map(|i| at(self, i)).cmp((0..length).map(|i| at(other, i)));
        let release = self.pre_release.is_empty().cmp(&other.pre_release.is_empty());
        numbers.then(release).then_with(|| self.pre_release.cmp(&other.pre_release))
    }
}

fn identifiers(text: &str) -> Option<Vec<Identifier>> {
    text.split('.').map(identifier).collect()
}

fn identifier(text: &str) -> Option<Identifier> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if text.is_empty() || !text.chars().all(word) {
        return None;
    }
    Some(number(text).map_or_else(|| Identifier::Word(text.into()), Identifier::Number))
}

/// Digits only: `u64`'s own reader would take a sign.
fn number(text: &str) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
#[path = "version_tests.rs"]
mod tests;
