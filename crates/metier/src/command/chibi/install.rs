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

/// Why the plugin was not installed.
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
    let (copy, new) = (directory.join(COMMAND), directory.join(".agent-skills.new"));
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

/// Whether the program at `path` is a copy of some metier: it carries the name of the variable only
/// metier looks at.
fn is_metier(path: &Path) -> bool {
    let found = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let needle = b"METIER_CORRELATION";
    found
        && fs::read(path).is_ok_and(|bytes| bytes.windows(needle.len()).any(|part| part == needle))
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
