//! A table of text: columns as wide as their widest cell, the last one cut or broken to the terminal.
//! Where the terminal leaves it too little room, it stands below the others instead of beside them.

use std::borrow::Cow;

use super::{Tone, shorten, width, wrap};

/// Spaces between two columns.
const GAP: usize = 2;

/// Columns the last cell needs to stand beside the others; with fewer it stands below them.
const NARROWEST: usize = 20;

/// How far what stands below the first line of a row is indented.
const INDENT: usize = 4;

/// Rows of cells. All rows have as many cells as the first; a column without text takes no room.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
    /// Whether the last cell of a row is broken into lines and never cut.
    whole: bool,
}

/// One cell: text that is safe for a terminal, and its tone.
#[derive(Debug)]
struct Cell {
    text: String,
    tone: Option<Tone>,
}

impl Table {
    /// An empty table whose last cells are broken into lines instead of being cut: for what has to
    /// be read to its end.
    pub(crate) fn whole() -> Self {
        Self { rows: Vec::new(), whole: true }
    }

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
        let before: usize = widths.iter().map(|width| width + gap(*width)).sum();
        let last = self.rows.iter().filter_map(|row| row.last());
        let needed = last.map(|cell| width(&cell.text)).max().unwrap_or(0).min(NARROWEST);
        let mut line = Line { out, used: 0, spaces: 0, paint };
        for row in &self.rows {
            match columns.filter(|columns| before + needed > *columns) {
                Some(columns) => self.below(row, columns, &mut line),
                None => self.beside(row, &widths, columns.map(|c| c - before), &mut line),
            }
            line.end();
        }
    }

    /// A row on one line, its last cell in `room` columns and, when it is to be whole, on as many
    /// lines as it needs.
    fn beside(
        &self,
        row: &[Cell],
        widths: &[usize],
        room: Option<usize>,
        line: &mut Line<'_, impl Fn(Tone, &str, &mut String)>,
    ) {
        let before = widths.iter().map(|width| width + gap(*width)).sum();
        for (index, cell) in row.iter().enumerate() {
            let Some(padded) = widths.get(index) else {
                line.last(cell, self.lines(cell, room), before);
                continue;
            };
            line.put(cell.tone, &cell.text);
            line.spaces += padded.saturating_sub(width(&cell.text)) + gap(*padded);
        }
    }

    /// A row on several lines: as many of the first cells on a line as fit, the last below them.
    fn below(
        &self,
        row: &[Cell],
        columns: usize,
        line: &mut Line<'_, impl Fn(Tone, &str, &mut String)>,
    ) {
        let Some((last, first)) = row.split_last() else { return };
        for cell in first.iter().filter(|cell| !cell.text.is_empty()) {
            if line.used > 0 && line.used + GAP + width(&cell.text) > columns {
                line.next(INDENT / 2);
            }
            line.put(cell.tone, &cell.text);
            line.spaces = GAP;
        }
        if !last.text.is_empty() {
            match line.used {
                0 => line.spaces = INDENT,
                _ => line.next(INDENT),
            }
            let room = Some(columns.saturating_sub(INDENT));
            line.last(last, self.lines(last, room), INDENT);
        }
    }

    /// The last cell of a row, in `room` columns.
    fn lines<'c>(&self, cell: &'c Cell, room: Option<usize>) -> Vec<Cow<'c, str>> {
        match room {
            Some(room) if width(&cell.text) > room => match self.whole {
                true => wrap(&cell.text, Some(room)).into_iter().map(Cow::Owned).collect(),
                false => vec![shorten(&cell.text, room)],
            },
            _ => vec![Cow::Borrowed(cell.text.as_str())],
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

/// The line that is being written.
struct Line<'o, P> {
    out: &'o mut String,
    /// Columns it has.
    used: usize,
    /// Spaces that are due before the next text; at the end of a line they are not written.
    spaces: usize,
    paint: P,
}

impl<P: Fn(Tone, &str, &mut String)> Line<'_, P> {
    fn put(&mut self, tone: Option<Tone>, text: &str) {
        if text.is_empty() {
            return;
        }
        let spaces = std::mem::take(&mut self.spaces);
        self.out.extend(std::iter::repeat_n(' ', spaces));
        self.used += spaces + width(text);
        match tone {
            Some(tone) => (self.paint)(tone, text, self.out),
            None => self.out.push_str(text),
        }
    }

    /// The lines of the last cell, all but the first indented.
    fn last(&mut self, cell: &Cell, lines: Vec<Cow<'_, str>>, indent: usize) {
        for (index, text) in lines.iter().enumerate() {
            if index > 0 {
                self.next(indent);
            }
            self.put(cell.tone, text);
        }
    }

    fn end(&mut self) {
        self.out.push('\n');
        (self.used, self.spaces) = (0, 0);
    }

    fn next(&mut self, indent: usize) {
        self.end();
        self.spaces = indent;
    }
}

/// The room behind a column: none behind one without text.
fn gap(width: usize) -> usize {
    if width == 0 { 0 } else { GAP }
}
