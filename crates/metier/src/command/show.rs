//! `metier show`: everything there is to know about one skill, from its frontmatter to its files.

use std::fmt::Write as _;

use clap::Args;
use metier_format::text::visible_line;
use metier_runtime::capability::{ShownSkill, Tiers};
use metier_store::store::{Location, Skill};
use metier_store::tokens::Tokens;
use metier_store::{Scripts, Store as _};
use serde_json::Value;

use crate::error::{CommandError, CommandResult, Status};
use crate::settings::Settings;
use crate::shape::{self, DiagnosticShape, SkillShape};
use crate::ui::{Table, Tone, Ui, counted};
use crate::view::{Named, View, trust_hint};

/// Show everything about one skill
///
/// Its frontmatter with the fields nobody knows, its files and scripts, the tools it asks for, what
/// each tier costs in tokens, and what is wrong with it. Case and `_` for `-` do not matter in NAME.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  metier show skill-author\n  metier show skill-author --json\n  \
    metier show skill-author --exact"
)]
pub(crate) struct ShowArgs {
    /// The skill's name
    name: String,
    /// Count tokens with a tokenizer, which takes a tenth of a second, instead of estimating
    #[arg(long)]
    exact: bool,
    /// A model asks, not a person: only what it may see
    #[arg(long)]
    auto: bool,
}

/// Shows the skill.
pub(crate) fn run(args: &ShowArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let view = View::open(settings);
    let named = match args.auto {
        true => view.named_to_model(&args.name)?,
        false => view.named(&args.name)?,
    };
    let (found, mut shape) = match named {
        Named::Entry(entry) => (&entry.found, SkillShape::entry(&view.catalog, entry)),
        Named::Hidden(hidden) => (&hidden.found, SkillShape::hidden(&view.catalog, hidden)),
    };
    let at = Location { root: found.root, path: found.path.clone() };
    let skill = load(&view, &at)?;
    let vouched = view.vouched(found);
    shape = shape.from(&vouched);
    let scripts = Scripts::in_store(&view.store, &at, &skill);
    shape.diagnostics = shape::diagnostics(&skill.diagnostics);
    let shown = ShownSkill::of(shape, &skill, &scripts, args.exact).with(vouched);
    if ui.json() {
        ui.document(&shown);
        return Ok(Status::Ok);
    }
    print(&shown, &skill, ui);
    if let Some(hint) = trust_hint(&view.catalog, settings)
        && shown.skill.visibility == "untrusted"
    {
        ui.note(&format!("hint: {hint}"));
    }
    Ok(Status::Ok)
}

fn load(view: &View, at: &Location) -> Result<Skill, CommandError> {
    view.store.load(at).map_err(|error| {
        CommandError::failed(error).hint("`metier check` says what is wrong with each skill")
    })
}

fn print(shown: &ShownSkill<'_>, skill: &Skill, ui: &mut Ui) {
    let name = visible_line(shown.skill.name).into_owned();
    ui.line(ui.paint(Tone::Strong, &name));
    ui.paragraph(&visible_line(shown.skill.description), 2);
    ui.line("");
    let mut table = Table::whole();
    for (label, value) in facts(shown) {
        table.row([
            (Some(Tone::Faint), label.to_owned()),
            (None, visible_line(&value).into_owned()),
        ]);
    }
    ui.table(&table);
    print_fields(shown, ui);
    print_files(shown, ui);
    print_findings(&shown.skill.diagnostics, ui);
    ui.detail(&format!("SKILL.md has {} bytes", skill.source.len()));
}

/// The lines under the description: what it is, then what it brings, then what it costs.
fn facts(shown: &ShownSkill<'_>) -> Vec<(&'static str, String)> {
    let skill = &shown.skill;
    let state = match &skill.reason {
        None if skill.visibility == "user-only" => "active, for users only".to_owned(),
        None => "active".to_owned(),
        Some(reason) => format!("inactive: {reason}"),
    };
    let mut facts = vec![
        ("layer", skill.layer.to_owned()),
        ("path", skill.path.clone()),
        ("trust", skill.trust.to_owned()),
        ("state", state),
    ];
    facts.extend(skill.source.clone().map(|source| ("source", source)));
    facts.extend(skill.commit.clone().map(|commit| ("commit", commit)));
    facts.extend(shown.tree.as_ref().map(|tree| ("tree", format!("sha256:{tree}"))));
    facts.extend(shown.approval.clone().map(|approval| ("approved", approval)));
    facts.extend(shown.differences.iter().map(|difference| ("changed", difference.clone())));
    facts.extend(skill.version.map(|version| ("version", version.to_owned())));
    if !skill.tags.is_empty() {
        facts.push(("tags", skill.tags.join(", ")));
    }
    facts.push(("tools", tools_line(shown.tools.as_deref())));
    if !shown.toolsets.is_empty() {
        facts.push(("toolsets", shown.toolsets.join(", ")));
    }
    facts.push(("tokens", tokens_line(shown.tokens)));
    facts.push(("digest", format!("sha256:{}", shown.digest)));
    facts
}

fn tools_line(tools: Option<&[String]>) -> String {
    match tools {
        None => "any (`allowed-tools` is not set)".to_owned(),
        Some([]) => "none (`allowed-tools` allows nothing)".to_owned(),
        Some(tools) => tools.join(" "),
    }
}

fn tokens_line(tiers: Tiers) -> String {
    let say = |tokens: Tokens| {
        let label = if tokens.exact { "exactly" } else { "about" };
        format!("{label} {}", tokens.count)
    };
    format!("{} in the catalog, {} in the body", say(tiers.catalog), say(tiers.body))
}

/// The frontmatter beyond name and description, as JSON prints it.
fn print_fields(shown: &ShownSkill<'_>, ui: &mut Ui) {
    let Value::Object(manifest) = &shown.manifest else { return };
    let mut table = Table::default();
    let said = |value: &&Value| !value.is_null() && value.as_object().is_none_or(|o| !o.is_empty());
    for key in ["license", "compatibility"] {
        if let Some(value) = manifest.get(key).filter(said) {
            field(&mut table, key, value);
        }
    }
    for key in ["metadata", "extra"] {
        for (inner, value) in manifest.get(key).and_then(Value::as_object).into_iter().flatten() {
            let label = if key == "metadata" { format!("metadata.{inner}") } else { inner.clone() };
            field(&mut table, &label, value);
        }
    }
    section(ui, "frontmatter", &table);
}

fn field(table: &mut Table, key: &str, value: &Value) {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    table.row([
        (Some(Tone::Faint), format!("  {}", visible_line(key))),
        (None, visible_line(&text).into_owned()),
    ]);
}

fn print_files(shown: &ShownSkill<'_>, ui: &mut Ui) {
    let mut table = Table::default();
    for file in &shown.resources {
        let mut remark = format!("{} bytes", file.size);
        if shown.scripts.iter().any(|script| script == file.path) {
            let _ = write!(remark, ", script");
        }
        if file.executable {
            let _ = write!(remark, ", executable");
        }
        table.row([(None, format!("  {}", visible_line(file.path))), (Some(Tone::Faint), remark)]);
    }
    for path in shown.refused {
        table.row([
            (None, format!("  {}", visible_line(path))),
            (Some(Tone::Caution), "refused: it leaves the skill or is no file".to_owned()),
        ]);
    }
    let title = counted(shown.resources.len() + shown.refused.len(), "file", "files");
    section(ui, &title, &table);
    if shown.omitted > 0 {
        ui.line(format!("  and {} more", shown.omitted));
    }
}

fn print_findings(findings: &[DiagnosticShape<'_>], ui: &mut Ui) {
    let mut table = Table::default();
    for finding in findings {
        let place = match (finding.line, finding.column) {
            (Some(line), Some(column)) => format!("{line}:{column}"),
            _ => String::new(),
        };
        table.row([
            (Some(Tone::Caution), format!("  {} {}", finding.severity, finding.code)),
            (Some(Tone::Faint), place),
            (None, visible_line(finding.message).into_owned()),
        ]);
    }
    section(ui, &counted(findings.len(), "finding", "findings"), &table);
}

/// A heading and its table, or nothing when the table is empty.
fn section(ui: &mut Ui, title: &str, table: &Table) {
    if table.is_empty() {
        return;
    }
    ui.line("");
    ui.line(ui.paint(Tone::Strong, title));
    ui.table(table);
}

#[cfg(test)]
#[path = "show_tests.rs"]
mod tests;
