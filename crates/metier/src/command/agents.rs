//! `metier agents`: which agents are on this machine, and where each finds skills.

use std::collections::BTreeSet;

use clap::Args;
use metier_package::agents::{Reach, detected, reaches};
use metier_package::link::remembered;
use metier_package::links::Links;
use metier_package::{Home, Place};
use metier_serve::agent_hook::HookAgent;
use metier_store::client::{AGENTS, Agent};
use serde::Serialize;
use serde_json::json;

use crate::command::hook::setup::has_hooks;
use crate::error::{CommandResult, Status};
use crate::packages::{self, record_error};
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Table, Tone, Ui, counted};

/// Say which agents are on this machine
///
/// Each with what says that it is there, the directories it finds skills in, and whether `metier
/// link` gave it any.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier agents\n  metier agents --all --json")]
pub(crate) struct AgentsArgs {
    /// Also those that are not here
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Serialize)]
struct AgentShape {
    id: &'static str,
    title: &'static str,
    /// What says that it is here.
    detected: Option<String>,
    personal: DirectoryShape,
    project: DirectoryShape,
    /// Whether metier set up its hooks in the agent's settings.
    hooks: bool,
}

#[derive(Debug, Serialize)]
struct DirectoryShape {
    /// Where links to skills go, or would.
    directory: Option<String>,
    linked: bool,
    /// How many links and copies metier made for it.
    skills: usize,
}

/// Lists the agents.
pub(crate) fn run(args: &AgentsArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let places = [Place::Personal, Place::Project(settings.project.clone())];
    let [personal, project] = places.each_ref().map(|place| remembered(&home, place));
    let links = [personal.map_err(record_error)?, project.map_err(record_error)?];
    let mut shapes = Vec::new();
    for agent in AGENTS {
        let here = detected(agent, &settings.places());
        let linked = links.iter().any(|links| links.agents.contains_key(agent.id));
        if here.is_none() && !linked && !args.all {
            continue;
        }
        let [personal, project] = [0, 1].map(|which: usize| {
            let (place, links) = (places.get(which), links.get(which));
            directory(agent, (&home, place, links), settings)
        });
        let detected = here.map(|path| shape::path(&path));
        let hooks = HookAgent::parse(agent.id).is_some_and(|agent| has_hooks(agent, settings));
        let Agent { id, title, .. } = *agent;
        shapes.push(AgentShape { id, title, detected, personal, project, hooks });
    }
    if ui.json() {
        ui.document(&json!({"agents": shapes}));
        return Ok(Status::Ok);
    }
    print(&shapes, ui);
    Ok(Status::Ok)
}

fn directory(
    agent: &'static Agent,
    (home, place, links): (&Home, Option<&Place>, Option<&Links>),
    settings: &Settings,
) -> DirectoryShape {
    let (Some(place), Some(links)) = (place, links) else {
        return DirectoryShape { directory: None, linked: false, skills: 0 };
    };
    let linked = links.agents.contains_key(agent.id);
    let mut together: BTreeSet<&'static str> =
        links.agents.keys().filter_map(|id| Agent::find(id)).map(|agent| agent.id).collect();
    together.insert(agent.id);
    let directory = match reaches(&together, (home, place), &settings.places()).remove(agent.id) {
        Some(Reach::Directory(path) | Reach::Shared(path)) => Some(path),
        Some(Reach::Already) => Some(place.base(home).join(place.skills())),
        Some(Reach::Nowhere) | None => None,
    };
    let is_in = |folder: &str| directory.as_ref().is_some_and(|path| path.ends_with(folder));
    let skills = links.made.iter().filter(|made| linked && is_in(&made.folder)).count();
    DirectoryShape { directory: directory.map(|path| shape::path(&path)), linked, skills }
}

fn print(shapes: &[AgentShape], ui: &mut Ui) {
    let mut table = Table::default();
    for shape in shapes {
        let here = if shape.detected.is_some() { "here" } else { "not here" };
        let linked = match (shape.personal.linked, shape.project.linked) {
            (true, true) => "linked, in the project too",
            (true, false) => "linked",
            (false, true) => "linked in the project",
            (false, false) => "not linked",
        };
        let id = (Some(Tone::Strong), shape.id.to_owned());
        let directory = shape.personal.directory.clone().unwrap_or_default();
        table.row([id, (None, here.to_owned()), (None, linked.to_owned()), (None, directory)]);
    }
    ui.table(&table);
    let here = shapes.iter().filter(|shape| shape.detected.is_some()).count();
    ui.line(format!("{} on this machine", counted(here, "agent", "agents")));
    let linked = shapes.iter().any(|shape| shape.personal.linked);
    match (here, linked) {
        (0, _) if shapes.is_empty() => ui.note("hint: `metier agents --all` lists all it knows"),
        (1.., false) => ui.note("hint: `metier link` shows installed skills to them"),
        _ => {}
    }
}
