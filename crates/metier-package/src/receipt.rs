//! Receipts: what was installed, from where, when. One file a place, `registry.json`, in the shape
//! agent-base has for it, with more fields that it does not know and leaves alone. Fields this
//! version does not know are kept.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::home::{Home, Place};
use crate::pinned::Pinned;

/// The file's name.
pub(crate) const FILE: &str = "registry.json";

/// One installed skill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Its name.
    pub name: String,
    /// The name it is looked up by.
    pub name_canonical: String,
    /// Where it is from.
    pub git_url: String,
    /// The commit; empty when it has none.
    #[serde(default)]
    pub commit_sha: String,
    /// The branch that was asked for.
    #[serde(default)]
    pub branch: Option<String>,
    /// The tag that was asked for.
    #[serde(default)]
    pub tag: Option<String>,
    /// Its directory.
    pub installed_path: String,
    /// Whether a person said yes to it.
    #[serde(default)]
    pub trusted: bool,
    /// When, as `2031-05-06T07:08:09`.
    pub installed_at: String,
    /// The digest of its tree, hexadecimal.
    #[serde(default)]
    pub tree: String,
    /// What this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The receipts of one place, by the name a skill is looked up by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Receipts(pub BTreeMap<String, Receipt>);

impl Receipt {
    /// The receipt for `pinned` at `place`, installed at `at`.
    #[must_use]
    pub fn of(pinned: &Pinned, (home, place): (&Home, &Place), at: &str, trusted: bool) -> Self {
        let requested = pinned.locked.requested.clone();
        let is_tag = requested.as_deref().is_some_and(looks_like_a_tag);
        let is_commit = requested.is_some() && requested == pinned.locked.commit;
        let (branch, tag) = match (is_tag, is_commit) {
            (true, _) => (None, requested),
            (false, true) => (None, None),
            (false, false) => (requested, None),
        };
        let directory = place.directory(home, pinned.name.as_str());
        Self {
            name: pinned.name.to_string(),
            name_canonical: pinned.name.key().as_str().to_owned(),
            git_url: pinned.locked.source.clone(),
            commit_sha: pinned.locked.commit.clone().unwrap_or_default(),
            branch,
            tag,
            installed_path: directory.to_string_lossy().into_owned(),
            trusted,
            installed_at: at.to_owned(),
            tree: pinned.tree.clone(),
            extra: Map::new(),
        }
    }
}

impl Receipts {
    /// Puts `receipt` in; what an older one had that nobody knows stays.
    pub fn set(&mut self, mut receipt: Receipt) {
        if let Some(old) = self.0.get(&receipt.name_canonical) {
            receipt.extra.extend(old.extra.clone());
            if old.tree == receipt.tree && old.git_url == receipt.git_url {
                receipt.installed_at = old.installed_at.clone();
            }
        }
        self.0.insert(receipt.name_canonical.clone(), receipt);
    }

    /// The receipt of the skill looked up by `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Receipt> {
        self.0.get(key)
    }
}

/// Whether people would take this for the name of a version rather than of a branch.
fn looks_like_a_tag(name: &str) -> bool {
    let digits = name.strip_prefix('v').unwrap_or(name);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.')
}

#[cfg(test)]
#[path = "receipt_tests.rs"]
mod tests;
