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

/// What the parts of the long help begin with, and the sections they are.
const HEADINGS: [(&str, &str); 4] = [
    ("Examples:", "EXAMPLES"),
    ("Environment", "ENVIRONMENT"),
    ("Settings file", "FILES"),
    ("Exit codes:", "EXIT STATUS"),
];

/// Prints the page.
pub(crate) fn run(args: &ManArgs, ui: &mut Ui) -> CommandResult {
    let mut tree = args::command();
    tree.build();
    let chosen = args.command.as_deref().and_then(|name| tree.find_subcommand(name));
    let page = chosen.unwrap_or(&tree).clone();
    let mut roff = Vec::new();
    // The release stands on the page, its day does not: the same sources give the same bytes.
    Man::new(page).date("").render(&mut roff).map_err(CommandError::output)?;
    let roff = sections(&String::from_utf8_lossy(&roff));
    if ui.json() {
        ui.document(&json!({"command": args.command, "page": roff}));
    } else {
        ui.text(&roff);
    }
    Ok(Status::Ok)
}

/// The page with what stands under `EXTRA` under the headings that manual pages have.
fn sections(roff: &str) -> String {
    let mut page = String::new();
    let mut extra = false;
    for line in roff.lines() {
        if line.starts_with(".SH") {
            page.push_str(if extra { ".fi\n" } else { "" });
            extra = line == ".SH EXTRA";
        }
        let heading = HEADINGS.iter().find(|(words, _)| extra && line.starts_with(words));
        match heading {
            _ if line == ".SH EXTRA" => page.push_str(".nf\n"),
            Some((words, name)) => {
                page.push_str(&format!(".fi\n.SH \"{name}\"\n"));
                let remark = line.trim_start_matches(words).trim_end_matches(':').trim();
                let remark = remark.trim_start_matches('(').trim_end_matches(')');
                page.push_str(&if remark.is_empty() {
                    String::new()
                } else {
                    format!("{remark}\n")
                });
                page.push_str(".nf\n");
            }
            None => {
                page.push_str(line);
                page.push('\n');
            }
        }
    }
    page
}

fn command_name(word: &str) -> Result<String, String> {
    let tree = args::command();
    let names: Vec<&str> = tree.get_subcommands().map(clap::Command::get_name).collect();
    if names.contains(&word) {
        return Ok(word.to_owned());
    }
    Err(format!("the commands are {}", names.join(", ")))
}
