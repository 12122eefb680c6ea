//! Conversions of YAML values to typed ones. Everything is text here, so a number or a boolean is
//! what the text says, quoted or not.

use super::Reader;
use crate::diagnostic::Code;
use crate::field::{Field, Kind};
use crate::manifest::Text;
use crate::name::trim;
use crate::span::{Span, Spanned};
use crate::text::quoted;
use crate::yaml::{Node, Value};

/// What separates the items of a list that is written as one string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// Commas where there are any, else white space. For words.
    Words,
    /// Commas only. For what may contain spaces.
    Commas,
}

impl Reader<'_> {
    /// The text of `field`, trimmed. A finding and nothing when it is empty or not text.
    pub(super) fn text(&mut self, field: Field, node: &Node<'_>) -> Option<Text> {
        self.text_of(field.name(), node)
    }

    /// The same for a key inside a map, named as in `hooks.pre`.
    pub(super) fn text_of(&mut self, name: &str, node: &Node<'_>) -> Option<Text> {
        let Some(text) = node.as_text() else {
            self.wrong_type(name, Kind::Text, node);
            return None;
        };
        let text = trim(text);
        if text.is_empty() {
            self.empty(name, node);
            return None;
        }
        Some(Spanned::new(text.to_owned(), node.span))
    }

    /// `true` or `false`, also in the words YAML once had for them.
    pub(super) fn boolean(&mut self, field: Field, node: &Node<'_>) -> Option<bool> {
        let text = self.text(field, node)?;
        let value = boolean(&text);
        if value.is_none() {
            self.wrong_type(field.name(), Kind::Boolean, node);
        }
        value
    }

    /// A whole number.
    pub(super) fn integer(&mut self, field: Field, node: &Node<'_>) -> Option<i64> {
        let text = self.text(field, node)?;
        let value = text.parse().ok();
        if value.is_none() {
            self.wrong_type(field.name(), Kind::Integer, node);
        }
        value
    }

    /// The items of a list, or of a string that holds several. Items that are not text are left
    /// out, with a finding each.
    pub(super) fn list(&mut self, name: &str, node: &Node<'_>, split: Split) -> Option<Vec<Text>> {
        match &node.value {
            Value::Scalar(scalar) if trim(&scalar.text).is_empty() => {
                self.empty(name, node);
                None
            }
            Value::Scalar(scalar) => Some(self.split(&scalar.text, node.span, split)),
            Value::Sequence(items) => {
                Some(items.iter().filter_map(|item| self.text_of(name, item)).collect())
            }
            Value::Mapping(_) => {
                self.wrong_type(name, Kind::List, node);
                None
            }
        }
    }

    /// The items of a string. Each has the place of its own bytes where the text stands in the
    /// file as it is, else the place of the whole.
    fn split(&self, text: &str, span: Span, split: Split) -> Vec<Text> {
        let commas = split == Split::Commas || text.contains(',');
        let verbatim = self.is_verbatim(text, span);
        let separator = |c: char| if commas { c == ',' } else { c.is_whitespace() };
        let mut items = Vec::new();
        for piece in text.split(separator) {
            let item = trim(piece);
            if item.is_empty() {
                continue;
            }
            // Both are parts of `text`, so their addresses tell how far into it the item starts.
            let start = span.start as usize + (item.as_ptr().addr() - text.as_ptr().addr());
            let place = if verbatim { Span::new(start, start + item.len()) } else { span };
            items.push(Spanned::new(item.to_owned(), place));
        }
        items
    }

    /// Whether `text` is what stands at `span` byte for byte, so that an offset in it is one in
    /// the file.
    pub(super) fn is_verbatim(&self, text: &str, span: Span) -> bool {
        self.source.get(span.range()) == Some(text.as_bytes())
    }

    /// Reports that the value of `name` is ignored because it is not a `kind`.
    pub(super) fn wrong_type(&mut self, name: &str, kind: Kind, node: &Node<'_>) {
        let value = match &node.value {
            Value::Scalar(scalar) => quoted(&scalar.text),
            Value::Sequence(_) => "a list".to_owned(),
            Value::Mapping(_) => "a map".to_owned(),
        };
        let message = format!("`{name}` is {value}, not {}", kind.noun());
        self.find(Code::FieldType, node.span, message);
    }

    /// Reports that `name` has no value.
    pub(super) fn empty(&mut self, name: &str, node: &Node<'_>) {
        self.find(Code::FieldEmpty, node.span, format!("`{name}` is empty"));
    }
}

/// The boolean a text stands for.
pub(super) fn boolean(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is(&["true", "yes", "on"]) {
        Some(true)
    } else if is(&["false", "no", "off"]) {
        Some(false)
    } else {
        None
    }
}
