//! `metier hook setup`, `remove` and `check`: an agent's settings with metier's hooks, without them,
//! and whether they count.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use metier_format::text::visible_line;
use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::{
    self, Effect, Gap, OffSwitch, Present, Start, gaps, hook_settings, join, off_switches,
    off_variable, off_variables, part, project_files, set_variables, targets, variable_files,
};
use metier_store::digest;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::agents;
use crate::agent_files::{self, Replaced};
use crate::args::Global;
use crate::env;
use crate::error::{CommandError, CommandResult, Status};
use crate::settings::Settings;
use crate::ui::Ui;

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

/// What was done to an agent's settings: enough to undo it.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    version: u32,
    program: String,
    flags: Vec<String>,
    #[serde(default)]
    variables: Vec<(String, String)>,
    files: Vec<RecordedFile>,
}

impl Record {
    fn start(&self) -> Start {
        Start {
            program: self.program.clone(),
            flags: self.flags.clone(),
            variables: self.variables.clone(),
        }
    }
}

/// One file, before and after.
#[derive(Debug, Serialize, Deserialize)]
struct RecordedFile {
    path: PathBuf,
    /// The text it had; none when it was not there.
    before: Option<String>,
    /// SHA-256 of the text it was given.
    after: String,
}

/// Whether an agent's hooks count, for `check` and for `doctor`.
#[derive(Debug, Serialize)]
pub(crate) struct HookState {
    agent: &'static str,
    /// Whether every file has what metier puts into it.
    installed: bool,
    files: Vec<PathBuf>,
    /// What is not in them as it should be.
    pub(crate) missing: Vec<Gap>,
    /// The program the hooks start.
    pub(crate) program: String,
    /// Whether that program is there to be started.
    pub(crate) startable: bool,
    /// What switches them off here.
    pub(crate) off: Vec<OffSwitch>,
    /// Whether it is written down that metier set them up.
    #[serde(skip)]
    pub(crate) recorded: bool,
}

/// Does it.
pub(crate) fn run(
    act: &HookAct,
    global: &Global,
    settings: &Settings,
    ui: &mut Ui,
) -> CommandResult {
    match act {
        HookAct::Setup(which) => set_up(which.agent, global, settings, ui),
        HookAct::Remove(which) => remove(which.agent, settings, ui),
        HookAct::Check(which) => check(which.agent, global, settings, ui),
    }
}

/// Does `act` for the one agent that `link --hooks` or `unlink --hooks` names.
pub(crate) fn for_named(
    names: &[String],
    act: fn(WhichAgent) -> HookAct,
    (global, settings): (&Global, &Settings),
    ui: &mut Ui,
) -> CommandResult {
    let known = HookAgent::ALL.iter().map(|agent| agent.as_str()).collect::<Vec<_>>().join("`, `");
    let [name] = names else {
        let error = CommandError::usage("`--hooks` takes one agent at a time");
        return Err(error.hint(format!("metier has hooks for `{known}`")));
    };
    let Some(agent) = HookAgent::ALL.into_iter().find(|agent| agent.as_str() == name) else {
        let shown = visible_line(name).into_owned();
        let error = CommandError::usage(format!("metier has no hooks for `{shown}`"));
        return Err(error.hint(format!("it has some for `{known}`")));
    };
    run(&act(WhichAgent { agent }), global, settings, ui)
}

fn set_up(agent: HookAgent, global: &Global, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let start = start(global, settings)?;
    let files = persistently(agent, || try_to_set_up(agent, settings, &start))?;
    report(agent, "set up", &files, ui);
    if !ui.json() {
        remark(agent, settings, ui)?;
    }
    Ok(Status::Ok)
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

/// Sets hooks up; none when a file changed since it was read.
fn try_to_set_up(
    agent: HookAgent,
    settings: &Settings,
    start: &Start,
) -> Result<Option<Vec<Present>>, CommandError> {
    let record = read_record(agent, settings)?;
    let found = present(agent, settings)?;
    let files = without_ours(agent, found.clone(), record.as_ref())?;
    let joined = join(agent, &files, start).map_err(CommandError::failed)?;
    let recorded = files.iter().zip(&joined).map(|(file, text)| RecordedFile {
        path: file.target.path.clone(),
        before: file.text.clone(),
        after: hash(text),
    });
    let Start { program, flags, variables } = start.clone();
    let record = Record { version: 1, program, flags, variables, files: recorded.collect() };
    // Before anything else: what is not recorded could not be undone.
    write_record(agent, settings, &record)?;
    let wanted = joined.iter().map(|text| Some(text.as_str()));
    Ok(replace_all(&found, wanted)?.then_some(files))
}

/// Gives each file its text; false as soon as one is not what was found.
fn replace_all<'a>(
    found: &[Present],
    wanted: impl Iterator<Item = Option<&'a str>>,
) -> Result<bool, CommandError> {
    for (file, text) in found.iter().zip(wanted) {
        if file.text.as_deref() == text {
            continue;
        }
        let done = agent_files::replace(&file.target.path, file.text.as_deref(), text);
        if done.map_err(CommandError::failed)? == Replaced::Changed {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The files as they were before metier came, as far as that is still to be told: those nobody has
/// touched since exactly, the others with metier's entries taken out.
fn without_ours(
    agent: HookAgent,
    files: Vec<Present>,
    record: Option<&Record>,
) -> Result<Vec<Present>, CommandError> {
    let Some(record) = record else { return Ok(files) };
    let parted = part(agent, &files, &record.start()).map_err(CommandError::failed)?;
    let restored = files.into_iter().zip(parted).map(|(file, parted)| {
        let recorded = record.files.iter().find(|recorded| recorded.path == file.target.path);
        let text = match (recorded, &file.text) {
            (Some(recorded), Some(text)) if hash(text) == recorded.after => recorded.before.clone(),
            // A file that was there before stays, whatever is left of it.
            (Some(recorded), Some(_)) if parted.is_none() && recorded.before.is_some() => {
                let is_json = file.target.path.extension().is_some_and(|end| end == "json");
                Some(if is_json { "{}\n" } else { "" }.to_owned())
            }
            _ => parted,
        };
        Present { text, ..file }
    });
    Ok(restored.collect())
}

fn remove(agent: HookAgent, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let Some(record) = read_record(agent, settings)? else {
        let message = format!("metier has no hooks in the settings of {}", agent.title());
        return Err(CommandError::failed(message));
    };
    let files = persistently(agent, || {
        let found = present(agent, settings)?;
        let files = without_ours(agent, found.clone(), Some(&record))?;
        let wanted = files.iter().map(|file| file.text.as_deref());
        Ok(replace_all(&found, wanted)?.then_some(files))
    })?;
    agent_files::put(&record_path(agent, settings)?, None).map_err(CommandError::failed)?;
    report(agent, "removed", &files, ui);
    Ok(Status::Ok)
}

fn check(agent: HookAgent, global: &Global, settings: &Settings, ui: &mut Ui) -> CommandResult {
    let state = state(agent, global, settings)?;
    let good = state.installed && state.startable && state.off.is_empty();
    if ui.json() {
        ui.document(&state);
    } else {
        let there = if state.installed { "are set up" } else { "are not set up" };
        ui.line(format!("metier's hooks in {} {there}", agent.title()));
        if !state.installed {
            ui.note(&format!("hint: `metier hook setup {}` sets them up", agent.as_str()));
        }
        if state.installed && !state.startable {
            let program = visible_line(&state.program).into_owned();
            ui.note(&format!("warning: `{program}`, which they start, cannot be started"));
        }
        remark(agent, settings, ui)?;
    }
    Ok(if good { Status::Ok } else { Status::Partly })
}

/// Whether the hooks of `agent` are there and count in this project.
pub(crate) fn state(
    agent: HookAgent,
    global: &Global,
    settings: &Settings,
) -> Result<HookState, CommandError> {
    let record = read_record(agent, settings)?;
    let recorded = record.is_some();
    let start = match record {
        Some(record) => record.start(),
        None => start(global, settings)?,
    };
    let files = present(agent, settings)?;
    let missing = gaps(agent, &files, &start);
    Ok(HookState {
        agent: agent.as_str(),
        installed: missing.is_empty(),
        files: files.into_iter().map(|file| file.target.path).collect(),
        missing,
        startable: env::is_program(Path::new(&start.program)),
        program: start.program,
        off: switches(agent, settings)?,
        recorded,
    })
}

/// What switches the agent's hooks off or changes what they go by: in the user's own settings, in the project, in the directory
/// the agent would be started in and above it, and in the environment.
fn switches(agent: HookAgent, settings: &Settings) -> Result<Vec<OffSwitch>, CommandError> {
    let mut found = Vec::new();
    let own: Vec<PathBuf> =
        present(agent, settings)?.into_iter().map(|file| file.target.path).collect();
    let (here, project) = (&settings.environment.directory, &settings.project);
    let above = here.ancestors().take_while(|folder| folder.starts_with(project));
    let brought = project_files(agent).iter().chain(variable_files(agent));
    let mut paths = own.clone();
    for folder in std::iter::once(project.as_path()).chain(above) {
        paths.extend(brought.clone().map(|file| folder.join(file)));
    }
    for (index, path) in paths.iter().enumerate() {
        if paths.iter().take(index).any(|earlier| earlier == path) {
            continue;
        }
        // What cannot be read here, the agent cannot read either.
        let Ok(Some(text)) = agent_files::read(path) else { continue };
        let holds_switches = path.extension().is_some_and(|end| end == "json" || end == "toml");
        if holds_switches {
            found.extend(off_switches(agent, path, &text));
        }
        // What the user's own settings say is the user's wish.
        if !own.contains(path) {
            found.extend(set_variables(agent, path, &text));
        }
    }
    for variable in off_variables(agent) {
        let value = settings.environment.hooks_off.get(*variable);
        found.extend(value.and_then(|value| off_variable(variable, value)));
    }
    Ok(found)
}

/// A switch in words, and what to do about it.
pub(crate) fn told(agent: HookAgent, switch: &OffSwitch) -> (String, String) {
    let path = visible_line(&switch.path.to_string_lossy()).into_owned();
    let place = if path.is_empty() { "the environment".to_owned() } else { format!("`{path}`") };
    let (key, title) = (visible_line(&switch.key), agent.title());
    let message = match switch.effect {
        Effect::HooksOff => format!("`{key}` in {place} switches hooks off in {title}"),
        Effect::VariableSet => {
            format!("`{key}` in {place} changes what metier's hooks go by in {title}")
        }
    };
    let advice = match (switch.start, switch.effect) {
        (Some(start), _) => format!("`{start}` starts it so that this does not count"),
        (None, Effect::VariableSet) => {
            "remove the variable; where it is yours, set it in your shell or your own settings"
                .to_owned()
        }
        (None, Effect::HooksOff) => {
            "remove the key; no way to start it is known that overrules this".to_owned()
        }
    };
    (message, advice)
}

fn remark(agent: HookAgent, settings: &Settings, ui: &mut Ui) -> Result<(), CommandError> {
    for switch in switches(agent, settings)? {
        let (message, advice) = told(agent, &switch);
        ui.note(&format!("warning: {message}"));
        ui.note(&format!("hint: {advice}"));
    }
    Ok(())
}

fn report(agent: HookAgent, done: &str, files: &[Present], ui: &mut Ui) {
    let paths: Vec<&PathBuf> = files.iter().map(|file| &file.target.path).collect();
    if ui.json() {
        return ui.document(&json!({"agent": agent.as_str(), "done": done, "files": paths}));
    }
    ui.line(format!("{done}: {}", agent.title()));
    for path in paths {
        ui.line(format!("  {}", visible_line(&path.to_string_lossy())));
    }
}

fn present(agent: HookAgent, settings: &Settings) -> Result<Vec<Present>, CommandError> {
    let targets = targets(agent, &settings.places()).map_err(CommandError::failed)?;
    let read = |target: hook_setup::Target| {
        let text = agent_files::read(&target.path).map_err(CommandError::failed)?;
        Ok(Present { target, text })
    };
    targets.into_iter().map(read).collect()
}

/// The settings of agents that metier's hooks are in, and those by which they could be switched off:
/// for each agent that has them, and for the one called `host`, which is asking.
pub(crate) fn hooked_files(settings: &Settings, host: &str) -> Vec<PathBuf> {
    let recorded = |agent: &HookAgent| {
        record_path(*agent, settings).is_ok_and(|record| agent_files::is_there(&record))
    };
    let mut files = Vec::new();
    for agent in HookAgent::ALL {
        let recorded = recorded(&agent);
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
        ("--home", global.home.as_ref().or(environment.metier_home.as_ref())),
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

fn record_path(agent: HookAgent, settings: &Settings) -> Result<PathBuf, CommandError> {
    let home = settings.home.as_ref();
    let home =
        home.ok_or_else(|| CommandError::usage("there is no place to keep what is changed"))?;
    Ok(home.join("hooks").join(format!("{}.json", agent.as_str())))
}

fn read_record(agent: HookAgent, settings: &Settings) -> Result<Option<Record>, CommandError> {
    let path = record_path(agent, settings)?;
    let Some(text) = agent_files::read(&path).map_err(CommandError::failed)? else {
        return Ok(None);
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let shown = visible_line(&path.to_string_lossy()).into_owned();
        CommandError::failed(format!("`{shown}` is not a record of hooks: {error}"))
    })
}

fn write_record(
    agent: HookAgent,
    settings: &Settings,
    record: &Record,
) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(record).map_err(CommandError::failed)?;
    agent_files::put(&record_path(agent, settings)?, Some(&text)).map_err(CommandError::failed)
}

fn hash(text: &str) -> String {
    digest::hex(&digest::sha256(text.as_bytes()))
}

#[cfg(test)]
#[path = "setup_tests.rs"]
mod tests;
