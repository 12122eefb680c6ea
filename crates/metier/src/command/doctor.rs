//! `metier doctor`: what is wrong with what is installed, linked and written down, and what can be
//! put right.

use std::path::{Path, PathBuf};

use clap::Args;
use metier_format::text::visible_line;
use metier_package::agents::detected;
use metier_package::doctor::{Code, Finding, Patient, Severity, examine, repair};
use metier_package::{Home, Place, link};
use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::{Gap, Missing};
use metier_store::client::Agent;
use serde::Serialize;

use super::hook::setup::{self, HookState};
use crate::args::Global;
use crate::command::chibi::{self, Installed};
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
        findings.extend(plugin(&home, settings));
        let unusable = Law::load(settings).fault;
        findings.extend(unusable.map(|(file, why)| Finding::new(Code::PolicyUnusable, &file, why)));
        findings.sort_by(|a, b| b.severity.cmp(&a.severity).then_with(|| a.cmp(b)));
        findings
    };
    let mut findings = look();
    let mut fixed = Vec::new();
    let mut failed = Vec::new();
    if args.fix {
        clear_drafts(settings, ui);
    }
    if args.fix && findings.iter().any(|finding| finding.repairable) {
        // What was left unfinished first: whose work it was is said and recorded.
        packages::repair(settings, ui);
        // A plugin next: links to skills are beside it.
        failed.extend(renew(&findings, settings));
        let errors = with(&home, settings, |patient| repair(patient, &findings, &by));
        failed.extend(errors.into_iter().map(|error| change_error(error).message()));
        failed.extend(mend_hooks(global, settings));
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

/// That chibi's plugin is a copy of another metier, which it stays when metier is updated, or that chibi
/// is linked and does not have it.
fn plugin(home: &Home, settings: &Settings) -> Option<Finding> {
    let plugins = chibi::plugins(&settings.environment).ok()?;
    let is_linked = || {
        let agent =
            Agent::find(chibi::AGENT).filter(|agent| detected(agent, &settings.places()).is_some());
        let links = link::remembered(home, &Place::Personal).unwrap_or_default();
        agent.is_some_and(|agent| links.agents.contains_key(agent.id))
    };
    let (code, message) = match chibi::installed(&plugins) {
        Installed::Current => return None,
        Installed::Stale => {
            (Code::PluginStale, "chibi's plugin is a copy of another metier than this one")
        }
        Installed::No if is_linked() => {
            (Code::PluginMissing, "chibi is linked, and its plugin is not there")
        }
        Installed::Foreign if is_linked() => {
            (Code::PluginMissing, "chibi is linked, and its plugin is another program")
        }
        Installed::No | Installed::Foreign => return None,
    };
    Some(Finding::new(code, &chibi::copy_in(&plugins), message))
}

/// Copies this metier to where chibi's plugin belongs; gives why that did not work.
fn renew(findings: &[Finding], settings: &Settings) -> Option<String> {
    let codes = [Code::PluginStale, Code::PluginMissing];
    findings.iter().find(|finding| codes.contains(&finding.code))?;
    let plugins = chibi::plugins(&settings.environment).ok()?;
    chibi::install_plugin(&plugins).err().map(|error| error.to_string())
}

/// Clears away, and says so, what setups of hooks that were killed left in the agents' directories.
fn clear_drafts(settings: &Settings, ui: &mut Ui) {
    let cleared = HookAgent::ALL.into_iter().map(|agent| setup::clear_drafts(agent, settings));
    let cleared = cleared.sum();
    if cleared > 0 {
        let drafts = counted(cleared, "draft", "drafts");
        ui.note(&format!("note: {drafts} that a killed `metier hook setup` left behind are gone"));
    }
}

/// Has hooks that nothing is written down about, or that start nothing, written down and started again;
/// gives why that did not work.
fn mend_hooks(global: &Global, settings: &Settings) -> Vec<String> {
    let mut failed = Vec::new();
    for agent in HookAgent::ALL {
        let Ok(state) = setup::state(agent, global, settings) else { continue };
        let is_kept = state.recorded && state.startable;
        if state.entries > 0 && !is_kept {
            let mended = setup::mend(agent, &state, (global, settings));
            failed.extend(mended.err().map(|error| error.message()));
        }
    }
    failed
}

/// What is wrong with the hooks of metier's that `agent` has: nothing where it has none.
fn hooks(agent: HookAgent, global: &Global, settings: &Settings) -> Vec<Finding> {
    let state = match setup::state(agent, global, settings) {
        Ok(state) if state.recorded || state.entries > 0 => state,
        // Settings that cannot be read are their owner's business until metier has something there.
        Err(error) if setup::is_written_down(agent, settings) => {
            let home = settings.home.clone().unwrap_or_default();
            return vec![Finding::new(Code::Unreadable, &home.join("hooks"), error.message())];
        }
        Ok(_) | Err(_) => return Vec::new(),
    };
    let mut findings: Vec<Finding> = match state.recorded {
        true => state.missing.iter().map(|gap| missing(agent, gap)).collect(),
        false => vec![unrecorded(agent, &state)],
    };
    findings.extend(state.gone.iter().map(|program| {
        let message = format!("hooks of {} start a program that cannot be started", agent.title());
        about(agent, Finding::new(Code::HooksProgram, Path::new(program), message))
    }));
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

/// That metier's hooks are there and nobody knows since when.
fn unrecorded(agent: HookAgent, state: &HookState) -> Finding {
    let path = state.files.first().cloned().unwrap_or_default();
    let message =
        format!("{} has hooks of metier's that nothing is written down about", agent.title());
    about(agent, Finding::new(Code::HooksUnrecorded, &path, message))
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
        Missing::ForeignServer => {
            let told = setup::server_told(gap).unwrap_or_default();
            let finding =
                Finding::new(Code::HooksServer, &gap.path, format!("in {title}, {}", told.0));
            return about(agent, Finding { fix: told.1.to_owned(), ..finding });
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
        bases: &packages::bases(settings),
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
