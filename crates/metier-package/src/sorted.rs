//! Looking one thing up in a text that has thousands, sorted: nothing is taken apart but what is
//! looked at. Pure.

use std::cmp::Ordering;

/// The entry of `key` in `text`, whose entries are sorted by their keys. Each begins where `mark`
/// stands, behind the line break that `mark` begins with, or where the text does; `key_of` finds its
/// key, and an entry without one is taken for smaller than every key. Takes O(log n) entries.
pub(crate) fn find<'a>(
    text: &'a str,
    mark: &str,
    key: &str,
    key_of: impl Fn(&'a str) -> Option<&'a str>,
) -> Option<&'a str> {
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let middle = text.floor_char_boundary(low.midpoint(high)).max(low);
        // A mark that begins before the middle may end behind it.
        let reach = text.floor_char_boundary((middle + mark.len() - 1).min(high));
        let before = text.get(low..reach.max(middle))?.rfind(mark);
        let start = before.map_or(low, |at| low + at + 1);
        let behind = text.get(middle..high)?.find(mark);
        let end = behind.map_or(high, |at| middle + at + 1);
        let entry = text.get(start..end)?;
        match key_of(entry).map_or(Ordering::Less, |found| found.cmp(key)) {
            Ordering::Less => low = end,
            Ordering::Equal => return Some(entry),
            Ordering::Greater => high = start,
        }
    }
    None
}

#[cfg(test)]
#[path = "sorted_tests.rs"]
mod tests;
