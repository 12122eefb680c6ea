//! `metier prompt`: the catalog as a model sees it, within a budget, with a report of what had to
//! give way.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use metier_format::NameKey;
use metier_serve::Dialect;
use metier_store::disclose::{Disclose, Disclosure, GuideState, Level, Report, Style, disclose};
use serde::Serialize;

use crate::command::mcp::dialects;
use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::ui::{Ui, counted};
use crate::view::View;

/// Print the catalog as a model sees it
///
/// Only skills a model may see are in it. With a budget, descriptions are shortened first, then
/// skills are named only, then left out; `--report` says which. An empty catalog prints nothing.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier prompt\n  metier prompt --style markdown --budget 1500\n  \
    metier prompt --budget 500 --pin skill-author --report"
)]
pub(crate) struct PromptArgs {
    /// How it is written [default: xml]
    #[arg(long, value_name = "STYLE", value_parser = styles())]
    style: Option<Style>,
    /// Name each skill's SKILL.md
    #[arg(long)]
    location: bool,
    /// Show what each skill is compatible with
    #[arg(long)]
    compatibility: bool,
    /// Show which tools each skill asks for
    #[arg(long)]
    allowed_tools: bool,
    /// The most tokens it may have
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// A skill that is shown in full whatever the budget (repeatable)
    #[arg(long, value_name = "NAME")]
    pin: Vec<String>,
    /// Print one JSON document: the text, and what became of each skill in it
    #[arg(long)]
    report: bool,
    /// Add how to work with skills, for models that need it spelled out
    #[arg(long)]
    guide: bool,
    /// Whose tools that speaks of
    #[arg(long, value_name = "DIALECT", default_value = "plain", value_parser = dialects())]
    dialect: Dialect,
    /// Count the tokens of the report with a tokenizer instead of estimating
    #[arg(long)]
    exact: bool,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    style: &'static str,
    text: &'a str,
    #[serde(flatten)]
    report: &'a Report,
}

/// Prints the catalog.
pub(crate) fn run(args: &PromptArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    let options = options(args, settings);
    let Disclosure { text, report } = disclose(&view.catalog, &options);
    if args.report || ui.json() {
        ui.document(&Document { style: options.style.as_str(), text: &text, report: &report });
        return Ok(Status::Ok);
    }
    if !text.is_empty() {
        ui.line(&text);
    }
    remark(&report, ui);
    view.remark_on_walk(ui);
    Ok(Status::Ok)
}

fn options(args: &PromptArgs, settings: &Settings) -> Disclose {
    let usual = settings.disclose();
    let named = args.pin.iter().map(|name| NameKey::of(name));
    Disclose {
        style: args.style.unwrap_or(usual.style),
        location: args.location,
        compatibility: args.compatibility,
        allowed_tools: args.allowed_tools,
        budget: args.budget.or(usual.budget),
        pinned: named.chain(usual.pinned.iter().cloned()).collect(),
        guide: args.guide,
        tools: args.dialect.guide_tools(),
        exact: args.exact,
        ..usual
    }
}

/// Says on standard error what the budget cost, and which pinned names nothing has.
fn remark(report: &Report, ui: &mut Ui) {
    for name in &report.unmatched {
        ui.note(&format!("warning: no skill a model may see is called `{name}`, which is pinned"));
    }
    let Some(budget) = report.budget else { return };
    let count = |level| report.counts.get(&level).copied().unwrap_or(0);
    let lost = [
        (count(Level::Shortened), "shortened"),
        (count(Level::NameOnly), "named only"),
        (count(Level::Omitted), "left out"),
    ];
    let lost: Vec<String> = lost
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", counted(count, "skill", "skills")))
        .collect();
    if !lost.is_empty() {
        let lost = lost.join(", ");
        ui.note(&format!("{lost} to keep to {budget} tokens; `--report` says which"));
    }
    if report.guide == GuideState::Omitted {
        ui.note(&format!("the guide is left out: it does not fit into {budget} tokens"));
    }
    if !report.fits {
        ui.note(&format!("warning: the pinned skills alone take more than {budget} tokens"));
    }
}

/// The words for the styles, each read into its style.
fn styles() -> impl clap::builder::TypedValueParser<Value = Style> {
    let words = PossibleValuesParser::new(Style::ALL.map(Style::as_str));
    words.map(|word| Style::parse(&word).unwrap_or_default())
}
