//! Wildcards in names and paths. `*` and `?` never cross a `/`; `**` as a whole path segment
//! stands for any number of segments. Nothing else is special: a pattern with `[`, `]`, `{` or `}`
//! is not understood and the caller must refuse it with [`is_understood`].
//!
//! Both matchers remember only the last star, so they take at most pattern length times text
//! length steps.

/// Whether every wildcard in `pattern` is one this module knows.
#[must_use]
pub(crate) fn is_understood(pattern: &str) -> bool {
    !pattern.contains(['[', ']', '{', '}', '\0'])
}

/// Whether `pattern` has a wildcard at all.
#[must_use]
pub(crate) fn has_wildcard(pattern: &str) -> bool {
    pattern.contains(['*', '?'])
}

/// Whether `text` is what `pattern` describes. `*` and `?` stand for any characters but `stop`.
pub(crate) fn matches(pattern: &str, text: &str, stop: Option<u8>) -> bool {
    if !has_wildcard(pattern) {
        return pattern == text;
    }
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(t) {
        match pattern.get(p) {
            Some(b'*') => {
                last_star = Some((p, t));
                p += 1;
            }
            Some(b'?') if Some(*byte) != stop => {
                p += 1;
                t += character_length(*byte);
            }
            Some(same) if same == byte && *same != b'?' => {
                p += 1;
                t += 1;
            }
            _ => match last_star {
                Some((star, from)) if text.get(from).is_some_and(|b| Some(*b) != stop) => {
                    last_star = Some((star, from + 1));
                    (p, t) = (star + 1, from + 1);
                }
                _ => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

/// How many bytes the character has that starts with this one.
fn character_length(first: u8) -> usize {
    match first {
        0xf0.. => 4,
        0xe0.. => 3,
        0xc0.. => 2,
        _ => 1,
    }
}

/// Whether a path, given as its segments, is what the pattern's segments describe.
pub(crate) fn matches_path(pattern: &[String], path: &[&str]) -> bool {
    let one = |p: &String, t: &&str| matches(p, t, Some(b'/'));
    wildcard(pattern, path, |p| p == "**", one, |_| true)
}

/// The shared walk: `star` is the element that stands for any run of elements `may_skip` accepts.
pub(crate) fn wildcard<P, T>(
    pattern: &[P],
    text: &[T],
    is_star: impl Fn(&P) -> bool,
    one: impl Fn(&P, &T) -> bool,
    may_skip: impl Fn(&T) -> bool,
) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while let Some(element) = text.get(t) {
        match pattern.get(p) {
            Some(star) if is_star(star) => {
                last_star = Some((p, t));
                p += 1;
            }
            Some(same) if one(same, element) => {
                p += 1;
                t += 1;
            }
            _ => match last_star {
                Some((star, from)) if text.get(from).is_some_and(&may_skip) => {
                    last_star = Some((star, from + 1));
                    p = star + 1;
                    t = from + 1;
                }
                _ => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(is_star))
}

#[cfg(test)]
#[path = "glob_tests.rs"]
mod tests;
