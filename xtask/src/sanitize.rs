//! `cargo xtask sanitize`: the crate with `unsafe` code under AddressSanitizer, its unit tests and
//! its integration tests, whose helper is then built with it too. Needs a nightly compiler. Miri
//! cannot run this code: nearly every block of it is a system call that Miri does not know.

use crate::process;

/// The one architecture CI has.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests; those of limits are left out, because the sanitizer itself takes more memory
/// than they allow.
pub(crate) fn run(_: &[String]) -> Result<(), String> {
    one(&["--lib"])?;
    one(&["--test", "it", "--", "escapes::", "run::", "tree::a_cancellation"])
}

fn one(what: &[&str]) -> Result<(), String> {
    let fixed = ["+nightly", "test", "--package", "metier-sandbox", "--target", TARGET];
    let directory = ["--target-dir", "target/sanitize"];
    let words: Vec<&str> = fixed.iter().chain(&directory).chain(what).copied().collect();
    let mut command = process::command("cargo", &words);
    command.env("RUSTFLAGS", "-Zsanitizer=address");
    process::finish(command)
}
