//! Turns: how much is done at once for all clients of a server, by whichever door they came in. Who
//! finds none free waits a while and is told to come again then.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::{CALL_PATIENCE, MAX_CALLS, MAX_CLOSE_LOOKS};

/// What is done at once.
pub(crate) struct Turns {
    /// Operations and questions.
    pub(crate) calls: Arc<Semaphore>,
    /// Those of them that read every file of a skill.
    close: Arc<Semaphore>,
}

/// Leave to do something, until it is dropped.
pub(crate) struct Turn {
    _call: OwnedSemaphorePermit,
    _close: Option<OwnedSemaphorePermit>,
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
        }
    }
}

impl Turns {
    /// A turn for what is quick.
    pub(crate) async fn call(&self) -> Result<Turn, Busy> {
        Ok(Turn { _call: permit(&self.calls, CALL_PATIENCE).await?, _close: None })
    }

    /// A turn for what reads every file of a skill. Whoever waits for it takes nobody else's.
    pub(crate) async fn close_look(&self) -> Result<Turn, Busy> {
        let close = permit(&self.close, CALL_PATIENCE).await?;
        Ok(Turn { _call: permit(&self.calls, CALL_PATIENCE).await?, _close: Some(close) })
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
