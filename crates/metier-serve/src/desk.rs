//! One client and its session. The session is opened when it is first needed, sees what other
//! processes recorded in it, and has the catalog as it is now.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use metier_runtime::finder::Finder;
use metier_runtime::journal::Turn;
use metier_runtime::session::Again;
use metier_runtime::{JournalError, Session};
use metier_store::index::CatalogIndex;
use metier_store::watch::{Watch, WatchError};

/// What an application brings so that its sessions can be served.
pub trait Host: Send + Sync + 'static {
    /// The catalog, kept up to date.
    fn index(&self) -> &Arc<CatalogIndex>;

    /// The time, for the catalog's age.
    fn now(&self) -> Duration;

    /// Opens the session of `client`.
    fn open(&self, client: &Client) -> Result<Seat, JournalError>;

    /// Begins to watch the files behind the catalog; none when there are none to watch.
    fn watch(&self) -> Result<Option<Watch>, WatchError>;
}

/// Who asks for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// The session it asked for by name, if it did.
    pub session: Option<String>,
    /// What its dialect does when an active skill is asked for again.
    pub again: Again,
}

/// An opened session.
pub struct Seat {
    /// The session.
    pub session: Session,
    /// Its journal, when other processes may write to it too.
    pub journal: Option<PathBuf>,
    /// Whether it goes on when the client is gone.
    pub stays: bool,
}

/// One client's session.
pub struct Desk {
    host: Arc<dyn Host>,
    client: Client,
    finder: Arc<Finder>,
    seat: Mutex<Option<Seat>>,
}

impl Desk {
    /// A desk for `client`. Nothing is opened yet.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, client: Client, finder: Arc<Finder>) -> Self {
        Self { host, client, finder, seat: Mutex::default() }
    }

    /// Does `act` in the session, in a turn of its own. One act at a time; others wait.
    pub fn act<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Result<T, JournalError> {
        // A panic inside an act leaves the session as its journal has it; the stack is only ever
        // changed by a frame that was written.
        let mut seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner);
        if seat.is_none() {
            *seat = Some(self.open()?);
        }
        let Some(Seat { session, journal, .. }) = seat.as_mut() else {
            return Err(nobody());
        };
        let _turn = journal.as_deref().map(Turn::take).transpose()?;
        session.catch_up()?;
        let catalog = self.host.index().get(self.host.now());
        if !Arc::ptr_eq(session.shared_catalog(), &catalog) {
            session.set_catalog(catalog)?;
        }
        Ok(act(session))
    }

    /// The client is gone: its session ends, unless it belongs to others too.
    pub fn close(&self) -> Result<(), JournalError> {
        let seat = self.seat.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut seat) = seat.filter(|seat| !seat.stays) else { return Ok(()) };
        let _turn = seat.journal.as_deref().map(Turn::take).transpose()?;
        seat.session.catch_up()?;
        if seat.session.state().open {
            seat.session.end()?;
        }
        Ok(())
    }

    fn open(&self) -> Result<Seat, JournalError> {
        let mut seat = self.host.open(&self.client)?;
        seat.session.set_finder(Arc::clone(&self.finder));
        Ok(seat)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // Nobody is left to be told; the journal says that the session never ended.
        let _ = self.close();
    }
}

/// What cannot happen: the seat was filled a line before.
fn nobody() -> JournalError {
    let source = std::io::Error::other("the session is gone");
    JournalError::Io { act: "open", path: PathBuf::new(), source }
}
