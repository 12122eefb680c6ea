//! `metier release`: the skill activated last leaves the stack.

use clap::Args;
use metier_format::text::visible_line;
use metier_runtime::capability::Released;
use metier_runtime::session::ReleaseError;

use crate::error::{CommandError, CommandResult, Status};
use crate::session::{self, journal_error};
use crate::settings::Settings;
use crate::ui::Ui;

/// Release the skill activated last
///
/// What it restricted is restricted no longer; what the skills below it restrict still is. With
/// NAME the last one must be that skill: skills leave in the reverse of the order they came.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier release\n  metier release pdf")]
pub(crate) struct ReleaseArgs {
    /// The skill that has to be the last one
    name: Option<String>,
}

/// Releases it.
pub(crate) fn run(args: &ReleaseArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    // A session that never began has nothing to release, and asking does not begin it.
    let name = args.name.as_deref();
    if session::look(settings)?.state.stack.is_empty() {
        let nothing = name.map_or(ReleaseError::NothingActive, |name| {
            ReleaseError::NotActive(visible_line(name).into_owned())
        });
        return Err(explain(nothing));
    }
    let mut session = session::open_to_release(settings, ui)?;
    let released = session.release(name).map_err(explain)?;
    let active = session.active_names();
    if ui.json() {
        ui.document(&Released { released: vec![released], active });
        return Ok(Status::Ok);
    }
    ui.line(format!("released `{}`", visible_line(&released)));
    match active.last() {
        Some(top) => ui.note(&format!("`{}` is active still", visible_line(top))),
        None => ui.note("no skill is active any more"),
    }
    Ok(Status::Ok)
}

fn explain(error: ReleaseError) -> CommandError {
    let code = error.code();
    match error {
        ReleaseError::Journal(error) => journal_error(error),
        ReleaseError::NothingActive => {
            CommandError::failed(error).code(code).hint("`metier use NAME` activates one")
        }
        ReleaseError::NotActive(_) => {
            CommandError::failed(error).code(code).hint("`metier status` shows what is active")
        }
        ReleaseError::NotOnTop { .. } => CommandError::failed(error)
            .code(code)
            .hint("`metier release` takes off the last one, `metier end` all of them"),
    }
}
