//! Something there is only so much of, of which no client takes all: each that is known by a token of
//! its own may have a part, and whoever has none of their own another such part between them. Where
//! nobody is known apart there is one client, who may have everything.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::turns::Busy;

/// The part that one of several clients may have.
const PART: usize = 4;

/// Whose something is: a section of the settings, or nobody's in particular.
pub(crate) type Whose = Option<Arc<str>>;

/// All there is of it.
pub(crate) struct Shares {
    all: Arc<Semaphore>,
    most: usize,
    /// How many one client may have.
    share: usize,
    /// What is left of each client's part. Only clients of the settings are here.
    parts: Mutex<BTreeMap<Whose, Arc<Semaphore>>>,
}

/// Some of it, until this is dropped: of the client's part, and of all.
#[derive(Debug)]
pub(crate) struct Taken {
    mine: OwnedSemaphorePermit,
    ours: OwnedSemaphorePermit,
}

impl Shares {
    /// As many as `most`. `apart` says whether there are clients that are known apart.
    pub(crate) fn new(most: usize, apart: bool) -> Self {
        let share = if apart { (most / PART).max(1) } else { most };
        Self { all: Arc::new(Semaphore::new(most)), most, share, parts: Mutex::default() }
    }

    /// Whether nobody has any.
    pub(crate) fn is_untouched(&self) -> bool {
        self.all.available_permits() == self.most
    }

    /// Takes so many for a client, all at once, and waits for them until `end`. Who waits for their own
    /// part has nothing of what is others'.
    pub(crate) async fn take(
        &self,
        whose: &Whose,
        many: usize,
        end: Instant,
    ) -> Result<Taken, Busy> {
        let many = u32::try_from(many.min(self.share)).map_err(|_| Busy)?;
        let part = self.part(whose);
        // Nobody closes them, so that time is all that runs out.
        let mine = timeout_at(end, part.acquire_many_owned(many)).await;
        let mine = mine.map_err(|_| Busy)?.map_err(|_| Busy)?;
        let ours = timeout_at(end, Arc::clone(&self.all).acquire_many_owned(many)).await;
        let ours = ours.map_err(|_| Busy)?.map_err(|_| Busy)?;
        Ok(Taken { mine, ours })
    }

    /// Takes one for a client, when there is one now.
    pub(crate) fn try_take(&self, whose: &Whose) -> Result<Taken, Busy> {
        let mine = self.part(whose).try_acquire_owned().map_err(|_| Busy)?;
        let ours = Arc::clone(&self.all).try_acquire_owned().map_err(|_| Busy)?;
        Ok(Taken { mine, ours })
    }

    /// How many nobody has.
    #[cfg(test)]
    pub(crate) fn left(&self) -> usize {
        self.all.available_permits()
    }

    fn part(&self, whose: &Whose) -> Arc<Semaphore> {
        // A panic elsewhere left a client in the table or not.
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Semaphore::new(self.share));
        Arc::clone(parts.entry(whose.clone()).or_insert_with(new))
    }
}

impl Taken {
    /// Gives back what is more than `many`.
    pub(crate) fn keep(&mut self, many: usize) {
        for permit in [&mut self.mine, &mut self.ours] {
            drop(permit.split(permit.num_permits().saturating_sub(many)));
        }
    }
}

#[cfg(test)]
#[path = "shares_tests.rs"]
mod tests;
