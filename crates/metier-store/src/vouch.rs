//! Who vouches for a skill's content. Whoever keeps approvals and locks answers; whoever lists,
//! activates or runs asks. Nothing is decided here: an answer is data, and what follows from it is
//! the catalog's and the session's business.

use std::path::{Path, PathBuf};

use metier_format::{NameKey, SkillName};
use serde::Serialize;

use crate::discover::{Discovery, Found};
use crate::layer::Layer;

/// Somebody who knows where skills came from and who said yes to them.
pub trait Vouch: Send + Sync {
    /// What is known about the skill called `name` in `directory`, as its content is now.
    fn vouch(&self, name: &SkillName, directory: &Path, depth: Depth) -> Vouched;

    /// Where the content of the skill called `name` in `directory` stands now: [`Vouched::standing`]
    /// of [`Vouch::vouch`], for whoever asks about thousands and needs no more.
    fn standing(&self, name: &SkillName, directory: &Path, depth: Depth) -> Standing {
        self.vouch(name, directory, depth).standing
    }

    /// Where the content stood when somebody last said so, by what is written down: nobody need look
    /// at it, so that it may have changed since. Whoever writes nothing down looks.
    fn recorded_standing(&self, name: &SkillName, directory: &Path) -> Standing {
        self.standing(name, directory, Depth::Stamps)
    }

    /// What is written down about the skill called `name` in `directory`. Nobody looks at the
    /// content, so the standing is unknown.
    fn recorded(&self, _name: &SkillName, _directory: &Path) -> Vouched {
        Vouched::default()
    }

    /// The MCP server that the skill called `name` in `directory` is from, by what is written down.
    fn origin(&self, name: &SkillName, directory: &Path) -> Option<String> {
        self.recorded(name, directory).source.filter(|source| is_served(source))
    }
}

/// Whether a source, as it is written down, is an MCP server.
#[must_use]
pub fn is_served(source: &str) -> bool {
    source.starts_with("mcp:") || source.starts_with("mcp+")
}

/// How closely the content is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// A file whose size, times, mode and inode are those recorded is taken to hold what it held.
    Stamps,
    /// Every byte is hashed again.
    Bytes,
}

/// What is known about a skill's content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Vouched {
    /// Where the content stands.
    pub standing: Standing,
    /// Where it was installed from, when it was installed.
    pub source: Option<String>,
    /// The commit it was taken from, when there is one.
    pub commit: Option<String>,
    /// The digest of the whole tree that was locked or approved, hexadecimal.
    pub tree: Option<String>,
    /// Who said yes and when, as it is shown.
    pub approval: Option<String>,
    /// Files that are not as they were, at most a few: `changed scripts/run.py`, `added x`.
    pub differences: Vec<String>,
}

/// Where a skill's content stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// A person said yes to exactly this.
    Approved,
    /// Nobody was ever asked.
    #[default]
    Unknown,
    /// It was locked or approved, and is not what it was then.
    Changed,
}

/// Asks `vouch` about every candidate that was found and writes down the answers, for the catalog to
/// go by. What ships with metier is not asked about.
pub fn attest(discovery: &mut Discovery, vouch: &dyn Vouch, depth: Depth) {
    let standing = |found: &Found, directory: &Path| vouch.standing(&found.name, directory, depth);
    ask(discovery, vouch, standing);
}

/// The same for whoever is concerned with the skills of these names alone: of all others it is written
/// down where they stood last, which costs no look at a file.
pub fn attest_named(discovery: &mut Discovery, vouch: &dyn Vouch, names: &[NameKey]) {
    ask(discovery, vouch, |found, directory| {
        match names.iter().any(|name| found.name.has_key(name)) {
            true => vouch.standing(&found.name, directory, Depth::Stamps),
            false => vouch.recorded_standing(&found.name, directory),
        }
    });
}

fn ask(discovery: &mut Discovery, vouch: &dyn Vouch, standing: impl Fn(&Found, &Path) -> Standing) {
    let Discovery { roots, found, .. } = discovery;
    let mut directory = PathBuf::new();
    for found in found {
        let root = roots.get(usize::from(found.root.0));
        let Some(root) = root.filter(|root| root.layer != Layer::Bundled) else { continue };
        directory.clear();
        directory.push(&root.path);
        if !found.path.as_os_str().is_empty() {
            directory.push(&found.path);
        }
        found.standing = standing(found, &directory);
        found.origin = vouch.origin(&found.name, &directory).map(String::into_boxed_str);
    }
}

/// Somebody who knows nothing, for whoever keeps no approvals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Vouch for Nobody {
    fn vouch(&self, _name: &SkillName, _directory: &Path, _depth: Depth) -> Vouched {
        Vouched::default()
    }
}

#[cfg(test)]
#[path = "vouch_tests.rs"]
mod tests;
