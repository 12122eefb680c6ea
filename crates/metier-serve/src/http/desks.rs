//! The sessions of those who ask over HTTP, by name. A session is kept open between requests, so
//! that each costs no more than its act; it goes on when the server stops, since others have it too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_runtime::finder::Finder;
use metier_runtime::session::Again;
use metier_runtime::{JournalError, Session};

use super::problem::Problem;
use crate::desk::{Client, Desk, Host};
use crate::limits::MAX_SESSIONS;
use crate::who::Who;

/// The open sessions.
pub(super) struct Desks {
    host: Arc<dyn Host>,
    finder: Arc<Finder>,
    open: Mutex<BTreeMap<Place, Arc<Desk>>>,
}

/// Who asks for which session. Two who ask for the same one may have different skills in it, so each
/// has a desk of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) who: Who,
    /// The session's whole name.
    pub(super) session: String,
}

impl Place {
    /// The session that `who` calls `name`.
    pub(super) fn of(host: &dyn Host, who: &Who, name: &str) -> Result<Self, Problem> {
        let session = who.may_name(name, host)?;
        Ok(Self { who: who.clone(), session })
    }

    /// The client that asks.
    pub(super) fn client(&self) -> Client {
        let session = Some(self.session.clone());
        Client { who: self.who.clone(), session, again: Again::default() }
    }
}

impl Desks {
    pub(super) fn new(host: Arc<dyn Host>, finder: Arc<Finder>) -> Self {
        Self { host, finder, open: Mutex::default() }
    }

    /// Does `act` in the session at `place`. One that has ended begins anew with the first act that
    /// records something, as for every other caller.
    pub(super) fn act<T>(
        &self,
        place: &Place,
        act: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, Problem> {
        let desk = self.desk(place)?;
        desk.act(act).map_err(|error| self.failed(place, &desk, &error))
    }

    /// Does what takes long, so that other acts of the session go on meanwhile.
    pub(super) fn act_apart<T>(
        &self,
        place: &Place,
        act: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, Problem> {
        let desk = self.desk(place)?;
        desk.act_apart(act).map_err(|error| self.failed(place, &desk, &error))
    }

    /// How many are open.
    pub(super) fn count(&self) -> usize {
        self.open().len()
    }

    fn desk(&self, place: &Place) -> Result<Arc<Desk>, Problem> {
        let mut open = self.open();
        if let Some(desk) = open.get(place) {
            return Ok(Arc::clone(desk));
        }
        if open.len() >= MAX_SESSIONS {
            // Nobody is at those that only this table holds; they open again when asked for.
            open.retain(|_, desk| Arc::strong_count(desk) > 1);
        }
        if open.len() >= MAX_SESSIONS {
            return Err(Problem::busy());
        }
        let (host, finder) = (Arc::clone(&self.host), Arc::clone(&self.finder));
        let desk = Desk::new(host, place.client(), finder);
        let desk = Arc::new(desk);
        open.insert(place.clone(), Arc::clone(&desk));
        Ok(desk)
    }

    /// A session whose journal refused is opened anew next time.
    fn failed(&self, place: &Place, desk: &Arc<Desk>, error: &JournalError) -> Problem {
        self.forget(place, desk);
        Problem::from(error)
    }

    fn forget(&self, place: &Place, desk: &Arc<Desk>) {
        let mut open = self.open();
        if open.get(place).is_some_and(|held| Arc::ptr_eq(held, desk)) {
            open.remove(place);
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<Place, Arc<Desk>>> {
        // A panic elsewhere leaves the table as it was.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
