//! Which clients over HTTP listen. Most ask and hang up, and their sessions stay for hours; what
//! changes is looked for only for those who could be told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many streams each session has open; one that has none is not here.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<BTreeMap<Arc<str>, usize>>);

/// One stream of a session, open until this is dropped.
#[derive(Debug)]
pub(crate) struct Open {
    streams: Arc<Streams>,
    session: Arc<str>,
}

impl Streams {
    /// Notes one more stream of `session`.
    pub(crate) fn open(self: &Arc<Self>, session: &Arc<str>) -> Open {
        *self.table().entry(Arc::clone(session)).or_default() += 1;
        Open { streams: Arc::clone(self), session: Arc::clone(session) }
    }

    /// Whether `session` has a stream.
    pub(crate) fn is_open(&self, session: &str) -> bool {
        self.table().contains_key(session)
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, usize>> {
        // Changed in single steps, so a panic elsewhere left it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut table = self.streams.table();
        if let Some(count) = table.get_mut(&self.session) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                table.remove(&self.session);
            }
        }
    }
}
