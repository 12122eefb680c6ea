//! The chain's link from approval to use: before a skill's content is used, whoever vouches for it is
//! asked again, and the very bytes that were read are held against what they answer.
//!
//! The answer has a digest for every file that was locked or approved, found by reading all of it
//! ([`Session::proved`]). That reading and the one whose bytes are used are two, and in between a file
//! can be another and become itself again. So no bytes are used because the directory was right before
//! or after: they are used because their own digest is the approved one. This goes for the text of a
//! `SKILL.md` and the list of files beside it, for a file that is read, for a script's source and what
//! its dependencies are made from. What a script reads at run time nobody can hold against anything, so
//! an approved one runs where only metier writes (see `script/ready.rs`).
//!
//! What this does not cover: lists and searches show what discovery read, by stamps; an agent that
//! opens or runs a file of a skill itself has what is there then; and whoever can write to metier's own
//! directory can write approvals.

use std::sync::Arc;

use metier_store::Layer;
use metier_store::catalog::{Entry, Rule, Shadowed, Trust};
use metier_store::digest::Tree;
use metier_store::store::Skill;
use metier_store::vouch::{Depth, Standing, Vouched};

use super::{ActivationError, Session};
use crate::event::Chain;
use crate::limits::MAX_KNOWN_TREES;

/// The content of a skill is not what was locked or approved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` changed since it was approved{}", listed(differences))]
pub struct ContentChanged {
    /// The skill.
    pub name: String,
    /// What differs, at most a few lines.
    pub differences: Vec<String>,
}

impl ContentChanged {
    /// The stable code of this error.
    pub const CODE: &'static str = "skill_changed";

    /// That what was read from `path` of `entry` is not what was locked or approved.
    pub(crate) fn at(entry: &Entry, path: &str) -> Self {
        Self { name: entry.name().to_string(), differences: vec![format!("changed {path}")] }
    }
}

impl Session {
    /// What is known about the content of `entry` now, as closely as the setup wants it looked at.
    /// Errors when the content is not what was locked or approved. About bytes that were read before
    /// or will be read later this says nothing: [`Vouched::holds`] does.
    pub fn vouched(&self, entry: &Entry) -> Result<Vouched, ContentChanged> {
        self.vouched_by(entry, self.setup.depth)
    }

    /// The same by its bytes, whatever their stamps, and with the digest of each file: what is about to
    /// be followed or run. A file can be changed through memory it is mapped to, and its stamp stays.
    pub(crate) fn proved(&self, entry: &Entry) -> Result<Vouched, ContentChanged> {
        self.vouched_by(entry, Depth::Bytes)
    }

    /// Loads the skill, and what is known about exactly what was loaded.
    pub(super) fn load_proved(&self, entry: &Entry) -> Result<(Skill, Vouched), ActivationError> {
        let loaded = self.setup.store.load(&entry.location());
        let skill = loaded.map_err(|source| {
            let name = entry.name().to_string();
            ActivationError::Invalid { name, source }
        })?;
        let vouched = self.proved(entry)?;
        match vouched.differs_from(&skill) {
            Some(path) => Err(ContentChanged::at(entry, &path).into()),
            None => Ok((skill, vouched)),
        }
    }

    /// Holds `bytes`, read from `path` of the skill, against what was locked or approved. Every byte of
    /// the skill is read for that once, and again when its tree is another.
    pub(super) fn prove_file(
        &mut self,
        entry: &Entry,
        path: &str,
        bytes: &[u8],
    ) -> Result<(), ContentChanged> {
        let mut vouched = self.vouched(entry)?;
        if vouched.files.is_none()
            && let Some(tree) = &vouched.tree
        {
            match self.known.iter().find(|(known, _)| known == tree) {
                Some((_, files)) => vouched.files = Some(Arc::clone(files)),
                None => vouched = self.proved(entry)?,
            }
        }
        self.remember(&vouched);
        vouched.holds(path, bytes).then_some(()).ok_or_else(|| ContentChanged::at(entry, path))
    }

    /// Remembers the files of a tree: a digest means the same files at any time.
    pub(super) fn remember(&mut self, vouched: &Vouched) {
        let (Some(tree), Some(files)) = (&vouched.tree, &vouched.files) else { return };
        if self.known.iter().any(|(known, _)| known == tree) {
            return;
        }
        if self.known.len() >= MAX_KNOWN_TREES {
            self.known.remove(0);
        }
        self.known.push((tree.clone(), Arc::clone(files)));
    }

    fn vouched_by(&self, entry: &Entry, depth: Depth) -> Result<Vouched, ContentChanged> {
        if self.setup.catalog.layer(&entry.found) == Layer::Bundled {
            return Ok(Vouched { standing: Standing::Approved, ..Vouched::default() });
        }
        let directory = self.setup.catalog.directory(&entry.found);
        let vouched = self.setup.vouch.vouch(entry.name(), &directory, depth);
        match vouched.standing {
            Standing::Changed => Err(ContentChanged {
                name: entry.name().to_string(),
                differences: vouched.differences,
            }),
            Standing::Approved | Standing::Unknown => Ok(vouched),
        }
    }

    /// That `entry` has its name only because the skill that would have won it changed since it was
    /// approved, in a sentence. Nobody takes another skill for the one they said yes to unawares.
    #[must_use]
    pub fn stands_in(&self, entry: &Entry) -> Option<String> {
        let catalog = &self.setup.catalog;
        let changed = |shadowed: &&Shadowed| {
            shadowed.rule == Rule::Trust
                && shadowed.loser.standing == Standing::Changed
                && shadowed.winner == entry.location()
        };
        let passed_over = &catalog.shadowed.iter().find(changed)?.loser;
        Some(format!(
            "`{}` in `{}` changed since it was approved and is left out; this is the one in `{}`",
            entry.name(),
            catalog.directory(passed_over).display(),
            catalog.directory(&entry.found).display()
        ))
    }

    /// How far `entry` is trusted, given what is known about its content now.
    #[must_use]
    pub fn trust_now(&self, entry: &Entry, vouched: &Vouched) -> Trust {
        let root = self.setup.catalog.root(entry.found.root);
        root.map_or(Trust::Untrusted, |root| Trust::given(root, vouched.standing))
    }
}

/// Trees whose files are known, by their digests, the one found out first in front.
pub(super) type Known = Vec<(String, Arc<Tree>)>;

impl From<Vouched> for Chain {
    fn from(vouched: Vouched) -> Self {
        let Vouched { source, commit, tree, approval, .. } = vouched;
        Self { source, commit, tree, approval }
    }
}

fn listed(differences: &[String]) -> String {
    if differences.is_empty() { String::new() } else { format!(": {}", differences.join(", ")) }
}
