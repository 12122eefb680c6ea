//! `metier man`: the manual pages, made from the same tree the parser uses.

use clap::Args;
use clap_mangen::Man;
use serde_json::json;

use crate::args;
use crate::error::{CommandError, CommandResult, Status};
use crate::ui::Ui;

/// Print a manual page (roff)
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    metier man | man -l -\n  \
    metier man lint > metier-lint.1")]
pub(crate) struct ManArgs {
    /// The command the page is about [default: metier itself]
    #[arg(value_name = "COMMAND", value_parser = command_name)]
    command: Option<String>,
}

/// Prints the page.
pub(crate) fn run(args: &ManArgs, ui: &mut Ui) -> CommandResult {
    let mut tree = args::command();
    tree.build();
    let chosen = args.command.as_deref().and_then(|name| tree.find_subcommand(name));
    let page = chosen.unwrap_or(&tree).clone();
    let mut roff = Vec::new();
    // The release stands on the page, its day does not: the same sources give the same bytes.
    Man::new(page).date("").render(&mut roff).map_err(CommandError::output)?;
    let roff = String::from_utf8_lossy(&roff);
    if ui.json() {
        ui.document(&json!({"command": args.command, "page": roff}));
    } else {
        ui.text(&roff);
    }
    Ok(Status::Ok)
}

fn command_name(word: &str) -> Result<String, String> {
    let tree = args::command();
    let names: Vec<&str> = tree.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(format!("the commands are {}", names.join(", ")))
}
