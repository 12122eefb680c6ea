//! Turns: whoever decides by what a journal says and then appends to it does both in one turn, so
//! that two processes cannot both activate the same skill, and nobody rules by a stack that another
//! has changed. Only processes that act take turns; those that look do not wait.

use std::fs::{File, TryLockError};
use std::sync::Arc;
use std::time::Duration;

/// How long one waits before the second try; twice as long before each further one, up to
/// [`LONGEST_PAUSE`]. An act takes microseconds unless the disk is waited for.
const FIRST_PAUSE: Duration = Duration::from_micros(50);

/// The longest wait between two tries.
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// How long one waits in all: an act takes milliseconds, so ten seconds mean that somebody hangs.
const PATIENCE: Duration = Duration::from_secs(10);

/// The right to decide and append. It ends when dropped, and with the process, however that ends.
#[derive(Debug)]
pub struct Turn {
    file: Option<Arc<File>>,
}

impl Turn {
    /// A turn on a journal that nobody else can reach.
    #[must_use]
    pub fn alone() -> Self {
        Self { file: None }
    }

    /// Waits for the lock of `file`.
    pub(super) fn take(file: &Arc<File>) -> std::io::Result<Self> {
        Self::take_within(file, PATIENCE)
    }

    fn take_within(file: &Arc<File>, patience: Duration) -> std::io::Result<Self> {
        let (mut waited, mut pause) = (Duration::ZERO, FIRST_PAUSE);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file: Some(Arc::clone(file)) }),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if waited >= patience => {
                    let held = "another process has held it for too long";
                    return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, held));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            waited += pause;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Closing the file releases the lock as well; a failure here cannot lose a frame.
            let _ = file.unlock();
        }
    }
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
