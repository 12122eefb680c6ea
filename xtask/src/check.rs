//! `cargo xtask check`: what CI runs, in the order that fails fastest.

use crate::{mcp, process, system, tidy, tools};

/// Runs every step; the first failure ends it.
pub(crate) fn run(_: &[String]) -> Result<(), String> {
    process::run("cargo", &["fmt", "--all", "--check"])?;
    tidy::run()?;
    tools::run()?;
    system::install();
    process::run(
        "cargo",
        &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
    )?;
    // The command without the code that goes online.
    process::run("cargo", &["check", "--package", "metier", "--no-default-features", "--quiet"])?;
    let mut total = Total::default();
    // The default targets: libraries, binaries, integration and doc tests, and the examples some of
    // them start. Benchmarks are not tests.
    let tests = process::command("cargo", &["test", "--workspace"]);
    let result = process::watch(tests, |line| total.add(line));
    result.map_err(|error| format!("{error}\n{}", total.line()))?;
    mcp::run()?;
    let mut documentation =
        process::command("cargo", &["doc", "--workspace", "--no-deps", "--quiet"]);
    documentation.env("RUSTDOCFLAGS", "-D warnings");
    process::finish(documentation)?;
    process::run(
        "cargo",
        &["check", "--quiet", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target/fuzz"],
    )?;
    println!("{}", total.line());
    Ok(())
}

/// The closing lines of every test binary, added up.
#[derive(Default)]
struct Total {
    passed: u64,
    failed: u64,
}

impl Total {
    /// Takes `test result: ok. 12 passed; 0 failed; …` into account.
    fn add(&mut self, line: &str) {
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        let number_before = |word: &str| -> u64 {
            let before = rest.split(word).next().unwrap_or_default().trim_end();
            before.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
        };
        self.passed += number_before(" passed");
        self.failed += number_before(" failed");
    }

    fn line(&self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::Total;

    #[test]
    fn closing_lines_add_up() {
        // U1
        let mut total = Total::default();
        total.add("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        total.add("running 3 tests");
        total.add("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured");
        assert_eq!(total.line(), "13 passed, 2 failed");
    }
}
