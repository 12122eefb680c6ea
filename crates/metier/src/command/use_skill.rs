//! `metier use`: a skill goes onto the session's stack, and what a model receives is printed.

use clap::Args;
use metier_format::text::visible;
use metier_runtime::ActivationError;
use metier_runtime::arguments::{SlashCommand, quoted};
use metier_runtime::event::Trigger;
use metier_runtime::session::Invocation;
use metier_store::catalog::Visibility;
use metier_store::{Catalog, Entry};

use crate::error::{CommandError, CommandResult, Status};
use crate::packages;
use crate::session::{self, Purpose, journal_error};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::{View, broken, trust_hint, unknown_name};

/// Activate a skill in the session and print what the model receives
///
/// The skill's text stands between tags that nothing in it can close, with its directory and its
/// files. From now on, until it is released, `metier guard` holds every call against the tools it
/// allows. One ARG is taken as a host gives it, all arguments in one text; several are quoted where
/// they have spaces. NAME may also be a whole slash command, such as `/skill:pdf report.pdf`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier use pdf\n  metier use pdf report.pdf --json\n  \
    metier use '/skill:pdf report.pdf'\n  metier --session s1 use --auto pdf")]
pub(crate) struct UseArgs {
    /// The skill's name, or `/NAME ARGS` or `/skill:NAME ARGS`
    name: String,
    /// Arguments, put where the skill's text has places for them
    #[arg(value_name = "ARGS")]
    args: Vec<String>,
    /// A model asks, not a person
    #[arg(long)]
    auto: bool,
}

/// Activates the skill.
pub(crate) fn run(args: &UseArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let (name, arguments) = wanted(args);
    let purpose = Purpose::with(Some(View::open(settings)), settings);
    let mut session = session::open(settings, purpose, ui)?;
    let trigger = if args.auto { Trigger::Auto } else { Trigger::Manual };
    let invocation = Invocation { name: &name, arguments: &arguments, trigger };
    let activation = session
        .activate(&invocation)
        .map_err(|error| session.told_of_skill(error))
        .map_err(|error| explain(error, trigger, session.catalog(), settings))?;
    if ui.json() {
        ui.document(&activation);
        return Ok(Status::Ok);
    }
    // The model's text, but nothing in it moves a terminal; `--json` has it to the letter.
    ui.text(&visible(&activation.text));
    if let Some(notice) = &activation.notice {
        ui.note(&format!("note: {notice}"));
    }
    if activation.repeated {
        ui.note(&format!("note: `{}` was active already", activation.name));
    }
    Ok(Status::Ok)
}

/// Which skill, with what: as typed, or as a slash command says.
fn wanted(args: &UseArgs) -> (String, String) {
    let rest = joined(&args.args);
    let Some(command) = SlashCommand::parse(&args.name) else {
        return (args.name.clone(), rest);
    };
    let both = [command.arguments, rest].into_iter().filter(|text| !text.is_empty());
    (command.name, both.collect::<Vec<_>>().join(" "))
}

/// The arguments as one text that splits into the same words again. A single one is passed as it
/// is: it is the text a host has.
fn joined(words: &[String]) -> String {
    if let [only] = words {
        return only.clone();
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// The failure as the command reports it: what was refused ends with 3, the rest with 1.
pub(crate) fn explain(
    error: ActivationError,
    asker: Trigger,
    catalog: &Catalog,
    settings: &Settings,
) -> CommandError {
    let code = error.code();
    let explained = match error {
        ActivationError::NotFound { name, .. } => {
            // What cannot be loaded is nothing to a model.
            let broken = broken(catalog, &name).filter(|_| asker == Trigger::Manual);
            broken.unwrap_or_else(|| {
                let may_see = |entry: &&Entry| {
                    asker == Trigger::Manual || entry.visibility == Visibility::Model
                };
                let names =
                    catalog.entries.iter().filter(may_see).map(|entry| entry.name().as_str());
                unknown_name(&name, names, "`metier list --all` shows the skills that are here")
            })
        }
        ActivationError::Ambiguous { ref winner, .. } => {
            let hint = format!("`metier why {winner}` says which of them wins, and why");
            CommandError::refused(error).hint(hint)
        }
        ActivationError::AlreadyActive(_) => CommandError::failed(error)
            .hint("`metier status` shows what is active; `metier release` takes off the last"),
        ActivationError::Outdated(ref name) => {
            let hint = format!("`metier release {name}` takes it off");
            CommandError::refused(error).hint(hint)
        }
        ActivationError::NotTrusted(_) => {
            let mut refused = CommandError::refused(error);
            refused.hints.extend(trust_hint(catalog, settings));
            refused
        }
        ActivationError::Changed(ref changed) => {
            let name = changed.name.clone();
            let refused = CommandError::refused(error);
            // Only what a lock knows can be put back.
            let refused = match packages::installed(&name, None, settings) {
                Ok(_) => {
                    refused.hint("`metier verify` says what changed, `metier sync` puts it back")
                }
                Err(_) => refused,
            };
            refused.hint(format!(
                "`metier trust {name}` shows what changed and approves it as it is now"
            ))
        }
        ActivationError::Hidden { ref name, .. } | ActivationError::OutOfScope { ref name, .. } => {
            let hint = format!("`metier why {name}` says who left it out");
            CommandError::refused(error).hint(hint)
        }
        ActivationError::NotForModels(_) => CommandError::refused(error)
            .hint("a person has started it; without `--auto` a person asks"),
        ActivationError::NotForUsers(_) => {
            CommandError::refused(error).hint("with `--auto` a model asks")
        }
        ActivationError::Denied { .. } => {
            CommandError::refused(error).hint("`metier status` names the policy in force")
        }
        ActivationError::Hook { ref name, .. } => {
            let hint = format!("`metier show {name}` lists its files");
            CommandError::refused(error).hint(hint)
        }
        ActivationError::StackFull(_) => {
            CommandError::failed(error).hint("`metier release` takes off the last one")
        }
        ActivationError::ArgumentsTooLarge(_) => CommandError::failed(error),
        ActivationError::Invalid { .. } => {
            CommandError::failed(error).hint("`metier check` says what is wrong with each skill")
        }
        ActivationError::Journal(error) => return journal_error(error),
    };
    explained.code(code)
}

#[cfg(test)]
#[path = "use_skill_tests.rs"]
mod tests;
