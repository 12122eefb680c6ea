//! `metier update`: what is newer is fetched, shown beside what is installed, and takes its place.

use clap::Args;
use metier_format::text::visible_line;
use metier_package::{Drift, Home, Place, Request, Select, install};
use serde_json::json;

use crate::command::add::{Allowances, admit, candidate, offer};
use crate::command::outdated::{Newer, about, arrived, newer};
use crate::error::{CommandError, CommandResult, Status};
use crate::linking;
use crate::packages::{
    self, Fetching, History, LayerChoice, Offer, Wish, confirm, fetch_error, record_error,
    recorded, report, shapes, show,
};
use crate::settings::Settings;
use crate::ui::{Ui, counted};

/// Update installed skills
///
/// Asks each skill's source for something newer and shows the old and the new commit, every file that
/// changed with its lines, and what it can run and reach that it could not before. On a terminal you are asked,
/// elsewhere `--yes` has to say it. A skill that was asked for at one commit stays there.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier update\n  metier update pdf --yes")]
pub(crate) struct UpdateArgs {
    /// Only these skills
    name: Vec<String>,
    /// Say yes beforehand
    #[arg(long, short = 'y')]
    yes: bool,
    /// Only this layer
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
    /// Let a skill go back to a commit that was installed before
    #[arg(long)]
    allow_rewrite: bool,
    #[command(flatten)]
    allow: Allowances,
}

/// Updates.
pub(crate) fn run(args: &UpdateArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let fetching = Fetching::new(settings)?;
    let mut failures = 0;
    let mut updated = Vec::new();
    let mut offered = Vec::new();
    let mut installed = 0;
    for (place, names) in wanted(args, &home, settings)? {
        installed += names.len();
        let mut offers = Vec::new();
        for pinned in names {
            match fetched(&pinned, &home, &place, &fetching) {
                Ok(offer) => offers.extend(offer),
                Err(error) => {
                    failures += 1;
                    ui.complain(&about(&pinned, error));
                }
            }
        }
        for offer in &offers {
            if !ui.json() {
                show(offer, ui);
            }
            admit(offer, args.allow, settings, ui)?;
            check_history(offer, args.allow_rewrite)?;
        }
        if offers.is_empty() {
            continue;
        }
        let skills = counted(offers.len(), "skill", "skills");
        let question = format!("Update {skills} of the {} layer?", place.as_str());
        confirm(&question, args.yes, ui)?;
        offered.extend(offers.iter().filter_map(|one| serde_json::to_value(one.preview()).ok()));
        updated.extend(apply(offers, (&home, &place), settings, ui)?);
    }
    if ui.json() {
        ui.document(&json!({"updated": updated, "offered": offered, "failed": failures}));
    } else if installed == 0 {
        ui.line("nothing is installed");
    } else if updated.is_empty() && failures == 0 {
        ui.line("everything is up to date");
    }
    Ok(if failures == 0 { Status::Ok } else { Status::Partly })
}

/// An update goes forward. What its source takes back may be an older fault put in again.
fn check_history(offer: &Offer, allowed: bool) -> Result<(), CommandError> {
    if allowed || offer.history != Some(History::Back) {
        return Ok(());
    }
    let name = visible_line(offer.pinned.name.as_str()).into_owned();
    let message = format!("`{name}` goes back to a commit that was installed before");
    let error = CommandError::refused(message).code("goes_back");
    Err(error.hint("`--allow-rewrite` lets it pass; `metier rollback` goes back on purpose"))
}

fn apply(
    offers: Vec<Offer>,
    (home, place): (&Home, &Place),
    settings: &Settings,
    ui: &mut Ui,
) -> Result<Vec<serde_json::Value>, CommandError> {
    let candidates: Vec<_> = offers
        .into_iter()
        .map(candidate)
        // How it is wanted has not changed.
        .map(|candidate| metier_package::Candidate { want: None, ..candidate })
        .collect();
    let by = packages::by(settings);
    let request = Request { home, place, act: "update", by: &by, drift: Drift::Refuse };
    let wishes = candidates.iter().map(|one| Wish::of_staged(&one.staged)).collect();
    let outcome = recorded(&request, wishes, (settings, ui), || install(&request, &candidates))?;
    linking::relink(place, settings, ui);
    if !ui.json() {
        report(&outcome, place, ui);
    }
    let shapes = shapes(&outcome, place).into_iter().map(serde_json::to_value);
    Ok(shapes.filter_map(Result::ok).collect())
}

type Group = (Place, Vec<metier_package::Pinned>);

fn wanted(args: &UpdateArgs, home: &Home, settings: &Settings) -> Result<Vec<Group>, CommandError> {
    let mut groups: Vec<Group> = Vec::new();
    if args.name.is_empty() {
        for place in packages::places(args.layer, settings) {
            let list = metier_package::installed::list(home, &place).map_err(record_error)?;
            groups.push((place, list));
        }
        return Ok(groups);
    }
    for typed in &args.name {
        let (place, pinned) = packages::installed(typed, args.layer, settings)?;
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, list)) => list.push(pinned),
            None => groups.push((place, vec![pinned])),
        }
    }
    Ok(groups)
}

/// What is newer of one skill, fetched and looked at; none when nothing is.
fn fetched(
    pinned: &metier_package::Pinned,
    home: &Home,
    place: &Place,
    fetching: &Fetching,
) -> Result<Option<Offer>, CommandError> {
    let fetched = match newer(pinned, fetching)? {
        Newer::Nothing => return Ok(None),
        Newer::Commit { reference, .. } | Newer::Content { reference } => {
            fetching.fetch(&reference, Select::AtPath).map_err(fetch_error)?
        }
        Newer::Unknown { reference } => fetching.anew(pinned, &reference)?,
    };
    let found = offer(arrived(fetched, pinned)?, home, place)?;
    Ok((found.pinned.tree != pinned.tree || found.pinned.locked != pinned.locked).then_some(found))
}
