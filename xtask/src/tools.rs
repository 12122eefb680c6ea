//! `cargo xtask tools`: what the tests need and a machine may lack, installed by name from the
//! package registries into `target/tools`.
//!
//! The commands are reachable in `target/tools/bin/`; the packages the bundled scripts name are in
//! `target/tools/uv-cache`, so that tests run without a network. Nothing is done twice: a machine
//! that has everything answers within a second.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{process, source};

/// A Python package that brings a command.
pub(crate) struct Package {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) command: &'static str,
}

/// Everything that is installed with pip, each at one version, so that all machines test the same.
const PYTHON: &[Package] = &[Package { name: "uv", version: "0.13.7", command: "uv" }];

/// Installs what is missing.
pub(crate) fn run() -> Result<(), String> {
    python(PYTHON)?;
    Tools::here().script_packages()
}

/// Installs those of `packages` that are missing, their commands reachable in `target/tools/bin`.
pub(crate) fn python(packages: &[Package]) -> Result<(), String> {
    Tools::here().python_packages(packages)
}

struct Tools {
    root: PathBuf,
}

impl Tools {
    fn here() -> Self {
        Self { root: source::root().join("target/tools") }
    }

    /// A Python environment with these packages, their commands linked into `bin/`.
    fn python_packages(&self, packages: &[Package]) -> Result<(), String> {
        let missing: Vec<&Package> = packages.iter().filter(|p| !self.has(p)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let environment = self.root.join("python");
        if !self.python().is_file() {
            process::run("python3", &["-m", "venv", &environment.to_string_lossy()])
                .map_err(|error| explain(&error, "Python 3.9 or newer with its `venv` module"))?;
        }
        let pinned = missing.iter().map(|p| format!("{}=={}", p.name, p.version));
        let mut pip = process::command(&self.python().to_string_lossy(), PIP_INSTALL);
        pip.args(pinned);
        process::finish(pip).map_err(|error| explain(&error, NETWORK))?;
        missing.into_iter().try_for_each(|package| self.link(package.command))
    }

    /// Whether the package's command is there and the package is of the right version.
    fn has(&self, package: &Package) -> bool {
        let Package { name, version, command } = package;
        let check = format!(
            "from importlib.metadata import version as v; assert v('{name}') == '{version}'"
        );
        let python = self.python();
        self.bin().join(command).is_file()
            && process::succeeds(&python.to_string_lossy(), &["-c", &check])
    }

    fn link(&self, command: &str) -> Result<(), String> {
        let link = self.bin().join(command);
        let at = |error: std::io::Error| format!("cannot link `{}`: {error}", link.display());
        std::fs::create_dir_all(self.bin()).map_err(at)?;
        match std::fs::remove_file(&link) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(error)),
            _ => {}
        }
        let target = Path::new("../python/bin").join(command);
        std::os::unix::fs::symlink(target, &link).map_err(at)
    }

    /// What the bundled scripts depend on, in the cache that tests run from.
    fn script_packages(&self) -> Result<(), String> {
        for script in scripts()? {
            if self.uv_run(&script, true).output().is_ok_and(|done| done.status.success()) {
                continue;
            }
            let mut fill = self.uv_run(&script, false);
            // What the script says of itself is no news; what uv says of the network may be.
            fill.stdout(Stdio::null());
            process::finish(fill).map_err(|error| explain(&error, NETWORK))?;
        }
        Ok(())
    }

    fn uv_run(&self, script: &str, offline: bool) -> Command {
        let uv = self.bin().join("uv");
        let mut command =
            process::command(&uv.to_string_lossy(), &["run", "--script", script, "--help"]);
        command.env("UV_CACHE_DIR", self.root.join("uv-cache"));
        command.env("UV_PYTHON", self.python()).env("UV_PYTHON_DOWNLOADS", "never");
        if offline {
            command.env("UV_OFFLINE", "1");
        }
        command
    }

    fn python(&self) -> PathBuf {
        self.root.join("python/bin/python3")
    }

    fn bin(&self) -> PathBuf {
        self.root.join("bin")
    }
}

const PIP_INSTALL: &[&str] = &["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];

const NETWORK: &str = "a network that reaches the Python package registry, once";

pub(crate) fn explain(error: &str, need: &str) -> String {
    format!("{error}\nhint: the tests need {need}; run `cargo xtask tools` again when it is there")
}

/// One bundled script for each different list of dependencies.
fn scripts() -> Result<Vec<String>, String> {
    let mut by_block = BTreeMap::new();
    let files = source::files();
    for file in files.iter().filter(|f| f.starts_with("skills/") && f.ends_with(".py")) {
        let text = source::read(&source::root().join(file))?;
        if let Some(block) = script_block(&text) {
            by_block.entry(block.to_owned()).or_insert_with(|| file.clone());
        }
    }
    Ok(by_block.into_values().collect())
}

/// The inline metadata of a Python script: from `# /// script` to `# ///`.
fn script_block(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("# /// script\n")?;
    Some(rest.split_once("\n# ///")?.0)
}

#[cfg(test)]
mod tests {
    use super::{PYTHON, script_block, scripts};

    #[test]
    fn every_tool_has_one_exact_version() {
        // U1
        for package in PYTHON {
            let exact = package.version.split('.').all(|part| part.parse::<u32>().is_ok());
            assert!(exact, "{} {}", package.name, package.version);
        }
    }

    #[test]
    fn dependencies_of_scripts_are_found_once_each() {
        // B1
        let check = |text: &str, expect: Option<&str>| assert_eq!(script_block(text), expect);
        check("# /// script\n# dependencies = []\n# ///\nprint()\n", Some("# dependencies = []"));
        check("print()\n", None);
        check("# /// script\nprint()\n", None);
        assert!(!scripts().unwrap().is_empty());
    }
}
