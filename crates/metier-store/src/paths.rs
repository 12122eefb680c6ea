//! Relative paths as bytes: names on disk are bytes, and only what is shown becomes text.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use metier_format::text::visible_line;

/// The order of relative paths: component by component, each by its bytes. The same as [`Path`]'s,
/// without taking the paths apart.
pub(crate) fn path_order(a: &[u8], b: &[u8]) -> Ordering {
    // No name contains a NUL, so the slash may take its place.
    let rank = |byte: u8| if byte == b'/' { 0 } else { byte };
    match a.iter().zip(b).find(|(x, y)| x != y) {
        Some((x, y)) => rank(*x).cmp(&rank(*y)),
        None => a.len().cmp(&b.len()),
    }
}

/// The bytes of a path.
pub(crate) fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}

/// The path with these bytes.
pub(crate) fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}

/// The path with these bytes, in a box of exactly its size.
pub(crate) fn boxed_path(bytes: &[u8]) -> Box<Path> {
    Path::new(OsStr::from_bytes(bytes)).into()
}

/// `name` in `parent`, which may be empty.
pub(crate) fn joined(parent: &[u8], name: &[u8]) -> Vec<u8> {
    let slash = if parent.is_empty() { &b""[..] } else { b"/" };
    [parent, slash, name].concat()
}

/// The last component of a relative path.
pub(crate) fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// How many levels below the root a relative path is.
pub(crate) fn depth_of(path: &[u8]) -> usize {
    if path.is_empty() { 0 } else { 1 + path.iter().filter(|byte| **byte == b'/').count() }
}

/// A path as messages show it: one line, nothing live, `.` for the root itself.
pub(crate) fn shown(path: &[u8]) -> String {
    if path.is_empty() {
        return ".".to_owned();
    }
    visible_line(&String::from_utf8_lossy(path)).into_owned()
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
