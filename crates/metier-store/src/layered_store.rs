//! Several stores as one. Roots are renumbered: those of the first store come first.

use metier_format::{Code, Diagnostic};

use crate::digest::Tree;
use crate::discover::{Discovery, Note, ScanLimits};
use crate::layer::{Root, RootId};
use crate::repeats::drop_repeated;
use crate::store::{FileStamp, LoadError, Location, ReadError, Resource, Skill, Store, TreeError};

/// Several stores as one, in the order given.
pub struct LayeredStore {
    /// Each store with the number its first root has here.
    stores: Vec<(u16, Box<dyn Store>)>,
    roots: Vec<Root>,
    /// Whether a store was left out because its roots could not be numbered.
    full: bool,
}

impl LayeredStore {
    /// `stores` as one. Together they may have 65,535 roots; a store past that is left out, and
    /// discovery says so.
    #[must_use]
    pub fn new(stores: Vec<Box<dyn Store>>) -> Self {
        let mut layered = Self { stores: Vec::new(), roots: Vec::new(), full: false };
        for store in stores {
            let after = layered.roots.len() + store.roots().len();
            match (u16::try_from(layered.roots.len()), u16::try_from(after)) {
                (Ok(first), Ok(_)) => {
                    layered.roots.extend_from_slice(store.roots());
                    layered.stores.push((first, store));
                }
                _ => layered.full = true,
            }
        }
        layered
    }

    /// The store a root belongs to, and the location as that store knows it.
    fn resolve(&self, at: &Location) -> Option<(&dyn Store, Location)> {
        let (first, store) = self.stores.iter().rev().find(|(first, _)| *first <= at.root.0)?;
        let root = RootId(at.root.0 - first);
        Some((&**store, Location { root, path: at.path.clone() }))
    }
}

impl Store for LayeredStore {
    fn roots(&self) -> &[Root] {
        &self.roots
    }

    fn discover(&self, limits: &ScanLimits) -> Discovery {
        let mut all = Discovery { roots: self.roots.clone(), ..Discovery::default() };
        let mut on_disk = 0;
        for (first, store) in &self.stores {
            let renumbered = |root: RootId| RootId(first.saturating_add(root.0));
            let mut one = store.discover(limits);
            one.found.iter_mut().for_each(|found| found.root = renumbered(found.root));
            one.skipped.iter_mut().for_each(|skipped| skipped.root = renumbered(skipped.root));
            one.notes.iter_mut().for_each(|note| note.root = renumbered(note.root));
            on_disk += usize::from(one.found.iter().any(|found| found.identity != (0, 0)));
            match all.found.is_empty() {
                true => all.found = one.found,
                false => all.found.append(&mut one.found),
            }
            all.skipped.append(&mut one.skipped);
            all.notes.append(&mut one.notes);
            all.stats += one.stats;
        }
        // Each store has seen to it that it has no directory twice.
        if on_disk > 1 {
            drop_repeated(&mut all.found, &all.roots);
        }
        if self.full {
            let message = "A store was left out: together the stores have too many roots";
            let diagnostic = Diagnostic::new(Code::RootUnreadable, message);
            let path = std::path::PathBuf::new();
            all.notes.push(Note { root: RootId(u16::MAX), path, diagnostic });
        }
        all
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        match self.resolve(at) {
            Some((store, at)) => store.load(&at),
            None => Err(LoadError::NotFound(at.path.to_path_buf())),
        }
    }

    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError> {
        match self.resolve(at) {
            Some((store, at)) => store.read(&at, path, max_bytes),
            None => Err(ReadError::NotFound(path.to_owned())),
        }
    }

    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp> {
        let (store, at) = self.resolve(at)?;
        store.stamp(&at, path)
    }

    fn directory(&self, at: &Location) -> Option<std::path::PathBuf> {
        let (store, at) = self.resolve(at)?;
        store.directory(&at)
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        match self.resolve(at) {
            Some((store, at)) => store.tree(&at),
            None => Err(TreeError::NotFound(at.path.to_path_buf())),
        }
    }
}

#[cfg(test)]
#[path = "layered_store_tests.rs"]
mod tests;
