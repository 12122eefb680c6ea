//! `metier unlink`: takes from agents what `metier link` gave them, and nothing else.

use std::path::Path;

use clap::Args;
use metier_format::text::visible_line;
use metier_package::Place;
use metier_package::link::{self, Mode};

use crate::args::Global;
use crate::command::chibi;
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
    let plugins = chibi::plugins(&settings.environment).ok();
    let plugins = plugins.filter(|plugins| {
        let meant = agents.is_empty() || agents.iter().any(|agent| agent.id == chibi::AGENT);
        let there = chibi::installed(plugins) != chibi::Installed::No;
        meant && there && place == Place::Personal
    });
    for agent in &agents {
        let has_plugin = agent.id == chibi::AGENT && plugins.is_some();
        if !remembered.agents.contains_key(agent.id) && !has_plugin {
            let message = format!("`{}` is not linked in the {} layer", agent.id, place.as_str());
            let error = CommandError::failed(message).code("not_linked");
            return Err(error.hint("`metier agents` says which are"));
        }
    }
    let mode = if args.dry_run { Mode::Say } else { Mode::Act };
    let linked = linking::with(&place, mode, settings, |linking| link::unlink(linking, &agents));
    let linked = linked?.map_err(change_error)?;
    let plugin = plugins.map(|plugins| taken_away(&plugins, mode)).transpose()?;
    if ui.json() {
        let (layer, dry_run) = (place.as_str(), args.dry_run);
        ui.document(&LinkedShape { layer, dry_run, linked: &linked, plugin });
        return Ok(Status::Ok);
    }
    linking::report(&linked, mode, ui);
    if let Some(path) = &plugin {
        let would = if args.dry_run { "would be " } else { "" };
        ui.line(format!("{would}removed {}", visible_line(path)));
    }
    if linked.removed.is_empty() && plugin.is_none() {
        ui.line("there was nothing to remove");
    }
    Ok(Status::Ok)
}

/// Takes metier out of chibi's plugins. Gives where it was.
fn taken_away(plugins: &Path, mode: Mode) -> Result<String, CommandError> {
    if mode == Mode::Act {
        chibi::remove_plugin(plugins).map_err(CommandError::failed)?;
    }
    Ok(chibi::copy_in(plugins).to_string_lossy().into_owned())
}
