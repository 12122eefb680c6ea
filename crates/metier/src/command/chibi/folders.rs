//! Which directories were made for chibi's plugin, so that they go with it. One file in metier's own
//! directory.

use std::path::{Path, PathBuf};

use crate::agent_files::{self, missing_folders, remove_empty};
use crate::command::chibi::copy_in;
use crate::error::CommandError;
use crate::settings::Settings;

/// Writes down which directories a plugin in `plugins` takes that are not there yet. Before they are
/// made: one that is not written down stays.
pub(crate) fn remember_folders(plugins: &Path, settings: &Settings) -> Result<(), CommandError> {
    let Some(record) = record(settings) else { return Ok(()) };
    let mut folders = read(&record)?;
    let known = folders.len();
    folders.extend(missing_folders(&copy_in(plugins)));
    folders.sort();
    folders.dedup();
    if folders.len() == known {
        return Ok(());
    }
    let text = serde_json::to_string_pretty(&folders).map_err(CommandError::failed)?;
    agent_files::put(&record, Some(&text)).map_err(CommandError::failed)
}

/// Removes those that nothing is in, and forgets them.
pub(crate) fn forget_folders(settings: &Settings) -> Result<(), CommandError> {
    let Some(record) = record(settings) else { return Ok(()) };
    remove_empty(&read(&record)?);
    agent_files::put(&record, None).map_err(CommandError::failed)
}

fn record(settings: &Settings) -> Option<PathBuf> {
    Some(settings.home.as_ref()?.join("plugins").join("chibi.json"))
}

/// The directories; none when the record is no list of them, since nothing is lost when they stay.
fn read(record: &Path) -> Result<Vec<PathBuf>, CommandError> {
    let text = agent_files::read(record).map_err(CommandError::failed)?;
    Ok(text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}
