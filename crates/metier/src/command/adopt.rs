//! `metier adopt`: takes over skills that other tools installed.

use std::path::Path;

use clap::Args;
use metier_format::text::visible_line;
use metier_package::adopt::{Adoptable, Search, State, Survey, accept, survey, take_over};
use metier_package::approve::ApproveError;
use metier_package::link::{Linked, Mode};
use metier_package::reference::Origin;
use metier_package::{Candidate, Drift, Home, Place, Reference, Request, Select, Staged, install};
use serde_json::json;

use crate::command::add::{Allowances, check, offer};
use crate::env;
use crate::error::{CommandError, CommandResult, Status};
use crate::linking;
use crate::packages::{
    self, Fetching, LayerChoice, Offer, Wish, change_error, confirm, fetch_error, recorded, report,
    show,
};
use crate::settings::Settings;
use crate::ui::{Ui, counted};

/// Take over skills that other tools installed
///
/// Reads what `npx skills`, `gh skill` and `openskills` wrote down, holds it against what is on
/// disk, shows each skill as `add` does, and asks. A yes is recorded for exactly what is there;
/// skills where metier installs to are locked as well. Nothing of theirs is touched unless `--move`
/// says so: then metier keeps the skill, and a link to it takes the place of their directory.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier adopt --dry-run\n  metier adopt pdf --layer project\n  \
    metier adopt --move --yes"
)]
pub(crate) struct AdoptArgs {
    /// Only the skills of these names [default: all that are found]
    name: Vec<String>,
    /// Whose skills
    #[arg(long, value_enum, default_value = "personal")]
    layer: LayerChoice,
    /// Keep them in metier's own directory, and put links in their place
    #[arg(long = "move")]
    moves: bool,
    /// Say yes beforehand
    #[arg(long, short = 'y')]
    yes: bool,
    /// Only say what was found
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    allow: Allowances,
}

/// What came of it.
#[derive(Default)]
struct Adopted {
    approved: Vec<String>,
    locked: Vec<String>,
    linked: Linked,
}

/// Takes them over.
pub(crate) fn run(args: &AdoptArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let place = packages::place(args.layer, settings);
    let fetching = Fetching::new(settings)?;
    let survey = look((&home, &place), &fetching, settings);
    remark(&survey, ui);
    let wanted = chosen(args, &survey)?;
    if args.dry_run || wanted.is_empty() {
        say(&survey, &wanted, ui);
        return Ok(Status::Ok);
    }
    let mut offers = Vec::new();
    for found in &wanted {
        let offer = offer(staged(found, &fetching)?, &home, &place)?;
        if !ui.json() {
            show(&offer, ui);
            ui.line(format!("  {}", line(found)));
        }
        check(&offer, args.allow, settings)?;
        offers.push(offer);
    }
    let skills = counted(wanted.len(), "skill", "skills");
    let what = if args.moves { "Take over and move" } else { "Take over" };
    confirm(&format!("{what} {skills} that other tools installed?"), args.yes, ui)?;
    let adopted = adopt(args, (&home, &place), (&wanted, offers), settings, ui)?;
    if ui.json() {
        ui.document(&json!({
            "found": survey.found, "problems": survey.problems,
            "approved": adopted.approved, "locked": adopted.locked,
            "links": adopted.linked.made,
        }));
    } else {
        linking::report(&adopted.linked, Mode::Act, ui);
        ui.line(format!("{skills} taken over"));
    }
    Ok(Status::Ok)
}

fn look((home, place): (&Home, &Place), fetching: &Fetching, settings: &Settings) -> Survey {
    let state = env::variables().into_iter().find(|(name, _)| name == "XDG_STATE_HOME");
    let state = state.map(|(_, value)| value).filter(|value| Path::new(value).is_absolute());
    let places = settings.places();
    survey(&Search {
        home,
        place,
        places: &places,
        state_home: state.as_deref().map(Path::new),
        bases: fetching.bases(),
    })
}

/// The skills that are meant: those named, or all that are not ours yet.
fn chosen<'a>(args: &AdoptArgs, survey: &'a Survey) -> Result<Vec<&'a Adoptable>, CommandError> {
    for typed in &args.name {
        if !survey.found.iter().any(|found| found.name == *typed) {
            let names = survey.found.iter().map(|found| found.name.as_str());
            let advice = "`metier adopt --dry-run` lists what other tools installed";
            return Err(crate::view::unknown_name(typed, names, advice).code("not_found"));
        }
    }
    let named = |found: &&Adoptable| match args.name.is_empty() {
        false => args.name.contains(&found.name),
        true => match found.state {
            State::New => true,
            State::Approved => args.moves,
            State::Locked => false,
        },
    };
    let mut chosen: Vec<&Adoptable> = survey.found.iter().filter(named).collect();
    if args.moves {
        // One name can be installed once; the directories are in the order agents have them.
        chosen.dedup_by(|a, b| a.name == b.name);
    }
    Ok(chosen)
}

/// The skill, checked like everything that is fetched, with what the record says of it.
fn staged(found: &Adoptable, fetching: &Fetching) -> Result<Staged, CommandError> {
    let reference = Reference {
        origin: Origin::Directory(found.directory.clone()),
        path: String::new(),
        requested: None,
        otherwise: None,
        viewed: false,
    };
    let mut fetched = fetching.fetch(&reference, Select::All).map_err(fetch_error)?;
    let staged = fetched.skills.pop().filter(|staged| staged.name.as_str() == found.name);
    let name = visible_line(&found.name).into_owned();
    let Some(staged) = staged else {
        let reason = fetched.refused.pop().map(|refused| refused.reason);
        let reason = reason.unwrap_or_else(|| "it has another name".to_owned());
        let message = format!("`{name}` cannot be taken over: {}", visible_line(&reason));
        return Err(CommandError::refused(message).code("package_refused"));
    };
    Ok(Staged { locked: found.locked(), ..staged })
}

fn adopt(
    args: &AdoptArgs,
    (home, place): (&Home, &Place),
    (wanted, offers): (&[&Adoptable], Vec<Offer>),
    settings: &Settings,
    ui: &mut Ui,
) -> Result<Adopted, CommandError> {
    let by = packages::by(settings);
    let mut adopted = Adopted::default();
    let mut candidates = Vec::new();
    for (found, offer) in wanted.iter().zip(offers) {
        if args.moves || found.in_place {
            let want = Some(found.want());
            candidates.push(Candidate { staged: offer.staged, want, approved: true });
            adopted.locked.push(found.name.clone());
        } else {
            accept(home, found, &by).map_err(approve_error)?;
            adopted.approved.push(found.directory.to_string_lossy().into_owned());
        }
    }
    let request = Request { home, place, act: "adopt", by: &by, drift: Drift::Refuse };
    let wishes = candidates.iter().map(|one| Wish::of_staged(&one.staged)).collect();
    let outcome = recorded(&request, wishes, (settings, ui), || install(&request, &candidates))?;
    if !ui.json() {
        report(&outcome, place, ui);
    }
    if args.moves {
        let moved = linking::with(place, Mode::Act, settings, |l| take_over(l, wanted));
        adopted.linked = moved?.map_err(change_error)?;
    }
    Ok(adopted)
}

fn approve_error(error: ApproveError) -> CommandError {
    match error {
        ApproveError::Change(error) => change_error(error),
        error => CommandError::failed(error).code("not_approved"),
    }
}

fn remark(survey: &Survey, ui: &mut Ui) {
    for problem in &survey.problems {
        let path = problem.path.to_string_lossy();
        let reason = visible_line(&problem.reason);
        ui.note(&format!("warning: `{}` cannot be used: {reason}", visible_line(&path)));
    }
}

fn say(survey: &Survey, wanted: &[&Adoptable], ui: &mut Ui) {
    if ui.json() {
        ui.document(&json!({
            "found": survey.found, "problems": survey.problems,
            "approved": [], "locked": [], "links": [],
        }));
        return;
    }
    for found in wanted {
        ui.line(line(found));
    }
    match (survey.found.is_empty(), wanted.is_empty()) {
        (true, _) => ui.line("no skill here was installed by another tool that metier knows"),
        (false, true) => ui.line("everything other tools installed is taken over already"),
        (false, false) => ui.line(counted(wanted.len(), "skill", "skills")),
    }
}

fn line(found: &Adoptable) -> String {
    format!(
        "{} by {} from {}, {} ({})",
        visible_line(&found.name),
        found.tool.as_str(),
        visible_line(&found.source),
        found.resemblance.as_str(),
        visible_line(&found.directory.to_string_lossy())
    )
}
