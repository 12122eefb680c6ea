//! The fast reader: one pass over the plain frontmatter most skills have, borrowing all it can.
//!
//! It knows a small part of YAML and nothing of errors. Whatever it does not recognise with
//! certainty, right or wrong, is `None`, and the full reader decides. What it does return equals
//! the full reader's tree to the last span; a property test and a fuzz target hold it to that.
//! Start at [`read`].

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use super::{Entry, Node, Scalar, Style, Tree, Value};
use crate::limits::MAX_NODES;
use crate::span::Span;

/// Most entries of one map. More are unusual, and this keeps the search for repeated keys short.
const MAX_ENTRIES: usize = 32;

/// Most values of one frontmatter: so few that the full reader cannot refuse them for their number.
const MAX_VALUES: usize = 256;
const _: () = assert!(MAX_VALUES < MAX_NODES);

/// Longest key. YAML allows 1,024 characters before the colon.
const MAX_KEY: usize = 128;

/// Reads `text` when it is plain. Linear in its length.
pub(super) fn read(text: &str, base: usize) -> Option<Tree<'_>> {
    let line = line_from(text.as_bytes(), 0);
    let mut reader = Reader { text, base, line, values: 0, duplicates: Vec::new() };
    let entries = reader.top()?;
    reader.duplicates.sort_unstable();
    Some(Tree { entries, duplicates: reader.duplicates })
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    /// The first line not read yet.
    line: Option<Line>,
    values: usize,
    duplicates: Vec<Span>,
}

/// Where a line starts, where its text ends, and where the next line starts.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    next: usize,
}

impl<'a> Reader<'a> {
    fn top(&mut self) -> Option<Vec<Entry<'a>>> {
        let mut entries = Vec::with_capacity(8);
        while let Some(line) = self.line {
            match self.bytes(line.start, line.end)? {
                [b'#', comment @ ..] if is_printable(comment) => self.advance(),
                content if is_blank(content) => self.advance(),
                _ => self.entry(line, 0, &mut entries)?,
            }
        }
        (!entries.is_empty()).then_some(entries)
    }

    /// Reads the `key: value` that starts `indent` bytes into `line`.
    fn entry(&mut self, line: Line, indent: usize, entries: &mut Vec<Entry<'a>>) -> Option<()> {
        let start = line.start + indent;
        let colon = start + key_len(self.bytes(start, line.end)?)?;
        let key = self.text.get(start..colon)?;
        let key_span = self.span(start, colon);
        if entries.len() == MAX_ENTRIES {
            return None;
        }
        if entries.iter().any(|earlier| earlier.key == key) {
            self.duplicates.push(key_span);
        }
        let value = self.value(line, colon + 1, indent)?;
        entries.push(Entry { key: Cow::Borrowed(key), key_span, value });
        Some(())
    }

    /// Reads the value after the colon that ends at `after`, and every line it takes.
    fn value(&mut self, line: Line, after: usize, indent: usize) -> Option<Node<'a>> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return None;
        }
        self.advance();
        let (start, end) = self.trim(after, line.end)?;
        if start == end {
            return if indent == 0 { self.below(after) } else { self.plain(after, after) };
        }
        if start == after {
            return None;
        }
        match self.text.as_bytes().get(start)? {
            b'|' | b'>' => self.block(start, end, indent),
            b'[' => self.flow(start, end),
            _ => self.scalar(start, end),
        }
    }

    /// What follows a key with nothing behind its colon: a list, a map, or another key.
    fn below(&mut self, after: usize) -> Option<Node<'a>> {
        while let Some(line) = self.line {
            let content = self.bytes(line.start, line.end)?;
            let indent = leading_spaces(content);
            match content.get(indent..)? {
                [] => self.advance(),
                [b'-', b' ', ..] => return self.list(line.start + indent, indent),
                _ if indent > 0 => return self.map(line.start + indent, indent),
                _ => break,
            }
        }
        self.plain(after, after)
    }

    fn map(&mut self, start: usize, indent: usize) -> Option<Node<'a>> {
        let mut entries = Vec::with_capacity(4);
        while let Some((line, content)) = self.indented(indent)? {
            if is_blank(content) {
                self.advance();
            } else {
                self.entry(line, indent, &mut entries)?;
            }
        }
        let end = entries.last()?.value.span.end;
        Some(Node { value: Value::Mapping(entries), span: Span { end, ..self.span(start, start) } })
    }

    fn list(&mut self, start: usize, indent: usize) -> Option<Node<'a>> {
        let mut items: Vec<Node<'a>> = Vec::with_capacity(4);
        while let Some((line, content)) = self.indented(indent)? {
            match content {
                [b'-', b' ', ..] => items.push(self.item(line.start + indent + 1, line.end)?),
                _ if is_blank(content) => {}
                _ if indent == 0 => break,
                _ => return None,
            }
            self.advance();
        }
        let end = items.last()?.span.end;
        Some(Node { value: Value::Sequence(items), span: Span { end, ..self.span(start, start) } })
    }

    /// The next line without its `indent` spaces. None inside when the block is over, which only a
    /// line without any indentation says for certain.
    #[expect(clippy::option_option, reason = "giving up and being done are two things")]
    fn indented(&self, indent: usize) -> Option<Option<(Line, &'a [u8])>> {
        let Some(line) = self.line else { return Some(None) };
        let content = self.bytes(line.start, line.end)?;
        let spaces = leading_spaces(content);
        if spaces == content.len() {
            return Some(Some((line, b"")));
        }
        match spaces {
            0 if indent > 0 => Some(None),
            _ if spaces == indent => Some(Some((line, content.get(indent..)?))),
            _ => None,
        }
    }

    fn item(&mut self, from: usize, to: usize) -> Option<Node<'a>> {
        self.values += 1;
        let (start, end) = self.trim(from, to)?;
        if start == end || self.values > MAX_VALUES {
            return None;
        }
        self.scalar(start, end)
    }

    /// A scalar that fills its place on one line.
    fn scalar(&self, start: usize, end: usize) -> Option<Node<'a>> {
        let content = self.bytes(start, end)?;
        match content {
            [quote @ (b'"' | b'\''), ..] => {
                if quoted_len(content, *quote)? != content.len() {
                    return None;
                }
                self.quoted(start, end, *quote)
            }
            _ if is_plain(content) => self.plain(start, end),
            _ => None,
        }
    }

    fn plain(&self, start: usize, end: usize) -> Option<Node<'a>> {
        let text = Cow::Borrowed(self.text.get(start..end)?);
        Some(self.node(text, Style::Plain, self.span(start, end)))
    }

    fn quoted(&self, start: usize, end: usize, quote: u8) -> Option<Node<'a>> {
        let text = Cow::Borrowed(self.text.get(start + 1..end - 1)?);
        let style = if quote == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted };
        Some(self.node(text, style, self.span(start, end)))
    }

    /// A list in brackets on one line.
    fn flow(&mut self, start: usize, end: usize) -> Option<Node<'a>> {
        let mut items = Vec::new();
        let close = end - 1;
        if close == start || self.text.as_bytes().get(close) != Some(&b']') {
            return None;
        }
        let mut at = start + 1;
        while at < close || !items.is_empty() {
            let (item, after) = self.flow_item(at, close)?;
            items.push(item);
            match self.bytes(after, close)? {
                [] => break,
                [b',', ..] => at = after + 1,
                _ => return None,
            }
        }
        Some(Node { value: Value::Sequence(items), span: self.span(start, end) })
    }

    /// One item of a list in brackets, and where the next comma or the bracket stands.
    fn flow_item(&mut self, from: usize, close: usize) -> Option<(Node<'a>, usize)> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return None;
        }
        let start = from + leading_spaces(self.bytes(from, close)?);
        let content = self.bytes(start, close)?;
        if let [quote @ (b'"' | b'\''), ..] = content {
            let end = start + quoted_len(content, *quote)?;
            let after = end + leading_spaces(self.bytes(end, close)?);
            return Some((self.quoted(start, end, *quote)?, after));
        }
        let after = start + memchr(b',', content).unwrap_or(content.len());
        let (start, end) = self.trim(start, after)?;
        if !is_flow_plain(self.bytes(start, end)?) {
            return None;
        }
        Some((self.plain(start, end)?, after))
    }

    /// Text after `|` or `>`, when its lines have one indentation and no blank line comes first.
    fn block(&mut self, start: usize, header_end: usize, parent: usize) -> Option<Node<'a>> {
        let header = self.bytes(start, header_end)?;
        let folded = header.first() == Some(&b'>');
        let keep_break = match header.get(1..)? {
            [] => true,
            [b'-'] => false,
            _ => return None,
        };
        let first = self.line?;
        let indent = leading_spaces(self.bytes(first.start, first.end)?);
        if indent <= parent {
            return None;
        }
        let (mut text, end) = self.block_text(indent, parent, folded)?;
        if keep_break {
            text.push('\n');
        }
        let style = if folded { Style::Folded } else { Style::Literal };
        Some(self.node(Cow::Owned(text), style, self.span(start, end)))
    }

    /// The lines of a block scalar joined, and the end of its last line's text.
    fn block_text(
        &mut self,
        indent: usize,
        parent: usize,
        folded: bool,
    ) -> Option<(String, usize)> {
        let mut text = String::new();
        let mut end = None;
        let mut blank_lines = 0;
        while let Some(line) = self.line {
            let content = self.bytes(line.start, line.end)?;
            let spaces = leading_spaces(content);
            if spaces == content.len() {
                blank_lines += 1;
                if end.is_none() || spaces > indent {
                    return None;
                }
            } else if spaces <= parent {
                break;
            } else if spaces < indent || (folded && spaces > indent) {
                return None;
            } else {
                if end.is_some() {
                    push_break(&mut text, blank_lines, folded);
                }
                text.push_str(self.printable(line.start + indent, line.end)?);
                end = Some(self.trim(line.start, line.end)?.1);
                blank_lines = 0;
            }
            self.advance();
        }
        Some((text, end?))
    }

    fn printable(&self, start: usize, end: usize) -> Option<&'a str> {
        let text = self.text.get(start..end)?;
        is_printable(text.as_bytes()).then_some(text)
    }

    fn node(&self, text: Cow<'a, str>, style: Style, span: Span) -> Node<'a> {
        Node { value: Value::Scalar(Scalar { text, style }), span }
    }

    /// `start..end` without the spaces at either end.
    fn trim(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let content = self.bytes(start, end)?;
        let start = start + leading_spaces(content);
        let trailing = content.iter().rev().take_while(|byte| **byte == b' ').count();
        Some((start, (end - trailing).max(start)))
    }

    fn bytes(&self, start: usize, end: usize) -> Option<&'a [u8]> {
        self.text.as_bytes().get(start..end)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start, self.base + end)
    }

    fn advance(&mut self) {
        self.line = self.line.and_then(|line| line_from(self.text.as_bytes(), line.next));
    }
}

/// The line that starts at `start`. A carriage return belongs to the break only before a newline;
/// elsewhere it stays in the text, where it is not printable.
fn line_from(bytes: &[u8], start: usize) -> Option<Line> {
    let rest = bytes.get(start..).filter(|rest| !rest.is_empty())?;
    Some(match memchr(b'\n', rest) {
        Some(length) => {
            let cr = usize::from(rest.get(..length)?.last() == Some(&b'\r'));
            Line { start, end: start + length - cr, next: start + length + 1 }
        }
        None => Line { start, end: bytes.len(), next: bytes.len() },
    })
}

/// The length of the key that `content` starts with, when a colon and a space or nothing follow.
fn key_len(content: &[u8]) -> Option<usize> {
    let length = content.iter().take(MAX_KEY).take_while(|byte| is_key_byte(**byte)).count();
    let first = content.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    match content.get(length..)? {
        [b':'] | [b':', b' ', ..] if first => Some(length),
        _ => None,
    }
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The length of the quoted scalar that `content` starts with, quotes included, when it needs no
/// unescaping.
fn quoted_len(content: &[u8], quote: u8) -> Option<usize> {
    let inner = content.get(1..)?;
    let length = match quote {
        b'"' => memchr2(b'"', b'\\', inner)?,
        _ => memchr(quote, inner)?,
    };
    let closed = inner.get(length) == Some(&quote) && inner.get(length + 1) != Some(&quote);
    (closed && is_printable(inner.get(..length)?)).then_some(length + 2)
}

/// Whether `content` is a plain scalar of a block: it starts with no indicator, and has no `: `,
/// no ` #` and no colon at its end.
fn is_plain(content: &[u8]) -> bool {
    let starts = match content {
        [b'-', second, ..] => *second != b' ',
        [first, ..] => is_plain_start(*first),
        [] => false,
    };
    starts
        && scan(content, |index, byte| match byte {
            b':' => content.get(index + 1).is_some_and(|next| *next != b' '),
            b'#' => index.checked_sub(1).and_then(|before| content.get(before)) != Some(&b' '),
            _ => true,
        })
}

/// Whether `content` is a plain scalar between brackets: the same, and nothing that means something
/// there.
fn is_flow_plain(content: &[u8]) -> bool {
    content.first().is_some_and(|first| is_plain_start(*first))
        && scan(content, |index, byte| match byte {
            b':' => content.get(index + 1).is_some_and(|next| *next != b' '),
            _ => byte != b'#',
        })
        && !content.iter().any(|byte| matches!(byte, b'[' | b']' | b'{' | b'}' | b'"' | b'\''))
}

/// Whether a plain scalar may start with `byte` wherever it stands.
fn is_plain_start(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80
        || matches!(byte, b'_' | b'.' | b'/' | b'(' | b'$' | b'+' | b'<' | b'=' | b'~' | b'^')
}

fn is_printable(content: &[u8]) -> bool {
    scan(content, |_, _| true)
}

/// Whether every byte of `content` is printable and every `:` and `#` passes `check`.
fn scan(content: &[u8], check: impl Fn(usize, u8) -> bool) -> bool {
    let mut at = 0;
    // Most text has nothing special in sixteen bytes, which the machine sees at one glance.
    content.chunks(16).all(|chunk| {
        let start = at;
        at += chunk.len();
        let special = chunk.iter().fold(false, |special, byte| special | is_special(*byte));
        !special
            || chunk.iter().enumerate().all(|(index, byte)| match byte {
                b':' | b'#' => check(start + index, *byte),
                0xc2 | 0xef => {
                    is_printable_character(content.get(start + index..).unwrap_or_default())
                }
                byte => !is_special(*byte),
            })
    })
}

/// Whether `byte` is not text wherever it stands: a control character, an indicator, or the start
/// of a character that may not be printable.
fn is_special(byte: u8) -> bool {
    (byte < 0x20)
        | (byte == 0x7f)
        | (byte == b':')
        | (byte == b'#')
        | (byte == 0xc2)
        | (byte == 0xef)
}

/// Whether the character `bytes` starts with, by a byte that calls for a look, is one YAML prints:
/// not a C1 control, not a byte-order mark, not U+FFFE or U+FFFF.
fn is_printable_character(bytes: &[u8]) -> bool {
    match bytes {
        [0xc2, second, ..] => *second >= 0xa0,
        [0xef, 0xbb, 0xbf, ..] | [0xef, 0xbf, 0xbe | 0xbf, ..] => false,
        _ => true,
    }
}

/// A line break of a block scalar with `blank_lines` empty lines after it.
fn push_break(text: &mut String, blank_lines: usize, folded: bool) {
    if !folded {
        text.push('\n');
    } else if blank_lines == 0 {
        text.push(' ');
    }
    text.extend(std::iter::repeat_n('\n', blank_lines));
}

fn leading_spaces(content: &[u8]) -> usize {
    content.iter().take_while(|byte| **byte == b' ').count()
}

fn is_blank(content: &[u8]) -> bool {
    content.iter().all(|byte| *byte == b' ')
}

#[cfg(test)]
#[path = "fast_tests.rs"]
mod tests;
