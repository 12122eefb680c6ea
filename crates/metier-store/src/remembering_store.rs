//! The store on disk with a memory: what a scan has read, the next one does not read again. Finds
//! what [`FileStore`] finds, and does everything else through it.

use std::path::PathBuf;
use std::sync::Arc;

use crate::digest::Tree;
use crate::discover::{Discovery, ScanLimits};
use crate::file_store::FileStore;
use crate::layer::Root;
use crate::memo::Memory;
use crate::scan::scan_with;
use crate::store::{FileStamp, LoadError, Location, ReadError, Resource, Skill, Store, TreeError};

/// A [`FileStore`] whose scans remember.
pub struct RememberingStore {
    store: FileStore,
    memory: Arc<dyn Memory>,
}

impl RememberingStore {
    /// `store` with a memory.
    #[must_use]
    pub fn new(store: FileStore, memory: Arc<dyn Memory>) -> Self {
        Self { store, memory }
    }
}

impl Store for RememberingStore {
    fn roots(&self) -> &[Root] {
        self.store.roots()
    }

    fn discover(&self, limits: &ScanLimits) -> Discovery {
        scan_with(self.roots(), limits, Some(&*self.memory))
    }

    fn load(&self, at: &Location) -> Result<Skill, LoadError> {
        self.store.load(at)
    }

    fn read(&self, at: &Location, path: &str, max_bytes: u64) -> Result<Resource, ReadError> {
        self.store.read(at, path, max_bytes)
    }

    fn stamp(&self, at: &Location, path: &str) -> Option<FileStamp> {
        self.store.stamp(at, path)
    }

    fn directory(&self, at: &Location) -> Option<PathBuf> {
        self.store.directory(at)
    }

    fn tree(&self, at: &Location) -> Result<Tree, TreeError> {
        self.store.tree(at)
    }
}

#[cfg(test)]
#[path = "remembering_store_tests.rs"]
mod tests;
