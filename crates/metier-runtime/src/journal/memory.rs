//! A journal in memory, for hosts that keep none and for tests. Same frames, same chain.

use std::sync::{Arc, Mutex, PoisonError};

use super::frame::{Frame, Ids};
use super::{Beat, Journal, JournalError};
use crate::clock::Clock;
use crate::event::Event;

/// A journal in memory. Clones share their frames, as processes share a file.
#[derive(Clone)]
pub struct MemoryJournal {
    frames: Arc<Mutex<Vec<Frame>>>,
    clock: Arc<dyn Clock>,
}

impl MemoryJournal {
    /// An empty journal.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { frames: Arc::default(), clock }
    }

    /// Every frame, of every session.
    #[must_use]
    pub fn all(&self) -> Vec<Frame> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Journal for MemoryJournal {
    fn append(&mut self, ids: &Ids, event: &Event, _: Beat) -> Result<Frame, JournalError> {
        // A panic elsewhere cannot leave a frame half pushed, so a poisoned lock is still sound.
        let mut frames = self.frames.lock().unwrap_or_else(PoisonError::into_inner);
        let own = |frame: &&Frame| frame.ids.session == ids.session;
        let mut frame = Frame {
            seq: frames.iter().rev().find(own).map_or(0, |last| last.seq + 1),
            ids: ids.clone(),
            time: self.clock.now(),
            kind: event.name().to_owned(),
            payload: event.payload(),
            extra: serde_json::Map::new(),
            prev: frames.last().map_or_else(Frame::origin, |last| last.digest.clone()),
            digest: String::new(),
        };
        let _ = frame.seal();
        frames.push(frame.clone());
        Ok(frame)
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        Ok(self.all().into_iter().filter(|frame| frame.ids.session == session).collect())
    }
}
