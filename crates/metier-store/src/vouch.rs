//! Who vouches for a skill's content. Whoever keeps approvals and locks answers; whoever lists,
//! activates or runs asks. Nothing is decided here: an answer is data, and what follows from it is
//! the catalog's and the session's business.
//!
//! An answer is about content, not about a moment: where every byte was looked at, it has the digest
//! of every file that was locked or approved ([`Vouched::files`]). Whoever has read something holds
//! the bytes they have against it ([`Vouched::holds`], [`Vouched::differs_from`]). Then it is the same
//! what was in the file before and after, and how often it was changed in between.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use metier_format::{NameKey, SkillName};
use serde::Serialize;

use crate::candidate::{SKILL_FILE, is_skill_file};
use crate::contained::ContainedPath;
use crate::digest::{Tree, TreeFile, TreeKind, hex, sha256};
use crate::discover::{Discovery, Found};
use crate::layer::Layer;
use crate::resources::is_left_out;
use crate::store::Skill;

/// Somebody who knows where skills came from and who said yes to them.
pub trait Vouch: Send + Sync {
    /// What is known about the skill called `name` in `directory`, as its content is now. Whoever
    /// knows what the content should be says so file by file when asked for [`Depth::Bytes`].
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
    /// The files of that tree. Known where every byte was looked at and found to be that tree.
    #[serde(skip)]
    pub files: Option<Arc<Tree>>,
    /// A copy of that tree where nobody writes but metier, when there may be one; the skill's own
    /// directory where it is that. Whoever uses it looks first whether it is that tree.
    #[serde(skip)]
    pub kept: Option<PathBuf>,
}

impl Vouched {
    /// Whether `bytes`, read from `path` of the skill, are what was locked or approved. What nobody
    /// knows the files of holds whatever it holds.
    #[must_use]
    pub fn holds(&self, path: &str, bytes: &[u8]) -> bool {
        self.files.as_ref().is_none_or(|files| {
            files.resolve(path.as_bytes()).is_some_and(|file| file.digest == sha256(bytes))
        })
    }

    /// What of `skill`, which was loaded, is not as it was locked or approved, when something is: the
    /// text of its `SKILL.md`, or a file that is listed and should not be, or should be and is not.
    /// What the other files hold was not loaded, so nothing is said of it.
    #[must_use]
    pub fn differs_from(&self, skill: &Skill) -> Option<String> {
        let files = self.files.as_ref()?;
        let name = skill_file(files);
        let text = files.resolve(name.as_bytes()).map(|file| hex(&file.digest));
        if text.as_ref() != Some(&skill.digest) {
            return Some(name);
        }
        let listed = &skill.resources;
        let mut strange = listed.files.iter().filter(|listed| {
            let file = files.resolve(listed.path.as_bytes());
            file.is_none_or(|file| (file.kind == TreeKind::Executable) != listed.executable)
        });
        if let Some(strange) = strange.next() {
            return Some(strange.path.clone());
        }
        if listed.omitted > 0 {
            return None;
        }
        let known: BTreeSet<&str> = listed.files.iter().map(|file| file.path.as_str()).collect();
        let mut missing = files.files().iter().filter_map(listed_path);
        missing.find(|path| *path != name && !known.contains(path)).map(str::to_owned)
    }
}

/// What a tree's `SKILL.md` is called: so, or else by the first other spelling.
fn skill_file(files: &Tree) -> String {
    let usual = SKILL_FILE.to_owned();
    if files.resolve(SKILL_FILE.as_bytes()).is_some() {
        return usual;
    }
    let other = files.files().iter().find(|file| is_skill_file(&file.path));
    other.map_or(usual, |file| String::from_utf8_lossy(&file.path).into_owned())
}

/// The path under which a list of resources has this file of a tree, when it must have it.
fn listed_path(file: &TreeFile) -> Option<&str> {
    let path = std::str::from_utf8(&file.path).ok()?;
    let (above, _) = path.rsplit_once('/').unwrap_or(("", path));
    let offered = !above.split('/').any(|name| is_left_out(name.as_bytes()));
    (file.kind != TreeKind::Link && offered && ContainedPath::parse(path).is_ok()).then_some(path)
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
