//! `metier scripts`: the scripts of one skill, or of all. Runs nothing and records nothing.

use clap::Args;
use metier_format::text::visible_line;
use metier_runtime::event::Trigger;
use metier_runtime::script::{Envelope, SkillScripts};

use crate::command::run::explain;
use crate::error::{CommandResult, Status};
use crate::session::{self, Purpose};
use crate::settings::Settings;
use crate::ui::{Table, Tone, Ui};
use crate::view::View;

/// List the scripts of a skill, or of every skill
///
/// A script is a file the frontmatter lists, else one below `scripts/`, `bin/` or `tools/` that
/// looks like one. Its name works in any case, with or without extension.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier scripts\n  metier scripts hello-extended\n  \
    metier scripts hello-extended --json")]
pub(crate) struct ScriptsArgs {
    /// The skill's name; none means every skill
    name: Option<String>,
    /// A model asks, not a person
    #[arg(long)]
    auto: bool,
}

/// Lists the scripts.
pub(crate) fn run(args: &ScriptsArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let purpose = Purpose::with(Some(View::open(settings)), settings);
    let session = session::open_to_look(settings, purpose, ui)?;
    let trigger = if args.auto { Trigger::Auto } else { Trigger::Manual };
    let listed = session.scripts(args.name.as_deref(), trigger);
    let lists = match listed.map_err(|error| session.told_of_script(error)) {
        Ok(lists) => lists,
        Err(error) if ui.json() => {
            ui.document(&Envelope::of_error(&error));
            return Ok(if error.is_refusal() { Status::Refused } else { Status::Partly });
        }
        Err(error) => return Err(explain(error, trigger, session.catalog(), settings)),
    };
    if ui.json() {
        ui.document(&Envelope::of_list(&lists, args.name.as_deref()));
        return Ok(Status::Ok);
    }
    print(&lists, ui);
    Ok(Status::Ok)
}

fn print(lists: &[SkillScripts], ui: &mut Ui) {
    let mut table = Table::default();
    for list in lists {
        for script in &list.scripts {
            table.row([
                (Some(Tone::Strong), visible_line(&list.skill).into_owned()),
                (None, visible_line(&script.name).into_owned()),
                (Some(Tone::Faint), visible_line(&script.path).into_owned()),
            ]);
        }
    }
    ui.table(&table);
    for list in lists {
        for refused in &list.refused {
            let (skill, path) = (visible_line(&list.skill), visible_line(&refused.path));
            ui.note(&format!("warning: {skill}: `{path}` is no script: {}", refused.reason));
        }
    }
    if lists.iter().all(|list| list.scripts.is_empty()) {
        ui.note("no scripts here");
    }
}
