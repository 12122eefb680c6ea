//! `metier status`: the session as it stands. Looks at the journal and writes nothing.

use clap::Args;
use metier_format::text::visible_line;
use metier_runtime::session::Status as SessionStatus;
use metier_runtime::state::{Active, Counters};
use serde::Serialize;

use crate::error::{CommandResult, Status};
use crate::law::{Law, Source};
use crate::session::{self, Look, remark_on_torn};
use crate::settings::Settings;
use crate::shape;
use crate::ui::{Table, Tone, Ui, counted};

/// Show the session: what is active, what it leaves of the tools, what was counted
///
/// The stack is listed in the order of activation; a call has to be allowed by every skill on it
/// and by policy. Nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier status\n  metier --session s1 status --json")]
pub(crate) struct StatusArgs {}

#[derive(Debug, Serialize)]
struct Shown {
    #[serde(flatten)]
    status: SessionStatus,
    journal: String,
    frames: u64,
    policy: PolicyLine,
}

#[derive(Debug, Serialize)]
struct PolicyLine {
    profile: Option<&'static str>,
    files: Vec<Source>,
    /// Why everything is denied, when it is.
    error: Option<String>,
}

/// Prints the status.
pub(crate) fn run(_args: &StatusArgs, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let look = session::look(settings)?;
    let law = Law::load(settings);
    remark_on_torn(look.reading.torn, ui);
    let shown = shown(&look, law);
    if ui.json() {
        ui.document(&shown);
        return Ok(Status::Ok);
    }
    print(&shown, ui);
    Ok(Status::Ok)
}

/// One line that says which skills are active in the session.
pub(crate) fn active_line(session: &str, stack: &[Active]) -> String {
    let names: Vec<_> = stack.iter().map(|active| visible_line(&active.skill.name)).collect();
    match names.is_empty() {
        true => format!("session `{session}`: no skill is activated"),
        false => format!("session `{session}`: activated: {}", names.join(" > ")),
    }
}

/// What was ruled, in one line.
pub(crate) fn rulings(counters: &Counters) -> String {
    format!("{} allowed, {} asked, {} denied", counters.allowed, counters.asked, counters.denied)
}

fn shown(look: &Look, law: Law) -> Shown {
    Shown {
        status: SessionStatus::of(look.stream.session.as_str(), &look.state),
        journal: shape::path(&look.stream.journal),
        frames: look.state.frames,
        policy: PolicyLine {
            profile: law.profile.map(metier_policy::Profile::as_str),
            error: law.policy.error().map(ToString::to_string),
            files: law.sources,
        },
    }
}

fn print(shown: &Shown, ui: &mut Ui) {
    let status = &shown.status;
    ui.line(ui.paint(Tone::Strong, &active_line(&status.session, &status.stack)));
    let mut stack = Table::whole();
    for active in &status.stack {
        let skill = &active.skill;
        let tools = match (&skill.allowed_tools, skill.tools_unreadable) {
            (_, true) => "allows nothing: its tools cannot be read".to_owned(),
            (None, false) => "restricts nothing".to_owned(),
            (Some(tools), false) if tools.is_empty() => "allows nothing".to_owned(),
            (Some(tools), false) => format!("allows {}", tools.join(" ")),
        };
        stack.row([
            (Some(Tone::Strong), format!("  {}", visible_line(&skill.name))),
            (None, skill.layer.clone()),
            (Some(Tone::Faint), skill.trust.clone()),
            (None, visible_line(&tools).into_owned()),
        ]);
    }
    ui.table(&stack);
    ui.line("");
    let mut facts = Table::whole();
    for (label, value) in lines(shown) {
        let value = visible_line(&value).into_owned();
        facts.row([(Some(Tone::Faint), label.to_owned()), (None, value)]);
    }
    ui.table(&facts);
}

fn lines(shown: &Shown) -> Vec<(&'static str, String)> {
    let counters = &shown.status.counters;
    let many = |count: u64, one: &str, more: &str| {
        counted(usize::try_from(count).unwrap_or(usize::MAX), one, more)
    };
    let frames = many(shown.frames, "frame", "frames");
    let state = if shown.status.open { "open" } else { "not open" };
    let mut lines = vec![
        ("state", state.to_owned()),
        ("rulings", rulings(counters)),
        (
            "skills",
            format!(
                "{} activated, {} refused, {}, {} read",
                counters.activations,
                counters.refusals,
                many(counters.tokens, "token", "tokens"),
                many(counters.resources_read, "file", "files")
            ),
        ),
        ("journal", format!("{} ({frames} of this session)", shown.journal)),
    ];
    let policy = &shown.policy;
    if let Some(error) = &policy.error {
        lines.push(("policy", format!("broken, so everything is denied: {error}")));
        return lines;
    }
    let profile = format!("{} profile", policy.profile.unwrap_or("default"));
    let files = policy.files.iter().map(|file| format!("{} {}", file.layer, file.path));
    let sources: Vec<String> = std::iter::once(profile).chain(files).collect();
    lines.push(("policy", sources.join(", ")));
    lines
}
