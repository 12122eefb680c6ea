//! `metier remove`: takes installed skills away, all that are named or none.

use clap::Args;
use metier_package::{Drift, Request, remove};
use serde_json::json;

use crate::error::{CommandResult, Status};
use crate::linking;
use crate::packages::{self, LayerChoice, Wish, recorded, report, shapes};
use crate::settings::Settings;
use crate::ui::Ui;

/// Remove installed skills
///
/// Only what metier installed is removed. What was removed is kept until it is collected;
/// `metier rollback NAME` brings it back.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier remove pdf\n  metier remove pdf sheets --layer project"
)]
pub(crate) struct RemoveArgs {
    /// The skills' names
    #[arg(required = true)]
    name: Vec<String>,
    /// Where from [default: where it is installed, the personal layer first]
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
    /// Remove a skill also when somebody changed it
    #[arg(long)]
    force: bool,
}

/// Removes the skills.
pub(crate) fn run(args: &RemoveArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let mut groups: Vec<(metier_package::Place, Vec<metier_format::SkillName>)> = Vec::new();
    for typed in &args.name {
        let (place, pinned) = packages::installed(typed, args.layer, settings)?;
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, names)) => names.push(pinned.name),
            None => groups.push((place, vec![pinned.name])),
        }
    }
    let by = packages::by(settings);
    let drift = if args.force { Drift::Replace } else { Drift::Refuse };
    let mut removed = Vec::new();
    for (place, names) in &groups {
        let request = Request { home: &home, place, act: "remove", by: &by, drift };
        let wishes = names.iter().map(Wish::gone).collect();
        let outcome = recorded(&request, wishes, (settings, ui), || remove(&request, names))?;
        linking::relink(place, settings, ui);
        if ui.json() {
            removed.extend(serde_json::to_value(shapes(&outcome, place)));
        } else {
            report(&outcome, place, ui);
        }
    }
    if ui.json() {
        let removed: Vec<_> =
            removed.into_iter().filter_map(|list| list.as_array().cloned()).flatten().collect();
        ui.document(&json!({"removed": removed}));
    }
    Ok(Status::Ok)
}
