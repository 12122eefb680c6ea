//! `metier verify`: is what is on disk what `skills.lock` says?

use clap::Args;
use metier_format::text::visible_line;
use metier_package::verify::{Verified, verify};
use serde::Serialize;

use crate::error::{CommandResult, Status};
use crate::packages::{self, LayerChoice, record_error};
use crate::settings::Settings;
use crate::ui::{Tone, Ui, counted};

/// Say whether installed skills are what the lock says
///
/// Every byte of every file is read. Each file that differs, is missing, should not be there or has
/// other rights is named. Exit code 3 when there is one.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier verify\n  metier verify pdf --json")]
pub(crate) struct VerifyArgs {
    /// Only this skill
    name: Option<String>,
    /// Only this layer
    #[arg(long, value_enum)]
    layer: Option<LayerChoice>,
}

#[derive(Serialize)]
struct Document {
    skills: Vec<Line>,
    sound: usize,
    unsound: usize,
}

#[derive(Serialize)]
struct Line {
    layer: &'static str,
    sound: bool,
    #[serde(flatten)]
    verified: Verified,
}

/// Verifies.
pub(crate) fn run(args: &VerifyArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let mut lines = Vec::new();
    let only = match &args.name {
        Some(typed) => Some(packages::installed(typed, args.layer, settings)?),
        None => None,
    };
    let places = match &only {
        Some((place, _)) => vec![place.clone()],
        None => packages::places(args.layer, settings),
    };
    for place in places {
        let name = only.as_ref().map(|(_, pinned)| &pinned.name);
        let verified = verify(&home, &place, name).map_err(record_error)?;
        let layer = place.as_str();
        lines.extend(verified.into_iter().map(|v| Line {
            layer,
            sound: v.is_sound(),
            verified: v,
        }));
    }
    let unsound = lines.iter().filter(|line| !line.sound).count();
    let document = Document { sound: lines.len() - unsound, unsound, skills: lines };
    if ui.json() {
        ui.document(&document);
    } else {
        print(&document, ui);
    }
    Ok(if unsound == 0 { Status::Ok } else { Status::Refused })
}

fn print(document: &Document, ui: &mut Ui) {
    for line in &document.skills {
        let name = visible_line(&line.verified.name).into_owned();
        let (tone, mark) = if line.sound { (Tone::Good, "✓") } else { (Tone::Bad, "✗") };
        let mark = ui.paint(tone, mark);
        ui.line(format!("{mark} {name} ({})", line.layer));
        for difference in &line.verified.differences {
            ui.line(format!("    {}", visible_line(&difference.to_string())));
        }
        if let Some(fault) = &line.verified.fault {
            ui.line(format!("    {}", visible_line(fault)));
        }
    }
    match document.unsound {
        0 if document.skills.is_empty() => ui.line("nothing is installed that could differ"),
        0 => ui.line(format!("{} as locked", counted(document.sound, "skill is", "skills are"))),
        unsound => {
            let skills = counted(unsound, "skill is not as locked", "skills are not as locked");
            ui.line(skills);
            ui.note("hint: `metier sync` puts back what the lock says");
        }
    }
}
