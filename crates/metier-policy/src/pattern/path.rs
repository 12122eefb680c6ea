//! What stands in the parentheses of `Read(…)`, `Write(…)` and the other tools that name files.
//!
//! | spelling | means |
//! |---|---|
//! | `/etc/**`, `//etc/**` | from the root |
//! | `~/notes/**` | from the user's home |
//! | `./docs/**`, `docs/**` | from the project, or the working directory where there is none |
//! | `*.md`, `.env` | a name without a slash: that name at any depth below the project |
//! | `docs/` | everything below `docs` |
//!
//! `*` and `?` stay within one segment, `**` crosses segments.

use crate::glob;
use crate::limits::MAX_PATTERN_BYTES;
use crate::pattern::Strictness;
use crate::place::{Ground, Spot, Spots};
use crate::shape::Shape;

/// A compiled path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPattern {
    start: Start,
    segments: Vec<String>,
    /// The segments in lowercase.
    lowercase: Vec<String>,
    /// The same, and everything beneath.
    beneath: Vec<String>,
    /// A part that any fitting path contains, in lowercase.
    needle: String,
}

/// Whether paths of which only a part is known are what a pattern is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meeting {
    /// None of them.
    None,
    /// As much as any file below a directory is one with a certain name.
    Conceivable,
    /// One of them may be.
    Possible,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Root,
    Home,
    Base,
}

impl PathPattern {
    /// Compiles `text`; the error says what is not understood.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.len() > MAX_PATTERN_BYTES || text.contains(char::is_control) {
            return Err("the path is empty, too long or contains control characters".to_owned());
        }
        if !glob::is_understood(text) || text.contains('\\') {
            return Err(format!("`{text}` uses wildcards other than `*`, `**` and `?`"));
        }
        let (start, rest) = match text {
            _ if text.starts_with('/') => (Start::Root, text),
            "~" => (Start::Home, ""),
            _ if text.starts_with("~/") => (Start::Home, &text[1..]),
            _ if text.starts_with('~') => {
                return Err(format!("`{text}` names another user's home"));
            }
            _ => (Start::Base, text),
        };
        let mut segments: Vec<String> = Vec::new();
        if start == Start::Base && !text.contains('/') {
            segments.push("**".to_owned());
        }
        let parts = rest.split('/').filter(|part| !part.is_empty() && *part != ".");
        segments.extend(parts.map(str::to_owned));
        if text.ends_with('/') {
            segments.push("**".to_owned());
        }
        if segments.iter().any(|segment| segment == "..") {
            return Err(format!("`{text}` contains `..`"));
        }
        let lowercase: Vec<String> = segments.iter().map(|s| s.to_lowercase()).collect();
        let mut beneath = lowercase.clone();
        beneath.push("**".to_owned());
        let fixed = lowercase.iter().filter(|segment| !glob::has_wildcard(segment));
        let needle = fixed.max_by_key(|segment| segment.len()).cloned().unwrap_or_default();
        Ok(Self { start, segments, lowercase, beneath, needle })
    }

    /// Whether the pattern covers these paths: all of them, exactly, for an allow; any of them, or
    /// anything beneath, in any case, where the answer would be stricter.
    pub(crate) fn covers(
        &self,
        spots: &Spots,
        ground: &Ground<'_>,
        strictness: Strictness,
    ) -> bool {
        // Most paths are nowhere near most patterns.
        if !spots.iter().any(|spot| spot.lowercase.contains(self.needle.as_str())) {
            return false;
        }
        let bases = match self.start {
            Start::Root => &[],
            Start::Home => ground.home(),
            Start::Base => ground.base(),
        };
        if bases.is_empty() && self.start != Start::Root {
            return strictness == Strictness::Possibly;
        }
        match strictness {
            Strictness::Surely => spots.iter().all(|spot| self.is_at(spot, bases)),
            Strictness::Possibly => spots.iter().any(|spot| {
                let path = &spot.lowercase;
                self.is_below(bases, |base| below(path, base.map_or("", |b| &b.lowercase)), true)
            }),
        }
    }

    /// Whether one of these paths is exactly what the pattern is about: who asks or denies means a
    /// file, by whatever link it is reached.
    pub(crate) fn names_one(&self, spots: &Spots, ground: &Ground<'_>) -> bool {
        let bases = match self.start {
            Start::Root => &[],
            Start::Home => ground.home(),
            Start::Base => ground.base(),
        };
        let told = self.start == Start::Root || !bases.is_empty();
        told && spots.iter().any(|spot| self.is_at(spot, bases))
    }

    fn is_at(&self, spot: &Spot, bases: &[Spot]) -> bool {
        self.is_below(bases, |base| below(&spot.path, base.map_or("", |b| &b.path)), false)
    }

    /// Whether one of the paths of a shape could be meant. A name at any depth is conceivably in
    /// whatever is open; anything else is meant where its own place is met.
    pub(crate) fn meets(&self, shape: &Shape, ground: &Ground<'_>) -> Meeting {
        let bases = match self.start {
            Start::Root => return self.meeting(shape, ""),
            Start::Home => ground.home(),
            Start::Base => ground.base(),
        };
        let meetings = bases.iter().map(|base| self.meeting(shape, &base.lowercase));
        meetings.max().unwrap_or(Meeting::Conceivable)
    }

    fn meeting(&self, shape: &Shape, base: &str) -> Meeting {
        let floats = self.segments.first().is_some_and(|segment| segment == "**");
        match Shape::of_pattern(base, &self.lowercase).meets(shape) {
            false => Meeting::None,
            true if floats && shape.is_open => Meeting::Conceivable,
            true => Meeting::Possible,
        }
    }

    /// Whether what is left of a path below one of the bases fits the segments.
    fn is_below<'p>(
        &self,
        bases: &[Spot],
        rest: impl Fn(Option<&Spot>) -> Option<Vec<&'p str>>,
        loosely: bool,
    ) -> bool {
        let fits = |rest: Vec<&str>| {
            if loosely {
                glob::matches_path(&self.lowercase, &rest)
                    || glob::matches_path(&self.beneath, &rest)
            } else {
                glob::matches_path(&self.segments, &rest)
            }
        };
        if bases.is_empty() {
            return rest(None).is_some_and(fits);
        }
        bases.iter().any(|base| rest(Some(base)).is_some_and(&fits))
    }
}

/// The segments of `path` below `base`, when it is there or equal to it.
fn below<'p>(path: &'p str, base: &str) -> Option<Vec<&'p str>> {
    let base = base.trim_end_matches('/');
    let rest = path.strip_prefix(base)?;
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    Some(rest.split('/').filter(|segment| !segment.is_empty()).collect())
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
