//! Turns: how much is done at once for all clients of a server, by whichever door they came in. Who
//! finds none free waits a while and is told to come again then.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::{CALL_PATIENCE, MAX_CALLS, MAX_CLOSE_LOOKS, MAX_FILE_READS};

/// What is done at once.
pub(crate) struct Turns {
    /// Operations and questions.
    pub(crate) calls: Arc<Semaphore>,
    /// Those of them that read every file of a skill.
    close: Arc<Semaphore>,
    /// Those of them that read one file, however large.
    files: Arc<Semaphore>,
}

/// Leave to do something, until it is dropped.
pub(crate) struct Turn {
    _call: OwnedSemaphorePermit,
    _rare: Option<OwnedSemaphorePermit>,
}

/// No turn came up in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too much is asked at once; try again")]
pub(crate) struct Busy;

impl Default for Turns {
    fn default() -> Self {
        Self {
            calls: Arc::new(Semaphore::new(MAX_CALLS)),
            close: Arc::new(Semaphore::new(MAX_CLOSE_LOOKS)),
            files: Arc::new(Semaphore::new(MAX_FILE_READS)),
        }
    }
}

impl Turns {
    /// A turn for what is quick.
    pub(crate) async fn call(&self) -> Result<Turn, Busy> {
        Ok(Turn { _call: permit(&self.calls, CALL_PATIENCE).await?, _rare: None })
    }

    /// A turn for what reads every file of a skill. Whoever waits for it takes nobody else's.
    pub(crate) async fn close_look(&self) -> Result<Turn, Busy> {
        self.rare(&self.close).await
    }

    /// A turn for what reads one file of a skill.
    pub(crate) async fn file(&self) -> Result<Turn, Busy> {
        self.rare(&self.files).await
    }

    async fn rare(&self, few: &Arc<Semaphore>) -> Result<Turn, Busy> {
        let rare = Some(permit(few, CALL_PATIENCE).await?);
        Ok(Turn { _call: permit(&self.calls, CALL_PATIENCE).await?, _rare: rare })
    }
}

async fn permit(of: &Arc<Semaphore>, patience: Duration) -> Result<OwnedSemaphorePermit, Busy> {
    match timeout(patience, Arc::clone(of).acquire_owned()).await {
        Ok(Ok(permit)) => Ok(permit),
        // Nobody closes it, so that time is all that runs out.
        Ok(Err(_)) | Err(_) => Err(Busy),
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
