//! A way to end a run from another thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::EventfdFlags;

/// A switch that any number of threads can hold. Once thrown it stays thrown.
#[derive(Debug, Clone)]
pub struct Cancel(Option<Arc<OwnedFd>>);

impl Cancel {
    /// A switch that can be thrown.
    ///
    /// # Errors
    /// When the process has no descriptor left.
    pub fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Self(Some(Arc::new(rustix::event::eventfd(0, flags)?))))
    }

    /// A switch nobody can throw.
    #[must_use]
    pub fn never() -> Self {
        Self(None)
    }

    /// Throws the switch: every run that was given it ends.
    pub fn cancel(&self) {
        if let Some(fd) = &self.0 {
            // Full means thrown very often already.
            let _ = rustix::io::write(fd, &1_u64.to_ne_bytes());
        }
    }

    /// Whether the switch was thrown.
    #[must_use]
    pub fn is_thrown(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ready = |fd| poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::IN)], Some(&now));
        self.fd().is_some_and(|fd| ready(fd).is_ok_and(|count| count > 0))
    }

    /// Readable once the switch is thrown.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|fd| fd.as_fd())
    }
}
