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
use crate::place::{Place, Spots, normalize};

/// A compiled path pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathPattern {
    start: Start,
    segments: Vec<String>,
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
        Ok(Self { start, segments })
    }

    /// Whether the pattern covers these paths: all of them, exactly, for an allow; any of them, or
    /// anything beneath, in any case, where the answer would be stricter.
    pub(crate) fn covers(&self, spots: &Spots, place: &Place<'_>, strictness: Strictness) -> bool {
        let Some(bases) = self.bases(place) else { return strictness == Strictness::Possibly };
        let any_base = |test: &dyn Fn(&str) -> bool| bases.iter().any(|base| test(base));
        match strictness {
            Strictness::Surely => {
                spots.iter().all(|path| any_base(&|base| self.covers_exactly(path, base)))
            }
            Strictness::Possibly => {
                spots.iter().any(|path| any_base(&|base| self.covers_loosely(path, base)))
            }
        }
    }

    /// The directory the pattern starts in, as spelled and as it really is. Only this directory is
    /// resolved, never a part of the pattern: a link planted inside the project must not carry the
    /// pattern elsewhere.
    fn bases(&self, place: &Place<'_>) -> Option<Vec<String>> {
        let start = match self.start {
            Start::Root => return Some(vec!["/".to_owned()]),
            Start::Home => place.home?,
            Start::Base => place.base(),
        };
        let spelled = normalize(start.to_str()?, None)?;
        let real = place.resolver.real(start);
        let real = real.as_deref().and_then(|real| normalize(real.to_str()?, None));
        Some([Some(spelled), real].into_iter().flatten().collect())
    }

    fn covers_exactly(&self, path: &str, base: &str) -> bool {
        let Some(rest) = below(path, base) else { return false };
        glob::matches_path(&self.segments, &rest)
    }

    fn covers_loosely(&self, path: &str, base: &str) -> bool {
        let (path, base) = (path.to_lowercase(), base.to_lowercase());
        let Some(rest) = below(&path, &base) else { return false };
        let mut wider: Vec<String> = self.segments.iter().map(|s| s.to_lowercase()).collect();
        if glob::matches_path(&wider, &rest) {
            return true;
        }
        wider.push("**".to_owned());
        glob::matches_path(&wider, &rest)
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
