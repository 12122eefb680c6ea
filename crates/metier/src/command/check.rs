//! `metier check`: every skill with its state, why it is not active when it is not, and how to
//! change that.

use std::path::Path;

use clap::Args;
use metier_format::text::visible_line;
use metier_store::catalog::HiddenReason;
use metier_store::store::Location;
use metier_store::{Catalog, Found, Scripts, Skipped, Store as _};
use serde::Serialize;

use crate::error::{CommandResult, Status};
use crate::law::Law;
use crate::parallel;
use crate::settings::Settings;
use crate::shape::{DiagnosticShape, SkillShape, SkippedShape};
use crate::ui::{Table, Tone, Ui, counted};
use crate::view::{View, trust_hint};

/// Say of every skill whether it is active, inactive or failed, and why
///
/// Every skill is loaded whole, so that a script or toolset that is announced is also there. The
/// exit code is 0 whatever the states are: they are the answer.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier check\n  metier check --json\n  \
    METIER_SKILLS=skill-author metier check")]
pub(crate) struct CheckArgs {}

/// A skill's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Active,
    Inactive,
    Failed,
}

#[derive(Debug, Serialize)]
struct Checked<'a> {
    status: State,
    name: Option<&'a str>,
    layer: &'static str,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    scripts: usize,
    toolsets: usize,
    diagnostics: Vec<DiagnosticShape<'a>>,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    skills: &'a [Checked<'a>],
    active: usize,
    inactive: usize,
    failed: usize,
    hints: &'a [String],
}

/// Checks every skill.
pub(crate) fn run(_args: &CheckArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    let checked = check(&view, settings);
    let hints = hints(&view.catalog, &checked, settings);
    let count = |state| checked.iter().filter(|c| c.status == state).count();
    let document = Document {
        skills: &checked,
        active: count(State::Active),
        inactive: count(State::Inactive),
        failed: count(State::Failed),
        hints: &hints,
    };
    if ui.json() {
        ui.document(&document);
        return Ok(Status::Ok);
    }
    print(&document, ui);
    view.remark_on_selection(settings, ui);
    view.remark_on_walk(ui);
    if let Some((_, why)) = Law::load(settings).fault {
        ui.note(&format!("warning: everything is denied: {}", visible_line(&why)));
    }
    Ok(Status::Ok)
}

/// Every candidate that won or was left out, by name, then every file that cannot be loaded.
fn check<'a>(view: &'a View, settings: &Settings) -> Vec<Checked<'a>> {
    let catalog = &view.catalog;
    let from = |found, shape: SkillShape<'a>| (found, shape.from(&view.recorded(found)));
    let winners = catalog.entries.iter().map(|e| from(&e.found, SkillShape::entry(catalog, e)));
    let hidden = catalog.hidden.iter().map(|h| from(&h.found, SkillShape::hidden(catalog, h)));
    let mut candidates: Vec<(&Found, SkillShape<'a>)> = winners.chain(hidden).collect();
    candidates.sort_by(|(_, a), (_, b)| a.name.cmp(b.name).then(b.active.cmp(&a.active)));
    let loaded =
        parallel::map(&candidates, settings.limits.threads, |(found, _)| load(view, found));
    let skills =
        candidates.into_iter().zip(loaded).map(|((_, shape), loaded)| merge(shape, loaded));
    skills.chain(catalog.skipped.iter().map(|skipped| failed(catalog, skipped))).collect()
}

/// How many scripts and toolsets a skill has, or why it cannot be loaded after all.
fn load(view: &View, found: &Found) -> Result<(usize, usize), String> {
    let at = Location { root: found.root, path: found.path.clone() };
    let skill = view.store.load(&at).map_err(|error| error.to_string())?;
    let scripts = Scripts::in_store(&view.store, &at, &skill).found.len();
    Ok((scripts, skill.manifest.parts.toolsets.len()))
}

fn merge(shape: SkillShape<'_>, loaded: Result<(usize, usize), String>) -> Checked<'_> {
    let status = if shape.active { State::Active } else { State::Inactive };
    let (status, reason, (scripts, toolsets)) = match loaded {
        Ok(counts) => (status, shape.reason, counts),
        Err(error) => (State::Failed, Some(error), (0, 0)),
    };
    Checked {
        status,
        name: Some(shape.name),
        layer: shape.layer,
        path: shape.path,
        trust: Some(shape.trust),
        source: shape.source,
        commit: shape.commit,
        reason,
        scripts,
        toolsets,
        diagnostics: shape.diagnostics,
    }
}

fn failed<'a>(catalog: &Catalog, skipped: &'a Skipped) -> Checked<'a> {
    let shape = SkippedShape::skipped(catalog, skipped);
    let layer = catalog.root(skipped.root).map_or("", |root| root.layer.as_str());
    Checked {
        status: State::Failed,
        name: None,
        layer,
        path: shape.path,
        trust: None,
        source: None,
        commit: None,
        reason: skipped.diagnostics.iter().find(|d| d.code.prevents_loading()).map(|fault| {
            let place = fault.position.map_or(String::new(), |at| format!(", line {}", at.line));
            format!("{} ({}{place})", fault.message, fault.code.as_str())
        }),
        scripts: 0,
        toolsets: 0,
        diagnostics: shape.diagnostics,
    }
}

/// What to do about what is not active, at most one line a cause.
fn hints(catalog: &Catalog, checked: &[Checked<'_>], settings: &Settings) -> Vec<String> {
    let mut hints = Vec::new();
    let file = settings.config_file();
    let off = catalog.hidden.iter().find(|h| h.reason == HiddenReason::NotEnabled);
    if let Some(hidden) = off {
        let name = visible_line(hidden.found.name.as_str()).into_owned();
        hints.push(format!(
            "enable a skill with `--skills {name}`, `METIER_SKILLS={name}`, or `skills` in {file}"
        ));
    }
    if catalog.hidden.iter().any(|h| h.reason == HiddenReason::Disabled) {
        hints.push(format!("take a skill off `disabled` in {file} to enable it"));
    }
    hints.extend(trust_hint(catalog, settings));
    if let Some(failed) = checked.iter().find(|c| c.status == State::Failed) {
        hints.push(format!("`metier lint {}` shows what is wrong", visible_line(&failed.path)));
    }
    hints
}

fn print(document: &Document<'_>, ui: &mut Ui) {
    let mut table = Table::whole();
    for skill in document.skills {
        let (tone, mark) = match skill.status {
            State::Active => (Tone::Good, "✓ active"),
            State::Inactive => (Tone::Faint, "○ inactive"),
            State::Failed => (Tone::Bad, "✗ failed"),
        };
        table.row([
            (Some(tone), mark.to_owned()),
            (Some(Tone::Strong), visible_line(label(skill)).into_owned()),
            (Some(Tone::Faint), skill.layer.to_owned()),
            (None, remark(skill)),
        ]);
    }
    ui.table(&table);
    if !document.skills.is_empty() {
        ui.line("");
    }
    ui.line(format!(
        "{} active, {} inactive, {} failed",
        document.active, document.inactive, document.failed
    ));
    for hint in document.hints {
        ui.line(format!("hint: {hint}"));
    }
}

/// What a skill is called here: its name, or its directory's when it could not be read.
fn label<'a>(skill: &'a Checked<'_>) -> &'a str {
    let directory = || Path::new(&skill.path).parent().and_then(Path::file_name)?.to_str();
    skill.name.or_else(directory).unwrap_or(&skill.path)
}

/// What stands beside a skill: why it is not active, what it brings, what could be better.
fn remark(skill: &Checked<'_>) -> String {
    let mut parts = Vec::new();
    parts.extend(skill.reason.as_deref().map(|reason| visible_line(reason).into_owned()));
    parts.extend(skill.commit.as_deref().map(|commit| commit.chars().take(12).collect()));
    if skill.scripts > 0 {
        parts.push(counted(skill.scripts, "script", "scripts"));
    }
    if skill.toolsets > 0 {
        parts.push(counted(skill.toolsets, "toolset", "toolsets"));
    }
    if skill.status != State::Failed && !skill.diagnostics.is_empty() {
        parts.push(counted(skill.diagnostics.len(), "finding", "findings"));
    }
    parts.join(", ")
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
