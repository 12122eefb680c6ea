//! A table of text: columns as wide as their widest cell, the last one cut to the terminal.

use unicode_width::UnicodeWidthStr as _;

use super::{Tone, shorten};

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

    /// The table as text. Without `columns` nothing is cut.
    pub(crate) fn render(
        &self,
        columns: Option<usize>,
        paint: impl Fn(Tone, &str) -> String,
    ) -> String {
        let count = self.rows.first().map_or(0, Vec::len);
        let width_of = |index: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(index));
            cells.map(|cell| cell.text.width()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..count).map(width_of).collect();
        let gap = |width: usize| if width == 0 { 0 } else { GAP };
        let before: usize = widths.iter().rev().skip(1).map(|width| width + gap(*width)).sum();
        let last = columns.map(|columns| columns.saturating_sub(before).max(NARROWEST));
        let mut out = String::new();
        for row in &self.rows {
            let mut spaces = 0;
            for (index, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let cut = if index + 1 == count { last } else { None };
                let text = cut.map_or_else(|| cell.text.clone(), |cut| shorten(&cell.text, cut));
                if text.is_empty() {
                    spaces += width + gap(*width);
                    continue;
                }
                out.extend(std::iter::repeat_n(' ', spaces));
                spaces = width.saturating_sub(text.width()) + gap(*width);
                out.push_str(&cell.tone.map_or_else(|| text.clone(), |tone| paint(tone, &text)));
            }
            out.push('\n');
        }
        out
    }
}
