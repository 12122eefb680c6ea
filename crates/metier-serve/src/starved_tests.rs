//! A process that has no file left to open, so that what has to fail then really does.

#![expect(clippy::disallowed_methods, reason = "tests start themselves anew and open files")]

use std::fs::File;
use std::process::Command;

/// Tells the second process what it is.
const VARIABLE: &str = "METIER_TEST_STARVED";

/// Prepares, takes every file there is, and acts: in a process of its own, which runs the test called
/// `test` and nothing else.
pub(crate) fn starved<T>(test: &str, prepare: impl FnOnce() -> T, act: impl FnOnce(T)) {
    if std::env::var_os(VARIABLE).is_some() {
        let prepared = prepare();
        let mut taken = Vec::new();
        while let Ok(file) = File::open("/dev/null") {
            taken.push(file);
        }
        act(prepared);
        return;
    }
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64; exec \"$0\" --exact \"$1\""]);
    command.arg(std::env::current_exe().unwrap()).arg(test).env(VARIABLE, "1");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}
