//! `metier why`: what a name means here, or to another agent, and by which rule.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use metier_store::client::{Emulation, roots_for};
use metier_store::why::{Why, why, why_as};
use metier_store::{FileStore, Store as _};

use crate::error::{CommandError, CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;
use crate::view::{View, checked_name, unknown_name};

/// Say which skill a name means, and why the others do not win
///
/// Every candidate is named with its layer and what became of it. `--as` answers with the
/// documented directories and precedence of another agent instead; roots given to metier do not
/// count there.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier why skill-author\n  metier why skill-author --as claude-code\n  \
    metier why skill-author --json"
)]
pub(crate) struct WhyArgs {
    /// The skill's name
    name: String,
    /// Answer for this agent
    #[arg(long = "as", value_name = "AGENT", value_parser = agents())]
    agent: Option<&'static Emulation>,
    /// A model asks, not a person: only what it may see
    #[arg(long, conflicts_with = "agent")]
    auto: bool,
}

/// Explains the name.
pub(crate) fn run(args: &WhyArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    checked_name(&args.name)?;
    let answer = match args.agent {
        Some(agent) => ask_agent(agent, &args.name, settings)?,
        None => ask_catalog(args, settings)?,
    };
    if ui.json() {
        ui.document(&answer.to_json());
        return Ok(Status::Ok);
    }
    ui.paragraph(&answer.sentence(), 0);
    ui.line("");
    for line in answer.lines() {
        ui.item(&line, 2);
    }
    if let Some(caveat) = answer.agent.map(|agent| agent.caveat).filter(|text| !text.is_empty()) {
        ui.note(&format!("note: {caveat}"));
    }
    Ok(Status::Ok)
}

fn ask_catalog(args: &WhyArgs, settings: &Settings) -> Result<Why, CommandError> {
    let (view, name) = (View::open(settings), &args.name);
    let answer = why(&view.catalog, name);
    let hidden = args.auto && view.named_to_model(name).is_err();
    if answer.candidates.is_empty() || hidden {
        return Err(view.unknown(name));
    }
    Ok(answer)
}

fn ask_agent(
    agent: &'static Emulation,
    name: &str,
    settings: &Settings,
) -> Result<Why, CommandError> {
    let store = FileStore::new(roots_for(agent, &settings.places()));
    let discovery = store.discover(&settings.limits);
    let answer = why_as(agent, &discovery, name);
    if answer.candidates.is_empty() {
        let names = discovery.found.iter().map(|found| found.name.as_str());
        let advice = "without `--as`, metier's own directories count too";
        let unknown = unknown_name(name, names, advice);
        return Err(CommandError { source: answer.sentence().into(), ..unknown });
    }
    Ok(answer)
}

/// The agents whose rules are known, each read into its rules.
fn agents() -> impl clap::builder::TypedValueParser<Value = &'static Emulation> {
    let ids = Emulation::ALL.iter().map(|emulation| emulation.agent);
    PossibleValuesParser::new(ids).try_map(|id| {
        let found = Emulation::ALL.iter().find(|emulation| emulation.agent == id);
        found.ok_or("unknown agent")
    })
}
