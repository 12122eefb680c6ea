//! How many edits lie between two words: insertions, deletions, replacements and swaps of
//! neighbours, each place edited once (optimal string alignment).

/// The rows of the edit table from one fixed word to another that is given character by character.
/// Words that begin alike share rows, so a sorted vocabulary is compared without starting over at
/// each word.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    fixed: Vec<char>,
    given: Vec<char>,
    /// One row for each character given and one before them, each a cell longer than `fixed`.
    cells: Vec<u16>,
}

impl Rows {
    /// The table from `word` to nothing yet.
    pub(crate) fn new(word: &str) -> Self {
        let fixed: Vec<char> = word.chars().collect();
        let mut rows = Self { fixed, given: Vec::new(), cells: Vec::new() };
        rows.cells.extend((0..=u16::MAX).take(rows.width()));
        rows
    }

    /// Takes back all characters given after the first `depth`.
    pub(crate) fn truncate(&mut self, depth: usize) {
        self.given.truncate(depth);
        self.cells.truncate((self.given.len() + 1) * self.width());
    }

    /// Gives one more character and returns the smallest distance any word can have that goes on
    /// from here. It never falls as characters are given: a swap reaches back two rows, but a row
    /// is at most one above the row before it, so no swap undercuts it either.
    pub(crate) fn push(&mut self, c: char) -> usize {
        let width = self.width();
        let above = self.cells.len().saturating_sub(width);
        let swapped = self.given.last().copied();
        self.given.push(c);
        let mut left = u16::try_from(self.given.len()).unwrap_or(u16::MAX);
        let mut least = left;
        self.cells.push(left);
        for column in 1..width {
            let fixed = self.fixed.get(column - 1).copied();
            let replace = self.cell(above + column - 1).saturating_add(u16::from(fixed != Some(c)));
            let insert_or_delete = self.cell(above + column).min(left).saturating_add(1);
            left = replace.min(insert_or_delete);
            if column > 1 && fixed == swapped && self.fixed.get(column - 2) == Some(&c) {
                left = left.min(self.cell((above + column).wrapping_sub(width + 2)) + 1);
            }
            least = least.min(left);
            self.cells.push(left);
        }
        usize::from(least)
    }

    /// The distance between the fixed word and what has been given.
    pub(crate) fn last(&self) -> usize {
        self.cells.last().copied().map_or(usize::MAX, usize::from)
    }

    /// The distance to `word` when it is at most `max`.
    pub(crate) fn distance(&mut self, word: &str, max: usize) -> Option<usize> {
        self.truncate(0);
        if word.chars().count().abs_diff(self.fixed.len()) > max {
            return None;
        }
        for c in word.chars() {
            if self.push(c) > max {
                return None;
            }
        }
        Some(self.last()).filter(|edits| *edits <= max)
    }

    fn width(&self) -> usize {
        self.fixed.len() + 1
    }

    fn cell(&self, at: usize) -> u16 {
        self.cells.get(at).copied().unwrap_or(u16::MAX - 1)
    }
}

#[cfg(test)]
#[path = "distance_tests.rs"]
mod tests;
