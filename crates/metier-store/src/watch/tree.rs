//! Every directory that is watched and what it is watched for. Pure: given what happened to a path,
//! says which part of which root has to be looked at again.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::candidate::is_skill_file;
use crate::layer::RootId;
use crate::store::Location;
use crate::walk::is_hidden;

/// What happened to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// The bytes of a file changed.
    Content,
    /// It came, went, was renamed, or may be read by others than before.
    Entry,
}

/// What has to be looked at again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Concern {
    /// Places in roots that are, or were, all the same directory.
    pub(super) places: Vec<Location>,
    /// Roots that may have come or gone.
    pub(super) roots: Vec<RootId>,
}

/// What a watched directory is to the scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its subdirectories are looked at.
    Open,
    /// Only its `SKILL.md` counts: it is a skill, or is never listed.
    Closed,
    /// As deep as the scan goes: its subdirectories are counted, not looked at.
    Deepest,
}

/// The watched directories by their real path, so that one directory reached by two ways is one.
#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: BTreeMap<PathBuf, Node>,
    /// The same by place, so that everything below a place stands together.
    real: BTreeMap<Location, PathBuf>,
    /// For each place that is a link to nowhere, the directories watched for the sake of it.
    leading: BTreeMap<Location, BTreeSet<PathBuf>>,
}

#[derive(Debug, Default)]
struct Node {
    spots: Vec<Spot>,
    anchors: Vec<Anchor>,
}

/// A place in a root that a directory is.
#[derive(Debug)]
struct Spot {
    at: Location,
    kind: Kind,
    /// Whether a link leads here.
    linked: bool,
}

/// An entry of a directory that leads, or would, to something else that counts.
#[derive(Debug, PartialEq, Eq)]
struct Anchor {
    name: OsString,
    end: End,
}

/// Where the way through an entry ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At a root.
    Root(RootId),
    /// Where a link at this place points.
    Place(Location),
}

impl Concern {
    /// Whether nothing has to be looked at.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.roots.is_empty()
    }

    fn add(&mut self, end: &End) {
        match end {
            End::Root(root) => self.roots.push(*root),
            End::Place(at) => self.places.push(at.clone()),
        }
    }
}

impl Tree {
    /// Adds a place, open until [`Tree::set_kind`] says otherwise, and says whether its directory is
    /// new in that root.
    pub(super) fn insert(&mut self, real: &Path, at: &Location, linked: bool) -> bool {
        self.remove(at);
        self.real.insert(at.clone(), real.to_owned());
        let node = self.nodes.entry(real.to_owned()).or_default();
        let new = node.spots.iter().all(|spot| spot.at.root != at.root);
        node.spots.push(Spot { at: at.clone(), kind: Kind::Open, linked });
        new
    }

    /// Says what the directory of a place is.
    pub(super) fn set_kind(&mut self, at: &Location, kind: Kind) {
        let node = self.real.get(at).and_then(|real| self.nodes.get_mut(real));
        let spot = node.and_then(|node| node.spots.iter_mut().find(|spot| spot.at == *at));
        if let Some(spot) = spot {
            spot.kind = kind;
        }
    }

    /// Watches the entry `name` of a directory for the sake of where it leads. Says whether that is
    /// new.
    pub(super) fn anchor(&mut self, real: &Path, name: &OsStr, end: &End) -> bool {
        if let End::Place(at) = end {
            self.leading.entry(at.clone()).or_default().insert(real.to_owned());
        }
        let node = self.nodes.entry(real.to_owned()).or_default();
        let anchor = Anchor { name: name.to_owned(), end: end.clone() };
        let new = !node.anchors.contains(&anchor);
        if new {
            node.anchors.push(anchor);
        }
        new
    }

    /// Forgets the anchors of a root. Returns the directories nobody needs any more.
    pub(super) fn remove_anchors(&mut self, root: RootId) -> BTreeSet<PathBuf> {
        let directories: Vec<PathBuf> = self.nodes.keys().cloned().collect();
        let end = End::Root(root);
        directories.into_iter().filter(|real| self.unanchor(real, &end)).collect()
    }

    /// Forgets every place at and below `at`. Returns the directories nobody needs any more.
    pub(super) fn remove_below(&mut self, at: &Location) -> BTreeSet<PathBuf> {
        let below = |place: &&Location| place.root == at.root && place.path.starts_with(&at.path);
        let real = self.real.range(at..).map(|(place, _)| place).take_while(below);
        let leading = self.leading.range(at..).map(|(place, _)| place).take_while(below);
        let places: Vec<Location> = real.chain(leading).cloned().collect();
        places.iter().flat_map(|place| self.remove(place)).collect()
    }

    /// Forgets one place. Returns the directories nobody needs any more.
    pub(super) fn remove(&mut self, at: &Location) -> BTreeSet<PathBuf> {
        let mut unneeded = BTreeSet::new();
        if let Some(real) = self.real.remove(at) {
            if let Some(node) = self.nodes.get_mut(&real) {
                node.spots.retain(|spot| spot.at != *at);
            }
            unneeded.extend(self.prune(&real).then_some(real));
        }
        let end = End::Place(at.clone());
        let leading = self.leading.remove(at).unwrap_or_default();
        unneeded.extend(leading.into_iter().filter(|real| self.unanchor(real, &end)));
        unneeded
    }

    /// Whether a directory is watched.
    pub(super) fn contains(&self, real: &Path) -> bool {
        self.nodes.contains_key(real)
    }

    /// How many directories are watched.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether some directory can be reached by two ways, so that what one way finds depends on what
    /// the other does.
    pub(super) fn overlaps(&self) -> bool {
        self.nodes.values().any(|n| n.spots.len() > 1 || n.spots.iter().any(|spot| spot.linked))
    }

    /// What has to be looked at again after something happened to `path`.
    pub(super) fn concern(&self, path: &Path, happening: Happening) -> Concern {
        let mut concern = Concern::default();
        if let Some(node) = self.nodes.get(path) {
            concern.places.extend(node.spots.iter().map(|spot| spot.at.clone()));
            node.anchors.iter().for_each(|anchor| concern.add(&anchor.end));
        }
        let node = path.parent().and_then(|parent| self.nodes.get(parent));
        if let (Some(node), Some(name)) = (node, path.file_name()) {
            let places = node.spots.iter().filter_map(|spot| spot.concern(name, happening));
            concern.places.extend(places);
            let anchors = node.anchors.iter().filter(|anchor| anchor.name == name);
            anchors.for_each(|anchor| concern.add(&anchor.end));
        }
        concern.places.sort_unstable();
        concern.places.dedup();
        concern
    }

    /// Forgets why a directory is watched. Says whether nobody needs it any more.
    fn unanchor(&mut self, real: &Path, end: &End) -> bool {
        let Some(node) = self.nodes.get_mut(real) else { return false };
        node.anchors.retain(|anchor| anchor.end != *end);
        self.prune(real)
    }

    /// Forgets a directory nobody needs, and says whether it was one.
    fn prune(&mut self, real: &Path) -> bool {
        let unneeded = self.nodes.get(real).is_some_and(Node::is_empty);
        if unneeded {
            self.nodes.remove(real);
        }
        unneeded
    }
}

impl Node {
    fn is_empty(&self) -> bool {
        self.spots.is_empty() && self.anchors.is_empty()
    }
}

impl Spot {
    /// What has to be looked at when something happened to the entry `name` of this directory.
    fn concern(&self, name: &OsStr, happening: Happening) -> Option<Location> {
        if is_skill_file(name.as_encoded_bytes()) {
            return Some(self.at.clone());
        }
        if happening == Happening::Content || is_hidden(name.as_encoded_bytes()) {
            return None;
        }
        match self.kind {
            Kind::Open => {
                let path = self.at.path.join(name).into_boxed_path();
                Some(Location { root: self.at.root, path })
            }
            Kind::Deepest => Some(self.at.clone()),
            Kind::Closed => None,
        }
    }
}

/// The fewest places that cover all of `places`: none lies below another, and a root with more than
/// `most` of them is looked at whole.
pub(super) fn cover(places: BTreeSet<Location>, most: usize) -> Vec<Location> {
    let mut covering: Vec<Location> = Vec::new();
    // Sorted, a place comes right before all places below it.
    for place in places {
        let covered = covering
            .last()
            .is_some_and(|last| last.root == place.root && place.path.starts_with(&last.path));
        if !covered {
            covering.push(place);
        }
    }
    let mut few: Vec<Location> = Vec::new();
    for of_one_root in covering.chunk_by(|a, b| a.root == b.root) {
        match of_one_root.first() {
            Some(first) if of_one_root.len() > most => {
                few.push(Location { root: first.root, path: Path::new("").into() });
            }
            _ => few.extend_from_slice(of_one_root),
        }
    }
    few
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
