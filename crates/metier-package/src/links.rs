//! What is written down about links: which agents a person chose, and everything metier made in
//! their directories. One file a place, beside its receipts. Shapes only; [`crate::link`] acts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::home::{Home, Place};
use crate::limits::MAX_RECORD_BYTES;
use crate::records::{RecordError, parse, text, to_json};
use crate::trust::By;

/// The file's name.
pub(crate) const FILE: &str = "links.json";

/// The note of a change of links that is not finished.
pub(crate) const NOTE: &str = "pending-links.json";

/// What is written down about the links of one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Links {
    /// Which project, since the file is called by a digest of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// The agents somebody chose, by id.
    #[serde(default)]
    pub agents: BTreeMap<String, Choice>,
    /// Everything metier made, by folder and name.
    #[serde(default)]
    pub made: Vec<Made>,
    /// Links that are wanted whichever agents are, by folder and name: what metier took over from
    /// others stays visible where it was.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub singles: BTreeSet<(String, String)>,
    /// Directories metier made to put links in, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// What this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// That somebody chose an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Who and when.
    #[serde(flatten)]
    pub by: By,
    /// Whether it gets links or copies.
    #[serde(default)]
    pub how: How,
}

/// Whether an agent gets links or copies.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Links to the one copy.
    #[default]
    Link,
    /// Copies, for agents and file systems that take no links.
    Copy,
}

/// Something metier made in an agent's directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Made {
    /// The directory: its path, in a project from there.
    pub folder: String,
    /// The skill's name, and its own.
    #[serde(deserialize_with = "file_name")]
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub thing: Thing,
}

/// What metier made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thing {
    /// A link that says this.
    Link(String),
    /// A copy of the tree with this digest.
    Copy(String),
}

/// A directory of somebody else's whose place a link takes, because a person asked for that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Replaced {
    pub(crate) folder: String,
    #[serde(deserialize_with = "file_name")]
    pub(crate) name: String,
    /// What must be in it; the keep has it too.
    pub(crate) tree: String,
}

/// A change of links that is to happen, or is happening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    /// What was asked for, as a person says it.
    pub(crate) act: String,
    pub(crate) place: Place,
    pub(crate) before: Links,
    pub(crate) after: Links,
    #[serde(default)]
    pub(crate) replaced: Vec<Replaced>,
}

impl Links {
    /// What is written down about `place`.
    pub fn read(home: &Home, place: &Place) -> Result<Self, RecordError> {
        let folder = home.records(place);
        match text(&folder, FILE, MAX_RECORD_BYTES)? {
            Some(text) => parse(&folder.join(FILE), &text),
            None => Ok(Self::default()),
        }
    }

    /// What metier made as `name` in `folder`.
    #[must_use]
    pub fn find(&self, folder: &str, name: &str) -> Option<&Made> {
        self.made.iter().find(|made| made.folder == folder && made.name == name)
    }

    /// The text that is written; empty when there is nothing to say.
    pub(crate) fn text(&self) -> Result<String, RecordError> {
        let said = Self { project: None, ..self.clone() };
        if said == Self::default() {
            return Ok(String::new());
        }
        to_json(FILE, self)
    }
}

/// A name that stays in its folder, whatever the record says.
fn file_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match name.as_str() {
        "" | "." | ".." => Err(D::Error::custom("a name that is none")),
        path if path.contains(['/', '\0']) => Err(D::Error::custom("a name that is a path")),
        _ => Ok(name),
    }
}

/// The change of links that is not finished in `home`, if there is one.
pub(crate) fn note(home: &Home) -> Result<Option<Note>, RecordError> {
    match text(home.path(), NOTE, MAX_RECORD_BYTES)? {
        None => Ok(None),
        Some(text) => match serde_json::from_str(&text) {
            Ok(note) => Ok(Some(note)),
            Err(error) => Err(RecordError::Damaged {
                path: home.path().join(NOTE).to_string_lossy().into_owned(),
                reason: error.to_string(),
            }),
        },
    }
}

#[cfg(test)]
#[path = "links_tests.rs"]
mod tests;
