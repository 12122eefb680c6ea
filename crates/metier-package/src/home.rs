//! Where metier keeps what: its own directory, and the places skills are installed to. Names and
//! paths only.

use std::path::{Path, PathBuf};

use metier_store::digest::{hex, sha256};
use serde::{Deserialize, Serialize};

use crate::{change, index, ledger, links, receipt, records, replaced, trust, turn};

/// The lockfile's name, in the home and in a project.
pub const LOCK_FILE: &str = "skills.lock";

/// The name of the file that says what is wanted, in the home and in a project.
pub const WANTED_FILE: &str = "skills.toml";

/// What metier calls the files in its own directory, and in that of a project's records.
pub const FILES: [&str; 15] = [
    LOCK_FILE,
    WANTED_FILE,
    trust::APPROVALS,
    trust::FOLDERS,
    records::GENERATIONS,
    receipt::FILE,
    links::FILE,
    links::NOTE,
    change::PENDING,
    replaced::FILE,
    index::FILE,
    turn::FILE,
    ledger::STAMPS,
    ledger::APPROVALS_BRIEF,
    ledger::LOCK_BRIEF,
];

/// The directories in it in which everything is called by a digest.
pub const DIGESTED: [&str; 2] = [STORE, PROJECTS];

const STORE: &str = "store";

const PROJECTS: &str = "projects";

/// metier's own directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home(PathBuf);

/// Where skills are installed to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "layer", content = "project")]
pub enum Place {
    /// The user's own: links in the home.
    Personal,
    /// A project's, by its directory: copies in it, so that they travel with it.
    Project(PathBuf),
}

impl Home {
    /// The home at `path`, which need not exist yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Where trees are kept, one directory a digest.
    #[must_use]
    pub fn store(&self) -> PathBuf {
        self.0.join(STORE)
    }

    /// The kept copy of the tree with this digest.
    #[must_use]
    pub fn kept(&self, tree: &str) -> PathBuf {
        self.store().join(tree)
    }

    /// Where metier's records about `place` are: receipts and generations.
    #[must_use]
    pub fn records(&self, place: &Place) -> PathBuf {
        match place {
            Place::Personal => self.0.clone(),
            Place::Project(project) => self.0.join(PROJECTS).join(key(project)),
        }
    }
}

impl Place {
    /// The directory its lockfile and its list of what is wanted are in.
    #[must_use]
    pub fn base(&self, home: &Home) -> PathBuf {
        match self {
            Self::Personal => home.path().to_owned(),
            Self::Project(project) => project.clone(),
        }
    }

    /// Its skills' directory relative to [`Place::base`].
    #[must_use]
    pub fn skills(&self) -> &'static str {
        match self {
            Self::Personal => "skills",
            Self::Project(_) => ".agents/skills",
        }
    }

    /// The directory of the skill called `name`.
    #[must_use]
    pub fn directory(&self, home: &Home, name: &str) -> PathBuf {
        self.base(home).join(self.skills()).join(name)
    }

    /// The lockfile.
    #[must_use]
    pub fn lock(&self, home: &Home) -> PathBuf {
        self.base(home).join(LOCK_FILE)
    }

    /// The layer, as a word.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Personal => "personal",
            Self::Project(_) => "project",
        }
    }
}

/// A directory name that stands for a path.
fn key(path: &Path) -> String {
    let digest = hex(&sha256(path.as_os_str().as_encoded_bytes()));
    digest.chars().take(32).collect()
}

#[cfg(test)]
#[path = "home_tests.rs"]
mod tests;
