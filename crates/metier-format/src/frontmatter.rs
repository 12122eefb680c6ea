//! Where the frontmatter of a file starts and ends. Fences are whole lines; `---` inside a value or
//! the body is text. Works on a prefix of the file, so that discovery can stop reading early.

use crate::span::Span;

/// What the start of a file looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fences {
    /// Both fences were found.
    Closed {
        /// The bytes between the fence lines.
        yaml: Span,
        /// The opening fence's line, from its first byte to before its line break.
        opening: Span,
        /// The closing fence's line likewise.
        closing: Span,
        /// First byte after the closing fence's line break.
        body: u32,
    },
    /// An opening fence, and no closing one in these bytes.
    Unclosed {
        /// The opening fence's line.
        opening: Span,
    },
    /// No opening fence.
    Absent,
}

/// Finds the fences in `bytes`, which may be a prefix of the file. One pass, no allocation.
#[must_use]
pub fn find(bytes: &[u8]) -> Fences {
    // STUB until the real one lands.
    let Some(rest) = bytes.strip_prefix(b"---\n") else { return Fences::Absent };
    let opening = Span::new(0, 3);
    let mut at = 4;
    for line in rest.split_inclusive(|b| *b == b'\n') {
        if line.trim_ascii_end() == b"---" {
            return Fences::Closed {
                yaml: Span::new(4, at),
                opening,
                closing: Span::new(at, at + 3),
                body: Span::at(at + line.len()).start,
            };
        }
        at += line.len();
    }
    Fences::Unclosed { opening }
}
