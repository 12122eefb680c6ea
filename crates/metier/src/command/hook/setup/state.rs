//! Whether metier's hooks in an agent's settings are there and count here.

use std::path::{Path, PathBuf};

use metier_format::text::visible_line;
use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::{
    Effect, Gap, Missing, OffSwitch, Start, found, gaps, off_switches, off_variable, off_variables,
    project_files, set_variables, unknown_switches, variable_files,
};
use serde::Serialize;

use super::record::{is_recorded, read_record};
use super::{present, start};
use crate::agent_files::{self, Looked};
use crate::args::Global;
use crate::env;
use crate::error::CommandError;
use crate::settings::Settings;

/// Whether an agent's hooks count, for `check` and for `doctor`.
#[derive(Debug, Serialize)]
pub(crate) struct HookState {
    pub(super) agent: &'static str,
    /// Whether every file has what metier puts into it.
    pub(super) installed: bool,
    pub(crate) files: Vec<PathBuf>,
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
    /// How many entries in the files have metier's mark.
    #[serde(skip)]
    pub(crate) entries: usize,
    /// The programs that hooks start and that cannot be started.
    #[serde(skip)]
    pub(crate) gone: Vec<String>,
    /// How the hooks start metier.
    #[serde(skip)]
    pub(super) start: Start,
}

impl HookState {
    /// Whether nothing but the MCP server is missing.
    pub(super) fn lacks_only_server(&self) -> bool {
        !self.missing.is_empty() && self.missing.iter().all(|gap| server_told(gap).is_some())
    }
}

/// That a server is missing, in words; none when something else is.
pub(crate) fn server_told(gap: &Gap) -> Option<(String, &'static str)> {
    let path = gap.path.to_string_lossy();
    let path = visible_line(&path);
    match gap.what {
        Missing::Server => Some((
            format!("metier's MCP server is not in `{path}`"),
            "`metier hook setup AGENT` puts it back",
        )),
        Missing::ForeignServer => Some((
            format!(
                "another MCP server is called `metier` in `{path}`, so metier's own is not there"
            ),
            "give it another name, then `metier hook setup AGENT` adds metier's",
        )),
        Missing::Hook(_) | Missing::Trust(_) | Missing::Plugin => None,
    }
}

/// Whether the hooks of `agent` are there and count in this project.
pub(crate) fn state(
    agent: HookAgent,
    global: &Global,
    settings: &Settings,
) -> Result<HookState, CommandError> {
    let record = read_record(agent, settings)?;
    let files = present(agent, settings)?;
    let found = found(agent, &files);
    let start = match (&record, found.starts.first()) {
        (Some(record), _) => record.start(),
        (None, Some(start)) => start.clone(),
        (None, None) => start(global, settings)?,
    };
    let missing = gaps(agent, &files, &start);
    let mut programs = vec![start.program.clone()];
    programs.extend(found.starts.iter().map(|start| start.program.clone()));
    programs.sort();
    programs.dedup();
    programs.retain(|program| !env::is_program(Path::new(program)));
    Ok(HookState {
        agent: agent.as_str(),
        installed: missing.is_empty(),
        files: files.into_iter().map(|file| file.target.path).collect(),
        missing,
        startable: programs.is_empty(),
        gone: programs,
        program: start.program.clone(),
        off: switches(agent, settings)?,
        recorded: is_recorded(agent, &start, settings),
        entries: found.entries,
        start,
    })
}

/// What switches the agent's hooks off or changes what they go by: in the user's own settings, in the project, in the directory
/// the agent would be started in and above it, and in the environment.
pub(super) fn switches(
    agent: HookAgent,
    settings: &Settings,
) -> Result<Vec<OffSwitch>, CommandError> {
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
        let holds_switches = path.extension().is_some_and(|end| end == "json" || end == "toml");
        let text = match agent_files::look(path) {
            Looked::Text(text) => text,
            Looked::TooLong if holds_switches => {
                found.extend(unknown_switches(agent, path));
                continue;
            }
            // What cannot be read here, the agent cannot read either.
            Looked::TooLong | Looked::Nothing => continue,
        };
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
