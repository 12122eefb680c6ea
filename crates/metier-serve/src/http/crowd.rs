//! Everybody who is connected: so many, of whom no client has all seats. Whoever has not shown yet who
//! they are has a seat only until somebody else wants it; then the one who has kept silent for longest
//! gives way. So who has no token keeps nobody out, however many connections they open.
//!
//! Start reading at [`Crowd::sit`] and [`Seat::is_of`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use crate::limits::MAX_CONNECTIONS;
use crate::shares::{Shares, Taken, Whose};
use crate::turns::Busy;

/// Who is connected.
pub(super) struct Crowd {
    seats: Arc<Semaphore>,
    /// The seats of those who are known.
    shares: Shares,
    newcomers: Mutex<Newcomers>,
}

/// Those of whom nothing is known yet, in the order they came in.
#[derive(Default)]
struct Newcomers {
    next: u64,
    waiting: BTreeMap<u64, Arc<Notify>>,
}

/// One connection's seat, until this is dropped.
pub(super) struct Seat {
    crowd: Arc<Crowd>,
    number: u64,
    leave: Arc<Notify>,
    owner: Mutex<Option<(Whose, Taken)>>,
    _seat: Option<OwnedSemaphorePermit>,
}

impl Crowd {
    /// Seats for all; `apart` says whether there are clients that are known apart.
    pub(super) fn new(apart: bool) -> Arc<Self> {
        let seats = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let shares = Shares::new(MAX_CONNECTIONS, apart);
        Arc::new(Self { seats, shares, newcomers: Mutex::default() })
    }

    /// A seat for somebody who has come in. When none is free, the newcomer who came first is told to
    /// leave; when there is no newcomer, everybody here is known, and this one waits.
    pub(super) async fn sit(self: &Arc<Self>) -> Seat {
        let seat = match Arc::clone(&self.seats).try_acquire_owned() {
            Ok(seat) => Ok(seat),
            Err(_) => {
                if let Some((_, first)) = self.newcomers().waiting.pop_first() {
                    first.notify_one();
                }
                Arc::clone(&self.seats).acquire_owned().await
            }
        };
        let leave = Arc::<Notify>::default();
        let mut newcomers = self.newcomers();
        let number = newcomers.next;
        newcomers.next += 1;
        newcomers.waiting.insert(number, Arc::clone(&leave));
        drop(newcomers);
        let crowd = Arc::clone(self);
        // Nobody closes the seats, so that there is one.
        Seat { crowd, number, leave, owner: Mutex::default(), _seat: seat.ok() }
    }

    fn newcomers(&self) -> MutexGuard<'_, Newcomers> {
        // Changed in single steps, so a panic elsewhere left it whole.
        self.newcomers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seat {
    /// Waits until somebody else wants the seat.
    pub(super) async fn wanted(&self) {
        self.leave.notified().await;
    }

    /// Who sits here has shown who they are, and keeps the seat when that client has one left.
    pub(super) fn is_of(&self, whose: &Whose) -> Result<(), Busy> {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        match owner.take() {
            Some((known, taken)) if known == *whose => *owner = Some((known, taken)),
            before => {
                let is_new = self.crowd.newcomers().waiting.contains_key(&self.number);
                if before.is_none() && !is_new {
                    // Somebody else has the seat already.
                    return Err(Busy);
                }
                drop(before);
                *owner = Some((whose.clone(), self.crowd.shares.try_take(whose)?));
                self.crowd.newcomers().waiting.remove(&self.number);
            }
        }
        Ok(())
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.crowd.newcomers().waiting.remove(&self.number);
    }
}

#[cfg(test)]
#[path = "crowd_tests.rs"]
mod tests;
