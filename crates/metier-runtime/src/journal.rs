//! The journal: an append-only file of frames, one JSON object a line, each chained to the one
//! before it.
//!
//! [`Journal`] is what a session writes to. [`FileJournal`] is the real one: several processes may
//! append to one file, under a lock. [`read`] reads a journal back and names the first frame that
//! is not as it was written. Start reading at `frame.rs`, which says what a line looks like.

mod artifact;
mod file;
mod frame;
mod memory;
mod read;
mod turn;

use std::path::PathBuf;

use crate::event::Event;

pub use artifact::{Artifacts, Swept};
pub(crate) use file::content_digest as digest_of;
pub use file::{Durability, FileJournal};
pub use frame::{Frame, FrameError, Ids};
pub use memory::MemoryJournal;
pub use read::{Fault, FaultKind, Reading, read};
pub use turn::Turn;

/// Whether more frames of the same act follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// The intent; the result follows.
    Intent,
    /// The result, or an event that stands alone.
    Result,
}

/// What a session writes to.
pub trait Journal: Send {
    /// Appends `event` and returns its frame. When this fails nothing was recorded, and the act
    /// must not happen.
    fn append(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError>;

    /// Every frame of `session` recorded so far, by whatever process, in order.
    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError>;

    /// How many frames of `session` are recorded so far, by whatever process.
    fn count(&mut self, session: &str) -> Result<u64, JournalError> {
        Ok(self.frames(session)?.len() as u64)
    }
}

/// Why the journal refused.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system said no.
    #[error("cannot {act} the journal `{}`", path.display())]
    Io {
        /// What was tried.
        act: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is not what it was: appending would hide that.
    #[error("the journal `{}` was changed at frame {frame}: {reason}", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The first frame that is wrong, counted from 0.
        frame: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The frame would be longer than a line may be.
    #[error("a frame of {0} bytes is too large for the journal")]
    TooLarge(usize),
}
