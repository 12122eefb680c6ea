//! `metier link`: installed skills in the directories of the agents on this machine.

use clap::Args;
use metier_format::text::visible_line;
use metier_package::Place;
use metier_package::agents::usual;
use metier_package::link::{self, Mode};
use metier_package::links::How;
use metier_store::client::Agent;

use crate::args::Global;
use crate::command::chibi;
use crate::command::hook::setup;
use crate::error::{CommandError, CommandResult, Status};
use crate::linking::{self, LinkedShape};
use crate::packages::{self, LayerChoice, change_error};
use crate::settings::Settings;
use crate::ui::{Ui, counted};

/// Show installed skills to the agents on this machine
///
/// There stays one copy; every agent gets a link to it in its own directory, and agents that read
/// the same directory get it once. The choice is remembered: what is installed later appears by
/// itself. chibi gets metier as its plugin, as a copy, since it refuses links. Only skills somebody
/// said yes to are linked, and what others put there is never touched.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier link\n  metier link claude-code codex\n  \
    metier link claude-code --layer project --dry-run\n  metier link claude-code --hooks")]
pub(crate) struct LinkArgs {
    /// The agents [default: those on this machine]
    agent: Vec<String>,
    /// Whose skills
    #[arg(long, value_enum, default_value = "personal")]
    layer: LayerChoice,
    /// Make copies instead of links
    #[arg(long)]
    copy: bool,
    /// Only say what would be done
    #[arg(long)]
    dry_run: bool,
    /// Put metier's hooks and MCP server into the settings of the agents named instead, as
    /// `metier hook setup` does
    #[arg(long, requires = "agent", conflicts_with = "copy")]
    hooks: bool,
}

/// Links.
pub(crate) fn run(
    args: &LinkArgs,
    global: &Global,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    let mode = if args.dry_run { Mode::Say } else { Mode::Act };
    if args.hooks {
        return setup::link(&args.agent, mode, (global, settings), ui);
    }
    let place = packages::place(args.layer, settings);
    let agents = match args.agent.is_empty() {
        true => usual(&place, &settings.places()),
        false => linking::agents(&args.agent)?,
    };
    if agents.is_empty() {
        let error = CommandError::failed("no agent that metier knows is on this machine");
        return Err(error.code("no_agent").hint("name one: `metier agents --all` lists them"));
    }
    let how = if args.copy { How::Copy } else { How::Link };
    let for_chibi = agents.iter().any(|agent| agent.id == chibi::AGENT);
    // Before its links: a plugin that is one file stands where their directory belongs.
    let plugin = match for_chibi && place == Place::Personal {
        true => Some(plugin(mode, settings)?),
        false => None,
    };
    let agents = reachable(agents, mode, settings);
    let linked = linking::with(&place, mode, settings, |linking| link::link(linking, &agents, how));
    let linked = linked?.map_err(change_error)?;
    if ui.json() {
        let (layer, dry_run) = (place.as_str(), args.dry_run);
        ui.document(&LinkedShape { layer, dry_run, linked: &linked, plugin, hooks: &[] });
        return Ok(Status::Ok);
    }
    linking::report(&linked, mode, ui);
    if let Some(path) = &plugin {
        let would = if args.dry_run { "would be " } else { "" };
        ui.line(format!("{would}installed {}", visible_line(path)));
    }
    for agent in &agents {
        let found = linked.agents.iter().find(|linked| linked.id == agent.id);
        let directory = found.and_then(|found| found.directory.as_deref());
        match directory {
            Some(directory) => ui.line(format!("{} reads {directory}", agent.id)),
            None => ui.note(&format!("warning: `{}` has no directory for these", agent.id)),
        }
    }
    let remembered = counted(linked.agents.len(), "agent is", "agents are");
    ui.line(format!("{remembered} linked in the {} layer", place.as_str()));
    Ok(Status::Ok)
}

/// The agents whose directories can be looked at. What only says what it would do leaves a file in the
/// way of chibi's, and nothing can be said about links in there.
fn reachable(
    mut agents: Vec<&'static Agent>,
    mode: Mode,
    settings: &Settings,
) -> Vec<&'static Agent> {
    let plugins = chibi::plugins(&settings.environment);
    if mode == Mode::Say && plugins.is_ok_and(|plugins| chibi::is_one_file(&plugins)) {
        agents.retain(|agent| agent.id != chibi::AGENT);
    }
    agents
}

/// Puts metier into chibi's plugins. Gives where.
fn plugin(mode: Mode, settings: &Settings) -> Result<String, CommandError> {
    let plugins = chibi::plugins(&settings.environment)?;
    let copy = match mode {
        Mode::Say => chibi::copy_in(&plugins),
        Mode::Act => {
            chibi::remember_folders(&plugins, settings)?;
            chibi::install_plugin(&plugins).map_err(CommandError::failed)?
        }
    };
    Ok(copy.to_string_lossy().into_owned())
}
