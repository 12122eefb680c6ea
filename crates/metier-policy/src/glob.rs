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

/// Whether `text` is what `pattern` describes. `*` stands for any characters but those in `stop`.
pub(crate) fn matches(pattern: &str, text: &str, stop: Option<char>) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let one = |p: &char, t: &char| match p {
        '?' => Some(*t) != stop,
        other => other == t,
    };
    wildcard(&pattern, &text, |p| *p == '*', one, |t| Some(*t) != stop)
}

/// Whether a path, given as its segments, is what the pattern's segments describe.
pub(crate) fn matches_path(pattern: &[String], path: &[&str]) -> bool {
    let one = |p: &String, t: &&str| matches(p, t, Some('/'));
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
