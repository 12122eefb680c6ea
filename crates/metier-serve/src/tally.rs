//! What was recorded while a server runs, counted where it is recorded: a journal around a journal
//! that passes everything on. Nothing is decided or kept here but numbers.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use metier_runtime::event::ToolRuled;
use metier_runtime::journal::{Beat, Turn};
use metier_runtime::{Event, Frame, Ids, Journal, JournalError, State};

/// The numbers. Shared by every journal of a server.
#[derive(Debug, Default)]
pub struct Tally {
    counted: Mutex<Counted>,
    sessions: AtomicU64,
}

/// What has been counted since the server runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Frames that were written, by what they tell.
    pub frames: BTreeMap<String, u64>,
    /// How often a journal could not be opened or did not take a frame.
    pub refused: u64,
    /// Rulings on tool calls, by verdict.
    pub rulings: BTreeMap<String, u64>,
}

/// A journal whose frames are counted.
pub struct Tallied {
    journal: Box<dyn Journal>,
    tally: Arc<Tally>,
}

impl Tally {
    /// A journal that counts here what `journal` takes. As long as it is there, a session is open.
    #[must_use]
    pub fn around(self: &Arc<Self>, journal: Box<dyn Journal>) -> Tallied {
        self.sessions.fetch_add(1, Ordering::Relaxed);
        Tallied { journal, tally: Arc::clone(self) }
    }

    /// Notes that a journal said no.
    pub fn refused(&self) {
        self.with(|counted| counted.refused += 1);
    }

    /// What has been counted so far.
    #[must_use]
    pub fn counted(&self) -> Counted {
        self.with(|counted| counted.clone())
    }

    /// How many sessions are open.
    #[must_use]
    pub fn sessions(&self) -> u64 {
        self.sessions.load(Ordering::Relaxed)
    }

    fn written(&self, event: &Event) {
        self.with(|counted| {
            count(&mut counted.frames, event.name());
            if let Event::ToolExecutionInSkill(ruled) | Event::ToolRestrictionViolated(ruled) =
                event
            {
                let ToolRuled { verdict, .. } = ruled;
                count(&mut counted.rulings, verdict);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Counted) -> T) -> T {
        // A panic elsewhere leaves numbers as they were.
        work(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn count(numbers: &mut BTreeMap<String, u64>, name: &str) {
    match numbers.get_mut(name) {
        Some(number) => *number += 1,
        None => drop(numbers.insert(name.to_owned(), 1)),
    }
}

impl Journal for Tallied {
    fn turn(&mut self) -> Result<Arc<Turn>, JournalError> {
        self.journal.turn().inspect_err(|_| self.tally.refused())
    }

    fn append(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError> {
        match self.journal.append(ids, event, beat) {
            Ok(frame) => {
                self.tally.written(event);
                Ok(frame)
            }
            Err(error) => {
                self.tally.refused();
                Err(error)
            }
        }
    }

    fn news(&mut self, session: &str, frames: u64) -> Option<State> {
        self.journal.news(session, frames)
    }

    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError> {
        self.journal.frames(session)
    }
}

impl Drop for Tallied {
    fn drop(&mut self) {
        self.tally.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[path = "tally_tests.rs"]
mod tests;
