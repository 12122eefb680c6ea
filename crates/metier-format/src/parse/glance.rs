//! What listing a skill needs, of a file that has nothing wrong with it and nothing unusual in it.
//!
//! Most files are so, and for them [`parse_frontmatter`](crate::parse_frontmatter) keeps thirty
//! pieces of text of which a list shows three. [`glance`] borrows those three and keeps nothing
//! else. It gives up on anything it does not know to be fine, so it needs no rules of its own: a
//! test holds it to the parser, which then finds nothing to say and gives the same values.

use std::borrow::Cow;

use super::characters::{characters, is_utf16_or_32};
use super::fences::fences;
use crate::limits::{MAX_COMPATIBILITY_CHARS, MAX_DESCRIPTION_CHARS, MAX_TOOL_PATTERNS};
use crate::name::{SkillName, trim};
use crate::span::Span;
use crate::yaml::{self, Entry, Node, Value};

/// A skill as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance<'b> {
    /// `name`.
    pub name: SkillName,
    /// `description`, trimmed.
    pub description: Cow<'b, str>,
    /// `compatibility`, trimmed.
    pub compatibility: Option<Cow<'b, str>>,
    /// `metadata.version`.
    pub version: Option<Cow<'b, str>>,
    /// `allowed-tools`, one space between the tools.
    pub allowed_tools: Option<Cow<'b, str>>,
    /// The bytes between the fences.
    pub frontmatter: Span,
    /// First byte of the body.
    pub body: u32,
}

/// Reads the frontmatter of `bytes`, a file or a start of it as for
/// [`parse_frontmatter`](crate::parse_frontmatter), in a directory called `directory`. None says
/// nothing about the file but that it has to be parsed.
#[must_use]
pub fn glance<'b>(bytes: &'b [u8], directory: &str) -> Option<Glance<'b>> {
    if is_utf16_or_32(bytes) {
        return None;
    }
    let mut findings = Vec::new();
    let found = fences(bytes, &mut findings)?;
    let text = characters(bytes, &found, &mut findings)?;
    let tree = yaml::read_fast(text, found.yaml.start as usize)?;
    if !findings.is_empty() || !tree.duplicates.is_empty() {
        return None;
    }
    let mut fields = Fields::default();
    for entry in tree.entries {
        fields.take(entry, directory)?;
    }
    Some(Glance {
        name: fields.name?,
        description: fields.description?,
        compatibility: fields.compatibility,
        version: fields.version,
        allowed_tools: fields.allowed_tools,
        frontmatter: found.yaml,
        body: found.body,
    })
}

#[derive(Default)]
struct Fields<'b> {
    name: Option<SkillName>,
    description: Option<Cow<'b, str>>,
    compatibility: Option<Cow<'b, str>>,
    version: Option<Cow<'b, str>>,
    allowed_tools: Option<Cow<'b, str>>,
}

impl<'b> Fields<'b> {
    /// Takes one of the standard's fields. None when it is another, or is not as it should be.
    fn take(&mut self, entry: Entry<'b>, directory: &str) -> Option<()> {
        match &*entry.key {
            "name" => self.name = Some(plain_name(&text(entry.value)?, directory)?),
            "description" => {
                self.description = Some(short(text(entry.value)?, MAX_DESCRIPTION_CHARS)?);
            }
            "license" => drop(short(text(entry.value)?, usize::MAX)?),
            "compatibility" => {
                self.compatibility = Some(short(text(entry.value)?, MAX_COMPATIBILITY_CHARS)?);
            }
            "metadata" => self.version = version(entry.value)?,
            "allowed-tools" => {
                self.allowed_tools = Some(text(entry.value).filter(|text| is_plain_list(text))?);
            }
            _ => return None,
        }
        Some(())
    }
}

fn text(node: Node<'_>) -> Option<Cow<'_, str>> {
    match node.value {
        Value::Scalar(scalar) => Some(scalar.text),
        Value::Sequence(_) | Value::Mapping(_) => None,
    }
}

/// A name that follows the standard, is written as it is read, and is the directory's.
fn plain_name(text: &str, directory: &str) -> Option<SkillName> {
    let name = SkillName::parse(text).ok()?;
    (name.as_str() == directory && name.as_str() == trim(text) && name.faults().is_empty())
        .then_some(name)
}

/// The text trimmed, when it is not empty and has at most `limit` bytes, hence characters.
fn short(text: Cow<'_, str>, limit: usize) -> Option<Cow<'_, str>> {
    let trimmed = match text {
        Cow::Borrowed(text) => Cow::Borrowed(trim(text)),
        Cow::Owned(text) if trim(&text).len() == text.len() => Cow::Owned(text),
        Cow::Owned(text) => Cow::Owned(trim(&text).to_owned()),
    };
    (!trimmed.is_empty() && trimmed.len() <= limit).then_some(trimmed)
}

/// The version among the metadata, when that is a map of text to text.
fn version(metadata: Node<'_>) -> Option<Option<Cow<'_, str>>> {
    let Value::Mapping(entries) = metadata.value else { return None };
    if entries.is_empty() {
        return None;
    }
    let mut version = None;
    for entry in entries {
        let value = text(entry.value)?;
        if entry.key == "version" {
            version = Some(value);
        }
    }
    Some(version)
}

/// Whether the text is a list of tools that is written as it would be written back: words with a
/// single space between them, each with at most one pair of parentheses, at its end.
fn is_plain_list(text: &str) -> bool {
    let (mut words, mut at) = (1, Place::Start);
    for byte in text.bytes() {
        at = match (at, byte) {
            (Place::Start | Place::Word, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9')
            | (Place::Start | Place::Word, b'_' | b'*' | b'-' | b':' | b'/' | b'.') => Place::Word,
            (Place::Word, b'(') => Place::Argument,
            (Place::Argument, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9')
            | (Place::Argument, b'_' | b'*' | b'-' | b':' | b'/' | b'.') => Place::Argument,
            (Place::Argument, b')') => Place::End,
            (Place::Word | Place::End, b' ') => {
                words += 1;
                Place::Start
            }
            _ => return false,
        };
    }
    matches!(at, Place::Word | Place::End) && words <= MAX_TOOL_PATTERNS
}

/// Where in a word of a list of tools.
#[derive(Clone, Copy)]
enum Place {
    Start,
    Word,
    Argument,
    End,
}

#[cfg(test)]
#[path = "glance_tests.rs"]
mod tests;
