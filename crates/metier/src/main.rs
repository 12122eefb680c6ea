//! The command `metier`: arguments, environment, settings, terminal and exit codes around the
//! libraries. It holds no logic of its own: what a skill is, who wins and what a model sees is
//! decided in the crates below.
//!
//! Start reading at [`run`]: the arguments are read, the settings put together, one command fills
//! the [`Ui`], and everything is written at the end.

mod agent_files;
mod args;
mod caller;
mod clock;
mod command;
mod config;
mod env;
mod error;
mod files;
mod interrupt;
mod law;
mod linking;
mod memory;
#[cfg(feature = "otlp")]
mod otlp;
mod packages;
mod parallel;
mod serving;
mod session;
mod settings;
mod ui;
mod view;
mod write;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::error::ErrorKind;
use serde_json::json;

use args::{Cli, wants_json};
use env::Environment;
use error::{CommandError, Kind, Status};
use metier_format::text::{is_live, visible};
use metier_runtime::shape;
use ui::Ui;

fn main() -> ExitCode {
    // The sandbox starts this program again to build its walls; before anything else is set up.
    if let Some(code) = metier_sandbox::helper_main() {
        return code;
    }
    std::panic::set_hook(Box::new(|panic| ui::write_stderr(&bug_report(&panic.to_string()))));
    let arguments = env::arguments();
    if command::chibi::is_plugin(&arguments) {
        return ExitCode::from(contain(|| plugin(arguments, &Environment::read())));
    }
    ExitCode::from(contain(|| run(arguments, &Environment::read())))
}

/// The exit code `work` gives, or the one for a bug when it panics.
fn contain(work: impl FnOnce() -> u8) -> u8 {
    // Nothing outlives a panic but the exit code, so no broken state can be seen.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Kind::Bug.exit_code())
}

/// One run as chibi's plugin. The host hears the answer only when the exit code is 0.
fn plugin(arguments: Vec<OsString>, environment: &Environment) -> u8 {
    let mut ui = Ui::plain(None);
    ui.text(&command::chibi::as_plugin(arguments, environment));
    match ui.finish() {
        Ok(()) => Status::Ok.exit_code(),
        Err(error) => fail(&CommandError::output(error), false),
    }
}

/// One run, to its exit code.
fn run(args: Vec<OsString>, environment: &Environment) -> u8 {
    if let Some((agent, global)) = command::hook::as_set_up(&args) {
        return command::hook::reply(agent, &global, environment).exit_code();
    }
    let json = wants_json(&args);
    let cli = match Cli::read(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, environment, json),
    };
    let mut ui = Ui::new(&cli.global, environment);
    let ended = command::dispatch(&cli, environment, &mut ui);
    if let (Err(error), true) = (&ended, json) {
        // There is one document, and the failure is it.
        return fail(error, json);
    }
    let written = ui.finish().map_err(CommandError::output);
    match ended.and_then(|status| written.map(|()| status)) {
        Ok(status) => status.exit_code(),
        Err(error) => fail(&error, false),
    }
}

/// Reports `error`: as text on standard error, and as the promised document with `--json`.
fn fail(error: &CommandError, json: bool) -> u8 {
    if error.kind == Kind::BrokenPipe {
        return error.kind.exit_code();
    }
    if json {
        let mut ui = Ui::plain(None);
        ui.document(&error.to_json());
        // Whoever closed standard output does not want the document, and the exit code says it.
        let _ = ui.finish();
    }
    ui::write_stderr(&error.to_text());
    error.kind.exit_code()
}

/// Prints what the argument parser has to say: help and version, or what is wrong.
fn usage(error: &clap::Error, environment: &Environment, json: bool) -> u8 {
    let rendered = error.render();
    let plain = visible(&rendered.to_string()).into_owned();
    let colour = !environment.plain && !quotes_live_text(error);
    if error.use_stderr() {
        if json {
            return fail(&usage_error(&plain), json);
        }
        let colour = colour && env::stderr_is_terminal();
        ui::write_stderr(&if colour { rendered.ansi().to_string() } else { plain });
        return Kind::Usage.exit_code();
    }
    let mut ui = Ui::plain(None);
    match error.kind() {
        _ if !json => {
            let colour = colour && env::stdout_is_terminal();
            ui.text(&if colour { rendered.ansi().to_string() } else { plain });
        }
        ErrorKind::DisplayVersion => ui.document(&json!({"version": env!("CARGO_PKG_VERSION")})),
        _ => ui.document(&json!({"help": plain})),
    }
    match ui.finish().map_err(CommandError::output) {
        Ok(()) => Status::Ok.exit_code(),
        Err(error) => fail(&error, false),
    }
}

/// Whether the parser quotes an argument that a terminal would obey. Scripts pass on what strangers
/// wrote, and among its own colours the parser's text shows it as it is.
fn quotes_live_text(error: &clap::Error) -> bool {
    error.context().any(|(_, value)| value.to_string().chars().any(is_live))
}

/// The argument parser's complaint as a failure of ours: its first paragraph says what is wrong,
/// those that are tips are hints, and the rest repeats the usage.
fn usage_error(text: &str) -> CommandError {
    let mut paragraphs = text.split("\n\n").map(|paragraph| {
        let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
        lines.join(" ")
    });
    let first = paragraphs.next().unwrap_or_default();
    let error = CommandError::usage(first.strip_prefix("error: ").unwrap_or(&first).to_owned());
    paragraphs.fold(error, |error, paragraph| match paragraph.strip_prefix("tip: ") {
        Some(tip) => error.hint(tip),
        None => error,
    })
}

/// What a person reads when metier itself is wrong.
fn bug_report(panic: &str) -> String {
    format!(
        "error: this is a bug in metier {}: {panic}\nhint: please report it with the command you \
         typed\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
#[path = "main_tests.rs"]
mod tests;
