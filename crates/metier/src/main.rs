//! The command `metier`: arguments, environment, settings, terminal and exit codes around the
//! libraries. It holds no logic of its own: what a skill is, who wins and what a model sees is
//! decided in the crates below.
//!
//! Start reading at [`run`]: the arguments are read, the settings put together, one command fills
//! the [`Ui`], and everything is written at the end.

mod args;
mod clock;
mod command;
mod config;
mod env;
mod error;
mod files;
mod interrupt;
mod law;
mod parallel;
mod session;
mod settings;
mod shape;
mod ui;
mod view;
mod write;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use args::{Cli, wants_json};
use env::Environment;
use error::{CommandError, Kind, Status};
use ui::Ui;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| ui::write_stderr(&bug_report(&panic.to_string()))));
    ExitCode::from(contain(|| run(env::arguments(), &Environment::read())))
}

/// The exit code `work` gives, or the one for a bug when it panics.
fn contain(work: impl FnOnce() -> u8) -> u8 {
    // Nothing outlives a panic but the exit code, so no broken state can be seen.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Kind::Bug.exit_code())
}

/// One run, to its exit code.
fn run(args: Vec<OsString>, environment: &Environment) -> u8 {
    let json = wants_json(&args);
    let cli = match Cli::read(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, environment, json),
    };
    let mut ui = Ui::new(&cli.global, environment);
    let status = match command::dispatch(&cli, environment, &mut ui) {
        Ok(status) => status,
        Err(error) => return fail(&error, json),
    };
    match ui.finish().map_err(CommandError::from) {
        Ok(()) => status.exit_code(),
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
    let terminal =
        if error.use_stderr() { env::stderr_is_terminal() } else { env::stdout_is_terminal() };
    let rendered = error.render();
    let text = if terminal && !environment.plain {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    if error.use_stderr() {
        if json {
            let first = rendered.to_string().lines().next().unwrap_or_default().to_owned();
            let message = first.strip_prefix("error: ").unwrap_or(&first).to_owned();
            let mut ui = Ui::plain(None);
            ui.document(&CommandError::usage(message).to_json());
            let _ = ui.finish();
        }
        ui::write_stderr(&text);
        return Kind::Usage.exit_code();
    }
    let mut ui = Ui::plain(None);
    ui.text(&text);
    match ui.finish().map_err(CommandError::from) {
        Ok(()) => Status::Ok.exit_code(),
        Err(error) => fail(&error, false),
    }
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
