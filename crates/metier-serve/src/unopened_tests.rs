//! A host whose skills are in memory and in which no session can be opened: enough for whoever serves.

use std::sync::Arc;
use std::time::Duration;

use metier_runtime::JournalError;
use metier_store::index::{CatalogIndex, IndexSettings};
use metier_store::watch::{Watch, WatchError};
use metier_store::{Layer, MemoryStore};

use crate::{Client, Host, Seat};

/// The host.
pub(crate) struct Unopened(Arc<CatalogIndex>);

impl Unopened {
    /// One without skills.
    pub(crate) fn empty() -> Arc<Self> {
        Self::of(MemoryStore::new(Layer::Personal))
    }

    /// One with these.
    pub(crate) fn of(store: MemoryStore) -> Arc<Self> {
        let index = CatalogIndex::new(Arc::new(store), IndexSettings::default(), Duration::ZERO);
        Arc::new(Self(Arc::new(index)))
    }
}

impl Host for Unopened {
    fn index(&self) -> &Arc<CatalogIndex> {
        &self.0
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn open(&self, _: &Client) -> Result<Seat, JournalError> {
        Err(JournalError::TooLarge(0))
    }

    fn watch(&self) -> Result<Option<Watch>, WatchError> {
        Ok(None)
    }
}
