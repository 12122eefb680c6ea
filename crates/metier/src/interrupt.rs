//! Ctrl-C while files are being written. Everywhere else the system's own answer, ending the
//! process, is right; where something half-done would stay behind, the work is asked to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_sandbox::Cancel;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::error::{CommandError, Kind};

/// The signals cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch for Ctrl-C")]
struct WatchError(#[source] io::Error);

/// Whether the user asked to stop since the watch began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, Ctrl-C and a request to terminate are noted instead of obeyed. A second one
    /// ends the process at once.
    pub(crate) fn watch() -> Result<Self, CommandError> {
        let interrupt = Self::default();
        match interrupt.register() {
            Ok(()) => Ok(interrupt),
            Err(error) => Err(CommandError::failed(WatchError(error))),
        }
    }

    fn register(&self) -> io::Result<()> {
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&self.0))?;
            signal_hook::flag::register(signal, Arc::clone(&self.0))?;
        }
        // A file larger than the user's limit is then an error of the write, which cleans up.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        Ok(())
    }

    /// From now on, the first Ctrl-C or request to terminate throws the switch it gives, and a
    /// second one ends the process at once.
    pub(crate) fn cancel() -> Result<Cancel, CommandError> {
        let cancel = Cancel::new().map_err(|error| CommandError::failed(WatchError(error)))?;
        let thrown = cancel.clone();
        Self::then(move || thrown.cancel())?;
        Ok(cancel)
    }

    /// From now on, the first Ctrl-C or request to terminate has this done, and a second one ends
    /// the process at once.
    pub(crate) fn then(act: impl FnOnce() + Send + 'static) -> Result<(), CommandError> {
        let start = || -> io::Result<()> {
            Self::default().register()?;
            let mut signals = Signals::new([SIGINT, SIGTERM])?;
            std::thread::Builder::new().name("interrupt".to_owned()).spawn(move || {
                if signals.forever().next().is_some() {
                    act();
                }
            })?;
            Ok(())
        };
        start().map_err(|error| CommandError::failed(WatchError(error)))
    }

    /// An error once the user asked to stop.
    pub(crate) fn check(&self) -> Result<(), CommandError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(CommandError::new(Kind::Interrupted, "interrupted"));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "interrupt_tests.rs"]
mod tests;
