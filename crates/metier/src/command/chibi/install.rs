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

/// What a plugin that was one file, where the directory now is, is called in there: the host starts
/// every program it finds beside the directory.
const BEFORE_FILE: &str = "agent-skills.before-file";

/// The directory while the file is put into it.
const MAKING: &str = ".agent-skills.making";

/// Most plugins of others that are kept under one name and a number.
const MAX_KEPT: usize = 100;

/// Most bytes a metier has, with everything a debugger wants.
const MAX_PROGRAM: u64 = 1 << 30;

/// Why the plugin was not installed, or not removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InstallError {
    /// So many plugins were there before that there is no name left to keep one under.
    #[error("`{}` and a hundred like it are kept already", .0.display())]
    TooMany(PathBuf),
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
    let directory = plugins.join(COMMAND);
    make_room(plugins)?;
    fs::create_dir_all(&directory).map_err(disk("make", &directory))?;
    let program = std::env::current_exe().map_err(disk("find", Path::new("/proc/self/exe")))?;
    let (copy, new) = (copy_in(plugins), directory.join(".agent-skills.new"));
    fs::copy(&program, &new).map_err(disk("write", &new))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(&new, mode).map_err(disk("write", &new))?;
    match fs::symlink_metadata(&copy) {
        Ok(_) if !is_metier(&copy) => {
            let before = free(&directory.join(BEFORE))?;
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

/// Puts a plugin that is one file into a directory of its name.
fn make_room(plugins: &Path) -> Result<(), InstallError> {
    let (directory, making) = (plugins.join(COMMAND), plugins.join(MAKING));
    if is_one_file(plugins) {
        fs::create_dir_all(&making).map_err(disk("make", &making))?;
        let kept = free(&making.join(BEFORE_FILE))?;
        fs::rename(&directory, &kept).map_err(disk("keep", &directory))?;
    }
    // Also what an earlier process did not bring to an end.
    match fs::symlink_metadata(&making) {
        Ok(_) if !is_taken(&directory) => {
            fs::rename(&making, &directory).map_err(disk("make", &directory))
        }
        _ => Ok(()),
    }
}

/// Whether the plugin in `plugins` is one file, where the directory belongs.
pub(crate) fn is_one_file(plugins: &Path) -> bool {
    fs::symlink_metadata(plugins.join(COMMAND)).is_ok_and(|found| !found.is_dir())
}

/// The path, or one like it that nothing has.
fn free(path: &Path) -> Result<PathBuf, InstallError> {
    let numbered = (2..=MAX_KEPT).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    });
    let mut all = std::iter::once(path.to_owned()).chain(numbered);
    all.find(|path| !is_taken(path)).ok_or_else(|| InstallError::TooMany(path.to_owned()))
}

fn is_taken(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn disk(act: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> InstallError {
    let path = path.to_owned();
    move |source| InstallError::Disk { act, path, source }
}

/// What the plugin in `plugins` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Installed {
    /// There is none.
    No,
    /// One of somebody else.
    Foreign,
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
        let is_there = is_one_file(plugins) || is_taken(&copy);
        return if is_there { Installed::Foreign } else { Installed::No };
    }
    match std::env::current_exe().is_ok_and(|program| is_same(&program, &copy)) {
        true => Installed::Current,
        false => Installed::Stale,
    }
}

/// Whether there is something for [`remove_plugin`] to do in `plugins`.
pub(crate) fn is_removable(plugins: &Path) -> bool {
    let kept = [BEFORE, BEFORE_FILE].map(|name| plugins.join(COMMAND).join(name));
    match installed(plugins) {
        Installed::Current | Installed::Stale => true,
        Installed::No => kept.iter().any(|path| is_taken(path)),
        Installed::Foreign => false,
    }
}

/// Takes the plugin out of `plugins` again; one that was there before is put back. Nothing but a
/// copy of metier is removed. Gives its path when there was one.
pub(crate) fn remove_plugin(plugins: &Path) -> Result<Option<PathBuf>, InstallError> {
    let copy = copy_in(plugins);
    if !is_removable(plugins) {
        return Ok(None);
    }
    let before = plugins.join(COMMAND).join(BEFORE);
    if is_taken(&before) {
        fs::rename(&before, &copy).map_err(disk("put back", &before))?;
        return Ok(Some(copy));
    }
    match fs::remove_file(&copy) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(disk("remove", &copy)(error));
        }
        _ => {}
    }
    restore_file(plugins)?;
    Ok(Some(copy))
}

/// Removes the directory when nothing is left in it, and puts the file back that was in its place.
fn restore_file(plugins: &Path) -> Result<(), InstallError> {
    let (directory, making) = (plugins.join(COMMAND), plugins.join(MAKING));
    let (kept, aside) = (directory.join(BEFORE_FILE), making.join(BEFORE_FILE));
    if !is_taken(&kept) {
        // What else is in there stays, and the directory with it.
        let _ = fs::remove_dir(&directory);
        return Ok(());
    }
    fs::create_dir_all(&making).map_err(disk("make", &making))?;
    fs::rename(&kept, &aside).map_err(disk("put back", &kept))?;
    match fs::remove_dir(&directory) {
        Ok(()) => fs::rename(&aside, &directory).map_err(disk("put back", &kept))?,
        // Somebody's skills are in there, so the file has to wait where it was.
        Err(_) => fs::rename(&aside, &kept).map_err(disk("put back", &kept))?,
    }
    fs::remove_dir(&making).map_err(disk("remove", &making))
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
