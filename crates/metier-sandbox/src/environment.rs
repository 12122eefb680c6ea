//! What a child sees in its environment: a short fixed list, and the variables that were named.
//!
//! Pure. Who may name a variable is decided elsewhere; this module only spells the result. `HOME`
//! and `TMPDIR` are added by the runner, which alone knows where the private directory lies.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Where programs are looked up. Fixed: a caller's `PATH` may begin with a directory that the skill
/// can write.
pub const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Set for every child: text is UTF-8, nothing paints, pages or asks.
const MINIMAL: &[(&str, &str)] = &[
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("PATH", PATH),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("TERM", "dumb"),
];

/// Variables that make a loader or an interpreter run other code. A wildcard never reaches them;
/// they have to be named in full.
const LOADERS: &[&str] = &[
    "BASH_ENV",
    "BASH_FUNC_*",
    "DYLD_*",
    "ENV",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "IFS",
    "LD_*",
    "LOCPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5*",
    "PYTHON*",
    "RUBYLIB",
    "RUBYOPT",
];

/// The child's environment: the minimal list, then every variable of `outer` whose name an entry of
/// `allowed` matches. `*` in an entry stands for any run of characters. Names that cannot be set
/// (empty, with `=` or NUL) and values with NUL are left out. Sorted by name, no name twice; costs
/// one match per pair of variable and entry.
#[must_use]
pub fn build(allowed: &[&str], outer: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let mut list: Vec<(OsString, OsString)> =
        MINIMAL.iter().map(|(name, value)| (name.into(), value.into())).collect();
    for (name, value) in outer.iter().filter(|(name, value)| can_be_set(name, value)) {
        if allowed.iter().any(|entry| admits(entry, name)) {
            list.retain(|(known, _)| known != name);
            list.push((name.clone(), value.clone()));
        }
    }
    list.sort();
    list
}

fn can_be_set(name: &OsStr, value: &OsStr) -> bool {
    let name = name.as_bytes();
    !name.is_empty()
        && !name.contains(&b'=')
        && !name.contains(&0)
        && !value.as_bytes().contains(&0)
}

fn admits(entry: &str, name: &OsStr) -> bool {
    let name = name.as_bytes();
    if !entry.contains('*') {
        return entry.as_bytes() == name;
    }
    matches(entry.as_bytes(), name) && !LOADERS.iter().any(|l| matches(l.as_bytes(), name))
}

/// Whether `pattern` matches all of `text`. Remembers only the last `*`, so the worst case is the
/// product of the lengths and nothing is ever exponential.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(byte) if Some(byte) == text.get(t) => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((after_star, start)) = retry else { return false };
                retry = Some((after_star, start + 1));
                (p, t) = (after_star, start + 1);
            }
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
