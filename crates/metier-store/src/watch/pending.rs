//! What has happened and has not been looked at yet. Gathers what the system tells, waits for a
//! moment's quiet, and is where the watching thread sleeps and is told to stop.
//!
//! Time is only ever waited for, in ticks, and never read.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::tree::Concern;
use super::{WatchError, Watching, lock};
use crate::layer::RootId;
use crate::limits::WATCH_TICK;
use crate::store::Location;

/// What happened, gathered until there was quiet. Each thing is in it once, however often it
/// happened.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Places to look at; those of one list are, or were, the same directory.
    pub(super) places: BTreeSet<Vec<Location>>,
    /// Roots that may have come or gone.
    pub(super) roots: BTreeSet<RootId>,
    /// Whether the system lost events.
    pub(super) lost: bool,
    /// Why watching no longer works.
    pub(super) failed: Option<WatchError>,
}

/// The meeting point of the system's thread, the watching thread, and whoever holds the watch.
pub(super) struct Pending {
    state: Mutex<State>,
    bell: Condvar,
}

struct State {
    batch: Batch,
    /// How often something happened since the batch was begun.
    happened: u64,
    stopped: bool,
    watching: Watching,
}

impl Default for Pending {
    fn default() -> Self {
        let state = State {
            batch: Batch::default(),
            happened: 0,
            stopped: false,
            watching: Watching::Live { directories: 0 },
        };
        Self { state: Mutex::new(state), bell: Condvar::new() }
    }
}

impl Pending {
    /// Something happened that concerns places or roots.
    pub(super) fn add(&self, concern: Concern) {
        if concern.is_empty() {
            return;
        }
        self.happened(|batch| {
            if !concern.places.is_empty() {
                batch.places.insert(concern.places);
            }
            batch.roots.extend(concern.roots);
        });
    }

    /// The system lost events.
    pub(super) fn lost(&self) {
        self.happened(|batch| batch.lost = true);
    }

    /// Watching no longer works.
    pub(super) fn failed(&self, why: WatchError) {
        self.happened(|batch| batch.failed = Some(why));
    }

    /// Waits until something has happened and then until nothing has for `quiet`, but no longer than
    /// `longest`. None when told to stop.
    pub(super) fn next(&self, quiet: Duration, longest: Duration) -> Option<Batch> {
        let waits = |state: &mut State| state.happened == 0 && !state.stopped;
        let state = self.bell.wait_while(lock(&self.state), waits);
        let mut known = state.unwrap_or_else(PoisonError::into_inner).happened;
        let (mut still, mut waited) = (Duration::ZERO, Duration::ZERO);
        while still < quiet && waited < longest {
            if !self.sleep(WATCH_TICK) {
                return None;
            }
            waited += WATCH_TICK;
            let happened = lock(&self.state).happened;
            still = if happened == known { still + WATCH_TICK } else { Duration::ZERO };
            known = happened;
        }
        let mut state = lock(&self.state);
        state.happened = 0;
        (!state.stopped).then(|| std::mem::take(&mut state.batch))
    }

    /// Sleeps for `time`, whatever happens. False, at once, when told to stop.
    pub(super) fn sleep(&self, time: Duration) -> bool {
        let waits = |state: &mut State| !state.stopped;
        let woken = self.bell.wait_timeout_while(lock(&self.state), time, waits);
        !woken.unwrap_or_else(PoisonError::into_inner).0.stopped
    }

    /// Tells the watching thread to stop.
    pub(super) fn stop(&self) {
        lock(&self.state).stopped = true;
        self.bell.notify_all();
    }

    /// How changes are noticed.
    pub(super) fn watching(&self) -> Watching {
        lock(&self.state).watching.clone()
    }

    /// Says how changes are noticed from now on.
    pub(super) fn set_watching(&self, watching: Watching) {
        lock(&self.state).watching = watching;
    }

    /// Holds up everybody: what the system tells stays with the system.
    #[cfg(test)]
    pub(super) fn hold_up(&self) -> impl Drop + '_ {
        lock(&self.state)
    }

    fn happened(&self, note: impl FnOnce(&mut Batch)) {
        let mut state = lock(&self.state);
        note(&mut state.batch);
        state.happened = state.happened.saturating_add(1);
        self.bell.notify_all();
    }
}

#[cfg(test)]
#[path = "pending_tests.rs"]
mod tests;
