//! What some tests use when it is there: programs of the system, installed by name. Nothing here is
//! required; a test that does without says what it did not exercise.

use crate::process;

/// A program, the package it comes in, and what is not exercised without it.
const TOOLS: &[(&str, &str, &str)] =
    &[("bwrap", "bubblewrap", "the backend `linux-bubblewrap` of the sandbox")];

/// Installs what is missing, where that can be done without asking anybody. Never an error.
pub(crate) fn install() {
    for (program, package, without) in TOOLS {
        if process::succeeds(program, &["--version"]) {
            continue;
        }
        let installed = is_superuser() && apt(package);
        if !installed {
            println!("not exercised: {without} (install `{package}`)");
        }
    }
}

fn is_superuser() -> bool {
    process::output("id", &["-u"]).is_ok_and(|id| id.trim() == "0")
}

fn apt(package: &str) -> bool {
    let arguments = ["install", "--yes", "--no-install-recommends", package];
    process::run("apt-get", &arguments).is_ok()
}
