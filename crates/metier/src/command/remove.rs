//! `metier remove`: takes installed skills away, all that are named or none.

use std::path::Path;

use clap::Args;
use metier_format::SkillName;
use metier_format::text::visible_line;
use metier_package::remove::is_foreign;
use metier_package::{Drift, Request, remove};
use serde_json::json;

use crate::error::{CommandError, CommandResult, Status};
use crate::linking;
use crate::packages::{self, LayerChoice, Wish, change_error, recorded, report, shapes};
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
    let mut foreign = Vec::new();
    for (place, names) in &groups {
        for name in names {
            if is_foreign(&home, place, name).map_err(change_error)? {
                foreign.push((name.clone(), place.directory(&home, name.as_str())));
            }
        }
        let request = Request { home: &home, place, act: "remove", by: &by, drift };
        let wishes = names.iter().map(Wish::gone).collect();
        let mut outcome = recorded(&request, wishes, (settings, ui), || remove(&request, names))?;
        outcome.done.retain(|done| foreign.iter().all(|(name, _)| name.as_str() != done.name));
        linking::relink(place, settings, ui);
        if ui.json() {
            removed.extend(serde_json::to_value(shapes(&outcome, place)));
        } else {
            report(&outcome, place, ui);
        }
    }
    if let Some((name, directory)) = foreign.first() {
        return Err(left_there(name, directory));
    }
    if ui.json() {
        let removed: Vec<_> =
            removed.into_iter().filter_map(|list| list.as_array().cloned()).flatten().collect();
        ui.document(&json!({"removed": removed}));
    }
    Ok(Status::Ok)
}

/// The failure of a removal that found something else where the skill should be.
pub(crate) fn left_there(name: &SkillName, directory: &Path) -> CommandError {
    let path = visible_line(&directory.to_string_lossy()).into_owned();
    let name = visible_line(name.as_str()).into_owned();
    let message = format!(
        "metier no longer has `{name}` installed, but what is in `{path}` was not put there by \
         metier and stays"
    );
    let error = CommandError::failed(message).code("not_ours");
    error.hint("keep it as a skill of your own, or delete it yourself")
}
