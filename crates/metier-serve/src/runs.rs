//! The scripts that run for clients of one server: so many for each client, so many in all. Whoever
//! finds it full is told so at once, instead of waiting in a line without an end; when the server
//! stops, what still runs can be ended.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metier_sandbox::Cancel;

use crate::limits::{MAX_CLIENT_RUNS, MAX_RUNS};

/// The scripts that run now.
#[derive(Default)]
pub(crate) struct Runs {
    table: Mutex<Table>,
    /// Told when a script has ended.
    fewer: Condvar,
}

#[derive(Default)]
struct Table {
    next: u64,
    /// Whether nothing is begun any more.
    ended: bool,
    running: BTreeMap<u64, (String, Cancel)>,
}

/// One script that runs, until this is dropped.
pub(crate) struct Run {
    runs: Arc<Runs>,
    number: u64,
}

/// Ends what runs when it is dropped, which is how whoever serves is told that nobody waits any more.
pub(crate) struct Ends(pub(crate) Cancel);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Why a script is not run now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Full {
    /// The client has as many as one client may have.
    #[error("{MAX_CLIENT_RUNS} scripts of this client are running; ask again when one has ended")]
    Client,
    /// All clients together have as many as there may be.
    #[error("{MAX_RUNS} scripts are running here; ask again when one has ended")]
    All,
}

impl Runs {
    /// Makes room for one more script of `client`, which `cancel` ends.
    pub(crate) fn begin(self: &Arc<Self>, client: &str, cancel: &Cancel) -> Result<Run, Full> {
        let mut table = self.table();
        let own = table.running.values().filter(|(whose, _)| whose == client).count();
        if own >= MAX_CLIENT_RUNS {
            return Err(Full::Client);
        }
        if table.ended || table.running.len() >= MAX_RUNS {
            return Err(Full::All);
        }
        let number = table.next;
        table.next = table.next.wrapping_add(1);
        table.running.insert(number, (client.to_owned(), cancel.clone()));
        Ok(Run { runs: Arc::clone(self), number })
    }

    /// Ends everything that runs, and begins nothing any more.
    pub(crate) fn end(&self) {
        let mut table = self.table();
        table.ended = true;
        table.running.values().for_each(|(_, cancel)| cancel.cancel());
    }

    /// Waits until nothing runs any more, for so long at most.
    pub(crate) fn settle(&self, patience: Duration) {
        let runs = |table: &mut Table| !table.running.is_empty();
        let waited = self.fewer.wait_timeout_while(self.table(), patience, runs);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // Changed in single steps, so a panic elsewhere left it whole.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.runs.table().running.remove(&self.number);
        self.runs.fewer.notify_all();
    }
}

#[cfg(test)]
#[path = "runs_tests.rs"]
mod tests;
