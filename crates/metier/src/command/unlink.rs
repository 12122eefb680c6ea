//! `metier unlink`: takes from agents what `metier link` gave them, and nothing else.

use clap::Args;
use metier_package::link::{self, Mode};

use crate::args::Global;
use crate::command::hook::setup::{self, HookAct};
use crate::error::{CommandError, CommandResult, Status};
use crate::linking::{self, LinkedShape};
use crate::packages::{self, LayerChoice, change_error, record_error};
use crate::settings::Settings;
use crate::ui::Ui;

/// Take links to installed skills away again
///
/// Only what metier made is removed, and only while it still is what metier made.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier unlink codex\n  metier unlink --dry-run")]
pub(crate) struct UnlinkArgs {
    /// The agents [default: all that are linked]
    agent: Vec<String>,
    /// Whose skills
    #[arg(long, value_enum, default_value = "personal")]
    layer: LayerChoice,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Take metier's hooks and MCP server out of the settings of the agents named instead, as
    /// `metier hook remove` does
    #[arg(long, requires = "agent", conflicts_with = "dry_run")]
    hooks: bool,
}

/// Unlinks.
pub(crate) fn run(
    args: &UnlinkArgs,
    global: &Global,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    if args.hooks {
        return setup::for_named(&args.agent, HookAct::Remove, (global, settings), ui);
    }
    let place = packages::place(args.layer, settings);
    let agents = linking::agents(&args.agent)?;
    let home = packages::home(settings)?;
    let remembered = link::remembered(&home, &place).map_err(record_error)?;
    for agent in &agents {
        if !remembered.agents.contains_key(agent.id) {
            let message = format!("`{}` is not linked in the {} layer", agent.id, place.as_str());
            let error = CommandError::failed(message).code("not_linked");
            return Err(error.hint("`metier agents` says which are"));
        }
    }
    let mode = if args.dry_run { Mode::Say } else { Mode::Act };
    let linked = linking::with(&place, mode, settings, |linking| link::unlink(linking, &agents));
    let linked = linked?.map_err(change_error)?;
    if ui.json() {
        let (layer, dry_run) = (place.as_str(), args.dry_run);
        ui.document(&LinkedShape { layer, dry_run, linked: &linked });
        return Ok(Status::Ok);
    }
    linking::report(&linked, mode, ui);
    if linked.removed.is_empty() {
        ui.line("there was nothing to remove");
    }
    Ok(Status::Ok)
}
