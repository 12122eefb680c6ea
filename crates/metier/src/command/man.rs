//! `metier man`: the manual pages, made from the same tree the parser uses.

use clap::Args;
use clap_mangen::Man;

use crate::args;
use crate::error::{CommandResult, Status};
use crate::ui::Ui;

/// Print a manual page (roff)
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    metier man > ~/.local/share/man/man1/metier.1\n  \
    metier man lint | man -l -")]
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
    Man::new(page).date("").render(&mut roff)?;
    ui.text(&String::from_utf8_lossy(&roff));
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
