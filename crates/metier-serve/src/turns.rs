//! Turns: how much is done at once for all clients of a server, by whichever door they came in. Who
//! finds none free waits a while and is told to come again then. No client has the turns of all.

use tokio::time::Instant;

use crate::limits::{CALL_PATIENCE, MAX_CALLS, MAX_CLOSE_LOOKS, MAX_FILE_READS, MAX_LARGE_READS};
use crate::shares::{Shares, Taken, Whose};

/// What is done at once.
pub(crate) struct Turns {
    /// Operations and questions.
    calls: Shares,
    /// Those of them that read every file of a skill.
    close: Shares,
    /// Those of them that read one file, however large.
    files: Shares,
    /// Messages that are large.
    large: Shares,
}

/// Leave to do something, until it is dropped.
pub(crate) struct Turn {
    _call: Taken,
    _rare: Option<Taken>,
}

/// No turn came up in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much is asked at once; try again")]
pub(crate) struct Busy;

impl Turns {
    /// Turns for all clients; `apart` says whether there are some that are known apart.
    pub(crate) fn new(apart: bool) -> Self {
        Self {
            calls: Shares::new(MAX_CALLS, apart),
            close: Shares::new(MAX_CLOSE_LOOKS, apart),
            files: Shares::new(MAX_FILE_READS, apart),
            large: Shares::new(MAX_LARGE_READS, apart),
        }
    }

    /// A turn for what is quick.
    pub(crate) async fn call(&self, whose: &Whose) -> Result<Turn, Busy> {
        Ok(Turn { _call: one(&self.calls, whose).await?, _rare: None })
    }

    /// A turn for what reads every file of a skill. Whoever waits for it takes nobody else's.
    pub(crate) async fn close_look(&self, whose: &Whose) -> Result<Turn, Busy> {
        self.rare(&self.close, whose).await
    }

    /// A turn for what reads one file of a skill.
    pub(crate) async fn file(&self, whose: &Whose) -> Result<Turn, Busy> {
        self.rare(&self.files, whose).await
    }

    async fn rare(&self, few: &Shares, whose: &Whose) -> Result<Turn, Busy> {
        let rare = Some(one(few, whose).await?);
        Ok(Turn { _call: one(&self.calls, whose).await?, _rare: rare })
    }

    /// A turn to read a message that is large, and to have it in memory.
    pub(crate) async fn large_read(&self, whose: &Whose) -> Result<Taken, Busy> {
        one(&self.large, whose).await
    }

    /// Whether nothing is done.
    pub(crate) fn is_idle(&self) -> bool {
        self.calls.is_untouched()
    }
}

async fn one(of: &Shares, whose: &Whose) -> Result<Taken, Busy> {
    of.take(whose, 1, Instant::now() + CALL_PATIENCE).await
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
