//! The chain's link from approval to use: before a skill's content is used, whoever vouches for it is
//! asked again, about the content as it is at that moment.

use metier_store::Layer;
use metier_store::catalog::{Entry, Rule, Shadowed, Trust};
use metier_store::vouch::{Depth, Standing, Vouched};

use super::Session;
use crate::event::Chain;

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
}

impl Session {
    /// What is known about the content of `entry` now. Whoever uses content asks after reading it:
    /// what is changed later was not read, and what was changed before shows. Errors when the
    /// content is not what was locked or approved.
    pub fn vouched(&self, entry: &Entry) -> Result<Vouched, ContentChanged> {
        self.vouched_by(entry, self.setup.depth)
    }

    /// The same by its bytes, whatever their stamps: what is about to be followed or run. A file can
    /// be changed through memory it is mapped to, and its stamp stays.
    pub(crate) fn proved(&self, entry: &Entry) -> Result<Vouched, ContentChanged> {
        self.vouched_by(entry, Depth::Bytes)
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

impl From<Vouched> for Chain {
    fn from(vouched: Vouched) -> Self {
        let Vouched { source, commit, tree, approval, .. } = vouched;
        Self { source, commit, tree, approval }
    }
}

fn listed(differences: &[String]) -> String {
    if differences.is_empty() { String::new() } else { format!(": {}", differences.join(", ")) }
}
