//! Built-in tables as the build wrote them: entries in JSON, each read when somebody asks for it, and
//! names in order. Knows nothing about what is in an entry.

use std::sync::OnceLock;

use serde::de::DeserializeOwned;

/// Entries of one table, in one text.
pub(crate) struct Entries<T: 'static> {
    pub(crate) texts: &'static str,
    /// Where each ends.
    pub(crate) ends: &'static [u32],
    /// Each once it was read.
    pub(crate) read: &'static [OnceLock<Box<T>>],
}

/// Names in order, in one text.
pub(crate) struct Names {
    pub(crate) texts: &'static str,
    /// Where each ends.
    pub(crate) ends: &'static [u16],
    /// The entry that each is of.
    pub(crate) of: &'static [u16],
}

impl<T: DeserializeOwned> Entries<T> {
    /// The entry at this position. One that cannot be read, which a test excludes, is what `otherwise`
    /// says.
    pub(crate) fn get(&self, at: usize, otherwise: fn() -> T) -> Option<&'static T> {
        let text = || {
            let from =
                at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
            let to = self.ends.get(at).copied()?;
            self.texts.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)
        };
        let read = || {
            let entry = text().and_then(|text| serde_json::from_str(text).ok());
            Box::new(entry.unwrap_or_else(otherwise))
        };
        Some(self.read.get(at)?.get_or_init(read).as_ref())
    }
}

impl Names {
    /// The entry with this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let (mut from, mut to) = (0, self.ends.len());
        while from < to {
            let middle = usize::midpoint(from, to);
            match self.at(middle)?.cmp(name) {
                std::cmp::Ordering::Equal => return self.of.get(middle).copied().map(usize::from),
                std::cmp::Ordering::Less => from = middle + 1,
                std::cmp::Ordering::Greater => to = middle,
            }
        }
        None
    }

    /// The first name of an entry.
    pub(crate) fn of(&self, entry: usize) -> Option<&'static str> {
        self.at(self.of.iter().position(|of| usize::from(*of) == entry)?)
    }

    fn at(&self, at: usize) -> Option<&'static str> {
        let from = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.texts.get(usize::from(from)..usize::from(*self.ends.get(at)?))
    }
}

#[cfg(test)]
#[path = "entries_tests.rs"]
mod tests;
