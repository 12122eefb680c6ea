//! The bytes of a frontmatter as text: UTF-8, and no character that YAML has no place for.

use std::ops::Range;

use super::fences::{Closed, place};
use crate::diagnostic::{Code, Diagnostic};
use crate::span::Span;

/// A byte-order mark other than UTF-8's, or the zero bytes that ASCII has in those encodings.
pub(super) fn is_utf16_or_32(bytes: &[u8]) -> bool {
    match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 0, 0xfe, 0xff, ..] => true,
        [0, 0, 0, last, ..] => *last != 0,
        [first, 0, 0, 0, ..] => *first != 0,
        [first, 0, third, 0, ..] => *first != 0 && *third != 0,
        [0, second, 0, fourth, ..] => *second != 0 && *fourth != 0,
        _ => false,
    }
}

/// The frontmatter as text, unless it has bytes that no YAML may have. The opening fence's comment
/// is held to the same.
pub(super) fn characters<'b>(
    bytes: &'b [u8],
    found: &Closed,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<&'b str> {
    let (start, end) = (found.opening.start as usize, found.yaml.end as usize);
    let before = diagnostics.len();
    let raw = bytes.get(start..end)?;
    if has_control(raw) {
        controls(raw, start, diagnostics);
    }
    match check_utf8(bytes, start..end) {
        Ok(text) if diagnostics.len() == before => text.get(found.yaml.start as usize - start..),
        Ok(_) => None,
        Err(diagnostic) => {
            diagnostics.push(diagnostic);
            None
        }
    }
}

/// The bytes of `range` as text, or the first that is none.
pub(super) fn check_utf8(bytes: &[u8], range: Range<usize>) -> Result<&str, Diagnostic> {
    let Range { start, end } = range;
    std::str::from_utf8(bytes.get(range).unwrap_or_default()).map_err(|error| {
        let at = start + error.valid_up_to();
        let length = error.error_len().unwrap_or(end.saturating_sub(at));
        let byte = bytes.get(at).copied().unwrap_or_default();
        let message = format!("The byte 0x{byte:02X} is not UTF-8");
        place(Code::NotUtf8, message, Span::new(at, at + length))
    })
}

/// Whether there is a byte that is, or may start, a control character YAML has no place for. No
/// branch inside the loop, so that it runs many bytes at a time.
fn has_control(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |any, byte| {
        let c0 = *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
        any | c0 | (*byte == 0x7f) | (*byte == 0xc2)
    })
}

/// The first NUL and the first other control character, each once.
fn controls(bytes: &[u8], base: usize, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(at) = memchr::memchr(0, bytes) {
        let span = Span::new(base + at, base + at + 1);
        diagnostics.push(place(Code::NulByte, "The frontmatter contains a NUL byte", span));
    }
    let mut previous = 0;
    for (at, byte) in bytes.iter().copied().enumerate() {
        // U+0080 to U+009F are C2 80 to C2 9F; YAML allows U+0085, a line break of old.
        let c1 = previous == 0xc2 && matches!(byte, 0x80..=0x9f) && byte != 0x85;
        let c0 = byte < 0x20 && !matches!(byte, 0 | b'\t' | b'\n' | b'\r');
        if c1 || c0 || byte == 0x7f {
            let span = Span::new(base + at - usize::from(c1), base + at + 1);
            let message = format!("The frontmatter contains the character U+{byte:04X}");
            diagnostics.push(place(Code::ControlCharacter, message, span));
            return;
        }
        previous = byte;
    }
}
