//! A journal in memory, for hosts that keep none and for tests. Same frames, same chain.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::frame::{Frame, Ids};
use super::{Beat, Journal, JournalError, Turn};
use crate::clock::Clock;
use crate::event::Event;
use crate::state::State;

/// A journal in memory. Clones share their frames, as processes share a file; but turns are not
/// taken, so whoever shares one between threads sees to it that one of them acts at a time.
#[derive(Clone)]
pub struct MemoryJournal {
    shared: Arc<Mutex<Shared>>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Shared {
    frames: Vec<Frame>,
    states: BTreeMap<String, State>,
}

impl MemoryJournal {
    /// An empty journal.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { shared: Arc::default(), clock }
    }

    /// Every frame, of every session.
    #[must_use]
    pub fn all(&self) -> Vec<Frame> {
        self.shared().frames.clone()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        // A panic elsewhere cannot leave a frame half pushed, so a poisoned lock is still sound.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryJournal {
    fn turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        Ok(Arc::new(Turn::alone()))
    }

    fn append(&mut self, ids: &Ids, event: &Event, _: Beat) -> Result<Frame, JournalError> {
        let mut shared = self.shared();
        let state = shared.states.entry(ids.session.clone()).or_default();
        let seq = state.frames;
        state.apply(seq, event);
        let mut frame = Frame {
            seq,
            ids: ids.clone(),
            time: self.clock.now(),
            kind: event.name().to_owned(),
            payload: event.payload(),
            extra: serde_json::Map::new(),
            prev: shared.frames.last().map_or_else(Frame::origin, |last| last.digest.clone()),
            digest: String::new(),
        };
        let _ = frame.seal();
        shared.frames.push(frame.clone());
        Ok(frame)
    }

    fn news(&mut self, session: &str, frames: u64) -> Option<State> {
        self.shared().states.get(session).filter(|state| state.frames != frames).cloned()
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        Ok(self.all().into_iter().filter(|frame| frame.ids.session == session).collect())
    }
}
