//! `cargo xtask sanitize`: the unit tests of the crate with `unsafe` code under AddressSanitizer.
//! Needs a nightly compiler.
//!
//! Not its integration tests: the helper puts limits on its own address space before it becomes the
//! child's program, and the sanitizer cannot live within them. Miri cannot run this code at all:
//! nearly every block of it is a system call that Miri does not know.

use crate::process;

/// The one architecture CI has.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests in a target directory of their own.
pub(crate) fn run(_: &[String]) -> Result<(), String> {
    let fixed = ["+nightly", "test", "--package", "metier-sandbox", "--lib", "--target", TARGET];
    let words: Vec<&str> =
        fixed.iter().chain(&["--target-dir", "target/sanitize"]).copied().collect();
    let mut command = process::command("cargo", &words);
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    process::finish(command)
}
