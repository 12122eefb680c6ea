//! Who said yes to what. An approval is a person's act, bound to a directory and to the digest of
//! the whole tree in it; trust in a folder is one too, bound to the folder.
//!
//! Approvals are lines at the end of one file in the home and are never taken out: of a directory
//! the last line counts, also when it lacks nothing but its end. A line that a crash cut short is no
//! approval. Nothing a project brings is ever read here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use metier_store::digest::is_digest;
use serde::{Deserialize, Serialize};

use crate::atomic::is_whole_line;
use crate::records::{RecordError, to_json_line};

/// The file of approvals.
pub(crate) const APPROVALS: &str = "approvals.jsonl";

/// The file of trusted folders.
pub(crate) const FOLDERS: &str = "folders.json";

/// Who acts, and when.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct By {
    /// The person, as the system knows them.
    pub who: String,
    /// When, as `2031-05-06T07:08:09`.
    pub at: String,
}

/// What a person said about the content of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Said {
    /// Yes.
    Approved,
    /// Not any more.
    Revoked,
}

/// One act of approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// What was said.
    pub said: Said,
    /// About which directory, in the one spelling of [`crate::ledger`].
    pub directory: String,
    /// The digest of the tree in it, hexadecimal.
    pub tree: String,
    /// Who and when.
    #[serde(flatten)]
    pub by: By,
    /// Where the content was from, when that was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Whose signature it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
}

/// The approvals that count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Approvals {
    latest: BTreeMap<String, Approval>,
    /// Lines that are no approvals.
    pub unreadable: usize,
    /// Whether the last line was cut short: what it said does not count.
    pub torn: bool,
}

/// The folders whose projects may bring skills.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// Each with who trusted it and when.
    #[serde(default)]
    pub folders: Vec<TrustedFolder>,
}

/// One trusted folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFolder {
    /// The folder, links resolved.
    pub folder: PathBuf,
    /// Who and when.
    #[serde(flatten)]
    pub by: By,
}

impl Approval {
    /// The line that is written.
    pub(crate) fn line(&self) -> Result<String, RecordError> {
        to_json_line(APPROVALS, self)
    }

    /// Who and when, as it is shown.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("{} at {}", self.by.who, self.by.at)
    }
}

impl Approvals {
    /// The approvals in the file's `bytes`.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let mut approvals = Self::default();
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        // What stands behind the last line's end was never finished, unless it is whole.
        approvals.torn = lines.pop_if(|tail| !tail.is_empty() && !is_whole_line(tail)).is_some();
        for line in lines.into_iter().filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Approval>(line) {
                Ok(approval) if is_digest(&approval.tree) => {
                    approvals.latest.insert(approval.directory.clone(), approval);
                }
                _ => approvals.unreadable += 1,
            }
        }
        approvals
    }

    /// The approval of what is in `directory`, when the last word on it was yes.
    #[must_use]
    pub fn get(&self, directory: &str) -> Option<&Approval> {
        self.latest.get(directory).filter(|approval| approval.said == Said::Approved)
    }

    /// All that count, by directory.
    pub fn iter(&self) -> impl Iterator<Item = &Approval> {
        self.latest.values().filter(|approval| approval.said == Said::Approved)
    }
}

impl Folders {
    /// Trusts `folder`; false when it was trusted already.
    pub fn add(&mut self, folder: PathBuf, by: By) -> bool {
        if self.folders.iter().any(|known| known.folder == folder) {
            return false;
        }
        self.folders.push(TrustedFolder { folder, by });
        self.folders.sort_by(|a, b| a.folder.cmp(&b.folder));
        true
    }

    /// Trusts `folder` no more; false when it was not trusted.
    pub fn remove(&mut self, folder: &Path) -> bool {
        let before = self.folders.len();
        self.folders.retain(|known| known.folder != folder);
        before != self.folders.len()
    }
}

#[cfg(test)]
#[path = "trust_tests.rs"]
mod tests;
