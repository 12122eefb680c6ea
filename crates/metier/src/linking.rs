//! What the commands about agents share: whom a typed id means, how links are made to fit after
//! something was installed, and how what came of it is shown.

use metier_format::text::visible_line;
use metier_package::Place;
use metier_package::link::{self, Linked, Linking, Mode, Why};
use metier_store::client::{AGENTS, Agent};
use metier_store::suggest::did_you_mean;
use serde::Serialize;

use crate::command::hook::setup::Change;
use crate::error::CommandError;
use crate::packages;
use crate::settings::Settings;
use crate::ui::Ui;

/// What became of links, as JSON.
#[derive(Debug, Serialize)]
pub(crate) struct LinkedShape<'a> {
    pub(crate) layer: &'static str,
    pub(crate) dry_run: bool,
    #[serde(flatten)]
    pub(crate) linked: &'a Linked,
    /// The plugin of an agent that has skills only through one, where it was put or was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plugin: Option<String>,
    /// What became of hooks in the agents' settings.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) hooks: &'a [Change],
}

/// The agents that the typed ids mean.
pub(crate) fn agents(typed: &[String]) -> Result<Vec<&'static Agent>, CommandError> {
    typed.iter().map(|id| agent(id)).collect()
}

fn agent(typed: &str) -> Result<&'static Agent, CommandError> {
    if let Some(agent) = Agent::find(typed) {
        return Ok(agent);
    }
    let message = format!("`{}` is no agent that metier knows", visible_line(typed));
    let error = CommandError::usage(message).code("unknown_agent");
    let near = did_you_mean(typed, AGENTS.iter().map(|agent| agent.id));
    let error = match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    };
    Err(error.hint("`metier agents --all` lists them"))
}

/// Does `work` with what linking needs.
pub(crate) fn with<T>(
    place: &Place,
    mode: Mode,
    settings: &Settings,
    work: impl FnOnce(&Linking<'_>) -> T,
) -> Result<T, CommandError> {
    let home = packages::home(settings)?;
    let (places, by) = (settings.places(), packages::by(settings));
    Ok(work(&Linking { home: &home, place, places: &places, by: &by, mode }))
}

/// Makes the links of remembered agents fit what is installed now. What was installed is installed
/// whether that works or not.
pub(crate) fn relink(place: &Place, settings: &Settings, ui: &mut Ui) {
    let linked = with(place, Mode::Act, settings, link::relink);
    let linked = linked.and_then(|linked| linked.map_err(packages::change_error));
    match linked {
        Ok(linked) => {
            packages::remark(linked.repaired.as_ref(), ui);
            for path in &linked.made {
                ui.note(&format!("linked {}", visible_line(path)));
            }
            for left in linked.left.iter().filter(|left| left.reason != Why::NotApproved) {
                ui.note(&sentence(&left.path, left.reason));
            }
        }
        Err(error) => {
            ui.note(&format!("warning: agents' links are not up to date: {}", error.message()));
            ui.note("hint: `metier doctor` says what is wrong");
        }
    }
}

/// Shows what became of links.
pub(crate) fn report(linked: &Linked, mode: Mode, ui: &mut Ui) {
    packages::remark(linked.repaired.as_ref(), ui);
    let would = if mode == Mode::Say { "would be " } else { "" };
    for path in &linked.made {
        ui.line(format!("{would}linked  {}", visible_line(path)));
    }
    for path in &linked.removed {
        ui.line(format!("{would}removed {}", visible_line(path)));
    }
    for left in &linked.left {
        ui.note(&sentence(&left.path, left.reason));
    }
    if let Some(hint) = linked.left.iter().find_map(|left| hint(left.reason)) {
        ui.note(&format!("hint: {hint}"));
    }
}

fn sentence(path: &str, why: Why) -> String {
    format!("warning: `{}` is left as it is: {}", visible_line(path), why.as_str())
}

fn hint(why: Why) -> Option<&'static str> {
    match why {
        Why::Foreign => Some("move it away and link again, or `metier adopt` takes it over"),
        Why::NotApproved => Some("`metier trust NAME` says yes to a skill"),
        Why::Drifted => Some("`metier verify` says what changed"),
        Why::Replaced | Why::NotText => None,
    }
}
