//! Where in a file something stands: byte ranges, and the line and column a person counts.

use serde::Serialize;

/// A half-open range of bytes in one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`. Offsets past 4 GiB saturate; no file
    /// that large is ever parsed.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end.max(start)) }
    }

    /// An empty span at one offset.
    #[must_use]
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// The range, for slicing.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text this span covers, or nothing when it does not fit `text`.
    #[must_use]
    pub fn slice(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or("")
    }
}

/// A value with the place it was written at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands in the file.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `value`, written at `span`.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

impl<T> std::ops::Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Line and column as editors count them: both from 1, columns in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in code points, from 1.
    pub column: u32,
}

impl Position {
    /// The position of byte `offset` in `bytes`. Lines end at LF, CRLF or a lone CR. Linear in
    /// `offset`; asked only for what is reported.
    #[must_use]
    pub fn of(bytes: &[u8], offset: usize) -> Self {
        let before = &bytes[..offset.min(bytes.len())];
        let mut line = 1u32;
        let mut line_start = 0;
        let mut index = 0;
        while index < before.len() {
            let byte = before[index];
            index += 1;
            if byte == b'\r' && bytes.get(index) == Some(&b'\n') {
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                line += 1;
                line_start = index;
            }
        }
        let tail = &before[line_start..];
        let bom = usize::from(line == 1 && tail.starts_with(b"\xef\xbb\xbf"));
        let chars = tail.iter().filter(|byte| (**byte & 0xc0) != 0x80).count() - bom;
        Self { line, column: u32::try_from(chars).unwrap_or(u32::MAX).saturating_add(1) }
    }
}
