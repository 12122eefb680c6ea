//! Starting cargo and friends: output goes to the developer, a failure becomes a sentence.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::source;

/// A command in the project's root.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(source::root());
    command
}

/// Runs to the end; a non-zero exit is an error naming the command.
pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    finish(command(program, arguments))
}

/// Runs `command` to the end.
pub(crate) fn finish(mut command: Command) -> Result<(), String> {
    let shown = show(&command);
    println!("$ {shown}");
    let status = command.status().map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status})")) }
}

/// Runs `command`, passing its output on line by line and to `each`.
pub(crate) fn watch(mut command: Command, mut each: impl FnMut(&str)) -> Result<(), String> {
    let shown = show(&command);
    println!("$ {shown}");
    let fail = |error: std::io::Error| format!("cannot run `{shown}`: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(fail)?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines() {
            let line = line.map_err(fail)?;
            println!("{line}");
            each(&line);
        }
    }
    let status = child.wait().map_err(fail)?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed ({status})")) }
}

/// Standard output of a command that must succeed.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    let mut command = command(program, arguments);
    let shown = show(&command);
    let output = command.output().map_err(|error| format!("cannot start `{shown}`: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("`{shown}` failed: {text}"));
    }
    String::from_utf8(output.stdout).map_err(|_| format!("`{shown}` did not print UTF-8"))
}

/// Whether `program ARGUMENTS` starts and succeeds, quietly.
pub(crate) fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = command(program, arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn show(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|a| a.to_string_lossy().into_owned()));
    words.join(" ")
}
