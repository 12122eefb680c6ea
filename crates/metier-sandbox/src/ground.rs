//! The paths of a confinement, made real: symbolic links resolved, what does not exist refused or
//! passed over, what lies inside another path left out.

#![expect(clippy::disallowed_methods, reason = "resolves the paths that a child is given")]

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::backend::Ground;
use crate::confinement::{Confinement, DEVICES};
use crate::outcome::RunError;

/// Places that cannot be granted: they are not files but doors to the kernel and to other processes.
const DOORS: &[&str] = &["/proc", "/sys", "/dev"];

/// Resolves all paths. System paths that do not exist are passed over; a path the caller named and
/// that does not exist is an error.
pub(crate) fn resolve(confinement: &Confinement) -> Result<Ground, RunError> {
    let mut ground = Ground::default();
    for path in &confinement.write {
        let real = granted(path)?;
        note_link(&mut ground, path, &real);
        ground.write.push(real);
    }
    for path in &confinement.read {
        let real = granted(path)?;
        note_link(&mut ground, path, &real);
        ground.read.push(real);
    }
    for path in confinement.system_reads() {
        let Ok(real) = Path::new(path).canonicalize() else { continue };
        note_link(&mut ground, Path::new(path), &real);
        ground.read.push(real);
    }
    let devices = DEVICES.iter().map(PathBuf::from);
    ground.devices = devices.filter(|device| device.exists()).collect();
    ground.write = outermost(std::mem::take(&mut ground.write), &[]);
    ground.read = outermost(std::mem::take(&mut ground.read), &ground.write);
    Ok(ground)
}

fn granted(path: &Path) -> Result<PathBuf, RunError> {
    let error = |source| RunError::Path { path: path.to_owned(), source };
    // What `..` means depends on the links before it, and whoever made those may not be who named it.
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(error(io::Error::new(io::ErrorKind::InvalidInput, "the path has `..` in it")));
    }
    let real = path.canonicalize().map_err(error)?;
    let door = real == Path::new("/") || DOORS.iter().any(|door| real.starts_with(door));
    if door || !path.is_absolute() {
        let reason = if door { "this place cannot be granted" } else { "the path is not absolute" };
        return Err(error(io::Error::new(io::ErrorKind::InvalidInput, reason)));
    }
    Ok(real)
}

fn note_link(ground: &mut Ground, given: &Path, real: &Path) {
    if given != real {
        ground.links.push((given.to_owned(), real.to_owned()));
    }
}

/// Without those that lie in another of them or in one of `covering`. Sorted.
fn outermost(mut paths: Vec<PathBuf>, covering: &[PathBuf]) -> Vec<PathBuf> {
    paths.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        // Sorted by component, so what covers a path is the one kept last.
        let covered = kept.last().is_some_and(|last| path.starts_with(last));
        if !covered && !covering.iter().any(|cover| path.starts_with(cover)) {
            kept.push(path);
        }
    }
    kept
}

#[cfg(test)]
#[path = "ground_tests.rs"]
mod tests;
