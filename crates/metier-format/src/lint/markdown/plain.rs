//! The pieces of a body that is written plainly, line by line. Most of Markdown's rules are about
//! what few bodies have: quotes, tables, code that is indented, definitions, escapes, HTML. [`pieces`]
//! gives up on anything that might be one of those, so it is right or says nothing: a test holds it to
//! the parser. What it knows are paragraphs, headings, lists, code between fences at the first column,
//! and in a line, code between single backticks and links with a simple destination.

use std::ops::Range;

/// A piece, placed in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// The destination of a link or image, which is written as it is read.
    Link(Range<usize>),
    /// Inline code, with its backticks.
    Code(Range<usize>),
    /// Text of a code block.
    Block(Range<usize>),
}

/// The pieces of `text`, in order. None says nothing about it but that it has to be parsed. Linear in
/// the text.
pub(super) fn pieces(text: &str) -> Option<Vec<Plain>> {
    let bytes = text.as_bytes();
    if memchr::memchr3(b'\r', b'\x0b', b'\x0c', bytes).is_some() {
        return None;
    }
    let mut reader = Reader { bytes, at: 0, end: 0, pipe: false, pieces: Vec::new() };
    while reader.at < bytes.len() {
        reader.line_of(reader.at);
        match reader.fence() {
            Some(ticks) => reader.block(ticks)?,
            None => reader.line()?,
        }
    }
    Some(reader.pieces)
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Where reading goes on, and where the line ends: at its line feed or the end of the text.
    at: usize,
    end: usize,
    /// Whether the line before has a `|`, as the head of a table would.
    pipe: bool,
    pieces: Vec<Plain>,
}

impl Reader<'_> {
    /// Makes the line that starts at `start` the one that is read.
    fn line_of(&mut self, start: usize) {
        let rest = self.bytes.get(start..).unwrap_or_default();
        self.at = start;
        self.end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn peek(&self, at: usize) -> u8 {
        if at < self.end { self.bytes.get(at).copied().unwrap_or(b'\n') } else { b'\n' }
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..self.end).unwrap_or_default()
    }

    /// How many backticks open a block of code here, when some do.
    fn fence(&self) -> Option<usize> {
        let ticks = count(self.rest(), b'`');
        let info = self.rest().get(ticks..).unwrap_or_default();
        (ticks >= 3 && memchr::memchr(b'`', info).is_none()).then_some(ticks)
    }

    /// Takes the block of code that is opened by the line at hand. One that is not closed is not plain.
    fn block(&mut self, ticks: usize) -> Option<()> {
        let start = self.end + 1;
        self.line_of(start);
        while !closes(self.rest(), ticks) {
            if self.end >= self.bytes.len() {
                return None;
            }
            self.line_of(self.end + 1);
        }
        if start < self.at {
            self.pieces.push(Plain::Block(start..self.at));
        }
        self.at = self.end + 1;
        self.pipe = false;
        Some(())
    }

    /// Takes a line that is not code.
    fn line(&mut self) -> Option<()> {
        let line = self.rest();
        if !is_plain_start(line) || (is_rule(line) && (self.pipe || line.contains(&b'|'))) {
            return None;
        }
        self.pipe = false;
        while self.at < self.end {
            let byte = self.peek(self.at);
            match byte {
                b'`' => self.code()?,
                b'[' => self.link()?,
                b'|' => self.pipe = true,
                b'~' if self.rest().starts_with(b"~~~") => return None,
                b']' | b'<' | b'\\' | 0..b' ' => return None,
                _ => {}
            }
            // Code and links end with a byte that is nothing else.
            self.at += 1;
        }
        self.at += 1;
        Some(())
    }

    /// Takes the code that starts here, up to its last backtick.
    fn code(&mut self) -> Option<()> {
        let inside = self.rest().get(1..)?;
        let length = memchr::memchr(b'`', inside)?;
        let close = self.at + 1 + length;
        if length == 0 || self.peek(close + 1) == b'`' {
            return None;
        }
        self.pipe |= memchr::memchr(b'|', inside.get(..length)?).is_some();
        self.pieces.push(Plain::Code(self.at..close + 1));
        self.at = close;
        Some(())
    }

    /// Takes the link or the text in brackets that starts here, up to its last byte.
    fn link(&mut self) -> Option<()> {
        let (open, before) = (self.at, self.pieces.len());
        loop {
            self.at += 1;
            match self.peek(self.at) {
                b']' => break,
                b'`' => self.code()?,
                b'|' => self.pipe = true,
                b'[' | b'<' | b'\\' | 0..b' ' => return None,
                _ => {}
            }
        }
        match self.peek(self.at + 1) {
            // A definition, or a note.
            b':' => None,
            b'(' if self.peek(open + 1) == b'^' => None,
            b'(' => {
                let start = self.at + 2;
                let rest = self.bytes.get(start..self.end)?;
                let length = rest.iter().take_while(|byte| is_destination(**byte)).count();
                if length == 0 || rest.get(length) != Some(&b')') {
                    return None;
                }
                self.at = start + length;
                // What stands in the brackets comes after the link it belongs to.
                self.pieces.insert(before, Plain::Link(start..start + length));
                Some(())
            }
            _ => Some(()),
        }
    }
}

/// Whether the line ends a block of code that was opened by so many backticks.
fn closes(line: &[u8], ticks: usize) -> bool {
    let indent = count(line, b' ');
    let rest = line.get(indent..).unwrap_or_default();
    let found = count(rest, b'`');
    let after = rest.get(found..).unwrap_or_default();
    indent < 4 && found >= ticks && after.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Whether a line starts a paragraph, a heading or an item, or goes on with one: not with a quote, an
/// indent or a fence, also not behind the marks of a list.
fn is_plain_start(line: &[u8]) -> bool {
    let is_mark = |byte: &u8| matches!(byte, b' ' | b'-' | b'*' | b'+' | b'.' | b')' | b'0'..=b'9');
    let marks = line.iter().take_while(|byte| is_mark(byte)).count();
    let (before, after) = line.split_at_checked(marks).unwrap_or_default();
    let indented = before.windows(4).any(|four| four == b"    ");
    !indented && !matches!(after, [b'>', ..] | [b'`', b'`', b'`', ..])
}

/// Whether a line may be the one below the head of a table.
fn is_rule(line: &[u8]) -> bool {
    line.contains(&b'-') && line.iter().all(|byte| matches!(byte, b'-' | b':' | b'|' | b' '))
}

/// Whether a destination may have this byte and still be read as it is written.
fn is_destination(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'-' | b'.' | b'_' | b'/' | b'#' | b':' | b'%' | b'?' | b'=' | b'+' | b'@'
        )
}

/// How many times `byte` stands at the start.
fn count(line: &[u8], byte: u8) -> usize {
    line.iter().take_while(|other| **other == byte).count()
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
