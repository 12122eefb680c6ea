//! Ctrl-C while files are being written. Everywhere else the system's own answer, ending the
//! process, is right; where something half-done would stay behind, the work is asked to stop. A
//! question that waits for an answer is never in the way of that: [`answer`].

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use metier_sandbox::Cancel;
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::env;
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
            Self(noted()).register()?;
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
        match self.0.load(Ordering::Relaxed) {
            true => Err(interrupted()),
            false => Ok(()),
        }
    }
}

/// The next line somebody types, none at the end of all typing. Whoever presses Ctrl-C instead, or
/// did so before they were asked, said no to everything: the command ends, and nothing is changed.
pub(crate) fn answer() -> Result<Option<String>, CommandError> {
    match typed_or_stopped() {
        Ok(true) => Ok(env::typed_line()),
        Ok(false) => Err(interrupted()),
        Err(error) => Err(CommandError::failed(WatchError(error))),
    }
}

/// Waits for something to be typed, which is true, or for a signal, which is false.
fn typed_or_stopped() -> io::Result<bool> {
    let (signalled, signal) = UnixStream::pair()?;
    let mut watches = Watches(Vec::new());
    for number in [SIGINT, SIGTERM] {
        watches.0.push(signal_hook::low_level::pipe::register(number, signal.try_clone()?)?);
    }
    if noted().load(Ordering::Relaxed) {
        return Ok(false);
    }
    let stdin = io::stdin();
    let mut both = [PollFd::new(&signalled, PollFlags::IN), PollFd::new(&stdin, PollFlags::IN)];
    loop {
        match poll(&mut both, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let [stopped, typed] = &both;
        match (stopped.revents().is_empty(), typed.revents().is_empty()) {
            (false, _) => return Ok(false),
            (true, false) => return Ok(true),
            (true, true) => {}
        }
    }
}

/// Watches that last as long as a question does.
struct Watches(Vec<SigId>);

impl Drop for Watches {
    fn drop(&mut self) {
        for watch in self.0.drain(..) {
            signal_hook::low_level::unregister(watch);
        }
    }
}

/// Whether the process was asked to stop while it watched for that.
fn noted() -> Arc<AtomicBool> {
    static NOTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    Arc::clone(NOTED.get_or_init(Arc::default))
}

fn interrupted() -> CommandError {
    CommandError::new(Kind::Interrupted, "interrupted")
}

#[cfg(test)]
#[path = "interrupt_tests.rs"]
mod tests;
