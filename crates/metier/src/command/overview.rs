//! Bare `metier`: one screen that says what is here and what to type next. Never longer than a
//! screen: at most one line a layer.

use metier_format::text::visible_line;
use metier_store::catalog::Visibility;
use metier_store::{Catalog, Layer, RootId};
use serde::Serialize;

use crate::error::{CommandResult, Status};
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Table, Tone, Ui, counted};
use crate::view::{View, trust_hint};

/// What to type next.
const NEXT: [(&str, &str); 7] = [
    ("metier list", "every skill with its description"),
    ("metier check", "what is active, what is not, and why"),
    ("metier show NAME", "everything about one skill"),
    ("metier search WORDS", "the skill that fits"),
    ("metier prompt", "the catalog as a model sees it"),
    ("metier lint", "what is wrong with the skills below here"),
    ("metier tour", "all of it on the bundled skills, in a second"),
];

/// One root and what it holds.
#[derive(Debug, Serialize)]
struct RootLine {
    layer: &'static str,
    path: String,
    skills: usize,
    trusted: bool,
}

#[derive(Debug, Serialize)]
struct Overview {
    version: &'static str,
    project: String,
    roots: Vec<RootLine>,
    active: usize,
    untrusted: usize,
    hidden: usize,
    shadowed: usize,
    skipped: usize,
}

/// Prints the overview.
pub(crate) fn run(settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    let overview = overview(&view.catalog, settings);
    if ui.json() {
        ui.document(&overview);
        return Ok(Status::Ok);
    }
    print(&overview, ui);
    if let Some(hint) = trust_hint(&view.catalog, settings) {
        ui.note(&format!("hint: {hint}"));
    }
    Ok(Status::Ok)
}

fn overview(catalog: &Catalog, settings: &Settings) -> Overview {
    let is_untrusted = |entry: &&metier_store::Entry| entry.visibility == Visibility::Untrusted;
    let untrusted = catalog.entries.iter().filter(is_untrusted).count();
    let held = |id: RootId| catalog.entries.iter().filter(|e| e.found.root == id).count();
    let roots = (0..).map(RootId).zip(&catalog.roots).map(|(id, root)| RootLine {
        layer: root.layer.as_str(),
        // The skills inside the program lie nowhere on disk.
        path: if root.layer == Layer::Bundled && root.path.is_relative() {
            "inside metier".to_owned()
        } else {
            shape::path(&root.path)
        },
        skills: held(id),
        trusted: root.trusted,
    });
    Overview {
        version: env!("CARGO_PKG_VERSION"),
        project: shape::path(&settings.project),
        roots: roots.filter(|root| root.skills > 0).collect(),
        active: catalog.entries.len() - untrusted,
        untrusted,
        hidden: catalog.hidden.len(),
        shadowed: catalog.shadowed.len(),
        skipped: catalog.skipped.len(),
    }
}

fn print(overview: &Overview, ui: &mut Ui) {
    ui.line(format!("metier {}, the runtime for Agent Skills", overview.version));
    ui.line("");
    ui.line(summary(overview));
    let mut table = Table::default();
    for layer in Layer::ALL {
        let roots: Vec<&RootLine> =
            overview.roots.iter().filter(|root| root.layer == layer.as_str()).collect();
        let skills: usize = roots.iter().map(|root| root.skills).sum();
        if skills == 0 {
            continue;
        }
        let paths: Vec<_> = roots.iter().map(|root| visible_line(&root.path)).collect();
        table.row([
            (Some(Tone::Strong), format!("  {}", layer.as_str())),
            (None, skills.to_string()),
            (Some(Tone::Faint), paths.join(", ")),
        ]);
    }
    ui.table(&table);
    ui.line("");
    let mut next = Table::default();
    for (command, does) in NEXT {
        next.row([(Some(Tone::Strong), format!("  {command}")), (None, does.to_owned())]);
    }
    ui.table(&next);
}

/// How many skills there are of each state, in one line; states nobody is in are not named.
fn summary(overview: &Overview) -> String {
    let all = overview.active + overview.untrusted;
    let mut parts = vec![format!("{} active", overview.active)];
    let mut add = |count: usize, word: &str| {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    };
    add(overview.untrusted, "untrusted");
    add(overview.hidden, "switched off");
    add(overview.shadowed, "shadowed");
    add(overview.skipped, "not loadable");
    format!("{} here: {}", counted(all, "skill", "skills"), parts.join(", "))
}
