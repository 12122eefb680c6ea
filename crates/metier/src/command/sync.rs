//! `metier sync`: makes the disk equal to `skills.lock`, and the lock to `skills.toml`.

use clap::Args;
use metier_format::text::visible_line;
use metier_package::sync::{Plan, ToLock, bases_of, plan, sync};
use metier_package::wanted::Want;
use metier_package::{
    Bases, Drift, Home, Locked, Outcome, Place, Reference, Request, Select, Signature, Staged,
};
use serde_json::json;

use crate::command::add::{Allowances, admit, candidate, offer};
use crate::error::{CommandError, CommandResult, Status};
use crate::linking;
use crate::packages::{
    self, Fetching, LayerChoice, Wish, confirm, fetch_error, record_error, recorded,
    reference_error, report, shapes, show,
};
use crate::settings::Settings;
use crate::ui::{Ui, counted};
use crate::view::{View, trust_hint};

/// Make the disk equal to the lock
///
/// What is missing is added, what differs is put right, what metier installed and the lock no longer
/// has is removed; nothing else is touched. What somebody changed is replaced: it is said what that
/// was and where the changed copy is kept, which stays until `metier gc --earlier`. Skills that
/// `skills.toml` wants and the lock does not have are fetched and locked, after you said yes.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier sync\n  metier sync --frozen --layer project")]
pub(crate) struct SyncArgs {
    /// Refuse to change the lock
    #[arg(long)]
    frozen: bool,
    /// Only this layer
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
    /// Say yes beforehand to what `skills.toml` wants newly
    #[arg(long, short = 'y')]
    yes: bool,
    #[command(flatten)]
    allow: Allowances,
}

/// Makes them equal.
pub(crate) fn run(args: &SyncArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let mut changed = Vec::new();
    for place in packages::places(args.layer, settings) {
        let plan = plan(&home, &place, &packages::bases(settings)).map_err(record_error)?;
        for name in &plan.left_alone {
            let name = visible_line(name.as_str());
            ui.note(&format!(
                "warning: `{name}` is not locked any more, but somebody changed it; \
                it is left alone"
            ));
        }
        if plan.is_empty() {
            linking::relink(&place, settings, ui);
            continue;
        }
        if args.frozen && !plan.is_locked() {
            return Err(not_locked(&plan));
        }
        for outcome in carry_out(args, &plan, (&home, &place), settings, ui)? {
            if !ui.json() {
                report(&outcome, &place, ui);
            }
            let shapes = shapes(&outcome, &place).into_iter().map(serde_json::to_value);
            changed.extend(shapes.filter_map(Result::ok));
        }
        linking::relink(&place, settings, ui);
    }
    if ui.json() {
        ui.document(&json!({"changed": changed}));
    } else if changed.is_empty() {
        ui.line("everything is as locked");
    }
    // What is on disk is of no use to anybody as long as nobody said yes to it.
    if let Some(hint) = trust_hint(&View::open(settings).catalog, settings) {
        ui.note(&format!("hint: {hint}"));
    }
    Ok(Status::Ok)
}

fn not_locked(plan: &Plan) -> CommandError {
    let wanted = plan.to_lock.iter().map(ToString::to_string);
    let locked = plan.unwanted.iter().map(|name| format!("`{name}` is locked and not wanted"));
    let reasons: Vec<String> = wanted.chain(locked).collect();
    let message = format!("the lock is not what `skills.toml` wants: {}", reasons.join("; "));
    let error = CommandError::failed(message).code("lock_outdated");
    error.hint("`metier sync` without `--frozen` brings the lock up to date")
}

fn carry_out(
    args: &SyncArgs,
    plan: &Plan,
    (home, place): (&Home, &Place),
    settings: &Settings,
    ui: &mut Ui,
) -> Result<Vec<Outcome>, CommandError> {
    let by = packages::by(settings);
    let request = Request { home, place, act: "sync", by: &by, drift: Drift::Refuse };
    let needs_fetch = !plan.to_fetch.is_empty() || !plan.to_lock.is_empty();
    let fetching = if needs_fetch { Some(Fetching::new(settings)?) } else { None };
    let mut fetched = Vec::new();
    for pinned in &plan.to_fetch {
        let Some(fetching) = &fetching else { break };
        fetched.push(exactly(pinned, fetching)?);
    }
    let wishes = plan.ready.iter().chain(&plan.to_fetch).map(Wish::of_pinned);
    let wishes = wishes.chain(plan.to_remove.iter().map(Wish::gone)).collect();
    let work = || sync(&request, plan, &fetched);
    let mut outcomes = vec![recorded(&request, wishes, (settings, ui), work)?];
    if let (Some(fetching), false) = (&fetching, plan.to_lock.is_empty()) {
        outcomes.push(lock(args, plan, (&request, fetching), settings, ui)?);
    }
    if !plan.unwanted.is_empty() {
        let wishes = plan.unwanted.iter().map(Wish::gone).collect();
        let work = || metier_package::remove(&request, &plan.unwanted);
        outcomes.push(recorded(&request, wishes, (settings, ui), work)?);
    }
    Ok(outcomes)
}

/// Fetches what is pinned, and nothing else will do.
pub(crate) fn exactly(
    pinned: &metier_package::Pinned,
    fetching: &Fetching,
) -> Result<Staged, CommandError> {
    let name = visible_line(pinned.name.as_str()).into_owned();
    if let Err(error) = Reference::locked(&pinned.locked) {
        let source = visible_line(&pinned.locked.source);
        let message = format!("the lock has `{name}` from `{source}`, which is refused: {error}");
        let error = CommandError::refused(message).code("source_refused");
        return Err(
            error.hint("whoever wrote the lock did so by hand; `metier add` writes it anew")
        );
    }
    let mut fetched = fetching.fetch_locked(&pinned.locked).map_err(fetch_error)?;
    let found = fetched.skills.pop().filter(|staged| staged.name == pinned.name);
    let right = |staged: &Staged| {
        metier_package::Pinned::of(staged).is_ok_and(|found| found.tree == pinned.tree)
    };
    match found {
        Some(staged) if right(&staged) => Ok(staged),
        _ => {
            let message = format!("`{name}` is not at its source what the lock says it is");
            let error = CommandError::refused(message).code("tree_mismatch");
            Err(error.hint(
                "whoever changed it did so without changing its commit, or the lock is wrong",
            ))
        }
    }
}

/// Fetches, shows and locks what is wanted newly.
fn lock(
    args: &SyncArgs,
    plan: &Plan,
    (request, fetching): (&Request<'_>, &Fetching),
    settings: &Settings,
    ui: &mut Ui,
) -> Result<Outcome, CommandError> {
    let mut candidates = Vec::new();
    let bases = bases_of(request.home, request.place, fetching.bases());
    for ToLock { name, want, .. } in &plan.to_lock {
        let reference = reference(want, &bases)?;
        let names = [name.to_string()];
        let mut fetched = fetching.fetch(&reference, Select::Named(&names)).map_err(fetch_error)?;
        let Some(staged) = fetched.skills.pop() else { continue };
        let found = offer(staged, request.home, request.place)?;
        if !ui.json() {
            show(&found, ui);
        }
        admit(&found, args.allow, settings, ui)?;
        let wanted = metier_package::Candidate { want: Some(want.clone()), ..candidate(found) };
        candidates.push(wanted);
    }
    let skills = counted(candidates.len(), "skill", "skills");
    confirm(&format!("Install {skills} that `skills.toml` wants?"), args.yes, ui)?;
    let wishes = candidates.iter().map(|one| Wish::of_staged(&one.staged)).collect();
    let work = || metier_package::install(request, &candidates);
    recorded(request, wishes, (settings, ui), work)
}

/// Where a wanted skill is. The source may be as people type it, or as locks have it; a relative path
/// starts where `skills.toml` is.
fn reference(want: &Want, bases: &Bases) -> Result<Reference, CommandError> {
    let parse = |text: &str| Reference::parse(text, bases).map_err(|e| reference_error(e, text));
    let mut reference = parse(&want.source)?;
    if !want.path.is_empty() {
        let locked = Locked {
            source: reference.source(),
            path: want.path.clone(),
            requested: None,
            commit: None,
            signature: Signature::None,
        };
        reference = Reference::locked(&locked).map_err(|e| reference_error(e, &want.source))?;
    }
    if let Some(requested) = &want.requested {
        let pinned = parse(&format!("{}#{requested}", reference.source()))?;
        reference.requested = pinned.requested;
    }
    Ok(reference)
}
