//! `metier end`: every skill is released, and the session is over.

use clap::Args;
use metier_format::text::visible_line;
use metier_runtime::capability::Ended;

use crate::error::{CommandResult, Status};
use crate::session::{self, journal_error};
use crate::settings::Settings;
use crate::ui::Ui;

/// End the session: release every skill, the last one first
///
/// The next `metier use` or `metier guard` begins it anew in the same journal. Ending a session
/// that has not begun does nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier end\n  metier --session s1 end")]
pub(crate) struct EndArgs {}

/// Ends it.
pub(crate) fn run(_args: &EndArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let look = session::look(settings)?;
    let id = String::from(look.stream.session);
    let released = match look.state.open {
        true => {
            let mut session = session::open_to_release(settings, ui)?;
            session.end().map_err(journal_error)?
        }
        false => Vec::new(),
    };
    if ui.json() {
        ui.document(&Ended { session: id, ended: look.state.open, released });
        return Ok(Status::Ok);
    }
    for name in &released {
        ui.line(format!("released `{}`", visible_line(name)));
    }
    match look.state.open {
        true => ui.line(format!("session `{id}` has ended")),
        false => ui.line(format!("session `{id}` is not open")),
    }
    Ok(Status::Ok)
}
