//! The merged view for one session: one winner a name, every loser kept with the rule that beat
//! it, everything left out kept with its reason.
//!
//! Pure: the same discovery and settings give the same catalog, byte for byte, whatever order the
//! candidates were found in. Start at [`Catalog::build`]; `resolve` says who wins, `digest` gives a
//! catalog one number and tells two apart.

mod digest;
mod resolve;

use std::path::PathBuf;

use metier_format::{NameKey, SkillName};
use serde::Serialize;

use crate::discover::{Discovery, Facts, Found, Note, ScanStats, Skipped, join};
use crate::layer::{Layer, Precedence, Root, RootId};
use crate::selection::Selection;
use crate::store::Location;
use crate::vouch::Standing;

pub use crate::selection::HiddenReason;
pub use digest::CatalogChange;
pub(crate) use resolve::directory_key;

/// How far a skill is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// In a project whose folder the user has not trusted, or changed since somebody said yes to it:
    /// hidden from models and refused.
    Untrusted,
    /// In a layer the user owns, never approved: listed and usable, scripts confined.
    Present,
    /// A person said yes to this content, or it ships with metier.
    Approved,
}

/// Who may see an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visibility {
    /// Models and users.
    Model,
    /// Users only: `disable-model-invocation`.
    UserOnly,
    /// Nobody may use it until the folder is trusted, or its content approved.
    Untrusted,
}

/// One winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The candidate that won.
    pub found: Found,
    /// How far it is trusted.
    pub trust: Trust,
    /// Who may see it.
    pub visibility: Visibility,
}

/// What decided between two candidates of one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The layer that comes first in the precedence.
    Layer,
    /// The higher `priority`, within one layer.
    Priority,
    /// The directory that comes first in the table of clients, within one layer.
    ClientOrder,
    /// The path that sorts first, when nothing else tells the two apart.
    Path,
    /// A skill of an untrusted project never takes the place of a trusted one.
    Trust,
    /// Both are the same directory, reached by two ways.
    SameDirectory,
    /// The directory that comes first in another agent's own order; only in answers for it.
    AgentOrder,
}

/// A candidate that another one of the same name beat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadowed {
    /// Where the winner is.
    pub winner: Location,
    /// The candidate that lost.
    pub loser: Found,
    /// What decided.
    pub rule: Rule,
}

/// A candidate that the selection leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The candidate.
    pub found: Found,
    /// Why.
    pub reason: HiddenReason,
}

/// The merged view for one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The roots, by [`RootId`], as the discovery had them.
    pub roots: Vec<Root>,
    /// Which layer wins.
    pub precedence: Precedence,
    /// The winners, sorted by the bytes of their names.
    pub entries: Vec<Entry>,
    /// The losers, sorted by lookup key, then in the order they would have won.
    pub shadowed: Vec<Shadowed>,
    /// What the selection leaves out, sorted by name, then path.
    pub hidden: Vec<Hidden>,
    /// Files that cannot be loaded, sorted by path.
    pub skipped: Vec<Skipped>,
    /// Notes about the walk and about conditions that could not be checked, sorted by path.
    pub notes: Vec<Note>,
    /// How much the scan did.
    pub stats: ScanStats,
    /// The entries' indices, sorted by [`NameKey`].
    by_key: Vec<u32>,
    /// Names the selection speaks of that nothing has.
    unmatched: Vec<NameKey>,
}

impl Catalog {
    /// Resolves what was found. A candidate takes part unless its own scope or version range
    /// excludes it, so that a project skill meant for another agent does not hide the personal
    /// one. Then, for each name, the first of these that differs decides:
    ///
    /// 1. trust: a skill of an untrusted project never beats a trusted one, unless untrusted ones
    ///    were asked for;
    /// 2. the layer's place in `precedence`;
    /// 3. the higher `priority`, so never across layers;
    /// 4. the root's place among the clients;
    /// 5. the directory's path, byte by byte.
    ///
    /// At last the enabled and disabled names decide whether the winner is shown. Takes
    /// O(n log n) for n candidates and clones none of them.
    ///
    /// ```
    /// use metier_store::{Catalog, Discovery, Precedence, Selection};
    ///
    /// let catalog =
    ///     Catalog::build(Discovery::default(), &Precedence::DEFAULT, &Selection::default());
    /// assert_eq!(catalog.visible().count(), 0);
    /// ```
    #[must_use]
    pub fn build(discovery: Discovery, precedence: &Precedence, selection: &Selection) -> Self {
        resolve::build(discovery, precedence, selection)
    }

    /// The catalog of somebody who has only some of these skills: what `keeps` does not name is not
    /// there, neither as a winner nor as a loser, hidden or broken, and nothing is said of the walk.
    #[must_use]
    pub fn narrowed(&self, keeps: impl Fn(&NameKey) -> bool) -> Self {
        let kept: Vec<bool> = self.entries.iter().map(|e| keeps(&e.found.name.key())).collect();
        let is_kept = |index: usize| kept.get(index).copied().unwrap_or(false);
        let mut places = Vec::with_capacity(kept.len());
        let mut count = 0;
        for kept in &kept {
            places.push(count);
            count += u32::from(*kept);
        }
        let place = |index: &u32| {
            let index = *index as usize;
            places.get(index).copied().filter(|_| is_kept(index))
        };
        let entries = self.entries.iter().enumerate().filter(|(index, _)| is_kept(*index));
        let hidden = self.hidden.iter().filter(|hidden| keeps(&hidden.found.name.key()));
        let broken =
            |skipped: &&Skipped| directory_key(&self.roots, skipped).is_some_and(|key| keeps(&key));
        let lost = |shadowed: &&Shadowed| keeps(&shadowed.loser.name.key());
        Self {
            roots: self.roots.clone(),
            precedence: self.precedence,
            entries: entries.map(|(_, entry)| entry.clone()).collect(),
            shadowed: self.shadowed.iter().filter(lost).cloned().collect(),
            hidden: hidden.cloned().collect(),
            skipped: self.skipped.iter().filter(broken).cloned().collect(),
            by_key: self.by_key.iter().filter_map(place).collect(),
            ..Self::default()
        }
    }

    /// The entry whose name has this key.
    #[must_use]
    pub fn get(&self, key: &NameKey) -> Option<&Entry> {
        let entry = |index: u32| self.entries.get(index as usize);
        let order =
            |index: &u32| entry(*index).map(|e| e.found.name.key()).as_ref().cmp(&Some(key));
        let place = self.by_key.binary_search_by(order).ok()?;
        entry(*self.by_key.get(place)?)
    }

    /// What a model may see, sorted by name.
    pub fn visible(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.visibility == Visibility::Model)
    }

    /// Names the selection enables or disables that no skill has, sorted.
    #[must_use]
    pub fn unmatched(&self) -> &[NameKey] {
        &self.unmatched
    }

    /// The directory of a candidate.
    #[must_use]
    pub fn directory(&self, found: &Found) -> PathBuf {
        join(&self.roots, found.root, &found.path)
    }

    /// The directory of a location.
    #[must_use]
    pub fn place(&self, location: &Location) -> PathBuf {
        join(&self.roots, location.root, &location.path)
    }

    /// A root by its id.
    #[must_use]
    pub fn root(&self, id: RootId) -> Option<&Root> {
        self.roots.get(usize::from(id.0))
    }

    /// The layer of a candidate. One whose root is unknown counts as the least of all.
    #[must_use]
    pub fn layer(&self, found: &Found) -> Layer {
        self.root(found.root).map_or(Layer::Bundled, |root| root.layer)
    }

    /// How far a candidate is trusted, whether it won or not.
    #[must_use]
    pub fn trust(&self, found: &Found) -> Trust {
        self.root(found.root).map_or(Trust::Untrusted, |root| Trust::given(root, found.standing))
    }

    /// What must happen to this catalog to become `newer`.
    #[must_use]
    pub fn diff(&self, newer: &Self) -> CatalogChange {
        digest::diff(self, newer)
    }

    /// SHA-256, in lowercase hex, over every candidate's name, layer, place among the clients, path
    /// below its root, frontmatter and fate. Neither bodies nor the directories above the roots
    /// are in it: the same skills in another home have the same digest.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::digest(self)
    }
}

impl Entry {
    /// The entry's name.
    #[must_use]
    pub fn name(&self) -> &SkillName {
        &self.found.name
    }

    /// Where the store finds it.
    #[must_use]
    pub fn location(&self) -> Location {
        location(&self.found)
    }

    /// What its frontmatter says beyond name and description.
    #[must_use]
    pub fn facts(&self) -> Option<&Facts> {
        self.found.facts.as_deref()
    }
}

impl Trust {
    /// The trust a root lends to what lies in it.
    #[must_use]
    pub fn of(root: &Root) -> Self {
        match root.layer {
            Layer::Bundled => Self::Approved,
            Layer::Project if !root.trusted => Self::Untrusted,
            Layer::Enterprise | Layer::Personal | Layer::Project | Layer::Plugin => Self::Present,
        }
    }

    /// The trust that root and content together deserve: content somebody said yes to is approved
    /// wherever it lies, and changed content is not trusted anywhere.
    #[must_use]
    pub fn given(root: &Root, standing: Standing) -> Self {
        match (root.layer, standing) {
            (Layer::Bundled, _) | (_, Standing::Approved) => Self::Approved,
            (_, Standing::Changed) => Self::Untrusted,
            (_, Standing::Unknown) => Self::of(root),
        }
    }

    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::Present => "present",
            Self::Approved => "approved",
        }
    }
}

impl Visibility {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::UserOnly => "user-only",
            Self::Untrusted => "untrusted",
        }
    }
}

impl Rule {
    /// The word used in every output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Layer => "layer",
            Self::Priority => "priority",
            Self::ClientOrder => "client-order",
            Self::Path => "path",
            Self::Trust => "trust",
            Self::SameDirectory => "same-directory",
            Self::AgentOrder => "agent-order",
        }
    }

    /// The rule in one line.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Layer => "the layer that comes first wins",
            Self::Priority => "within a layer the higher priority wins",
            Self::ClientOrder => "within a layer the client listed first wins",
            Self::Path => "when all else is equal the path that sorts first wins",
            Self::Trust => "a skill of an untrusted project never replaces a trusted one",
            Self::SameDirectory => "both are the same directory, reached by two ways",
            Self::AgentOrder => "the directory that comes first in the agent's own order wins",
        }
    }
}

/// Where the store finds a candidate.
fn location(found: &Found) -> Location {
    Location { root: found.root, path: found.path.clone() }
}

#[cfg(test)]
#[path = "catalog_tests.rs"]
mod tests;
