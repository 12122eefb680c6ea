//! `metier help-script`: what a script says about itself.

use clap::Args;
use metier_format::text::visible;
use metier_runtime::event::Trigger;
use metier_runtime::script::Envelope;

use crate::command::run::explain;
use crate::error::{CommandError, CommandResult, Status};
use crate::interrupt::Interrupt;
use crate::session::{self, Purpose};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::View;

/// Show a script's own help
///
/// The script runs once with `--help`, confined and without a network, and what it says is kept
/// for as long as it does not change.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier help-script hello-extended advanced_greeting\n  \
    metier help-script hello-extended advanced_greeting --json")]
pub(crate) struct HelpScriptArgs {
    /// The skill's name
    name: String,
    /// The script's name, with or without extension
    script: String,
    /// A model asks, not a person
    #[arg(long)]
    auto: bool,
}

/// Prints the help.
pub(crate) fn run(args: &HelpScriptArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let purpose = Purpose {
        cancel: Interrupt::cancel()?,
        ..Purpose::with(Some(View::open(settings)), settings)
    };
    let mut session = session::open(settings, purpose, ui)?;
    let trigger = if args.auto { Trigger::Auto } else { Trigger::Manual };
    let result = session
        .script_help(&args.name, &args.script, trigger)
        .map_err(|error| session.told_of_script(error));
    if ui.json() {
        ui.document(&Envelope::of_help(&args.script, &result));
        return Ok(match &result {
            Ok(help) if help.failure.is_none() => Status::Ok,
            Err(error) if error.is_refusal() => Status::Refused,
            _ => Status::Partly,
        });
    }
    let help = result.map_err(|error| explain(error, trigger, session.catalog(), settings))?;
    ui.text(&visible(&help.text));
    match help.failure {
        None => Ok(Status::Ok),
        Some((code, message)) => Err(CommandError::failed(message).code(code)),
    }
}
