//! The findings of one file made ready to hand out: in file order, no more than are kept, each with
//! its line and column.

use crate::diagnostic::{Code, Diagnostic};
use crate::frontmatter::BYTE_ORDER_MARK;
use crate::limits::MAX_DIAGNOSTICS;
use crate::span::Position;

/// Puts `diagnostics` in order. One pass over the bytes, however many there are.
pub(super) fn order(bytes: &[u8], diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or(0, |span| span.start));
    limit(diagnostics);
    locate(bytes, diagnostics);
}

/// Drops findings past the limit, never one that prevents loading, and says how many.
fn limit(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MAX_DIAGNOSTICS {
        return;
    }
    let fatal = diagnostics.iter().filter(|d| d.code.prevents_loading()).count();
    let mut room = (MAX_DIAGNOSTICS - 1).saturating_sub(fatal);
    let before = diagnostics.len();
    diagnostics.retain(|diagnostic| {
        let keep = diagnostic.code.prevents_loading() || room > 0;
        room = room.saturating_sub(usize::from(!diagnostic.code.prevents_loading()));
        keep
    });
    let message = format!("{} more findings are not shown", before - diagnostics.len());
    diagnostics.push(Diagnostic::new(Code::TooManyDiagnostics, message));
}

/// Fills in the positions of findings that are in file order: one pass over the bytes, however
/// many there are.
fn locate(bytes: &[u8], diagnostics: &mut [Diagnostic]) {
    let mut at = 0;
    let mut position = Position { line: 1, column: 1 };
    for diagnostic in diagnostics {
        let Some(span) = diagnostic.span else { continue };
        let end = (span.start as usize).clamp(at, bytes.len().max(at));
        for index in at..end {
            advance(bytes, index, &mut position);
        }
        at = end;
        diagnostic.position = Some(position);
    }
}

/// Moves `position` over the byte at `index`, as [`Position::of`] counts.
fn advance(bytes: &[u8], index: usize, position: &mut Position) {
    let byte = bytes.get(index).copied().unwrap_or_default();
    let next = bytes.get(index + 1).copied();
    if byte == b'\n' || (byte == b'\r' && next != Some(b'\n')) {
        *position = Position { line: position.line + 1, column: 1 };
    } else if index == 0 && bytes.starts_with(BYTE_ORDER_MARK) {
        // The mark is no column.
    } else if byte & 0xc0 != 0x80 {
        position.column = position.column.saturating_add(1);
    }
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;
