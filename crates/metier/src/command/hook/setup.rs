//! `metier hook setup`, `remove` and `check`: an agent's settings with metier's hooks, without them,
//! and whether they count.

mod record;
mod state;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use metier_format::text::visible_line;
use metier_package::link::Mode;
use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::{
    self, Gap, OffSwitch, Part, Present, Start, found, gaps, hook_settings, join, part, targets,
};
use serde::Serialize;
use serde_json::json;

use super::agents;
use crate::agent_files::{self, Replaced, missing_folders};
use crate::args::Global;
use crate::env;
use crate::error::{CommandError, CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;
use record::{HOME_FLAG, Record, RecordedFile, hash, read_record, record_path, write_record};
use state::switches;

pub(crate) use state::{HookState, server_told, state, told};

/// How often an agent's settings are read again when they change meanwhile.
const MAX_TRIES: usize = 5;

/// What can be done about an agent's hooks.
#[derive(Debug, Subcommand)]
pub(crate) enum HookAct {
    /// Put metier's hooks and its MCP server into an agent's settings
    ///
    /// What is there stays. What the files were is kept in metier's own directory, so that `remove`
    /// can restore them byte for byte.
    #[command(after_help = "Examples:\n  metier hook setup claude-code\n  \
        metier hook setup codex --json")]
    Setup(WhichAgent),
    /// Take them out again
    #[command(after_help = "Examples:\n  metier hook remove claude-code")]
    Remove(WhichAgent),
    /// Say whether an agent's hooks are there, and what switches them off
    #[command(
        after_help = "Examples:\n  metier hook check codex\n  metier hook check gemini-cli --json"
    )]
    Check(WhichAgent),
}

/// Which agent.
#[derive(Debug, Args)]
pub(crate) struct WhichAgent {
    /// Whose settings
    #[arg(value_name = "AGENT", value_parser = agents())]
    agent: HookAgent,
}

/// What was done to the settings of one agent, or would be.
#[derive(Debug, Serialize)]
pub(crate) struct Change {
    agent: &'static str,
    #[serde(skip)]
    title: &'static str,
    done: &'static str,
    files: Vec<PathBuf>,
    /// What could not be put in, since somebody else's is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<Gap>,
    /// What a person has to know besides, and what to do about it.
    #[serde(skip)]
    remarks: Vec<(String, Option<String>)>,
}

/// Does it.
pub(crate) fn run(
    act: &HookAct,
    global: &Global,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    let change = match act {
        HookAct::Setup(which) => set_up(which.agent, Mode::Act, (global, settings))?,
        HookAct::Remove(which) => remove(which.agent, Mode::Act, settings)?,
        HookAct::Check(which) => return check(which.agent, global, settings, ui),
    };
    match ui.json() {
        true => ui.document(&change),
        false => change.show(Mode::Act, ui),
    }
    Ok(Status::Ok)
}

/// Sets hooks up for the agents that `link --hooks` names.
pub(crate) fn link(
    names: &[String],
    mode: Mode,
    (global, settings): (&Global, &Settings),
    ui: &mut Ui,
) -> CommandResult {
    let agents = named(names)?;
    for agent in &agents {
        // What cannot be done for one of them is found before anything is done.
        set_up(*agent, Mode::Say, (global, settings))?;
    }
    let changes = agents.into_iter().map(|agent| set_up(agent, mode, (global, settings)));
    tell(&changes.collect::<Result<Vec<_>, _>>()?, mode, ui);
    Ok(Status::Ok)
}

/// Takes hooks from the agents that `unlink --hooks` names, or from all that have some.
pub(crate) fn unlink(
    names: &[String],
    mode: Mode,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    let mut agents = named(names)?;
    if names.is_empty() {
        agents.extend(HookAgent::ALL.into_iter().filter(|agent| has_hooks(*agent, settings)));
    }
    for agent in &agents {
        remove(*agent, Mode::Say, settings)?;
    }
    let changes = agents.into_iter().map(|agent| remove(agent, mode, settings));
    tell(&changes.collect::<Result<Vec<_>, _>>()?, mode, ui);
    Ok(Status::Ok)
}

fn tell(changes: &[Change], mode: Mode, ui: &mut Ui) {
    if ui.json() {
        return ui.document(&json!({"dry_run": mode == Mode::Say, "hooks": changes}));
    }
    for change in changes {
        change.show(mode, ui);
    }
    if changes.is_empty() {
        ui.line("there was nothing to remove");
    }
}

/// The agents with these names, each once.
fn named(names: &[String]) -> Result<Vec<HookAgent>, CommandError> {
    let mut agents = Vec::new();
    for name in names {
        let Some(agent) = HookAgent::parse(name) else {
            let known = HookAgent::ALL.map(HookAgent::as_str).join("`, `");
            let shown = visible_line(name).into_owned();
            let error = CommandError::usage(format!("metier has no hooks for `{shown}`"));
            return Err(error.hint(format!("it has some for `{known}`")));
        };
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    Ok(agents)
}

/// Whether `agent` has hooks of metier's: written down, or known by their mark.
pub(crate) fn has_hooks(agent: HookAgent, settings: &Settings) -> bool {
    let is_marked = |files: Vec<Present>| found(agent, &files).entries > 0;
    is_written_down(agent, settings) || present(agent, settings).is_ok_and(is_marked)
}

impl Change {
    /// Shows it to a person.
    pub(crate) fn show(&self, mode: Mode, ui: &mut Ui) {
        let would = if mode == Mode::Say { "would be " } else { "" };
        ui.line(format!("{would}{}: {}", self.done, self.title));
        for path in &self.files {
            ui.line(format!("  {}", visible_line(&path.to_string_lossy())));
        }
        remark(&self.remarks, ui);
    }
}

fn set_up(
    agent: HookAgent,
    mode: Mode,
    (global, settings): (&Global, &Settings),
) -> Result<Change, CommandError> {
    let start = start(global, settings)?;
    let files = persistently(agent, || try_to_set_up(agent, mode, settings, &start))?;
    let missing = gaps(agent, &files, &start);
    let mut remarks = server_remarks(agent, &missing);
    remarks.extend(switch_remarks(agent, &switches(agent, settings)?));
    Ok(Change {
        agent: agent.as_str(),
        title: agent.title(),
        done: "set up",
        files: files.into_iter().map(|file| file.target.path).collect(),
        missing,
        remarks,
    })
}

/// Does `work` again while a running agent changes its settings under it.
fn persistently(
    agent: HookAgent,
    mut work: impl FnMut() -> Result<Option<Vec<Present>>, CommandError>,
) -> Result<Vec<Present>, CommandError> {
    for _ in 0..MAX_TRIES {
        if let Some(files) = work()? {
            return Ok(files);
        }
    }
    let message = format!("{} keeps changing its settings meanwhile", agent.title());
    Err(CommandError::failed(message).hint("end it and try again"))
}

/// Sets hooks up, and gives the files with them; none when one changed since it was read.
fn try_to_set_up(
    agent: HookAgent,
    mode: Mode,
    settings: &Settings,
    start: &Start,
) -> Result<Option<Vec<Present>>, CommandError> {
    let record = read_record(agent, settings)?;
    let found = present(agent, settings)?;
    let files = without_ours(agent, found.clone(), record.as_ref())?;
    let joined = join(agent, &files, start).map_err(CommandError::failed)?;
    let mut folders = record.map(|record| record.folders).unwrap_or_default();
    folders.extend(found.iter().flat_map(|file| missing_folders(&file.target.path)));
    folders.sort();
    folders.dedup();
    let recorded = files.iter().zip(&joined).map(|(file, text)| RecordedFile {
        path: file.target.path.clone(),
        before: file.text.clone(),
        after: hash(text),
    });
    let Start { program, flags, variables } = start.clone();
    let files = recorded.collect();
    let record = Record { version: 1, program, flags, variables, files, folders };
    let with = |(file, text): (&Present, String)| Present { text: Some(text), ..file.clone() };
    let wanted: Vec<Present> = found.iter().zip(joined).map(with).collect();
    if mode == Mode::Say {
        return Ok(Some(wanted));
    }
    clear_drafts(agent, settings);
    // Before anything else: what is not recorded could not be undone.
    write_record(agent, settings, &record)?;
    Ok(replace_all(&found, &wanted)?.then_some(wanted))
}

/// Gives each file its text; false as soon as one is not what was found.
fn replace_all(found: &[Present], wanted: &[Present]) -> Result<bool, CommandError> {
    for (file, wanted) in found.iter().zip(wanted) {
        let (old, new) = (file.text.as_deref(), wanted.text.as_deref());
        if old == new {
            continue;
        }
        let done = agent_files::replace(&file.target.path, old, new);
        if done.map_err(CommandError::failed)? == Replaced::Changed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The files as they were before metier came, as far as that is still to be told: those nobody has
/// touched since exactly, the others with metier's entries taken out. Entries of another metier are
/// metier's too, wherever they are.
fn without_ours(
    agent: HookAgent,
    files: Vec<Present>,
    record: Option<&Record>,
) -> Result<Vec<Present>, CommandError> {
    let mut starts = found(agent, &files).starts;
    starts.extend(record.map(Record::start));
    let before = record.map(|record| before(&files, record)).unwrap_or_default();
    let parted = part(agent, &files, &starts, &before).map_err(CommandError::failed)?;
    let restore = |(file, parted): (Present, Option<String>)| {
        let recorded = record.and_then(|record| {
            record.files.iter().find(|recorded| recorded.path == file.target.path)
        });
        let text = match (recorded, &file.text) {
            (Some(recorded), Some(text)) if hash(text) == recorded.after => recorded.before.clone(),
            (Some(RecordedFile { before: None, .. }), Some(_)) => parted,
            _ => parted.or_else(|| emptied(&file)),
        };
        Present { text, ..file }
    };
    let restored: Vec<Present> = files.into_iter().zip(parted).map(restore).collect();
    let left = found(agent, &restored);
    if left.entries == 0 {
        return Ok(restored);
    }
    // What was there before metier came was another metier.
    let parted = part(agent, &restored, &left.starts, &[]).map_err(CommandError::failed)?;
    let without = |(file, parted): (Present, Option<String>)| Present {
        text: parted.or_else(|| emptied(&file)),
        ..file
    };
    Ok(restored.into_iter().zip(parted).map(without).collect())
}

/// The files as they were before metier came, as it is written down.
fn before(files: &[Present], record: &Record) -> Vec<Present> {
    let was = |file: &Present| {
        let recorded = record.files.iter().find(|recorded| recorded.path == file.target.path);
        recorded.map(|recorded| Present { text: recorded.before.clone(), ..file.clone() })
    };
    files.iter().filter_map(was).collect()
}

/// What is left of a file in which there was nothing but metier's entries, and of which nobody knows
/// that metier made it: it stays. The plugin is metier's alone.
fn emptied(file: &Present) -> Option<String> {
    file.text.as_ref()?;
    match file.target.part {
        Part::Plugin => None,
        Part::CodexConfig => Some(String::new()),
        Part::Hooks | Part::Server | Part::Both => Some("{}\n".to_owned()),
    }
}

/// Takes hooks out of the settings of `agent`.
pub(crate) fn remove(
    agent: HookAgent,
    mode: Mode,
    settings: &Settings,
) -> Result<Change, CommandError> {
    let is_marked = found(agent, &present(agent, settings)?).entries > 0;
    let mut remarks = Vec::new();
    let record = match read_record(agent, settings) {
        // Without what the files were, metier's own entries are still known by their mark.
        Err(error) if is_marked => {
            remarks.push((error.message(), None));
            None
        }
        other => other?,
    };
    if record.is_none() && !is_marked {
        let message = format!("metier has no hooks in the settings of {}", agent.title());
        return Err(CommandError::failed(message));
    }
    let mut files = Vec::new();
    persistently(agent, || {
        let found = present(agent, settings)?;
        let wanted = without_ours(agent, found.clone(), record.as_ref())?;
        let changed = found.iter().zip(&wanted).filter(|(old, new)| old != new);
        files = changed.map(|(file, _)| file.target.path.clone()).collect();
        let done = mode == Mode::Say || replace_all(&found, &wanted)?;
        Ok(done.then_some(wanted))
    })?;
    if mode == Mode::Act {
        clear_drafts(agent, settings);
        agent_files::put(&record_path(agent, settings)?, None).map_err(CommandError::failed)?;
        agent_files::remove_empty(&record.map(|record| record.folders).unwrap_or_default());
    }
    let (agent, title) = (agent.as_str(), agent.title());
    Ok(Change { agent, title, done: "removed", files, missing: Vec::new(), remarks })
}

/// Makes what is in the settings of `agent` hooks that are written down and start a program there is:
/// the one they start, else this one.
pub(crate) fn mend(
    agent: HookAgent,
    state: &HookState,
    (global, settings): (&Global, &Settings),
) -> Result<(), CommandError> {
    let start = match state.startable {
        true => state.start.clone(),
        false => start(global, settings)?,
    };
    persistently(agent, || try_to_set_up(agent, Mode::Act, settings, &start)).map(drop)
}

fn check(agent: HookAgent, global: &Global, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let state = state(agent, global, settings)?;
    let good = state.installed && state.startable && state.off.is_empty();
    if ui.json() {
        ui.document(&state);
    } else {
        let is_bare = state.lacks_only_server();
        let there = match (state.installed, state.entries) {
            (true, _) => "are set up",
            _ if is_bare => "are set up, and not its MCP server",
            (false, 0) => "are not set up",
            (false, _) => "are there, and not as this metier writes them",
        };
        ui.line(format!("metier's hooks in {} {there}", agent.title()));
        if is_bare {
            remark(&server_remarks(agent, &state.missing), ui);
        } else if !state.installed {
            ui.note(&format!("hint: `metier hook setup {}` sets them up", agent.as_str()));
        }
        if state.entries > 0 {
            for program in &state.gone {
                let program = visible_line(program);
                ui.note(&format!("warning: `{program}`, which they start, cannot be started"));
            }
        }
        remark(&switch_remarks(agent, &state.off), ui);
    }
    Ok(if good { Status::Ok } else { Status::Partly })
}

fn remark(remarks: &[(String, Option<String>)], ui: &mut Ui) {
    for (message, advice) in remarks {
        ui.note(&format!("warning: {message}"));
        if let Some(advice) = advice {
            ui.note(&format!("hint: {advice}"));
        }
    }
}

/// What switches hooks off, and what to do about it.
fn switch_remarks(agent: HookAgent, off: &[OffSwitch]) -> Vec<(String, Option<String>)> {
    let remark = |switch| {
        let (message, advice) = told(agent, switch);
        (message, Some(advice))
    };
    off.iter().map(remark).collect()
}

/// Which MCP server is missing, and what to do about it.
fn server_remarks(agent: HookAgent, missing: &[Gap]) -> Vec<(String, Option<String>)> {
    let advise = |advice: &str| Some(advice.replace("AGENT", agent.as_str()));
    let told = missing.iter().filter_map(server_told);
    told.map(|(message, advice)| (message, advise(advice))).collect()
}

fn present(agent: HookAgent, settings: &Settings) -> Result<Vec<Present>, CommandError> {
    let targets = targets(agent, &settings.places()).map_err(CommandError::failed)?;
    let read = |target: hook_setup::Target| {
        let text = agent_files::read(&target.path).map_err(CommandError::failed)?;
        Ok(Present { target, text })
    };
    targets.into_iter().map(read).collect()
}

/// Removes what setups that were killed left beside the settings of `agent`; gives how much that was.
pub(crate) fn clear_drafts(agent: HookAgent, settings: &Settings) -> usize {
    let targets = targets(agent, &settings.places()).unwrap_or_default();
    let paths = targets.into_iter().map(|target| target.path);
    paths.chain(record_path(agent, settings)).map(|path| agent_files::clear_drafts(&path)).sum()
}

/// Whether it is written down that metier set up hooks for `agent`.
pub(crate) fn is_written_down(agent: HookAgent, settings: &Settings) -> bool {
    record_path(agent, settings).is_ok_and(|record| agent_files::is_there(&record))
}

/// The settings of agents that metier's hooks are in, and those by which they could be switched off:
/// for each agent that has them, and for the one called `host`, which is asking.
pub(crate) fn hooked_files(settings: &Settings, host: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for agent in HookAgent::ALL {
        let recorded = is_written_down(agent, settings);
        if recorded {
            let targets = targets(agent, &settings.places()).unwrap_or_default();
            files.extend(targets.into_iter().map(|target| target.path));
        }
        if recorded || agent.as_str() == host {
            files.extend(hook_settings(agent).iter().map(PathBuf::from));
        }
    }
    files
}

/// How an agent starts this very program, with the places this run was given.
fn start(global: &Global, settings: &Settings) -> Result<Start, CommandError> {
    let program = env::program().and_then(|path| path.into_os_string().into_string().ok());
    let program =
        program.ok_or_else(|| CommandError::failed("nobody knows where this program is"))?;
    let environment = &settings.environment;
    // A variable that counts now is written down as a flag: later it is not looked at.
    let given = [
        (HOME_FLAG, global.home.as_ref().or(environment.metier_home.as_ref())),
        ("--config", global.config.as_ref().or(environment.config.as_ref())),
    ];
    let mut flags = Vec::new();
    for (flag, path) in given {
        if let Some(path) = path {
            let path = environment.resolve(path, &environment.directory);
            flags.extend([flag.to_owned(), path.to_string_lossy().into_owned()]);
        }
    }
    Ok(Start { program, flags, variables: environment.places() })
}

#[cfg(test)]
#[path = "setup_tests.rs"]
mod tests;
