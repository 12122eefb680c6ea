//! A program that is a sandbox's helper, for the tests of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    metier_sandbox::helper_main().unwrap_or(ExitCode::FAILURE)
}
