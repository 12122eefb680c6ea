//! Puts metier into chibi's plugins. As a copy: chibi refuses what lies elsewhere, and a link does.

#![expect(
    clippy::disallowed_methods,
    reason = "this module is the door to chibi's directory of plugins"
)]

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use metier_serve::chibi_plugin::COMMAND;

/// What the copy that was there before is called.
const BEFORE: &str = "agent-skills.before";

/// Most bytes a metier has, with everything a debugger wants.
const MAX_PROGRAM: u64 = 1 << 30;

/// Why the plugin was not installed, or not removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    /// There is a plugin of that name which is one file.
    #[error("`{}` is a file, and the plugin is a directory of that name", .0.display())]
    Occupied(PathBuf),
    /// Something on the disk did not work.
    #[error("cannot {act} `{}`", path.display())]
    Disk {
        /// What.
        act: &'static str,
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Copies this program to `agent-skills/agent-skills` in `plugins`, in one step. A plugin that is
/// there already and is another one is kept beside it, under a name the host does not start. Gives
/// the copy's path.
pub(crate) fn install_plugin(plugins: &Path) -> Result<PathBuf, InstallError> {
    let disk = |act: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { act, path, source }
    };
    let directory = plugins.join(COMMAND);
    if fs::symlink_metadata(&directory).is_ok_and(|found| !found.is_dir()) {
        return Err(InstallError::Occupied(directory));
    }
    fs::create_dir_all(&directory).map_err(disk("make", &directory))?;
    let program = std::env::current_exe().map_err(disk("find", Path::new("/proc/self/exe")))?;
    let (copy, new) = (copy_in(plugins), directory.join(".agent-skills.new"));
    fs::copy(&program, &new).map_err(disk("write", &new))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&new, mode).map_err(disk("write", &new))?;
    let before = directory.join(BEFORE);
    match fs::symlink_metadata(&copy) {
        Ok(_) if !is_metier(&copy) => {
            fs::rename(&copy, &before).map_err(disk("keep", &copy))?;
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(disk("look at", &copy)(error));
        }
        _ => {}
    }
    fs::rename(&new, &copy).map_err(disk("write", &copy))?;
    Ok(copy)
}

/// What the plugin in `plugins` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    /// There is none, or one of somebody else.
    No,
    /// A copy of this program.
    Current,
    /// A copy of another metier.
    Stale,
}

/// Where the copy lies in `plugins`.
pub(crate) fn copy_in(plugins: &Path) -> PathBuf {
    plugins.join(COMMAND).join(COMMAND)
}

/// Looks at the plugin in `plugins`.
pub(crate) fn installed(plugins: &Path) -> Installed {
    let copy = copy_in(plugins);
    if !is_metier(&copy) {
        return Installed::No;
    }
    match std::env::current_exe().is_ok_and(|program| is_same(&program, &copy)) {
        true => Installed::Current,
        false => Installed::Stale,
    }
}

/// Takes the plugin out of `plugins` again; one that was there before is put back. Nothing but a
/// copy of metier is removed. Gives its path when there was one.
pub(crate) fn remove_plugin(plugins: &Path) -> Result<Option<PathBuf>, InstallError> {
    let copy = copy_in(plugins);
    if installed(plugins) == Installed::No {
        return Ok(None);
    }
    let directory = plugins.join(COMMAND);
    let before = directory.join(BEFORE);
    let disk = |act: &'static str, path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { act, path, source }
    };
    match fs::symlink_metadata(&before) {
        Ok(_) => fs::rename(&before, &copy).map_err(disk("put back", &before))?,
        Err(_) => {
            fs::remove_file(&copy).map_err(disk("remove", &copy))?;
            // What else is in there stays, and the directory with it.
            let _ = fs::remove_dir(&directory);
        }
    }
    Ok(Some(copy))
}

/// Whether the program at `path` is a copy of some metier: it carries the name of the variable only
/// metier looks at.
fn is_metier(path: &Path) -> bool {
    let found = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let needle = b"METIER_CORRELATION";
    found
        && contents(path)
            .is_some_and(|bytes| bytes.windows(needle.len()).any(|part| part == needle))
}

/// Whether two programs are the same, byte for byte.
fn is_same(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map(|found| found.len()).ok();
    length(one) == length(other) && contents(one).is_some_and(|one| contents(other) == Some(one))
}

/// The bytes of a program, unless it is too large to be one of metier's.
fn contents(path: &Path) -> Option<Vec<u8>> {
    let length = fs::metadata(path).ok()?.len();
    (length <= MAX_PROGRAM).then(|| fs::read(path).ok()).flatten()
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
