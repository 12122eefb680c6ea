//! Ctrl-C while files are being written. Everywhere else the system's own answer, ending the
//! process, is right; where something half-done would stay behind, the work is asked to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::error::{CommandError, Kind};

/// Whether the user asked to stop since the watch began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on, Ctrl-C and a request to terminate are noted instead of obeyed. A second one
    /// ends the process at once.
    pub(crate) fn watch() -> io::Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&flag))?;
            signal_hook::flag::register(signal, Arc::clone(&flag))?;
        }
        Ok(Self(flag))
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
