//! The other side: a program that was started again under another name to build the walls.
//!
//! Between `fork` and `exec` of a program with threads almost nothing may be done safely. So the
//! runner executes its own program afresh, and that copy, with one thread and nothing inherited,
//! sets up namespaces, mounts, Landlock and seccomp in ordinary code.
//!
//! ```text
//! runner ──► supervisor ──► init ──► child        with namespaces; init is process 1 in there
//! runner ──► supervisor ──► child                 without; the supervisor adopts all orphans
//! ```
//!
//! The supervisor holds one end of a socket whose other end only the runner has. When the runner
//! ends in whatever way, the socket closes, and the supervisor ends the tree and removes the private
//! directory. Start reading at `supervisor.rs`; `inside.rs` is what happens to the child itself.

mod bubblewrap;
pub(crate) mod group;
mod init;
mod inside;
mod landlock;
mod mounts;
mod privileges;
mod sample;
pub(crate) mod scratch;
mod seccomp;
mod supervisor;
mod sweep;
mod sys;

use std::io;
use std::process::ExitCode;

use crate::backend::Support;
use crate::wire::{Failure, INNER, MARKER};

/// Becomes the helper when the program was started as one. A program that uses
/// [`Runner`](crate::Runner) calls this before anything else in `main`, in particular before it
/// starts a thread, and returns the code when there is one.
#[must_use]
pub fn helper_main() -> Option<ExitCode> {
    let name = std::env::args_os().next()?;
    if name == INNER {
        return Some(bubblewrap::inner());
    }
    (name == MARKER).then(supervisor::main)
}

/// What can be seen of this system without starting anything.
pub(crate) fn visible_support() -> Support {
    Support {
        landlock: sys::landlock_version(),
        seccomp: seccomp::SUPPORTED && sys::knows_filters(),
        namespaces_problem: None,
        pid_max: false,
        control_groups: None,
        bubblewrap: None,
        superuser: rustix::process::geteuid().is_root() || rustix::process::getuid().is_root(),
    }
}

/// A step that failed, with its name.
#[derive(Debug)]
struct Broken {
    step: String,
    source: io::Error,
    start: bool,
}

impl Broken {
    fn failure(self) -> Failure {
        let errno = self.source.raw_os_error().unwrap_or(libc::EIO);
        Failure { step: self.step, errno, start: self.start }
    }
}

/// Names the step that a result belongs to.
trait Step<T> {
    fn step(self, step: &str) -> Result<T, Broken>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, step: &str) -> Result<T, Broken> {
        self.map_err(|error| Broken { step: step.to_owned(), source: error.into(), start: false })
    }
}
