//! Who wants to know when the catalog changes.
//!
//! A subscriber remembers the catalog it knows and compares it with the current one when it asks.
//! So however slow it is it misses nothing, holds at most one old catalog, and never keeps the
//! publisher waiting.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::lock;
use crate::catalog::{Catalog, CatalogChange};

/// The current catalog, and the bell that rings when there is another.
pub(super) struct Current {
    state: Mutex<State>,
    bell: Condvar,
}

struct State {
    catalog: Arc<Catalog>,
    /// How many different catalogs there were before this one.
    number: u64,
    closed: bool,
}

/// Hears of every change of a catalog. Changes it did not ask for in time are told together.
pub struct Subscription {
    current: Arc<Current>,
    known: Arc<Catalog>,
    number: u64,
}

/// A change and the catalog it led to.
#[derive(Clone, Debug)]
pub struct Update {
    /// What happened since the subscriber was last told.
    pub change: CatalogChange,
    /// The catalog as it is now.
    pub catalog: Arc<Catalog>,
}

/// The index is gone: there will be no more changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the catalog is no longer kept")]
pub struct Closed;

impl Current {
    pub(super) fn new(catalog: Catalog) -> Self {
        let state = State { catalog: Arc::new(catalog), number: 0, closed: false };
        Self { state: Mutex::new(state), bell: Condvar::new() }
    }

    pub(super) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&lock(&self.state).catalog)
    }

    /// Makes `catalog` the current one. The bell rings only when it differs. Called by one thread
    /// at a time.
    pub(super) fn set(&self, catalog: Catalog) {
        let differs = !self.catalog().diff(&catalog).is_empty();
        let catalog = Arc::new(catalog);
        let mut state = lock(&self.state);
        state.catalog = catalog;
        if differs {
            state.number = state.number.wrapping_add(1);
            self.bell.notify_all();
        }
    }

    pub(super) fn close(&self) {
        lock(&self.state).closed = true;
        self.bell.notify_all();
    }
}

impl Subscription {
    pub(super) fn new(current: Arc<Current>) -> Self {
        let (known, number) = {
            let state = lock(&current.state);
            (Arc::clone(&state.catalog), state.number)
        };
        Self { current, known, number }
    }

    /// Waits for a change, for as long as it takes.
    pub fn recv(&mut self) -> Result<Update, Closed> {
        loop {
            if let Some(update) = self.recv_timeout(Duration::MAX)? {
                return Ok(update);
            }
        }
    }

    /// Waits for a change, but at most `timeout`. None when there was none, or when one undid
    /// another.
    pub fn recv_timeout(&mut self, timeout: Duration) -> Result<Option<Update>, Closed> {
        let state = lock(&self.current.state);
        let waits = |state: &mut State| state.number == self.number && !state.closed;
        let (state, _) = self
            .current
            .bell
            .wait_timeout_while(state, timeout, waits)
            .unwrap_or_else(PoisonError::into_inner);
        let (catalog, number, closed) = (Arc::clone(&state.catalog), state.number, state.closed);
        drop(state);
        if number == self.number {
            return if closed { Err(Closed) } else { Ok(None) };
        }
        self.number = number;
        let change = self.known.diff(&catalog);
        self.known = Arc::clone(&catalog);
        Ok((!change.is_empty()).then_some(Update { change, catalog }))
    }

    /// A change that has happened already, without waiting.
    pub fn try_recv(&mut self) -> Result<Option<Update>, Closed> {
        self.recv_timeout(Duration::ZERO)
    }

    /// The catalog the subscriber knows.
    #[must_use]
    pub fn known(&self) -> &Arc<Catalog> {
        &self.known
    }
}
