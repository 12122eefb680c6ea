//! metier's MCP client before the official judge: the suite starts a server for each scenario, and the
//! example `skills_client` with its address. Part of `cargo xtask mcp`, which installs the suite.

use std::process::Command;

use crate::{process, source};

/// What the suite asks of clients and this one does not do, each under a reason.
const EXPECTED: &str = "crates/metier-serve/tests/official/client-expected-failures.yml";

/// What asks for the verdict. `suite` is the suite's program as Node runs it.
pub(crate) fn command(mut suite: Command) -> Result<Command, String> {
    let example = ["build", "--quiet", "--package", "metier-serve", "--example", "skills_client"];
    process::run("cargo", &example)?;
    let root = source::root();
    suite.arg("client").arg("--command").arg(root.join("target/debug/examples/skills_client"));
    suite.args(["--suite", "all", "--expected-failures"]).arg(root.join(EXPECTED));
    suite.arg("--output-dir").arg(root.join("target/tools/conformance-client-results"));
    Ok(suite)
}

#[cfg(test)]
mod tests {
    use super::EXPECTED;
    use crate::source;

    #[test]
    fn every_failure_that_is_expected_of_the_client_stands_under_a_reason() {
        // U2
        let text = source::read(&source::root().join(EXPECTED)).unwrap();
        let mut reasoned = false;
        for line in text.lines().map(str::trim).skip_while(|line| *line != "client:").skip(1) {
            reasoned |= line.starts_with('#');
            assert!(reasoned, "no reason above {line}");
            assert!(!line.contains("sep-2640"), "what metier is for is not expected to fail");
        }
    }
}
