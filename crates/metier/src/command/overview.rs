//! Bare `metier`: one screen that says what is here and what to type next. Never longer than a
//! screen: at most one line a layer.

use metier_format::text::visible_line;
use metier_store::catalog::Visibility;
use metier_store::{Catalog, Layer, RootId};
use serde::Serialize;

use crate::command::status::active_line;
use crate::error::{CommandResult, Status};
use crate::session;
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Table, Tone, Ui, counted};
use crate::view::{View, trust_hint};

/// What to type next.
const NEXT: [(&str, &str); 8] = [
    ("metier list", "every skill with its description"),
    ("metier check", "what is active, what is not, and why"),
    ("metier show NAME", "everything about one skill"),
    ("metier search WORDS", "the skill that fits"),
    ("metier prompt", "the catalog as a model sees it"),
    ("metier use NAME", "activate one; `metier guard` then holds calls against it"),
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
    /// The session, when its journal can be read.
    session: Option<SessionLine>,
}

#[derive(Debug, Serialize)]
struct SessionLine {
    id: String,
    open: bool,
    /// The names of the active skills, the last activated last.
    stack: Vec<String>,
    #[serde(skip)]
    shown: String,
}

/// Prints the overview.
pub(crate) fn run(settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    let session = session(settings, ui);
    let overview = overview(&view.catalog, settings, session);
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

/// What is active. One screen about everything is not kept back by a journal that cannot be read.
fn session(settings: &Settings, ui: &mut Ui) -> Option<SessionLine> {
    let look = match session::look(settings) {
        Ok(look) => look,
        Err(error) => {
            ui.note(&format!("warning: {}", error.message()));
            return None;
        }
    };
    let (id, stack) = (String::from(look.stream.session), look.state.stack);
    Some(SessionLine {
        shown: active_line(&id, &stack),
        open: look.state.open,
        stack: stack.into_iter().map(|active| active.skill.name).collect(),
        id,
    })
}

fn overview(catalog: &Catalog, settings: &Settings, session: Option<SessionLine>) -> Overview {
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
        session,
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
    if let Some(session) = &overview.session {
        ui.line(&session.shown);
    }
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

#[cfg(test)]
#[path = "overview_tests.rs"]
mod tests;
