//! The full reader: YAML events of `granit-parser` to a [`Tree`], within limits.
//!
//! Nothing is expanded or resolved. Aliases, anchors and tags are refused where they stand, depth
//! and number of values are checked as the events arrive, and the open lists and maps are a stack
//! on the heap, so no input can exhaust the machine's. Start at [`read`]; what granit's errors mean
//! to a person is in `explain`.

use std::borrow::Cow;

use granit_parser::{Event, Parser, ScalarStyle, Span as Place, StrInput};

use super::explain;
use super::{Entry, Node, Scalar, Style, Tree, Value, YamlError, YamlErrorKind};
use crate::limits::{MAX_DEPTH, MAX_NODES};
use crate::span::Span;

/// Reads all of YAML that frontmatter may use. Linear in the length of `text`, but for sorting the
/// keys of large maps to find the ones that repeat.
pub(super) fn read(text: &str, base: usize) -> Result<Tree<'_>, YamlError> {
    let mut parser = Parser::new_from_str_with_options(text, options());
    let mut reader = Reader::new(text, base);
    while let Some(next) = parser.next() {
        let (event, place) = next.map_err(|error| explain::explain(&error, text, base))?;
        reader.refuse_properties(&event, &place, &mut parser)?;
        reader.take(event, &place)?;
    }
    reader.finish()
}

/// What is being read: the lists and maps that are open, and what is finished at the top.
struct Reader<'a> {
    text: &'a str,
    base: usize,
    open: Vec<Open<'a>>,
    root: Option<Vec<Entry<'a>>>,
    duplicates: Vec<Span>,
    /// Values seen, keys not counted.
    nodes: usize,
    /// Where the last event ended. What stands between two events is white space, indicators and
    /// comments, so the indicator a value starts with is found from here.
    last_end: usize,
}

/// A list or map whose end has not come yet.
struct Open<'a> {
    start: usize,
    items: Items<'a>,
}

enum Items<'a> {
    List(Vec<Node<'a>>),
    Map { entries: Vec<Entry<'a>>, key: Option<(Cow<'a, str>, Span)> },
}

/// Up to this many keys every pair is compared; beyond it sorting is cheaper.
const FEW_KEYS: usize = 16;

fn options() -> granit_parser::Options {
    granit_parser::options! {
        emit_comments: false,
        emit_anchor_events: true,
        emit_unresolved_aliases: true,
        disallow_directives: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, base: usize) -> Self {
        Self {
            text,
            base,
            open: Vec::new(),
            root: None,
            duplicates: Vec::new(),
            nodes: 0,
            last_end: 0,
        }
    }

    /// Aliases, anchors and tags are refused before their node means anything.
    fn refuse_properties(
        &self,
        event: &Event<'a>,
        place: &Place,
        parser: &mut Parser<'a, StrInput<'a>>,
    ) -> Result<(), YamlError> {
        if event.is_alias() {
            let message = "An alias (`*name`) is not allowed; write the value out, or quote it";
            return Err(self.error(YamlErrorKind::Alias, self.span(place), message));
        }
        if event.tag().is_some() {
            let tag = place.tag_span().unwrap_or(*place);
            let message = "A tag (`!name`) is not allowed; remove it, or quote the value";
            return Err(self.error(YamlErrorKind::Tag, self.span(&tag), message));
        }
        if event.anchor_id().is_some() {
            // The anchor's own event, with its own place, follows its node's at once.
            let anchor = match parser.next() {
                Some(Ok((Event::Anchor(..), anchor))) => anchor,
                _ => *place,
            };
            let message = "An anchor (`&name`) is not allowed; remove it, or quote the value";
            return Err(self.error(YamlErrorKind::Anchor, self.span(&anchor), message));
        }
        Ok(())
    }

    fn take(&mut self, event: Event<'a>, place: &Place) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) if self.root.is_some() => {
                let message = "The frontmatter holds several YAML documents";
                return Err(self.not_a_mapping(self.span(place), message));
            }
            Event::Scalar(text, style, ..) => self.scalar(text, style, place)?,
            Event::SequenceStart(..) => self.begin(place, Items::List(Vec::new()))?,
            Event::MappingStart(..) => {
                self.begin(place, Items::Map { entries: Vec::new(), key: None })?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(place),
            _ => {}
        }
        self.last_end = offsets(place).end;
        Ok(())
    }

    fn scalar(
        &mut self,
        text: Cow<'a, str>,
        style: ScalarStyle,
        place: &Place,
    ) -> Result<(), YamlError> {
        let range = self.scalar_range(style, place);
        let span = Span::new(self.base + range.start, self.base + range.end);
        // granit gives `~` for a value that is not there; only its place tells it from a written one.
        let absent = style == ScalarStyle::Plain && range.is_empty();
        let text = if absent { Cow::Borrowed("") } else { text };
        if let Some(Items::Map { key: key @ None, .. }) = self.open.last_mut().map(|o| &mut o.items)
        {
            *key = Some((text, span));
            return Ok(());
        }
        self.count(span)?;
        if self.open.is_empty() {
            let message = match absent {
                true => "The frontmatter is empty",
                false => "The frontmatter is text, not `key: value` lines",
            };
            return Err(self.not_a_mapping(span, message));
        }
        self.place(Node { value: Value::Scalar(Scalar { text, style: own_style(style) }), span });
        Ok(())
    }

    /// The bytes of a scalar as [`Node`] defines them.
    fn scalar_range(&self, style: ScalarStyle, place: &Place) -> std::ops::Range<usize> {
        let range = offsets(place);
        match style {
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let start = self.find_indicator(b"|>").unwrap_or(range.start).min(range.end);
                let end = start + trimmed_len(self.text.get(start..range.end).unwrap_or(""));
                start..end.max(start)
            }
            ScalarStyle::Plain if range.is_empty() && self.at_colon_of_value(range.start) => {
                range.start + 1..range.start + 1
            }
            _ => range,
        }
    }

    /// Whether a missing value's place is the colon after its key. It then moves behind the colon.
    fn at_colon_of_value(&self, offset: usize) -> bool {
        let key = self.open.last().is_some_and(|o| matches!(o.items, Items::Map { key: None, .. }));
        !key && self.text.as_bytes().get(offset) == Some(&b':')
    }

    fn begin(&mut self, place: &Place, items: Items<'a>) -> Result<(), YamlError> {
        let list = matches!(items, Items::List(_));
        let range = offsets(place);
        let span = self.span(place);
        if let Some(Items::Map { key: None, .. }) = self.open.last().map(|o| &o.items) {
            let message = "A key is a list or a map; keys must be text";
            return Err(self.error(YamlErrorKind::ComplexKey, span, message));
        }
        if list && self.open.is_empty() {
            let message = "The frontmatter is a list, not `key: value` lines";
            return Err(self.not_a_mapping(span, message));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(explain::too_deep(span));
        }
        self.count(span)?;
        // A list that is not indented deeper than its key is reported at its first item's text.
        let start = match list && range.is_empty() && self.in_map() {
            true => self.find_indicator(b"-").unwrap_or(range.start),
            false => range.start,
        };
        if range.is_empty() {
            self.refuse_tab(start)?;
        }
        self.open.push(Open { start, items });
        Ok(())
    }

    /// A block list or map whose line has a tab before `start` is indented by it. granit lets some
    /// of these pass.
    fn refuse_tab(&self, start: usize) -> Result<(), YamlError> {
        let before = self.text.as_bytes().get(..start).unwrap_or_default();
        let line = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |index| index + 1);
        match memchr::memchr(b'\t', before.get(line..).unwrap_or_default()) {
            Some(tab) => {
                let tab = self.base + line + tab;
                Err(explain::tab(Span::new(tab, tab + 1)))
            }
            None => Ok(()),
        }
    }

    fn in_map(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.items, Items::Map { .. }))
    }

    fn end(&mut self, place: &Place) {
        let Some(Open { start, items }) = self.open.pop() else { return };
        let range = offsets(place);
        let last = match &items {
            Items::List(items) => items.last().map(|node| node.span.end),
            Items::Map { entries, .. } => entries.last().map(|entry| entry.value.span.end),
        };
        // A bracket has a length; the end of a block does not, and lies past comments.
        let end = match (range.is_empty(), last) {
            (true, Some(last)) => (last as usize).saturating_sub(self.base),
            _ => range.end,
        };
        let value = match items {
            Items::List(items) => Value::Sequence(items),
            Items::Map { entries, .. } => {
                self.note_duplicates(&entries);
                Value::Mapping(entries)
            }
        };
        let span = Span::new(self.base + start, self.base + end);
        match value {
            Value::Mapping(entries) if self.open.is_empty() => self.root = Some(entries),
            value => self.place(Node { value, span }),
        }
    }

    /// Puts a finished value into the list or map that is open.
    fn place(&mut self, value: Node<'a>) {
        match self.open.last_mut().map(|open| &mut open.items) {
            Some(Items::List(items)) => items.push(value),
            Some(Items::Map { entries, key }) => {
                if let Some((key, key_span)) = key.take() {
                    entries.push(Entry { key, key_span, value });
                }
            }
            None => {}
        }
    }

    fn count(&mut self, span: Span) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let message = format!("The frontmatter has more than {MAX_NODES} values");
            return Err(YamlError { kind: YamlErrorKind::TooManyNodes, span, message });
        }
        Ok(())
    }

    fn note_duplicates(&mut self, entries: &[Entry<'a>]) {
        if entries.len() <= FEW_KEYS {
            for (index, entry) in entries.iter().enumerate() {
                if entries.iter().take(index).any(|earlier| earlier.key == entry.key) {
                    self.duplicates.push(entry.key_span);
                }
            }
            return;
        }
        let mut sorted: Vec<&Entry<'a>> = entries.iter().collect();
        sorted.sort_by(|a, b| a.key.cmp(&b.key).then(a.key_span.cmp(&b.key_span)));
        for pair in sorted.windows(2) {
            if let [earlier, later] = pair
                && earlier.key == later.key
            {
                self.duplicates.push(later.key_span);
            }
        }
    }

    /// The first of `indicators` after the last event, past white space, comments and the other
    /// indicators that may stand there.
    fn find_indicator(&self, indicators: &[u8]) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.last_end;
        loop {
            match bytes.get(at)? {
                byte if indicators.contains(byte) => return Some(at),
                b'#' => at += memchr::memchr2(b'\n', b'\r', bytes.get(at..)?)?,
                b' ' | b'\t' | b'\n' | b'\r' | b':' | b'-' | b'?' => at += 1,
                _ => return None,
            }
        }
    }

    fn finish(mut self) -> Result<Tree<'a>, YamlError> {
        let Some(entries) = self.root.take() else {
            return Err(self.not_a_mapping(Span::at(self.base), "The frontmatter is empty"));
        };
        self.duplicates.sort_unstable();
        Ok(Tree { entries, duplicates: self.duplicates })
    }

    fn span(&self, place: &Place) -> Span {
        let range = offsets(place);
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn not_a_mapping(&self, span: Span, message: &str) -> YamlError {
        self.error(YamlErrorKind::NotAMapping, span, message)
    }

    fn error(&self, kind: YamlErrorKind, span: Span, message: &str) -> YamlError {
        YamlError { kind, span, message: message.to_owned() }
    }
}

/// Byte offsets of a place. granit counts bytes whenever it reads from a string.
fn offsets(place: &Place) -> std::ops::Range<usize> {
    place.byte_range().unwrap_or(0..0)
}

/// The length of `text` without the white space at its end.
fn trimmed_len(text: &str) -> usize {
    text.trim_end_matches([' ', '\t', '\n', '\r']).len()
}

fn own_style(style: ScalarStyle) -> Style {
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    }
}

#[cfg(test)]
#[path = "full_tests.rs"]
mod tests;
