//! The programs tests need and a machine may lack. `cargo xtask tools` installs them into
//! `target/tools`; a machine that has its own keeps it.

use std::path::PathBuf;
use std::process::Command;

use crate::project_root;

/// The directory `cargo xtask tools` installs into.
#[must_use]
pub fn directory() -> PathBuf {
    project_root().join("target/tools")
}

/// uv: the project's own, else the one on the path.
///
/// # Panics
/// When there is none; the message says how to get it.
#[must_use]
pub fn uv() -> PathBuf {
    find("uv").unwrap_or_else(|| panic!("no `uv` here; run `cargo xtask tools` once"))
}

/// The variables that make uv run scripts without a network, from the packages fetched by `cargo
/// xtask tools`, with the Python they were fetched for.
#[must_use]
pub fn uv_environment() -> Vec<(&'static str, String)> {
    let mut variables = vec![
        ("UV_CACHE_DIR", directory().join("uv-cache").to_string_lossy().into_owned()),
        ("UV_OFFLINE", "1".to_owned()),
        ("UV_NO_CONFIG", "1".to_owned()),
        ("UV_PYTHON_DOWNLOADS", "never".to_owned()),
    ];
    let python = directory().join("python/bin/python3");
    if python.is_file() {
        variables.push(("UV_PYTHON", python.to_string_lossy().into_owned()));
    }
    variables
}

/// `uv run --script SCRIPT` without a network.
#[must_use]
pub fn uv_run(script: &std::path::Path) -> Command {
    let mut command = Command::new(uv());
    command.args(["run", "--quiet", "--script"]).arg(script).envs(uv_environment());
    command
}

fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::iter::once(directory().join("bin"));
    own.chain(std::env::split_paths(&path)).map(|at| at.join(name)).find(|file| file.is_file())
}
