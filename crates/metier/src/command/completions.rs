//! `metier completions`: the script a shell needs to complete what is typed.

use clap::Args;
use clap_complete::Shell;

use crate::args;
use crate::error::{CommandResult, Status};
use crate::ui::Ui;

/// Print the completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    metier completions bash > ~/.local/share/bash-completion/completions/metier\n  \
    metier completions fish > ~/.config/fish/completions/metier.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, ui: &mut Ui) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(), "metier", &mut script);
    ui.text(&String::from_utf8_lossy(&script));
    Ok(Status::Ok)
}
