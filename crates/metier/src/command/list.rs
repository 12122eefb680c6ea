//! `metier list`: the catalog, one line a skill. Counts no tokens, reads no bodies.

use clap::Args;
use metier_format::text::visible_line;
use metier_runtime::capability::Listing;
use metier_store::Catalog;

use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::shape::ShadowedShape;
use crate::ui::{Table, Tone, Ui, counted};
use crate::view::View;

/// List the skills that are here
///
/// One line a skill: its name, its layer, anything that keeps it from being used, and its
/// description. In JSON, `path` is the skill's directory, `active` says whether a model or a user
/// may use it now, and `digest` covers the frontmatters and who wins, not the bodies.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier list\n  metier list --all\n  \
    metier list --json --no-default-roots --root personal=./skills")]
pub(crate) struct ListArgs {
    /// Include skills that are shadowed by another of the same name, and those that are switched
    /// off
    #[arg(long)]
    all: bool,
    /// Start after this name
    #[arg(long, value_name = "NAME")]
    after: Option<String>,
    /// Most skills to list
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// A model asks, not a person: only what it may see
    #[arg(long)]
    auto: bool,
}

/// Prints the catalog.
pub(crate) fn run(args: &ListArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    if ui.json() {
        ui.document(&listing(&view, args));
        return Ok(Status::Ok);
    }
    print(&view, args, ui);
    if !args.auto {
        view.remark(settings, args.all, ui);
    }
    Ok(Status::Ok)
}

/// The catalog with where each skill is from, as far as whoever asks may see it.
fn listing<'a>(view: &'a View, args: &ListArgs) -> Listing<'a> {
    let catalog = &view.catalog;
    let listing = match args.auto {
        true => Listing::for_model(catalog, catalog.digest()),
        false => Listing::whole(catalog, args.all, |found| view.recorded(found)),
    };
    listing.page(args.after.as_deref(), args.limit)
}

fn print(view: &View, args: &ListArgs, ui: &mut Ui) {
    let catalog = &view.catalog;
    let mut table = Table::default();
    let listing = match args.auto {
        true => Listing::for_model(catalog, String::new()),
        false => Listing::brief(catalog, args.all),
    };
    let listing = listing.page(args.after.as_deref(), args.limit);
    for skill in &listing.skills {
        let remark = match skill.visibility {
            "model" => String::new(),
            other => other.to_owned(),
        };
        table.row([
            (Some(Tone::Strong), visible_line(skill.name).into_owned()),
            (Some(Tone::Faint), skill.layer.to_owned()),
            (Some(Tone::Caution), remark),
            (None, visible_line(skill.description).into_owned()),
        ]);
    }
    ui.table(&table);
    if args.all && !args.auto && !catalog.shadowed.is_empty() {
        print_shadowed(catalog, ui);
    }
    if let Some(next) = &listing.next {
        ui.note(&format!("there are more; `--after {}` goes on", visible_line(next)));
    }
}

fn print_shadowed(catalog: &Catalog, ui: &mut Ui) {
    ui.line("");
    ui.line(counted(catalog.shadowed.len(), "skill is shadowed:", "skills are shadowed:"));
    for shadowed in &catalog.shadowed {
        let shape = ShadowedShape::of(catalog, shadowed);
        ui.line(format!(
            "{}  {}\n    by {} ({})",
            visible_line(shape.name),
            visible_line(&shape.loser),
            visible_line(&shape.winner),
            shadowed.rule.sentence()
        ));
    }
}
