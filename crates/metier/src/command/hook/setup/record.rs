//! What is written down about the hooks in an agent's settings: what the files were, and how the hooks
//! start metier. One file an agent, in metier's own directory.

use std::path::{Path, PathBuf};

use metier_format::text::visible_line;
use metier_serve::agent_hook::HookAgent;
use metier_serve::hook_setup::Start;
use metier_store::digest;
use serde::{Deserialize, Serialize};

use crate::agent_files;
use crate::error::CommandError;
use crate::settings::Settings;

/// The flag that says where metier's own directory is.
pub(super) const HOME_FLAG: &str = "--home";

/// What was done to an agent's settings: enough to undo it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) version: u32,
    pub(super) program: String,
    pub(super) flags: Vec<String>,
    #[serde(default)]
    pub(super) variables: Vec<(String, String)>,
    pub(super) files: Vec<RecordedFile>,
    /// The directories that were made for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) folders: Vec<PathBuf>,
}

impl Record {
    /// How the hooks start metier.
    pub(super) fn start(&self) -> Start {
        Start {
            program: self.program.clone(),
            flags: self.flags.clone(),
            variables: self.variables.clone(),
        }
    }
}

/// One file, before and after.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RecordedFile {
    pub(super) path: PathBuf,
    /// The text it had; none when it was not there.
    pub(super) before: Option<String>,
    /// SHA-256 of the text it was given.
    pub(super) after: String,
}

/// Where it is.
pub(super) fn record_path(agent: HookAgent, settings: &Settings) -> Result<PathBuf, CommandError> {
    let home = settings.home.as_ref();
    let home =
        home.ok_or_else(|| CommandError::usage("there is no place to keep what is changed"))?;
    Ok(below(home, agent))
}

/// Whether something is written down: here, or where hooks that start metier so have their home.
pub(super) fn is_recorded(agent: HookAgent, start: &Start, settings: &Settings) -> bool {
    let mut flags = start.flags.iter().skip_while(|flag| *flag != HOME_FLAG);
    let elsewhere = flags.nth(1).map(|home| below(Path::new(home), agent));
    let here = record_path(agent, settings).ok();
    here.into_iter().chain(elsewhere).any(|path| agent_files::is_there(&path))
}

fn below(home: &Path, agent: HookAgent) -> PathBuf {
    home.join("hooks").join(format!("{}.json", agent.as_str()))
}

/// What is written down; none when nothing is.
pub(super) fn read_record(
    agent: HookAgent,
    settings: &Settings,
) -> Result<Option<Record>, CommandError> {
    let path = record_path(agent, settings)?;
    let Some(text) = agent_files::read(&path).map_err(CommandError::failed)? else {
        return Ok(None);
    };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let shown = visible_line(&path.to_string_lossy()).into_owned();
        CommandError::failed(format!("`{shown}` is not a record of hooks: {error}"))
    })
}

/// Writes it down.
pub(super) fn write_record(
    agent: HookAgent,
    settings: &Settings,
    record: &Record,
) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(record).map_err(CommandError::failed)?;
    agent_files::put(&record_path(agent, settings)?, Some(&text)).map_err(CommandError::failed)
}

/// A text as it is known again.
pub(super) fn hash(text: &str) -> String {
    digest::hex(&digest::sha256(text.as_bytes()))
}
