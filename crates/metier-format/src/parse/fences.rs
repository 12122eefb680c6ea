//! What is wrong around the fences: none, never closed, too far apart, or not quite alone on their
//! lines. Near misses are named, so that a person sees which line was meant.

use crate::diagnostic::{Code, Diagnostic, Edit};
use crate::frontmatter::{self, BYTE_ORDER_MARK, Extent, Fences};
use crate::limits::{MAX_FRONTMATTER_BYTES, MAX_LEADING_BLANK_BYTES, MAX_PREFIX_BYTES};
use crate::span::Span;
use crate::text::quoted;

/// The places of a closed frontmatter.
pub(super) struct Closed {
    pub(super) opening: Span,
    pub(super) yaml: Span,
    pub(super) body: u32,
}

/// The fences of a file, or a finding that says why there are none.
pub(super) fn fences(bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) -> Option<Closed> {
    // A file that goes on past the limit is a prefix here, whether or not the rest was read.
    let extent = if bytes.len() < MAX_PREFIX_BYTES { Extent::Whole } else { Extent::Prefix };
    let head = bytes.get(..MAX_PREFIX_BYTES).unwrap_or(bytes);
    match frontmatter::find(head, extent) {
        Fences::Closed { yaml, opening, body, .. } => {
            around_opening(bytes, opening, diagnostics);
            if yaml.range().len() > MAX_FRONTMATTER_BYTES {
                too_large(opening, diagnostics);
                return None;
            }
            Some(Closed { opening, yaml, body })
        }
        Fences::Unclosed { opening } => {
            around_opening(bytes, opening, diagnostics);
            match extent {
                Extent::Prefix => too_large(opening, diagnostics),
                Extent::Whole => unclosed(bytes, opening, diagnostics),
            }
            None
        }
        Fences::Absent => {
            absent(head, diagnostics);
            None
        }
    }
}

/// Findings about the opening fence: a byte-order mark, blanks before it, a comment after it.
fn around_opening(bytes: &[u8], opening: Span, diagnostics: &mut Vec<Diagnostic>) {
    let (start, end) = (opening.start as usize, opening.end as usize);
    let delete = |span| vec![Edit { span, text: String::new() }];
    let mut mark = 0;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        mark = BYTE_ORDER_MARK.len();
        let span = Span::new(0, mark);
        let message = "The file starts with a byte-order mark";
        diagnostics.push(place(Code::ByteOrderMark, message, span).fix(delete(span)));
    }
    if start > mark {
        let span = Span::new(mark, start);
        let message = "The opening `---` is not at the start of the file";
        diagnostics.push(place(Code::TextBeforeFrontmatter, message, span).fix(delete(span)));
    }
    let line = bytes.get(start..end).unwrap_or_default();
    if let Some(comment) = line.iter().position(|byte| *byte == b'#') {
        let gap = Span::new(start + 3, start + comment);
        let edit = Edit { span: gap, text: line_break(bytes, end).to_owned() };
        let message = "A comment follows the opening `---` on its line";
        let span = Span::new(start + comment, end);
        diagnostics.push(place(Code::TextOnFence, message, span).fix(vec![edit]));
    }
}

/// The line break that stands at `at`, for edits that add one.
fn line_break(bytes: &[u8], at: usize) -> &'static str {
    match bytes.get(at..) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}

fn too_large(opening: Span, diagnostics: &mut Vec<Diagnostic>) {
    let message = format!("The frontmatter has more than {MAX_FRONTMATTER_BYTES} bytes");
    diagnostics.push(place(Code::FrontmatterTooLarge, message, opening));
}

/// Says that the frontmatter never closes, and which line looks as if it were meant to.
fn unclosed(bytes: &[u8], opening: Span, diagnostics: &mut Vec<Diagnostic>) {
    let message = "The frontmatter is not closed by a line `---`";
    let mut diagnostic = place(Code::UnclosedFrontmatter, message, opening);
    let rest = bytes.get(opening.end as usize..).unwrap_or_default();
    let meant = |line: &&[u8]| {
        let line = line.trim_ascii();
        line.starts_with(b"---") || line == b"..."
    };
    if let Some(line) = rest.split(|byte| matches!(byte, b'\n' | b'\r')).find(meant) {
        let shown = quoted(&String::from_utf8_lossy(line));
        let help = format!("write `---` alone and at the first column instead of {shown}");
        diagnostic.help = Some(help);
    }
    diagnostics.push(diagnostic);
}

/// Says why the file does not start with a fence, from its first line with something on it.
fn absent(head: &[u8], diagnostics: &mut Vec<Diagnostic>) {
    let mark = if head.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let rest = head.get(mark..).unwrap_or_default();
    let start = mark + (rest.len() - rest.trim_ascii_start().len());
    let line = head.get(start..).unwrap_or_default();
    let line = line.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let span = Span::new(start, start + line.len());
    let shown = quoted(&String::from_utf8_lossy(line));
    let diagnostic = match line {
        [] => place(Code::NoFrontmatter, "The file is empty", span),
        [b'-', b'-', b'-', rest @ ..] if start - mark <= MAX_LEADING_BLANK_BYTES => {
            let message = format!("The first line is {shown}, not `---` alone");
            let found = place(Code::NoFrontmatter, message, span)
                .help("put the opening `---` on a line of its own");
            // A key stuck to the fence can only be the first line of the frontmatter.
            let key = rest.first().is_some_and(u8::is_ascii_alphabetic) && rest.contains(&b':');
            let at = Span::at(start + 3);
            let text = line_break(head, start + line.len()).to_owned();
            found.fix(if key { vec![Edit { span: at, text }] } else { Vec::new() })
        }
        _ => {
            let message = format!("The file starts with {shown}, not with `---`");
            place(Code::NoFrontmatter, message, span)
        }
    };
    diagnostics.push(diagnostic);
}

/// A finding at `span`. Its line and column are filled in when all are known.
pub(super) fn place(code: Code, message: impl Into<String>, span: Span) -> Diagnostic {
    let mut diagnostic = Diagnostic::new(code, message);
    diagnostic.span = Some(span);
    diagnostic
}
