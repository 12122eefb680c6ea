//! One client and its session. The session is opened when it is first needed, sees what other
//! processes recorded in it, and has the catalog as it is now.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use metier_runtime::finder::Finder;
use metier_runtime::session::Again;
use metier_runtime::{Frame, JournalError, Session};
use metier_store::Catalog;
use metier_store::index::CatalogIndex;
use metier_store::watch::{Watch, WatchError};

use crate::tally::Tally;
use crate::who::Who;

/// What an application brings so that its sessions can be served.
pub trait Host: Send + Sync + 'static {
    /// The catalog, kept up to date.
    fn index(&self) -> &Arc<CatalogIndex>;

    /// The time, for the catalog's age.
    fn now(&self) -> Duration;

    /// The section of the settings called `name`, if they have one for clients of that name.
    fn section(&self, _name: &str) -> Option<Arc<str>> {
        None
    }

    /// The catalog `who` has, as it is now: nothing in it that one of its sections leaves out. The
    /// same value as long as nothing changes.
    fn catalog(&self, who: &Who) -> Arc<Catalog> {
        match who.sections().next() {
            None => self.index().get(self.now()),
            // Sections that nobody knows leave nothing.
            Some(_) => Arc::default(),
        }
    }

    /// Opens the session of `client`. A session without a name gets one that no other client can
    /// name ([`Who::session`]).
    fn open(&self, client: &Client) -> Result<Seat, JournalError>;

    /// Begins to watch the files behind the catalog; none when there are none to watch.
    fn watch(&self) -> Result<Option<Watch>, WatchError>;

    /// Where the host counts what its sessions record, if it does.
    fn tally(&self) -> Option<&Tally> {
        None
    }

    /// Reads what is recorded in the session of `client`, and on as it grows. Where the journal has
    /// a cheaper way than to read all of it each time, the host gives that.
    fn tail(&self, client: &Client) -> Result<Box<dyn Tail>, JournalError> {
        Ok(Box::new(Reread { seat: self.open(client)?, told: 0 }))
    }
}

/// The frames of one session, in order, each once.
pub trait Tail: Send {
    /// Those that came since the last time.
    fn next(&mut self) -> Result<Vec<Frame>, JournalError>;
}

/// Every frame read again, and those that are new given.
struct Reread {
    seat: Seat,
    told: usize,
}

impl Tail for Reread {
    fn next(&mut self) -> Result<Vec<Frame>, JournalError> {
        let new: Vec<Frame> = self.seat.session.frames()?.into_iter().skip(self.told).collect();
        self.told += new.len();
        Ok(new)
    }
}

/// Who asks for a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Which sections hold for it.
    pub who: Who,
    /// The session it asked for, by its whole name ([`Who::session`]), if it did.
    pub session: Option<String>,
    /// What its dialect does when an active skill is asked for again.
    pub again: Again,
}

/// An opened session.
pub struct Seat {
    /// The session.
    pub session: Session,
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

    /// Does `act` in the session. One act at a time; others wait.
    pub fn act<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Result<T, JournalError> {
        let mut seat = self.seat();
        let session = self.seated(&mut seat)?;
        session.catch_up()?;
        self.refresh(session)?;
        Ok(act(session))
    }

    /// Does what takes long: in the same session, but so that other acts go on meanwhile.
    pub fn act_apart<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Result<T, JournalError> {
        let name = {
            let mut seat = self.seat();
            self.seated(&mut seat)?.id().to_owned()
        };
        let client = Client { session: Some(name), ..self.client.clone() };
        let mut seat = self.open(&client)?;
        self.refresh(&mut seat.session)?;
        Ok(act(&mut seat.session))
    }

    /// The client is gone: its session ends, unless it belongs to others too.
    pub fn close(&self) -> Result<(), JournalError> {
        let Some(mut seat) = self.seat().take().filter(|seat| !seat.stays) else { return Ok(()) };
        seat.session.catch_up()?;
        if seat.session.state().open {
            seat.session.end()?;
        }
        Ok(())
    }

    fn seat(&self) -> MutexGuard<'_, Option<Seat>> {
        // A panic inside an act leaves the session as its journal has it; the stack is only ever
        // changed by a frame that was written.
        self.seat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn seated<'a>(&self, seat: &'a mut Option<Seat>) -> Result<&'a mut Session, JournalError> {
        let opened = match seat.take() {
            Some(opened) => opened,
            None => self.open(&self.client)?,
        };
        Ok(&mut seat.insert(opened).session)
    }

    fn refresh(&self, session: &mut Session) -> Result<(), JournalError> {
        let catalog = self.host.catalog(&self.client.who);
        match Arc::ptr_eq(session.shared_catalog(), &catalog) {
            true => Ok(()),
            false => session.set_catalog(catalog),
        }
    }

    fn open(&self, client: &Client) -> Result<Seat, JournalError> {
        let mut seat = self.host.open(client)?;
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

#[cfg(test)]
#[path = "desk_tests.rs"]
mod tests;
