//! `metier gc`: what sessions kept and no journal refers to any more is removed, and so are trees of
//! skills that nothing installed, approved or to be gone back to is made of.

use std::path::PathBuf;

use clap::Args;
use metier_package::collect::{self, Collected as Trees, Thoroughness};
use metier_runtime::journal::{Collected, Collection};
use metier_runtime::{Clock as _, Moment};
use serde::Serialize;

use crate::clock::SystemClock;
use crate::error::{CommandError, CommandResult, Status};
use crate::files;
use crate::packages::{self, change_error};
use crate::session::{Stream, artifact_folder};
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Ui, counted};

/// Remove kept content that no journal refers to
///
/// Sessions keep the skills they load and the files they read, so that `metier replay --verify` can
/// say whether the original is still there. What no frame of any journal refers to any more is
/// removed: of the journals in metier's own directory, of `--journal`, and of every journal
/// elsewhere that kept something. Sessions may go on meanwhile. A journal that cannot be read ends
/// it before anything is removed. Trees of skills go too that are neither installed nor approved,
/// that `metier rollback` does not go back to, and that nobody wrote into.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier gc --dry-run\n  metier gc --grace 0 --json\n  metier gc --earlier"
)]
pub(crate) struct GcArgs {
    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,
    /// Leave alone what was kept in the last SECONDS
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    grace: u64,
    /// Remove earlier versions of installed skills too, and the changed copies that `metier sync`
    /// replaced; nothing can be gone back to then
    #[arg(long)]
    earlier: bool,
}

#[derive(Debug, Serialize)]
struct Done {
    artifacts: String,
    dry_run: bool,
    #[serde(flatten)]
    collected: Collected,
    /// The trees of skills.
    packages: Trees,
}

/// Collects.
pub(crate) fn run(args: &GcArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let Some((folder, artifacts)) = artifact_folder(settings) else {
        let error = CommandError::usage("there is no place where anything is kept");
        return Err(error.hint("give `--home` a directory"));
    };
    let journals = || journals(settings);
    let grace = args.grace.saturating_mul(1000);
    let collection = Collection {
        journals: &journals,
        // The present moment itself is over a millisecond later.
        before: Moment((SystemClock.now().0 + 1).saturating_sub(grace)),
        remove: !args.dry_run,
    };
    let collected = artifacts.collect(&collection).map_err(|error| {
        let error = CommandError::failed(format!("nothing more is removed: {error}"));
        error.code("gc_failed").hint("a journal that cannot be read may refer to anything")
    })?;
    let packages = trees(args, settings)?;
    let done = Done { artifacts: shape::path(&folder), dry_run: args.dry_run, collected, packages };
    match ui.json() {
        true => ui.document(&done),
        false => print(&done, ui),
    }
    Ok(Status::Ok)
}

/// Collects the trees of skills, or only says which.
fn trees(args: &GcArgs, settings: &Settings) -> Result<Trees, CommandError> {
    let home = packages::home(settings)?;
    let how = match args.earlier {
        true => Thoroughness::OnlyInstalled,
        false => Thoroughness::KeepEarlier,
    };
    let collect = if args.dry_run { collect::collectable } else { collect::collect };
    collect(&home, how).map_err(change_error)
}

/// The journals in metier's own directory, and the one that flags or environment name.
fn journals(settings: &Settings) -> std::io::Result<Vec<PathBuf>> {
    let mut journals = match &settings.home {
        Some(home) => files::journals(&home.join("sessions"))?,
        None => Vec::new(),
    };
    journals.extend(Stream::of(settings).ok().map(|stream| stream.journal));
    Ok(journals)
}

fn print(done: &Done, ui: &mut Ui) {
    let Collected { kept, kept_bytes, removed, removed_bytes, journals } = done.collected;
    let verb = if done.dry_run { "would be removed" } else { "removed" };
    ui.line(format!("{}, {removed_bytes} bytes, {verb}", counted(removed, "file", "files")));
    ui.line(format!(
        "{}, {kept_bytes} bytes, kept for {}",
        counted(kept, "file", "files"),
        counted(journals, "journal", "journals")
    ));
    let Trees { trees, replaced, kept, drafts } = &done.packages;
    if trees.is_empty() && *kept == 0 && *drafts == 0 {
        return;
    }
    let gone = counted(trees.len(), "tree", "trees");
    let left = counted(*drafts, "unfinished copy", "unfinished copies");
    ui.line(format!("{gone} of skills and {left} {verb}, {kept} kept"));
    if !replaced.is_empty() {
        let copies = counted(replaced.len(), "is a copy", "are copies");
        ui.line(format!("of them {copies} of what somebody changed in an installed skill"));
    }
}
