//! A few lines of a file around a span, safe to show: hostile characters are written out, bytes
//! that are not UTF-8 as `\xNN`, and a line of any length is cut to what surrounds the span. The
//! span moves along. Never longer than a screen, never a panic, whatever the bytes and the span.

use std::fmt::Write as _;
use std::ops::Range;

use crate::span::Span;
use crate::text;

/// Most bytes shown before the span on its line, of the span itself, and after it. A terminal is
/// some hundred columns wide; the renderer trims what is left.
const BEFORE: usize = 120;
const INSIDE: usize = 240;
const AFTER: usize = 80;

/// Most lines a marked span may take.
const LINES: usize = 3;

/// Lines to show, without a final line break, and where the span is in them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) marked: Range<usize>,
}

/// The excerpt of `source` for `span`. It starts on the line the span starts on.
pub(super) fn excerpt(source: &[u8], span: Span) -> Excerpt {
    let start = boundary(source, (span.start as usize).min(source.len()));
    let end = boundary(source, (span.end as usize).clamp(start, source.len()));
    let window = Window::around(source, start, end);
    let mut shown = Shown::default();
    if window.cut_before {
        shown.text.push('…');
    }
    shown.add(source.get(window.from..start).unwrap_or_default());
    let marked_from = shown.text.len();
    shown.add(source.get(start..window.span_end).unwrap_or_default());
    let marked_to = shown.text.len();
    shown.add(source.get(window.span_end..window.until).unwrap_or_default());
    if window.cut_after {
        shown.text.push('…');
    }
    Excerpt { text: shown.text, marked: marked_from..marked_to }
}

/// Which bytes are shown.
struct Window {
    from: usize,
    cut_before: bool,
    /// The end of the span, or of what is shown of it.
    span_end: usize,
    until: usize,
    cut_after: bool,
}

impl Window {
    fn around(source: &[u8], start: usize, end: usize) -> Self {
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let earliest = start.saturating_sub(BEFORE);
        let before = source.get(earliest..start).unwrap_or_default();
        let line_start = before.iter().rposition(is_break).map(|at| earliest + at + 1);
        let span_end = span_end(source, start, end);
        let latest = (span_end + AFTER).min(source.len());
        let after = source.get(span_end..latest).unwrap_or_default();
        let line_end = after.iter().position(is_break).map(|at| span_end + at);
        Self {
            from: line_start.unwrap_or_else(|| boundary(source, earliest)),
            cut_before: line_start.is_none() && earliest > 0,
            span_end,
            until: line_end.unwrap_or_else(|| boundary(source, latest)),
            cut_after: line_end.is_none() && latest < source.len(),
        }
    }
}

/// The end of the span `start..end`, or of its first lines and bytes when it is long. A line break
/// at its end is not marked.
fn span_end(source: &[u8], start: usize, end: usize) -> usize {
    let most = boundary(source, end.min(start + INSIDE)).min(end);
    let mut lines = 0;
    let mut at = start;
    while at < most {
        let is_break = match (source.get(at), source.get(at + 1)) {
            (Some(b'\r'), Some(b'\n')) => false,
            (Some(b'\n' | b'\r'), _) => true,
            _ => false,
        };
        at += 1;
        lines += usize::from(is_break);
        if lines == LINES {
            break;
        }
    }
    let marked = source.get(start..at).unwrap_or_default();
    let breaks = marked.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    at - breaks.min(marked.len())
}

/// The first place at or after `at` that is not inside a character.
fn boundary(source: &[u8], at: usize) -> usize {
    let inside = source.get(at..).unwrap_or_default().iter().take(3);
    at + inside.take_while(|byte| **byte & 0xc0 == 0x80).count()
}

#[derive(Default)]
struct Shown {
    text: String,
}

impl Shown {
    /// Adds `bytes` as they may be shown. All line breaks become LF.
    fn add(&mut self, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            let valid = chunk.valid().replace("\r\n", "\n").replace('\r', "\n");
            self.text.push_str(&text::visible(&valid));
            for byte in chunk.invalid() {
                let _ = write!(self.text, "\\x{byte:02x}");
            }
        }
    }
}

#[cfg(test)]
#[path = "excerpt_tests.rs"]
mod tests;
