//! Skill names: what may be loaded, what the standard accepts, and how a typed name finds one.
//!
//! A [`SkillName`] is safe to show and to look up, whatever file it came from: normalised once,
//! never a path, free of control and hidden characters. Whether it also follows the standard is a
//! separate question, answered by [`SkillName::faults`]. Lookup goes through [`NameKey`] and never
//! through a path.

use std::fmt;

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_normalization::UnicodeNormalization;

use crate::limits::{MAX_NAME_CHARS, MAX_USABLE_NAME_CHARS};
use crate::text;

/// A name that can be shown and looked up. See the module for what that excludes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SkillName(Box<str>);

/// What two spellings of one name share: lowercase, with `_` and spaces as `-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameKey(Box<str>);

/// Why a string cannot be a skill's name at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing but white space.
    #[error("the name is empty")]
    Empty,
    /// Longer than any name that is loaded.
    #[error("the name has more than {MAX_USABLE_NAME_CHARS} characters")]
    TooLong,
    /// A slash, a backslash, `.` or `..`.
    #[error("the name is a path")]
    Path,
    /// A control, hidden or direction-changing character.
    #[error("the name contains the character U+{:04X}", *.0 as u32)]
    Character(char),
}

/// How a name breaks the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// More than 64 code points.
    TooLong,
    /// Differs from its lowercase form.
    NotLowercase,
    /// Starts or ends with a hyphen.
    EdgeHyphen,
    /// Has two hyphens in a row.
    DoubleHyphen,
    /// Has a character that is neither a letter, a digit nor a hyphen.
    Characters,
}

impl SkillName {
    /// The name a file or a person wrote: trimmed, then normalised (NFKC), then checked.
    pub fn parse(raw: &str) -> Result<Self, NameError> {
        let trimmed = trim(raw);
        if trimmed.is_empty() {
            return Err(NameError::Empty);
        }
        if is_plain(trimmed) {
            return Ok(Self(trimmed.into()));
        }
        // Normalising joins four characters at most, so this is too long whatever comes out.
        if trimmed.len() > 4 * char::MAX.len_utf8() * MAX_USABLE_NAME_CHARS {
            return Err(NameError::TooLong);
        }
        // Some characters decompose to a space and a mark, so what comes out is trimmed once more;
        // without that, reading a name back could give another name.
        let normal = normalize(trimmed);
        let name = trim(&normal);
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if name.chars().count() > MAX_USABLE_NAME_CHARS {
            return Err(NameError::TooLong);
        }
        if name == "." || name == ".." || name.contains(['/', '\\']) {
            return Err(NameError::Path);
        }
        if let Some(bad) = name.chars().find(|c| c.is_control() || text::is_hidden(*c)) {
            return Err(NameError::Character(bad));
        }
        Ok(Self(name.into()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What this name is looked up by.
    #[must_use]
    pub fn key(&self) -> NameKey {
        NameKey::of(&self.0)
    }

    /// What this name is looked up by, unless that is the name itself.
    #[must_use]
    pub fn other_key(&self) -> Option<NameKey> {
        (!is_plain(&self.0)).then(|| self.key())
    }

    /// How the name breaks the standard, in the order the reference reports it. Empty when it
    /// does not.
    #[must_use]
    pub fn faults(&self) -> Vec<NameFault> {
        if is_plain(&self.0) {
            return Vec::new();
        }
        let mut faults = Vec::new();
        let mut push = |wrong: bool, fault| {
            if wrong {
                faults.push(fault);
            }
        };
        push(self.0.chars().count() > MAX_NAME_CHARS, NameFault::TooLong);
        push(self.0.to_lowercase() != *self.0, NameFault::NotLowercase);
        push(self.0.starts_with('-') || self.0.ends_with('-'), NameFault::EdgeHyphen);
        push(self.0.contains("--"), NameFault::DoubleHyphen);
        push(self.0.chars().any(|c| c != '-' && !is_letter_or_number(c)), NameFault::Characters);
        faults
    }

    /// Whether this is the name's key; the same as comparing it with [`Self::key`], and cheaper.
    #[must_use]
    pub fn has_key(&self, key: &NameKey) -> bool {
        match is_plain(&self.0) {
            true => self.0 == key.0,
            false => self.key() == *key,
        }
    }

    /// Whether the name is the directory's, as the standard compares them.
    #[must_use]
    pub fn matches_directory(&self, directory: &str) -> bool {
        *self.0 == *directory || normalize(directory) == *self.0
    }
}

impl NameKey {
    /// The key of any text; a text no skill can have simply finds nothing.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let trimmed = trim(text);
        if is_plain(trimmed) {
            return Self(trimmed.into());
        }
        let fold = |c: char| match c {
            '_' | ' ' => '-',
            // Lowercasing writes a sigma by its place in the word; a key does not care.
            'ς' => 'σ',
            c => c,
        };
        // Lowercase letters may combine with marks that their capitals stood beside.
        let lower = normalize(&normalize(trimmed).to_lowercase());
        Self(trim(&lower).chars().map(fold).collect())
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for NameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::str::FromStr for SkillName {
    type Err = NameError;

    fn from_str(raw: &str) -> Result<Self, NameError> {
        Self::parse(raw)
    }
}

/// Unicode categories L and N, as the reference's `isalnum` has it. `char::is_alphanumeric` is
/// wider by 1,442 marks and symbols.
fn is_letter_or_number(c: char) -> bool {
    use GeneralCategory as G;
    matches!(
        get_general_category(c),
        G::UppercaseLetter
            | G::LowercaseLetter
            | G::TitlecaseLetter
            | G::ModifierLetter
            | G::OtherLetter
            | G::DecimalNumber
            | G::LetterNumber
            | G::OtherNumber
    )
}

/// The common case, decided in one pass without tables: a conforming ASCII name.
fn is_plain(name: &str) -> bool {
    // A hyphen may not follow a hyphen, and before the first character is as good as one.
    let mut previous = b'-';
    for byte in name.bytes() {
        if !matches!(byte, b'a'..=b'z' | b'0'..=b'9') && (byte != b'-' || previous == b'-') {
            return false;
        }
        previous = byte;
    }
    previous != b'-' && name.len() <= MAX_NAME_CHARS
}

fn normalize(text: &str) -> String {
    text.nfkc().collect()
}

/// White space as the reference strips it: Unicode's, plus the four ASCII separators that Rust's
/// `trim` leaves.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;
