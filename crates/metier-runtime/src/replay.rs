//! Replay: the state of every session rebuilt from frames, and what has drifted on disk since.
//!
//! Pure: the same `apply` as live. Reading the disk again is left to a [`Probe`].

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::event::Event;
use crate::journal::Frame;
use crate::state::State;

/// The state of every session in `frames`, by session id.
#[must_use]
pub fn replay<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> BTreeMap<String, State> {
    let mut states: BTreeMap<String, State> = BTreeMap::new();
    for frame in frames {
        let state = states.entry(frame.ids.session.clone()).or_default();
        state.apply(frame.seq, &frame.event());
    }
    states
}

/// Where the present digest of a recorded file comes from.
pub trait Probe {
    /// SHA-256 of the file `path` inside the skill directory `directory`; none when it cannot be
    /// read.
    fn digest(&self, directory: &Path, path: &str) -> Option<String>;
}

/// A recorded file that is not what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// The skill.
    pub skill: String,
    /// Its directory when it was recorded.
    pub directory: String,
    /// The file inside it.
    pub path: String,
    /// The digest recorded last.
    pub recorded: String,
    /// The digest now; none when the file is gone.
    pub now: Option<String>,
    /// The session and number of the frame that recorded it.
    pub frame: String,
}

/// Every recorded file whose bytes are not what the last frame about it says, sorted.
#[must_use]
pub fn drift<'a>(frames: impl IntoIterator<Item = &'a Frame>, probe: &dyn Probe) -> Vec<Drift> {
    let mut recorded: BTreeMap<(String, String), Drift> = BTreeMap::new();
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    for frame in frames {
        let id = format!("{}:{}", frame.ids.session, frame.seq);
        let (skill, directory, path, digest) = match frame.event() {
            Event::SkillLoaded(loaded) => {
                places.insert(loaded.name.clone(), loaded.path.clone());
                (loaded.name, loaded.path, "SKILL.md".to_owned(), loaded.digest)
            }
            Event::ResourceRead(read) if read.refused.is_none() => {
                let loaded = || places.get(&read.name).cloned().unwrap_or_default();
                let named = Some(read.directory).filter(|directory| !directory.is_empty());
                let directory = named.unwrap_or_else(loaded);
                (read.name, directory, read.path, read.digest)
            }
            _ => continue,
        };
        let key = (directory.clone(), path.clone());
        recorded
            .insert(key, Drift { skill, directory, path, recorded: digest, now: None, frame: id });
    }
    let mut drifted: Vec<Drift> = recorded.into_values().collect();
    drifted.retain_mut(|drift| {
        drift.now = probe.digest(Path::new(&drift.directory), &drift.path);
        drift.now.as_deref() != Some(drift.recorded.as_str())
    });
    drifted
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
