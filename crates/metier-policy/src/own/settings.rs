//! Settings of agents, wherever they lie: a repository brings its own, and an agent obeys those of the
//! directory it is started in.
//!
//! Such a file can switch off the hooks by which metier guards an agent, so it is protected by its name
//! in every directory: `.claude/settings.json` is, and what lies beside it is not. Unlike for metier's
//! own directory, what is done to a directory further above says nothing, for that would be a rule
//! against every `rm -rf build`; only its own directory counts.

use super::listed::Listed;
use super::{Dealing, spelled};
use crate::act::{FileUse, Manner};
use crate::place::{Spot, Spots, folded};
use crate::shape::Shape;

/// A file or directory that is protected in every directory.
pub(super) struct Wherever {
    /// A slash and its path, in lowercase.
    tail: String,
    /// The same for the directory it lies in, where the path says which.
    directory: Option<String>,
    /// Every such path, and everything beneath.
    shape: Shape,
}

impl Wherever {
    /// By the path from the directory it may lie in.
    pub(super) fn new(path: &str) -> Self {
        let path = folded(path.trim_matches('/'));
        let directory = path.rsplit_once('/').map(|(directory, _)| format!("/{directory}"));
        let shape = Shape::anywhere(&path).and_beneath();
        Self { tail: format!("/{path}"), directory, shape }
    }

    /// The ways in which text spells it out.
    pub(super) fn spelled(&self) -> Vec<String> {
        vec![self.tail.trim_start_matches('/').to_owned()]
    }

    /// Whether a text names the directory it lies in, and its name.
    pub(super) fn is_in_parts(&self, text: &str) -> bool {
        let Some(directory) = &self.directory else { return false };
        let name = self.tail.get(directory.len() + 1..).unwrap_or_default();
        let parts = [directory.trim_start_matches('/'), name];
        parts.iter().all(|part| text.contains(part))
            && parts.iter().all(|part| spelled::is_in(text, &[(*part).to_owned()]))
    }

    /// Whether one of the paths is one of these, or lies in one.
    pub(super) fn holds(&self, spots: &Spots) -> bool {
        spots.iter().any(|spot| self.has(spot))
    }

    /// What using a file as something written means for it.
    pub(super) fn dealing(&self, file: &FileUse) -> Dealing {
        if let Some(spots) = &file.spots {
            let whole = !file.shapes.is_empty() && spots.iter().any(|spot| self.is_around(spot));
            return match file.manner {
                _ if self.holds(spots) => Dealing::Writes,
                Manner::Into | Manner::Around if whole => Dealing::PerhapsInto,
                _ if whole => Dealing::Writes,
                _ => Dealing::Nothing,
            };
        }
        file.shapes.iter().map(|shape| self.met(shape, file.manner)).max().unwrap_or_default()
    }

    /// What putting something where a file is means for it: a directory with anything in it may come
    /// to be what it lies in.
    pub(super) fn replaced(&self, file: &FileUse) -> Dealing {
        let spots = file.spots.iter().flat_map(|spots| spots.iter());
        let known = spots.into_iter().any(|spot| self.is_around(spot));
        let fixed = || file.shapes.iter().any(|shape| self.ends_around(&shape.fixed()));
        match known || (file.spots.is_none() && fixed()) {
            true => Dealing::PerhapsInto,
            false => Dealing::Nothing,
        }
    }

    /// Whether it may be among files that are found: in its own directory, or by its name.
    pub(super) fn is_listed(&self, listed: &Listed) -> bool {
        let name = self.tail.rsplit('/').next().unwrap_or_default();
        let near = || {
            let fixed = listed.tree.fixed();
            self.ends_around(&fixed) || self.has(&Spot::new(fixed))
        };
        match self.shape.meets(&listed.tree) {
            true => listed.is_meant(name) || (near() && listed.may_be(name)),
            false => false,
        }
    }

    /// Whether a word names it: for certain, or by a wildcard.
    pub(super) fn is_named(&self, file: &FileUse) -> bool {
        self.dealing(file) == Dealing::Writes
    }

    fn has(&self, spot: &Spot) -> bool {
        let mut found = spot.lowercase.match_indices(self.tail.as_str());
        found.any(|(at, _)| {
            let rest = spot.lowercase.get(at + self.tail.len()..).unwrap_or_default();
            rest.is_empty() || rest.starts_with('/')
        })
    }

    /// Whether a path is the directory it lies in.
    pub(super) fn is_around(&self, spot: &Spot) -> bool {
        self.ends_around(&spot.lowercase)
    }

    fn ends_around(&self, path: &str) -> bool {
        self.directory.as_ref().is_some_and(|directory| path.ends_with(directory.as_str()))
    }

    /// What paths of which only a part is known mean for it.
    fn met(&self, shape: &Shape, manner: Manner) -> Dealing {
        if !self.shape.meets(shape) {
            return Dealing::Nothing;
        }
        let fixed = shape.fixed();
        if manner == Manner::Within {
            let around = self.directory.is_some();
            return if around { Dealing::PerhapsInto } else { Dealing::Nothing };
        }
        if !shape.is_open {
            // A name alone is met by too many wildcards.
            let sure = self.directory.is_some() || shape.is_one();
            return if sure { Dealing::Writes } else { Dealing::PerhapsInto };
        }
        if shape.ends_with(&self.tail) || self.has(&Spot::new(fixed.clone())) {
            return Dealing::Writes;
        }
        match (self.ends_around(&fixed), manner) {
            (true, Manner::Into | Manner::Around) => Dealing::PerhapsInto,
            (true, _) => Dealing::Writes,
            (false, _) if self.is_begun(&fixed) => Dealing::PerhapsInto,
            (false, _) => Dealing::Nothing,
        }
    }

    /// Whether a path ends where the name of the file could go on: `.claude/set`.
    fn is_begun(&self, fixed: &str) -> bool {
        let Some(directory) = &self.directory else { return false };
        let Some((above, begun)) = fixed.rsplit_once('/') else { return false };
        let name = self.tail.get(directory.len() + 1..).unwrap_or_default();
        above.ends_with(directory.as_str()) && name.starts_with(begun)
    }
}
