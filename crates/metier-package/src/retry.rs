//! What is done about what may pass by itself.

use std::time::Duration;

use crate::fetch::FetchError;
use crate::git::Failed;
use crate::git::stderr::Failure;
use crate::limits::RETRY_DELAYS;
use crate::progress::{Step, Tell};

/// How often and after how long something is tried again.
pub struct Retry<'a> {
    /// How long to wait before each further try.
    pub delays: &'a [Duration],
    /// Waits.
    pub sleep: &'a (dyn Fn(Duration) + Sync),
}

impl Default for Retry<'_> {
    fn default() -> Self {
        Self { delays: &RETRY_DELAYS, sleep: &std::thread::sleep }
    }
}

/// One try: what came of it, how it failed, or that trying makes no sense.
pub(crate) type Tried<T> = Result<Result<T, Failed>, FetchError>;

impl Retry<'_> {
    /// Tries until it works, until it fails in a way that does not pass, or until the last delay.
    pub(crate) fn persist<T>(&self, tell: Tell<'_>, attempt: &dyn Fn() -> Tried<T>) -> Tried<T> {
        let mut delays = self.delays.iter();
        loop {
            let failed = match attempt()? {
                Ok(done) => return Ok(Ok(done)),
                Err(failed) => failed,
            };
            let passes = matches!(failed.failure, Failure::Transient | Failure::RateLimited);
            let Some(delay) = delays.next().filter(|_| passes) else { return Ok(Err(failed)) };
            tell(Step::Retrying { reason: &failed.detail, after: *delay });
            (self.sleep)(*delay);
        }
    }
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
