//! The catalog, kept: one that many threads read, that grows old, and that tells when it changes.
//!
//! Readers take the catalog there is and never wait for one being built. One thread at a time
//! builds: the reader that finds the catalog too old, whoever asks for a fresh one, or a [`Keeper`],
//! which replaces only the part of a discovery that changed. The clock is passed in. Start at
//! [`CatalogIndex::get`]; `patch` replaces a part of a discovery, `subscribe` tells who wants to
//! know.

mod patch;
mod subscribe;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use crate::catalog::{Catalog, CatalogChange};
use crate::discover::{Discovery, ScanLimits};
use crate::layer::Precedence;
use crate::limits::CATALOG_TTL;
use crate::selection::Selection;
use crate::store::Store;

pub use patch::Patch;
pub(crate) use patch::places;
pub use subscribe::{Closed, Subscription, Update};

use subscribe::Current;

/// How a catalog is made and how long it is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexSettings {
    /// How far a scan goes.
    pub limits: ScanLimits,
    /// Which layer wins.
    pub precedence: Precedence,
    /// Which skills are wanted.
    pub selection: Selection,
    /// How long a catalog is good without anybody looking at the files again.
    pub ttl: Duration,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self {
            limits: ScanLimits::default(),
            precedence: Precedence::default(),
            selection: Selection::default(),
            ttl: CATALOG_TTL,
        }
    }
}

/// The catalog of one store, kept up to date. Share it in an [`Arc`].
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use metier_store::FileStore;
/// use metier_store::index::{CatalogIndex, IndexSettings};
///
/// let store = Arc::new(FileStore::new(Vec::new()));
/// let index = CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO);
/// let mut updates = index.subscribe();
/// assert!(index.get(Duration::from_secs(1)).entries.is_empty());
/// assert!(updates.try_recv()?.is_none());
/// # Ok::<(), metier_store::index::Closed>(())
/// ```
pub struct CatalogIndex {
    store: Arc<dyn Store>,
    settings: IndexSettings,
    /// Held while a catalog is built, and only then.
    workshop: Mutex<Workshop>,
    /// Held for moments only.
    age: Mutex<Age>,
    current: Arc<Current>,
}

/// Holds on to the discovery behind a catalog, so that parts of it can be replaced.
pub struct Keeper {
    index: Arc<CatalogIndex>,
}

/// What only the thread that builds needs.
#[derive(Default)]
struct Workshop {
    /// The discovery the current catalog was built from, while somebody patches it.
    kept: Option<Discovery>,
    /// How many want it kept.
    keepers: usize,
}

/// How old the current catalog is.
struct Age {
    built_at: Duration,
    /// How often the catalog was declared invalid, and which of these declarations it answers.
    declared: u64,
    answered: u64,
}

impl CatalogIndex {
    /// The index of `store`, its first catalog built at `now`: any clock that runs forward, such as
    /// the time since the process started, as long as it is always the same.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, settings: IndexSettings, now: Duration) -> Self {
        let discovery = store.discover(&settings.limits);
        let catalog = Catalog::build(discovery, &settings.precedence, &settings.selection);
        Self {
            store,
            settings,
            workshop: Mutex::default(),
            age: Mutex::new(Age { built_at: now, declared: 0, answered: 0 }),
            current: Arc::new(Current::new(catalog)),
        }
    }

    /// The catalog. When it is older than its time or invalid, this call builds a new one, unless
    /// another thread is at it already: then it is the old one, at once.
    pub fn get(&self, now: Duration) -> Arc<Catalog> {
        if self.is_due(now) {
            let workshop = match self.workshop.try_lock() {
                Ok(workshop) => Some(workshop),
                Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => None,
            };
            // Another thread may have finished between the question and the lock.
            if let Some(workshop) = workshop.filter(|_| self.is_due(now)) {
                self.rebuild(workshop, Some(now));
            }
        }
        self.current.catalog()
    }

    /// The catalog as it was built last, however old.
    #[must_use]
    pub fn latest(&self) -> Arc<Catalog> {
        self.current.catalog()
    }

    /// Declares the catalog invalid: whoever asks for it next builds a new one.
    pub fn invalidate(&self) {
        let mut age = lock(&self.age);
        age.declared = age.declared.wrapping_add(1);
    }

    /// Builds a new catalog, after any other thread that is building one, and returns what changed.
    pub fn refresh(&self, now: Duration) -> CatalogChange {
        let before = self.current.catalog();
        self.rebuild(lock(&self.workshop), Some(now));
        before.diff(&self.current.catalog())
    }

    /// Tells the caller whenever the catalog changes from now on.
    #[must_use]
    pub fn subscribe(&self) -> Subscription {
        Subscription::new(Arc::clone(&self.current))
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// How catalogs are made.
    #[must_use]
    pub fn settings(&self) -> &IndexSettings {
        &self.settings
    }

    /// Scans once more and keeps what it finds, so that parts of it can be replaced. It costs the
    /// memory of one more discovery for as long as the keeper lives.
    #[must_use]
    pub fn keep(self: &Arc<Self>) -> Keeper {
        let mut workshop = lock(&self.workshop);
        workshop.keepers += 1;
        self.rebuild(workshop, None);
        Keeper { index: Arc::clone(self) }
    }

    fn is_due(&self, now: Duration) -> bool {
        let age = lock(&self.age);
        age.declared != age.answered || now.saturating_sub(age.built_at) >= self.settings.ttl
    }

    fn rebuild(&self, mut workshop: MutexGuard<'_, Workshop>, now: Option<Duration>) {
        // Whatever is declared invalid while files are being read may have changed after they were.
        let declared = lock(&self.age).declared;
        let discovery = self.store.discover(&self.settings.limits);
        workshop.kept = (workshop.keepers > 0).then(|| discovery.clone());
        self.publish(discovery);
        let mut age = lock(&self.age);
        age.answered = declared;
        age.built_at = now.unwrap_or(age.built_at);
    }

    fn publish(&self, discovery: Discovery) {
        let settings = &self.settings;
        let catalog = Catalog::build(discovery, &settings.precedence, &settings.selection);
        self.current.set(catalog);
    }
}

impl Keeper {
    /// Replaces parts of what was found and resolves it anew, without looking at any other file.
    /// The catalog does not become younger by it: what was not replaced is as old as before.
    pub fn apply(&self, patches: Vec<Patch>) {
        let mut workshop = lock(&self.index.workshop);
        let Some(kept) = workshop.kept.as_mut() else { return };
        patch::apply_all(kept, patches);
        let discovery = kept.clone();
        self.index.publish(discovery);
    }

    /// Scans everything once more.
    pub fn reload(&self) {
        self.index.rebuild(lock(&self.index.workshop), None);
    }

    /// Looks at the discovery as it is. No catalog is built meanwhile.
    pub fn look<T>(&self, look: impl FnOnce(&Discovery) -> T) -> Option<T> {
        lock(&self.index.workshop).kept.as_ref().map(look)
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &Arc<CatalogIndex> {
        &self.index
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        let mut workshop = lock(&self.index.workshop);
        workshop.keepers = workshop.keepers.saturating_sub(1);
        if workshop.keepers == 0 {
            workshop.kept = None;
        }
    }
}

impl Drop for CatalogIndex {
    fn drop(&mut self) {
        self.current.close();
    }
}

/// A lock. What it guards is replaced whole, so a thread that panicked left nothing half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
