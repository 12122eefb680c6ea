//! The sandbox's helper as a program of its own, for tests that run scripts: a test cannot become
//! one itself.

fn main() -> std::process::ExitCode {
    metier_sandbox::helper_main().unwrap_or(std::process::ExitCode::FAILURE)
}
