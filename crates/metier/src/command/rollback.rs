//! `metier rollback`: what was installed before is what is installed.

use std::collections::BTreeSet;

use clap::Args;
use metier_format::text::visible_line;
use metier_package::inspect::Inspection;
use metier_package::{ChangeError, Drift, Home, Pinned, Place, Request, Staged, changes, rollback};
use serde_json::json;

use crate::command::sync::exactly;
use crate::error::{CommandError, CommandResult, Status};
use crate::linking;
use crate::packages::{
    self, Fetching, LayerChoice, Wish, change_error, confirm, record_error, recorded, report,
    shapes, show_files,
};
use crate::settings::Settings;
use crate::ui::Ui;

/// Go back to what was installed before
///
/// The version before the last `add`, `update` or `remove` of the skill takes its place again, from
/// the copy that was kept. Going back again goes further back, as far as the oldest version that was
/// kept. `metier update` goes forward again, or `metier add` where the version has a ref of its own.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier rollback pdf --yes\n  metier rollback pdf --layer project"
)]
pub(crate) struct RollbackArgs {
    /// The skill's name
    name: String,
    /// Where [default: where it is installed, the personal layer first]
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
    /// Say yes beforehand
    #[arg(long, short = 'y')]
    yes: bool,
}

/// Shows what becomes of each file when `goal` takes the place of what is there.
fn show(home: &Home, place: &Place, goal: &Pinned, ui: &mut Ui) {
    let name = goal.name.as_str();
    let (now, then) = (place.directory(home, name), home.kept(&goal.tree));
    let scripts = Inspection::of(&then).map(|then| then.reach.scripts).unwrap_or_default();
    let scripts: BTreeSet<String> = scripts.into_iter().collect();
    ui.line(format!("{} ({}, {})", visible_line(name), place.as_str(), goal.short()));
    if let Some(changes) = changes::between(&now, &then, &scripts) {
        show_files(&changes, ui);
    }
}

/// What fetching needs where the kept copy of what is gone back to is gone or changed.
fn fetching(
    home: &Home,
    goal: &Pinned,
    settings: &Settings,
) -> Result<Option<Fetching>, CommandError> {
    let kept = metier_package::installed::is_kept(home, goal);
    match kept.map_err(|error| change_error(ChangeError::Disk(error)))? {
        true => Ok(None),
        false => Fetching::new(settings).map(Some),
    }
}

/// What is gone back to, fetched exactly as it was.
fn fetched(goal: &Pinned, fetching: &Fetching) -> Result<Staged, CommandError> {
    exactly(goal, fetching).map_err(|error| {
        let not_kept = change_error(ChangeError::NotKept(goal.name.to_string()));
        not_kept.hint(format!("nor can it be fetched again: {}", error.message()))
    })
}

/// Goes back.
pub(crate) fn run(args: &RollbackArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let name = packages::skill_name(&args.name)?;
    // Where it is installed it is gone back; only what is gone altogether is looked for everywhere.
    let places = match packages::installed(&args.name, args.layer, settings) {
        Ok((place, _)) => vec![place],
        Err(_) => packages::places(args.layer, settings),
    };
    let mut found = None;
    for place in places {
        let earlier = metier_package::installed::earlier(&home, &place, &name);
        if let Some(goal) = earlier.map_err(record_error)?.pop() {
            found = Some((place, goal));
            break;
        }
    }
    let Some((place, goal)) = found else {
        let error = change_error(ChangeError::NoEarlier(name.to_string()));
        let installed = packages::installed(&args.name, args.layer, settings).is_ok();
        let hints = vec!["`metier info` lists what is installed".to_owned()];
        return Err(if installed { error } else { CommandError { hints, ..error } });
    };
    if !ui.json() {
        show(&home, &place, &goal, ui);
    }
    let question = format!("Go back to {} of {}?", goal.short(), visible_line(name.as_str()));
    confirm(&question, args.yes, ui)?;
    let by = packages::by(settings);
    let drift = Drift::Refuse;
    let request = Request { home: &home, place: &place, act: "rollback", by: &by, drift };
    let wishes = vec![Wish::of_pinned(&goal)];
    // Held until what it fetched is installed.
    let fetching = fetching(&home, &goal, settings)?;
    let fetched = fetching.as_ref().map(|fetching| fetched(&goal, fetching)).transpose()?;
    let fetched: Vec<Staged> = fetched.into_iter().collect();
    let work = || rollback(&request, &name, &fetched);
    let outcome = recorded(&request, wishes, (settings, ui), work)?;
    linking::relink(&place, settings, ui);
    if ui.json() {
        ui.document(&json!({"restored": shapes(&outcome, &place)}));
        return Ok(Status::Ok);
    }
    report(&outcome, &place, ui);
    Ok(Status::Ok)
}
