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
    use std::collections::BTreeSet;

    use super::EXPECTED;
    use crate::source;

    /// Whether there is a test of this name in any crate.
    fn exists(tests: &str, name: &str) -> bool {
        tests.contains(&format!("fn {name}()"))
    }

    #[test]
    fn every_failure_that_is_expected_of_the_client_has_an_argument_of_its_own() {
        // U2
        let text = source::read(&source::root().join(EXPECTED)).unwrap();
        let tests = source::of_crates();
        let mut argument = String::new();
        let (mut arguments, mut lines) = (BTreeSet::new(), BTreeSet::new());
        for line in text.lines().map(str::trim).skip_while(|line| *line != "client:").skip(1) {
            if let Some(comment) = line.strip_prefix('#') {
                argument.push_str(comment);
                continue;
            }
            assert!(!argument.is_empty(), "no argument above {line}");
            assert!(!line.contains("sep-2640"), "what metier is for is not expected to fail");
            assert!(lines.insert(line), "{line} is there twice");
            // Our tests are sentences; what the suite has in its files has fewer words.
            let words = argument.split('`').skip(1).step_by(2);
            for test in words.filter(|word| word.matches('_').count() > 2) {
                assert!(exists(&tests, test), "there is no test {test}");
            }
            assert!(
                arguments.insert(std::mem::take(&mut argument)),
                "{line} has another's argument"
            );
        }
        assert!(lines.len() > 30 && argument.is_empty(), "the whole list is read");
    }
}
