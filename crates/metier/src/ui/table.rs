//! A table of text: columns as wide as their widest cell, the last one cut to the terminal.

use std::borrow::Cow;

use super::{Tone, shorten, width};

/// Spaces between two columns.
const GAP: usize = 2;

/// Columns the last cell keeps however narrow the terminal is.
const NARROWEST: usize = 12;

/// Rows of cells. All rows have as many cells as the first; a column without text takes no room.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
}

/// One cell: text that is safe for a terminal, and its tone.
#[derive(Debug)]
struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Table {
    /// Adds a row.
    pub(crate) fn row<const N: usize>(&mut self, cells: [(Option<Tone>, String); N]) {
        self.rows.push(cells.into_iter().map(|(tone, text)| Cell { text, tone }).collect());
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Writes the table to `out`, each cell with a tone through `paint`. Without `columns` nothing
    /// is cut.
    pub(crate) fn render(
        &self,
        columns: Option<usize>,
        out: &mut String,
        paint: impl Fn(Tone, &str, &mut String),
    ) {
        let widths = self.widths();
        let gap = |width: usize| if width == 0 { 0 } else { GAP };
        let before: usize = widths.iter().map(|width| width + gap(*width)).sum();
        let room = columns.map(|columns| columns.saturating_sub(before).max(NARROWEST));
        for row in &self.rows {
            let mut spaces = 0;
            for (index, cell) in row.iter().enumerate() {
                // The last cell of a row may take what is left and needs no padding.
                let (text, padded) = match (widths.get(index), room) {
                    (Some(width), _) => (Cow::Borrowed(cell.text.as_str()), *width),
                    (None, Some(room)) => (shorten(&cell.text, room), 0),
                    (None, None) => (Cow::Borrowed(cell.text.as_str()), 0),
                };
                if !text.is_empty() {
                    out.extend(std::iter::repeat_n(' ', spaces));
                    spaces = 0;
                    match cell.tone {
                        Some(tone) => paint(tone, &text, out),
                        None => out.push_str(&text),
                    }
                }
                spaces += padded.saturating_sub(width(&text)) + gap(padded);
            }
            out.push('\n');
        }
    }

    /// The widths of all columns but the last.
    fn widths(&self) -> Vec<usize> {
        let count = self.rows.first().map_or(0, Vec::len).saturating_sub(1);
        let mut widths = vec![0; count];
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = width(&cell.text).max(*widest);
            }
        }
        widths
    }
}
