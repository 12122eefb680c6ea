//! Where the frontmatter of a file starts and ends. Fences are whole lines; `---` inside a value or
//! the body is text. Works on a prefix of the file, so that discovery can stop reading early.
//!
//! It knows nothing of YAML, and it looks no further than the closing fence. Start at [`find`].

use memchr::memchr2;

use crate::limits::MAX_LEADING_BLANK_BYTES;
use crate::span::Span;

/// What the start of a file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fences {
    /// Both fences were found.
    Closed {
        /// The bytes between the fence lines.
        yaml: Span,
        /// The opening fence's line, from its first dash to before its line break.
        opening: Span,
        /// The closing fence's line likewise.
        closing: Span,
        /// First byte after the closing fence's line break.
        body: u32,
    },
    /// An opening fence, and no closing one in these bytes. Of a prefix this says: read on. That
    /// includes a prefix that ends before its first line, or the line break of a fence, is whole.
    Unclosed {
        /// The opening fence's line, as far as it is there.
        opening: Span,
    },
    /// No opening fence, whatever follows.
    Absent,
}

/// Whether the bytes are all there are. A prefix may end in the middle of what will be a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The file ends where the bytes end.
    Whole,
    /// More bytes may follow.
    Prefix,
}

/// The byte-order mark of UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const FENCE: &[u8] = b"---";

/// Finds the fences in `bytes`. One pass that ends at the closing fence, no allocation. What it
/// says of a prefix, unless that is [`Fences::Unclosed`], it says of every longer prefix too.
#[must_use]
pub fn find(bytes: &[u8], extent: Extent) -> Fences {
    let start = opening_start(bytes);
    let end = line_end(bytes, start);
    let line = bytes.get(start..end).unwrap_or_default();
    let opening = Span::new(start, end);
    if end == bytes.len() && extent == Extent::Prefix && may_open(bytes, line) {
        return Fences::Unclosed { opening };
    }
    if !opens(line) {
        return Fences::Absent;
    }
    find_closing(bytes, opening, extent)
}

/// Where the first line with something on it starts: after one byte-order mark and the blank
/// space tolerated before the fence.
fn opening_start(bytes: &[u8]) -> usize {
    let mark = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let blank = bytes.iter().skip(mark).take(MAX_LEADING_BLANK_BYTES);
    mark + blank.take_while(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')).count()
}

/// Whether `line` is an opening fence: `---`, then nothing, blanks, or blanks and a comment.
fn opens(line: &[u8]) -> bool {
    line.strip_prefix(FENCE).is_some_and(|rest| {
        let comment = rest.trim_ascii_start();
        comment.is_empty() || (comment.starts_with(b"#") && comment.len() < rest.len())
    })
}

/// Whether the only line there is so far, cut off at its end, may turn out to open a frontmatter.
fn may_open(bytes: &[u8], line: &[u8]) -> bool {
    FENCE.starts_with(line) || opens(line) || BYTE_ORDER_MARK.starts_with(bytes)
}

fn find_closing(bytes: &[u8], opening: Span, extent: Extent) -> Fences {
    let first = after_break(bytes, opening.end as usize);
    let mut at = first;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.starts_with(FENCE) {
            let end = at + FENCE.len() + blanks(rest.get(FENCE.len()..).unwrap_or_default());
            match bytes.get(end..) {
                // More may follow on the line, or the line feed of this carriage return.
                Some([] | [b'\r']) if extent == Extent::Prefix => {
                    return Fences::Unclosed { opening };
                }
                Some([] | [b'\n' | b'\r', ..]) => {
                    let (yaml, closing) = (Span::new(first, at), Span::new(at, end));
                    let body = Span::at(after_break(bytes, end)).start;
                    return Fences::Closed { yaml, opening, closing, body };
                }
                _ => {}
            }
        }
        let Some(length) = memchr2(b'\n', b'\r', rest) else {
            return Fences::Unclosed { opening };
        };
        at = after_break(bytes, at + length);
    }
}

/// How many blanks `bytes` starts with.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The first line break at or after `at`, or the end of the bytes.
fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    memchr2(b'\n', b'\r', rest).map_or(bytes.len(), |length| at + length)
}

/// The first byte after the line break at `end`: LF, CRLF or a lone CR.
fn after_break(bytes: &[u8], end: usize) -> usize {
    match bytes.get(end..) {
        Some([b'\r', b'\n', ..]) => end + 2,
        Some([_, ..]) => end + 1,
        _ => end,
    }
}

#[cfg(test)]
#[path = "frontmatter_tests.rs"]
mod tests;
