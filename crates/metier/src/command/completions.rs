//! `metier completions`: the script a shell needs to complete what is typed.

use clap::Args;
use clap_complete::Shell;
use serde_json::json;

use crate::args;
use crate::error::{CommandResult, Status};
use crate::ui::Ui;

/// Print the completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    source <(metier completions bash)\n  \
    metier completions fish | source")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, ui: &mut Ui) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "metier", &mut script);
    let script = String::from_utf8_lossy(&script);
    if ui.json() {
        ui.document(&json!({"shell": args.shell.to_string(), "script": script}));
    } else {
        ui.text(&script);
    }
    Ok(Status::Ok)
}
