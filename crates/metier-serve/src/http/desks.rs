//! The sessions of those who ask over HTTP, by name. A session is kept open between requests, so
//! that each costs no more than its act; it goes on when the server stops, since others have it too.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metier_runtime::finder::Finder;
use metier_runtime::session::Again;
use metier_runtime::{JournalError, Session};

use super::problem::Problem;
use crate::desk::{Client, Desk, Host};
use crate::limits::{MAX_SESSION_NAME, MAX_SESSIONS};

/// The open sessions.
pub(super) struct Desks {
    host: Arc<dyn Host>,
    finder: Arc<Finder>,
    open: Mutex<BTreeMap<String, Arc<Desk>>>,
}

impl Desks {
    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self { host, finder: Arc::default(), open: Mutex::default() }
    }

    /// Does `act` in the session `name`. One that has ended begins anew with the first act that
    /// records something, as for every other caller.
    pub(super) fn act<T>(
        &self,
        name: &str,
        act: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, Problem> {
        let desk = self.desk(name)?;
        desk.act(act).map_err(|error| self.failed(name, &desk, &error))
    }

    /// Does what takes long, so that other acts of the session go on meanwhile.
    pub(super) fn act_apart<T>(
        &self,
        name: &str,
        act: impl FnOnce(&mut Session) -> T,
    ) -> Result<T, Problem> {
        let desk = self.desk(name)?;
        desk.act_apart(act).map_err(|error| self.failed(name, &desk, &error))
    }

    /// How many are open.
    pub(super) fn count(&self) -> usize {
        self.open().len()
    }

    fn desk(&self, name: &str) -> Result<Arc<Desk>, Problem> {
        let mut open = self.open();
        if let Some(desk) = open.get(name) {
            return Ok(Arc::clone(desk));
        }
        if open.len() >= MAX_SESSIONS {
            // Nobody is at those that only this table holds; they open again when asked for.
            open.retain(|_, desk| Arc::strong_count(desk) > 1);
        }
        if open.len() >= MAX_SESSIONS {
            return Err(Problem::busy());
        }
        let client = Client { session: Some(name.to_owned()), again: Again::default() };
        let desk = Desk::new(Arc::clone(&self.host), client, Arc::clone(&self.finder));
        let desk = Arc::new(desk);
        open.insert(name.to_owned(), Arc::clone(&desk));
        Ok(desk)
    }

    /// A session whose journal refused is opened anew next time.
    fn failed(&self, name: &str, desk: &Arc<Desk>, error: &JournalError) -> Problem {
        self.forget(name, desk);
        Problem::from(error)
    }

    fn forget(&self, name: &str, desk: &Arc<Desk>) {
        let mut open = self.open();
        if open.get(name).is_some_and(|held| Arc::ptr_eq(held, desk)) {
            open.remove(name);
        }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Desk>>> {
        // A panic elsewhere leaves the table as it was.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `name`, when a session can be called that.
pub(super) fn checked(name: &str) -> Result<&str, Problem> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let good = !name.is_empty()
        && name.len() <= MAX_SESSION_NAME
        && !name.starts_with('.')
        && name.chars().all(fits);
    if good {
        return Ok(name);
    }
    Err(Problem::bad_request(format!(
        "a session has letters, digits, `-`, `_` and `.`, no `.` in front, at most \
         {MAX_SESSION_NAME} of them"
    )))
}

#[cfg(test)]
#[path = "desks_tests.rs"]
mod tests;
