//! `metier verify`: is what is on disk what `skills.lock` says, or what somebody approved?

use std::collections::BTreeSet;

use clap::Args;
use metier_format::text::visible_line;
use metier_format::{NameKey, SkillName};
use metier_package::Home;
use metier_package::verify::{Verified, against_approval, verify};
use metier_store::Layer;
use serde::Serialize;

use crate::error::{CommandResult, Status};
use crate::packages::{self, LayerChoice, record_error};
use crate::settings::Settings;
use crate::ui::{Tone, Ui, counted};
use crate::view::View;

/// Say whether skills are what the lock says, or what was approved
///
/// Installed skills are held against `skills.lock`, others that were approved against what was
/// approved. Every byte of every file is read. Each file that differs, is missing, should not be there or has
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
    /// What it is held against.
    against: Against,
    sound: bool,
    #[serde(flatten)]
    verified: Verified,
}

/// What says how a skill should be.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Against {
    Lock,
    Approval,
}

/// Verifies.
pub(crate) fn run(args: &VerifyArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let home = packages::home(settings)?;
    let mut lines = Vec::new();
    let only = args.name.as_ref().map(|typed| packages::installed(typed, args.layer, settings));
    let places = match &only {
        Some(Ok((place, _))) => vec![place.clone()],
        Some(Err(_)) => Vec::new(),
        None => packages::places(args.layer, settings),
    };
    for place in places {
        let name = only.as_ref().and_then(|only| Some(&only.as_ref().ok()?.1.name));
        let verified = verify(&home, &place, name).map_err(record_error)?;
        let layer = place.as_str();
        lines.extend(verified.into_iter().map(|v| Line::new(layer, Against::Lock, v)));
    }
    match only {
        Some(Ok(_)) => {}
        Some(Err(error)) => {
            let name = args.name.as_deref().unwrap_or_default();
            lines.extend(approved(args.layer, settings, &home).filter(|l| l.is_called(name)));
            if lines.is_empty() {
                return Err(error);
            }
        }
        None => {
            let known: BTreeSet<String> =
                lines.iter().map(|line| line.verified.directory.clone()).collect();
            let others = approved(args.layer, settings, &home);
            lines.extend(others.filter(|line| !known.contains(&line.verified.directory)));
        }
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

/// The skills of the catalog that somebody said yes to, held against that.
fn approved<'a>(
    layer: Option<LayerChoice>,
    settings: &'a Settings,
    home: &'a Home,
) -> impl Iterator<Item = Line> + 'a {
    let wanted = move |found: Layer| match layer {
        None => true,
        Some(LayerChoice::Personal) => found == Layer::Personal,
        Some(LayerChoice::Project) => found == Layer::Project,
    };
    let view = View::open(settings);
    let mut lines = Vec::new();
    let catalog = &view.catalog;
    let entries = catalog.entries.iter().map(|entry| &entry.found);
    let hidden = catalog.hidden.iter().map(|hidden| &hidden.found);
    let losers = catalog.shadowed.iter().map(|shadowed| &shadowed.loser);
    for found in entries.chain(hidden).chain(losers) {
        let recorded = view.recorded(found);
        let layer = catalog.layer(found);
        if let (Some(_), Some(tree), true) = (recorded.approval, recorded.tree, wanted(layer)) {
            let directory = catalog.directory(found);
            let verified = against_approval(home, &found.name, &directory, &tree);
            lines.push(Line::new(layer.as_str(), Against::Approval, verified));
        }
    }
    lines.into_iter()
}

impl Document {
    /// What skills are held against, in words.
    fn held_against(&self) -> &'static str {
        match self.skills.iter().any(|line| line.against == Against::Approval) {
            true => "locked or approved",
            false => "locked",
        }
    }
}

impl Line {
    fn new(layer: &'static str, against: Against, verified: Verified) -> Self {
        Self { layer, against, sound: verified.is_sound(), verified }
    }

    /// Whether `typed` names it.
    fn is_called(&self, typed: &str) -> bool {
        SkillName::parse(&self.verified.name).is_ok_and(|name| name.has_key(&NameKey::of(typed)))
    }
}

fn print(document: &Document, ui: &mut Ui) {
    for line in &document.skills {
        let name = visible_line(&line.verified.name).into_owned();
        let (tone, mark) = if line.sound { (Tone::Good, "✓") } else { (Tone::Bad, "✗") };
        let mark = ui.paint(tone, mark);
        let how = if line.against == Against::Approval { ", approved" } else { "" };
        ui.line(format!("{mark} {name} ({}{how})", line.layer));
        for difference in &line.verified.differences {
            ui.line(format!("    {}", visible_line(&difference.to_string())));
        }
        if let Some(fault) = &line.verified.fault {
            ui.line(format!("    {}", visible_line(fault)));
        }
    }
    match document.unsound {
        0 if document.skills.is_empty() => ui.line("nothing is installed that could differ"),
        0 => {
            let skills = counted(document.sound, "skill is", "skills are");
            ui.line(format!("{skills} as {}", document.held_against()));
        }
        unsound => {
            let skills = counted(unsound, "skill is", "skills are");
            ui.line(format!("{skills} not as {}", document.held_against()));
        }
    }
    let wrong =
        |against| document.skills.iter().filter(move |line| !line.sound && line.against == against);
    if wrong(Against::Lock).next().is_some() {
        ui.note("hint: `metier sync` puts back what the lock says");
    }
    if let Some(line) = wrong(Against::Approval).next() {
        let name = visible_line(&line.verified.name);
        ui.note(&format!("hint: `metier trust {name}` shows what changed and approves it"));
    }
}
