//! `metier doctor`: what is wrong with what is installed, linked and written down, and what can be
//! put right.

use std::path::{Path, PathBuf};

use clap::Args;
use metier_format::text::visible_line;
use metier_package::doctor::{Code, Finding, Patient, Severity, examine, repair};
use metier_package::{Home, Place};
use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::{Gap, Missing};
use serde::Serialize;

use super::hook::setup;
use crate::args::Global;
use crate::command::chibi;
use crate::env;
use crate::error::{CommandResult, Status};
use crate::law::Law;
use crate::packages::{self, change_error};
use crate::settings::Settings;
use crate::ui::{Tone, Ui, counted};
use crate::view::View;

/// Find what is wrong and repair what is safe
///
/// Looks at installed and approved skills, locks, records, links in the agents' directories, hooks in
/// their settings and what switches those off, policies, acts that did not come to an end, and
/// rights. Changes nothing without `--fix`, and with it only what loses nothing: kept trees that
/// nothing refers to go, copies of what somebody changed in an installed skill stay. Exit code 1 when
/// something is wrong, 3 when content is not what was installed or approved.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  metier doctor\n  metier doctor --fix\n  metier doctor --json")]
pub(crate) struct DoctorArgs {
    /// Repair what is safe
    #[arg(long)]
    fix: bool,
}

#[derive(Debug, Serialize)]
struct Document {
    findings: Vec<Finding>,
    fixed: Vec<Finding>,
    failed: Vec<String>,
    errors: usize,
    warnings: usize,
    notes: usize,
}

/// Examines, and repairs when asked to.
pub(crate) fn run(
    args: &DoctorArgs,
    global: &Global,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    let home = packages::home(settings)?;
    let by = packages::by(settings);
    let look = || {
        let mut findings = with(&home, settings, examine);
        if !is_closed(&home, &findings) {
            let agents = HookAgent::ALL.into_iter();
            findings.extend(agents.flat_map(|agent| hooks(agent, global, settings)));
        }
        findings.extend(stale_plugin(settings));
        let unusable = Law::load(settings).fault;
        findings.extend(unusable.map(|(file, why)| Finding::new(Code::PolicyUnusable, &file, why)));
        findings.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.cmp(b)));
        findings
    };
    let mut findings = look();
    let mut fixed = Vec::new();
    let mut failed = Vec::new();
    if args.fix && findings.iter().any(|finding| finding.repairable) {
        let errors = with(&home, settings, |patient| repair(patient, &findings, &by));
        failed.extend(errors.into_iter().map(|error| change_error(error).message()));
        failed.extend(renew(&findings, settings));
        let after = look();
        fixed = findings;
        fixed.retain(|finding| !after.contains(finding));
        findings = after;
    }
    let count = |severity| findings.iter().filter(|f| f.severity == severity).count();
    let document = Document {
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        notes: count(Severity::Note),
        findings,
        fixed,
        failed,
    };
    if ui.json() {
        ui.document(&document);
    } else {
        print(&document, ui);
    }
    let integrity = document.findings.iter().any(|finding| finding.code.is_integrity());
    let wrong = document.errors + document.warnings + document.failed.len() > 0;
    Ok(match (integrity, wrong) {
        (true, _) => Status::Refused,
        (false, true) => Status::Partly,
        (false, false) => Status::Ok,
    })
}

/// Whether the findings say that nothing in the home can be read, so that nobody says it again.
fn is_closed(home: &Home, findings: &[Finding]) -> bool {
    let is_home = |finding: &Finding| Path::new(&finding.path) == home.path();
    findings.iter().any(|finding| finding.code == Code::Unreadable && is_home(finding))
}

/// That chibi's plugin is a copy of another metier, which it stays when metier is updated.
fn stale_plugin(settings: &Settings) -> Option<Finding> {
    let plugins = chibi::plugins(&settings.environment).ok()?;
    let stale = chibi::installed(&plugins) == chibi::Installed::Stale;
    let message = "chibi's plugin is a copy of another metier than this one";
    stale.then(|| Finding::new(Code::PluginStale, &chibi::copy_in(&plugins), message))
}

/// Copies this metier over a stale plugin; gives why that did not work.
fn renew(findings: &[Finding], settings: &Settings) -> Option<String> {
    findings.iter().find(|finding| finding.code == Code::PluginStale)?;
    let plugins = chibi::plugins(&settings.environment).ok()?;
    chibi::install_plugin(&plugins).err().map(|error| error.to_string())
}

/// What is wrong with the hooks that metier set up for `agent`: nothing where it set up none.
fn hooks(agent: HookAgent, global: &Global, settings: &Settings) -> Vec<Finding> {
    let state = match setup::state(agent, global, settings) {
        Ok(state) if state.recorded => state,
        Ok(_) => return Vec::new(),
        Err(error) => {
            let home = settings.home.clone().unwrap_or_default();
            return vec![Finding::new(Code::Unreadable, &home.join("hooks"), error.message())];
        }
    };
    let mut findings: Vec<Finding> = state.missing.iter().map(|gap| missing(agent, gap)).collect();
    if !state.startable {
        let message = format!("hooks of {} start a program that cannot be started", agent.title());
        let path = PathBuf::from(&state.program);
        findings.push(about(agent, Finding::new(Code::HooksProgram, &path, message)));
    }
    findings.extend(state.off.iter().map(|switch| {
        let (message, advice) = setup::told(agent, switch);
        let path = if switch.path.as_os_str().is_empty() {
            PathBuf::from(&switch.key)
        } else {
            switch.path.clone()
        };
        Finding { fix: advice, ..Finding::new(Code::HooksOff, &path, message) }
    }));
    findings
}

/// What is missing in an agent's settings, as a finding.
fn missing(agent: HookAgent, gap: &Gap) -> Finding {
    let title = agent.title();
    let (code, message) = match &gap.what {
        Missing::Hook(event) => (
            Code::HooksEdited,
            format!("the hook of {title} for `{event}` is not as it was written"),
        ),
        Missing::Plugin => {
            (Code::HooksEdited, format!("the plugin for {title} is not as it was written"))
        }
        Missing::Trust(key) => (
            Code::HooksUntrusted,
            format!("{title} does not trust the hook `{key}`, so it does not run"),
        ),
        Missing::Server => {
            (Code::HooksServer, format!("{title} has the hooks and not the MCP server"))
        }
    };
    about(agent, Finding::new(code, &gap.path, message))
}

/// The finding with its advice for this agent.
fn about(agent: HookAgent, finding: Finding) -> Finding {
    let fix = finding.fix.replace("AGENT", agent.as_str());
    Finding { fix, ..finding }
}

/// Does `work` with what is looked at, as it is now.
fn with<T>(home: &Home, settings: &Settings, work: impl FnOnce(&Patient<'_>) -> T) -> T {
    let view = View::open(settings);
    let agents = settings.places();
    let places = [Place::Personal, Place::Project(settings.project.clone())];
    let programs = programs();
    work(&Patient {
        home,
        places: &places,
        agents: &agents,
        catalog: Some(&view.catalog),
        programs: &programs,
    })
}

/// Where programs are searched.
fn programs() -> Vec<PathBuf> {
    let path = env::variables().into_iter().find(|(name, _)| name == "PATH");
    path.map(|(_, value)| std::env::split_paths(&value).collect()).unwrap_or_default()
}

fn print(document: &Document, ui: &mut Ui) {
    for finding in &document.fixed {
        let mark = ui.paint(Tone::Good, "fixed");
        ui.line(format!("{mark} {}: {}", finding.code, line(finding)));
    }
    for finding in &document.findings {
        let tone = match finding.severity {
            Severity::Error => Tone::Bad,
            Severity::Warning => Tone::Caution,
            Severity::Note => Tone::Faint,
        };
        let mark = ui.paint(tone, finding.severity.as_str());
        ui.line(format!("{mark} {}: {}", finding.code, line(finding)));
        if finding.severity != Severity::Note {
            ui.line(format!("    {}", visible_line(&finding.fix)));
        }
    }
    for failure in &document.failed {
        ui.note(&format!("warning: not repaired: {}", visible_line(failure)));
    }
    let Document { errors, warnings, notes, .. } = *document;
    match errors + warnings {
        0 => ui.line(format!("nothing is wrong; {}", counted(notes, "note", "notes"))),
        _ => ui.line(format!(
            "{}, {}, {}",
            counted(errors, "error", "errors"),
            counted(warnings, "warning", "warnings"),
            counted(notes, "note", "notes")
        )),
    }
    if document.fixed.is_empty() && document.findings.iter().any(|finding| finding.repairable) {
        ui.note("hint: `metier doctor --fix` repairs what is safe");
    }
}

fn line(finding: &Finding) -> String {
    format!("{} ({})", visible_line(&finding.message), visible_line(&finding.path))
}
