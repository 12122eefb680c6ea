//! Frontmatter YAML as a tree of text with places. Strings stay strings: nothing is read as a
//! number, a date or a boolean here.
//!
//! Two readers make the same tree: `fast` reads the plain frontmatter most skills have and gives
//! up on anything unusual; `full` reads all of YAML within limits, and `explain` says in plain words
//! why it could not. Start at [`read`].

mod explain;
mod fast;
mod full;

use std::borrow::Cow;

use crate::span::Span;

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single quotes.
    SingleQuoted,
    /// In double quotes.
    DoubleQuoted,
    /// After `|`.
    Literal,
    /// After `>`.
    Folded,
}

/// A scalar: its text after quoting, folding and escapes are undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// How it was written.
    pub style: Style,
}

/// A value and its place.
///
/// The place is what a person would mark: quotes and brackets belong to it, a block scalar reaches
/// from its `|` or `>` to the end of its last line that has text, a block list from its first `-`
/// and a block map from its first key to the end of the last value. A value that is missing has an
/// empty place right after its colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// What it is.
    pub value: Value<'a>,
    /// Where it stands in the file.
    pub span: Span,
}

/// The three kinds of value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// Text. A key without a value has the plain scalar "".
    Scalar(Scalar<'a>),
    /// A list, in block or flow style.
    Sequence(Vec<Node<'a>>),
    /// A map, in block or flow style, in the order written.
    Mapping(Vec<Entry<'a>>),
}

/// One `key: value` of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The key's text.
    pub key: Cow<'a, str>,
    /// The key's place.
    pub key_span: Span,
    /// The value.
    pub value: Node<'a>,
}

/// A whole frontmatter.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tree<'a> {
    /// The entries at the top, in the order written, duplicates included.
    pub entries: Vec<Entry<'a>>,
    /// The places of keys that repeat an earlier key of the same map.
    pub duplicates: Vec<Span>,
}

/// Why a frontmatter has no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// What kind of reason.
    pub kind: YamlErrorKind,
    /// Where.
    pub span: Span,
    /// One sentence without the place.
    pub message: String,
}

/// The kinds of [`YamlError`], one per diagnostic code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlErrorKind {
    /// Not YAML.
    Syntax,
    /// YAML, but a scalar, a list, nothing at all, or several documents.
    NotAMapping,
    /// More levels than `MAX_DEPTH`.
    TooDeep,
    /// More values than `MAX_NODES`.
    TooManyNodes,
    /// `*alias`.
    Alias,
    /// `&anchor`.
    Anchor,
    /// `!tag`.
    Tag,
    /// A key that is a list or a map.
    ComplexKey,
}

/// Reads the frontmatter `text`, whose first byte stands at `base` in its file. Linear in its
/// length.
pub fn read(text: &str, base: usize) -> Result<Tree<'_>, YamlError> {
    match fast::read(text, base) {
        Some(tree) => Ok(tree),
        None => full::read(text, base),
    }
}

/// The fast reader alone, for the fuzz target and the benchmark that hold it to the full one.
#[doc(hidden)]
#[must_use]
pub fn read_fast(text: &str, base: usize) -> Option<Tree<'_>> {
    fast::read(text, base)
}

/// The full reader alone, for the fuzz target and the benchmark.
#[doc(hidden)]
pub fn read_full(text: &str, base: usize) -> Result<Tree<'_>, YamlError> {
    full::read(text, base)
}

impl<'a> Node<'a> {
    /// The scalar's text, when this is a scalar.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) => Some(&scalar.text),
            Value::Sequence(_) | Value::Mapping(_) => None,
        }
    }

    /// The same value, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Node<'static> {
        let value = match self.value {
            Value::Scalar(Scalar { text, style }) => {
                Value::Scalar(Scalar { text: Cow::Owned(text.into_owned()), style })
            }
            Value::Sequence(items) => {
                Value::Sequence(items.into_iter().map(Node::into_owned).collect())
            }
            Value::Mapping(entries) => {
                Value::Mapping(entries.into_iter().map(Entry::into_owned).collect())
            }
        };
        Node { value, span: self.span }
    }

    /// The value as JSON: text, lists and maps of text.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar(scalar) => serde_json::Value::String(scalar.text.to_string()),
            Value::Sequence(items) => items.iter().map(Node::to_json).collect(),
            Value::Mapping(entries) => serde_json::Value::Object(
                entries.iter().map(|e| (e.key.to_string(), e.value.to_json())).collect(),
            ),
        }
    }
}

impl Entry<'_> {
    /// The same entry, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Entry<'static> {
        Entry {
            key: Cow::Owned(self.key.into_owned()),
            key_span: self.key_span,
            value: self.value.into_owned(),
        }
    }
}

#[cfg(test)]
#[path = "yaml_tests.rs"]
mod tests;
