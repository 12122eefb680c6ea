//! `metier unlink`: takes from agents what `metier link` gave them, and nothing else.

use std::path::Path;

use clap::Args;
use metier_format::text::visible_line;
use metier_package::Place;
use metier_package::link::{self, Mode};
use metier_serve::agent_hook::HookAgent;

use crate::command::chibi;
use crate::command::hook::setup;
use crate::error::{CommandError, CommandResult, Status};
use crate::linking::{self, LinkedShape};
use crate::packages::{self, LayerChoice, change_error, record_error};
use crate::settings::Settings;
use crate::ui::Ui;

/// Take from agents what `metier link` gave them
///
/// Links to installed skills go, chibi's plugin, and metier's hooks in the agents' settings, which are
/// then as they were before. Only what metier made is removed, and only while it still is what
/// metier made.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier unlink codex\n  metier unlink --dry-run\n  \
    metier unlink claude-code codex --hooks")]
pub(crate) struct UnlinkArgs {
    /// The agents [default: all that are linked]
    agent: Vec<String>,
    /// Whose skills
    #[arg(long, value_enum, default_value = "personal")]
    layer: LayerChoice,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Take only metier's hooks and MCP server out of the agents' settings, as `metier hook remove`
    /// does
    #[arg(long)]
    hooks: bool,
}

/// Unlinks.
pub(crate) fn run(args: &UnlinkArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let mode = if args.dry_run { Mode::Say } else { Mode::Act };
    if args.hooks {
        return setup::unlink(&args.agent, mode, settings, ui);
    }
    let place = packages::place(args.layer, settings);
    let agents = linking::agents(&args.agent)?;
    let home = packages::home(settings)?;
    let remembered = link::remembered(&home, &place).map_err(record_error)?;
    let is_meant = |id: &str| agents.is_empty() || agents.iter().any(|agent| agent.id == id);
    // Plugins and hooks are the user's, in no project.
    let plugins = chibi::plugins(&settings.environment).ok();
    let plugins = plugins.filter(|plugins| {
        let there = chibi::is_removable(plugins);
        is_meant(chibi::AGENT) && there && place == Place::Personal
    });
    let hooked = HookAgent::ALL.into_iter().filter(|agent| is_meant(agent.as_str()));
    let hooked: Vec<HookAgent> =
        hooked.filter(|agent| setup::has_hooks(*agent, settings)).collect();
    for agent in &agents {
        let has_plugin = agent.id == chibi::AGENT && plugins.is_some();
        let has_hooks = hooked.iter().any(|hooked| hooked.as_str() == agent.id);
        let has_more = has_plugin || (has_hooks && place == Place::Personal);
        if !remembered.agents.contains_key(agent.id) && !has_more {
            return Err(not_linked(agent.id, &place, has_hooks));
        }
    }
    let linked = linking::with(&place, mode, settings, |linking| link::unlink(linking, &agents));
    let linked = linked?.map_err(change_error)?;
    let plugin = plugins.map(|plugins| taken_away(&plugins, mode)).transpose()?;
    if mode == Mode::Act && place == Place::Personal && is_meant(chibi::AGENT) {
        chibi::forget_folders(settings)?;
    }
    let hooked = hooked.into_iter().filter(|_| place == Place::Personal);
    let hooks = hooked.map(|agent| setup::remove(agent, mode, settings));
    let hooks = hooks.collect::<Result<Vec<_>, _>>()?;
    if ui.json() {
        let (layer, dry_run) = (place.as_str(), args.dry_run);
        ui.document(&LinkedShape { layer, dry_run, linked: &linked, plugin, hooks: &hooks });
        return Ok(Status::Ok);
    }
    linking::report(&linked, mode, ui);
    if let Some(path) = &plugin {
        let would = if args.dry_run { "would be " } else { "" };
        ui.line(format!("{would}removed {}", visible_line(path)));
    }
    for change in &hooks {
        change.show(mode, ui);
    }
    if linked.removed.is_empty() && plugin.is_none() && hooks.is_empty() {
        ui.line("there was nothing to remove");
    }
    Ok(Status::Ok)
}

/// That there is nothing to take from an agent here.
fn not_linked(id: &str, place: &Place, has_hooks: bool) -> CommandError {
    let message = format!("`{id}` is not linked in the {} layer", place.as_str());
    let error = CommandError::failed(message).code("not_linked");
    match has_hooks {
        true => error.hint(format!("`metier unlink {id} --hooks` takes its hooks away")),
        false => error.hint("`metier agents` says which are"),
    }
}

/// Takes metier out of chibi's plugins. Gives where it was.
fn taken_away(plugins: &Path, mode: Mode) -> Result<String, CommandError> {
    if mode == Mode::Act {
        chibi::remove_plugin(plugins).map_err(CommandError::failed)?;
    }
    Ok(chibi::copy_in(plugins).to_string_lossy().into_owned())
}
