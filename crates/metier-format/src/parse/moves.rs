//! Where a place in a repaired text is in the file it came from.

use crate::diagnostic::Edit;
use crate::span::Span;
use crate::yaml::{Entry, Node, Tree, Value};

/// How places in a repaired text map to places in the file.
pub(super) struct Moves {
    /// Of each edit: where its text starts and ends after the repair, and what it replaced.
    edits: Vec<(u32, u32, Span)>,
}

impl Moves {
    pub(super) fn of(edits: &[Edit]) -> Self {
        let mut shift = 0i64;
        let place = |offset: i64| u32::try_from(offset).unwrap_or(u32::MAX);
        let edits = edits.iter().map(|edit| {
            let start = i64::from(edit.span.start) + shift;
            let end = start + i64::try_from(edit.text.len()).unwrap_or(i64::MAX);
            shift = end - i64::from(edit.span.end);
            (place(start), place(end), edit.span)
        });
        Self { edits: edits.collect() }
    }

    /// Moves every place of `tree`. Linear in its size, times the logarithm of the edits.
    pub(super) fn tree(&self, tree: &mut Tree<'_>) {
        tree.entries.iter_mut().for_each(|entry| self.entry(entry));
        tree.duplicates.iter_mut().for_each(|span| *span = self.span(*span));
    }

    fn entry(&self, entry: &mut Entry<'_>) {
        entry.key_span = self.span(entry.key_span);
        self.node(&mut entry.value);
    }

    fn node(&self, node: &mut Node<'_>) {
        node.span = self.span(node.span);
        match &mut node.value {
            Value::Scalar(_) => {}
            Value::Sequence(items) => items.iter_mut().for_each(|item| self.node(item)),
            Value::Mapping(entries) => entries.iter_mut().for_each(|entry| self.entry(entry)),
        }
    }

    /// A place inside an edit becomes all that the edit replaced.
    fn span(&self, span: Span) -> Span {
        let (start, _) = self.offset(span.start);
        let (_, end) = self.offset(span.end);
        Span::new(start as usize, end as usize)
    }

    /// The first and the last offset in the file that `offset` may stand for.
    fn offset(&self, offset: u32) -> (u32, u32) {
        let after = self.edits.partition_point(|(start, _, _)| *start <= offset);
        match after.checked_sub(1).and_then(|index| self.edits.get(index)) {
            None => (offset, offset),
            Some((start, end, replaced)) if offset < *end || offset == *start => {
                // At its very start, an end belongs to what stands before the edit.
                let last = if offset == *start { replaced.start } else { replaced.end };
                (replaced.start, last)
            }
            Some((_, end, replaced)) => {
                let moved = replaced.end + (offset - end);
                (moved, moved)
            }
        }
    }
}

#[cfg(test)]
#[path = "moves_tests.rs"]
mod tests;
