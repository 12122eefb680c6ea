//! `metier trust` and `metier untrust`: a person's yes, recorded or taken back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use metier_format::text::visible_line;
use metier_package::approve::{self, ApproveError};
use metier_package::inspect::{Inspection, Reach};
use metier_package::{Home, changes};
use metier_runtime::Event;
use metier_runtime::event::{Chain, SkillChanged};
use metier_store::catalog::Trust;
use metier_store::vouch::{Standing, Vouched};
use metier_store::{Found, Layer};
use serde_json::json;

use crate::env::{self, PathKind};
use crate::error::{CommandError, CommandResult, Status};
use crate::packages::{
    self, Recorder, approved, change_error, confirm, is_path, resolve_path, show_files, unchanged,
};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::{Named, View};

/// Approve a skill as it is now, or trust a project's folder
///
/// NAME approves exactly what is in the skill's directory now; any change to it asks again, and then
/// it is shown what changed. DIR
/// (anything with a `/` in it, or `.`) trusts the folder: projects at or below it may bring skills.
/// A project cannot bring its own approvals; they are in metier's own directory.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier trust pdf\n  metier trust .\n  metier trust ~/work --yes"
)]
pub(crate) struct TrustArgs {
    /// A skill's name, or a folder
    #[arg(value_name = "NAME|DIR")]
    what: String,
    /// Say yes beforehand
    #[arg(long, short = 'y')]
    yes: bool,
}

/// Take back an approval, or the trust in a folder
///
/// A skill of your own whose approval is taken back is as if it had never been approved: present,
/// and its scripts confined. A project's skills are refused again.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier untrust pdf\n  metier untrust .")]
pub(crate) struct UntrustArgs {
    /// A skill's name, or a folder
    #[arg(value_name = "NAME|DIR")]
    what: String,
}

/// Records a yes.
pub(crate) fn run(args: &TrustArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    if is_path(&args.what) {
        return trust_folder(args, settings, ui);
    }
    let home = packages::home(settings)?;
    let view = View::open(settings);
    let (found, directory) = named(&view, &args.what)?;
    let name = visible_line(found.name.as_str()).into_owned();
    if view.catalog.layer(found) == Layer::Bundled {
        return Err(CommandError::failed(format!("`{name}` ships with metier and is trusted")));
    }
    let vouched = view.vouched(found);
    if vouched.standing == Standing::Approved {
        if ui.json() {
            ui.document(
                &json!({"name": found.name.as_str(), "trust": "approved", "tree": vouched.tree}),
            );
        } else {
            ui.line(format!("{name} is approved as it is"));
        }
        return Ok(Status::Ok);
    }
    // What is shown from here on is what this digest names, or the approval is refused.
    let seen = approve::digest(&directory).map_err(approve_error)?;
    if !ui.json() {
        show(&home, (&directory, &seen), &vouched, ui);
    }
    confirm(&format!("Approve {name} as it is now?"), args.yes, ui)?;
    let by = packages::by(settings);
    let intent = SkillChanged {
        act: "trust".to_owned(),
        before: vouched.tree.is_some().then(|| known(&vouched)),
        ..about(&view, found, &by.who)
    };
    let work = || approve::approve(&home, &directory, &seen, &by).map(Some);
    let approval = said(intent, (settings, ui), work, |intent, approval| {
        Event::SkillApproved(SkillChanged { after: approval.as_ref().map(approved), ..intent })
    })?;
    let Some(approval) = approval else { return Ok(Status::Ok) };
    if ui.json() {
        let tree = &approval.tree;
        ui.document(&json!({"name": found.name.as_str(), "trust": "approved", "tree": tree}));
    } else {
        ui.line(format!("{name} is approved (sha256:{})", approval.tree));
    }
    Ok(Status::Ok)
}

/// Takes a yes back.
pub(crate) fn untrust(args: &UntrustArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let (what, revoked) = if is_path(&args.what) {
        let folder = resolve_path(&args.what, settings);
        let intent = folder_change("untrust", &folder, settings);
        let work = || approve::untrust_folder(&home, &folder);
        let revoked = said(intent, (settings, ui), work, taken_back)?;
        (folder.to_string_lossy().into_owned(), revoked)
    } else {
        let view = View::open(settings);
        let (found, directory) = named(&view, &args.what)?;
        let vouched = view.vouched(found);
        let intent = SkillChanged {
            act: "untrust".to_owned(),
            before: vouched.tree.is_some().then(|| known(&vouched)),
            ..about(&view, found, &packages::by(settings).who)
        };
        let revoked =
            said(intent, (settings, ui), || approve::revoke(&home, &directory), taken_back)?;
        (found.name.to_string(), revoked)
    };
    let shown = visible_line(&what).into_owned();
    if ui.json() {
        ui.document(&json!({"untrusted": what, "changed": revoked}));
    } else if revoked {
        ui.line(format!("`{shown}` is not trusted any more"));
    } else {
        ui.line(format!("`{shown}` was not trusted"));
    }
    if is_path(&args.what) && settings.trusts(&resolve_path(&args.what, settings)) && !revoked {
        ui.note(&format!("note: `trusted-folders` in {} names it", settings.config_file()));
    }
    Ok(Status::Ok)
}

fn trust_folder(args: &TrustArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let folder = resolve_path(&args.what, settings);
    let shown = visible_line(&folder.to_string_lossy()).into_owned();
    if env::kind_of(&folder) != PathKind::Directory {
        let error = CommandError::failed(format!("there is no directory `{shown}`"));
        return Err(error.code("not_found").hint("a skill is trusted by its name, without a `/`"));
    }
    if !ui.json() {
        let view = View::open(settings);
        let waiting: Vec<String> = view
            .catalog
            .entries
            .iter()
            .filter(|entry| entry.trust == Trust::Untrusted)
            // What changed waits for `metier trust NAME`, wherever it lies.
            .filter(|entry| entry.found.standing != Standing::Changed)
            .map(|entry| visible_line(entry.name().as_str()).into_owned())
            .collect();
        if !waiting.is_empty() {
            ui.line(format!("skills that wait for it here: {}", waiting.join(", ")));
        }
    }
    confirm(&format!("Trust the skills of projects in {shown}?"), args.yes, ui)?;
    let by = packages::by(settings);
    let intent = folder_change("trust", &folder, settings);
    let work = || approve::trust_folder(&home, &folder, &by);
    let added = said(intent, (settings, ui), work, |intent, added| match added {
        true => Event::SkillApproved(intent),
        false => unchanged(intent, "as_asked", None),
    })?;
    if ui.json() {
        ui.document(
            &json!({"folder": folder.to_string_lossy(), "trusted": true, "changed": added}),
        );
    } else {
        ui.line(format!("projects in `{shown}` may bring skills"));
    }
    Ok(Status::Ok)
}

/// Does `work`, recorded before and after.
fn said<T>(
    intent: SkillChanged,
    (settings, ui): (&Settings, &mut Ui),
    work: impl FnOnce() -> Result<T, ApproveError>,
    result: impl FnOnce(SkillChanged, &T) -> Event,
) -> Result<T, CommandError> {
    let mut recorder = Recorder::open(settings, ui)?;
    recorder.intend(std::slice::from_ref(&intent))?;
    match work().map_err(approve_error) {
        Ok(value) => {
            recorder.conclude(vec![result(intent, &value)])?;
            Ok(value)
        }
        Err(error) => {
            recorder.give_up(vec![intent], &error);
            Err(error)
        }
    }
}

fn taken_back(intent: SkillChanged, revoked: &bool) -> Event {
    match revoked {
        true => Event::SkillUnapproved(intent),
        false => unchanged(intent, "as_asked", None),
    }
}

/// What a frame says of `found`.
fn about(view: &View, found: &Found, who: &str) -> SkillChanged {
    SkillChanged {
        name: found.name.to_string(),
        layer: view.catalog.layer(found).as_str().to_owned(),
        path: view.catalog.directory(found).to_string_lossy().into_owned(),
        by: who.to_owned(),
        ..SkillChanged::default()
    }
}

fn folder_change(act: &str, folder: &Path, settings: &Settings) -> SkillChanged {
    SkillChanged {
        act: act.to_owned(),
        path: folder.to_string_lossy().into_owned(),
        by: packages::by(settings).who,
        ..SkillChanged::default()
    }
}

fn known(vouched: &Vouched) -> Chain {
    Chain {
        source: vouched.source.clone(),
        commit: vouched.commit.clone(),
        tree: vouched.tree.clone(),
        approval: vouched.approval.clone(),
    }
}

/// The candidate that `typed` names, and its directory.
fn named<'a>(view: &'a View, typed: &str) -> Result<(&'a Found, PathBuf), CommandError> {
    let found = match view.named(typed)? {
        Named::Entry(entry) => &entry.found,
        Named::Hidden(hidden) => &hidden.found,
    };
    Ok((found, view.catalog.directory(found)))
}

/// Shows what is to be approved, and how it differs from what was, line by line where that is kept.
fn show(home: &Home, (directory, seen): (&Path, &str), vouched: &Vouched, ui: &mut Ui) {
    ui.line(visible_line(&directory.to_string_lossy()));
    ui.line(format!("  sha256:{seen}"));
    let inspection = Inspection::of(directory);
    let reach = inspection.as_ref().map(|inspection| &inspection.reach);
    let scripts: BTreeSet<String> =
        reach.map(|reach| reach.scripts.iter().cloned().collect()).unwrap_or_default();
    let changed = vouched.standing == Standing::Changed;
    let before = vouched.tree.as_ref().filter(|_| changed).map(|tree| home.kept(tree));
    match before.and_then(|before| changes::between(&before, directory, &scripts)) {
        Some(changes) => show_files(&changes, ui),
        None => {
            for difference in &vouched.differences {
                ui.line(format!("  {}", visible_line(difference)));
            }
        }
    }
    for line in reach.map(Reach::lines).unwrap_or_default() {
        ui.line(format!("  {}", visible_line(&line)));
    }
}

fn approve_error(error: ApproveError) -> CommandError {
    match error {
        ApproveError::Change(error) => change_error(error),
        ApproveError::Tree { .. } => CommandError::failed(error).code("unreadable"),
        ApproveError::Changed { .. } => {
            let hint = "look at it again with `metier trust`";
            CommandError::refused(error).code("changed_meanwhile").hint(hint)
        }
        ApproveError::NoDirectory(_) => CommandError::failed(error).code("not_found"),
    }
}
