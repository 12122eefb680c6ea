//! Lines and columns of many offsets in one pass over the file. [`Position::of`] walks from the
//! start each time, which two hundred findings at the end of a large file would feel.

use crate::span::Position;

/// The position of each of `offsets`, in their order. Linear in `bytes` plus sorting `offsets`.
pub(crate) fn positions(bytes: &[u8], offsets: &[u32]) -> Vec<Position> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|index| offsets.get(*index));
    let mut cursor = Cursor { at: 0, line: 1, column: 1 };
    let mut found = vec![Position { line: 1, column: 1 }; offsets.len()];
    for index in order {
        let (Some(offset), Some(slot)) = (offsets.get(index), found.get_mut(index)) else {
            continue;
        };
        cursor.advance(bytes, *offset as usize);
        *slot = Position { line: cursor.line, column: cursor.column };
    }
    found
}

/// A place that only moves forward.
struct Cursor {
    at: usize,
    line: u32,
    column: u32,
}

impl Cursor {
    /// Moves to `offset`. Line breaks and columns are counted as [`Position`] defines them.
    fn advance(&mut self, bytes: &[u8], offset: usize) {
        if self.at == 0 && offset >= 3 && bytes.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        while self.at < offset
            && let Some(byte) = bytes.get(self.at)
        {
            self.at += 1;
            let lone_return = *byte == b'\r' && bytes.get(self.at) != Some(&b'\n');
            if *byte == b'\n' || lone_return {
                self.line = self.line.saturating_add(1);
                self.column = 1;
            } else if byte & 0xc0 != 0x80 {
                self.column = self.column.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
