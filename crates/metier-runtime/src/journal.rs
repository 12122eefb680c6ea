//! The journal: an append-only file of frames, one JSON object a line, each chained to the one
//! before it.
//!
//! [`Journal`] is what a session writes to. [`FileJournal`] is the real one: several processes may
//! append to one file, each in its [`Turn`], and a checkpoint beside it keeps opening short.
//! [`read`] reads a journal back from its first line and names the first frame that is not as it
//! was written. Start reading at `frame.rs`, which says what a line looks like, then `chain.rs`.

mod artifact;
mod chain;
mod checkpoint;
mod file;
mod frame;
mod memory;
mod read;
mod turn;

use std::path::PathBuf;
use std::sync::Arc;

use crate::event::Event;
use crate::state::State;

pub use artifact::{Artifacts, Collected, Collection, Kept};
pub(crate) use artifact::{USED_NOW, write_whole};
pub(crate) use file::content_digest as digest_of;
pub use file::{Durability, FileJournal, files_of};
pub use frame::{Frame, FrameError, Ids};
pub use memory::MemoryJournal;
pub use read::{Fault, FaultKind, Followed, Reading, read, read_bytes};
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
    /// Waits for a turn and catches up with what others recorded. Until it is dropped nobody else
    /// appends; a turn asked for within a turn is the same one.
    fn turn(&mut self) -> Result<Arc<Turn>, JournalError>;

    /// Appends `event` and returns its frame, in a turn of its own unless there is one. When this
    /// fails nothing was recorded, and the act must not happen.
    fn append(&mut self, ids: &Ids, event: &Event, beat: Beat) -> Result<Frame, JournalError>;

    /// The state of `session` as of the last turn, by whatever process it was recorded; none when
    /// it has that many frames, so that nothing is new.
    fn news(&mut self, session: &str, frames: u64) -> Option<State>;

    /// Every frame of `session` recorded so far, by whatever process, in order.
    fn frames(&mut self, session: &str) -> Result<Vec<Frame>, JournalError>;
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
    /// The file is not there, and was once.
    #[error("the journal `{}` is gone, and with it {frames} {}", path.display(), if *frames == 1 { "frame" } else { "frames" })]
    Gone {
        /// The file.
        path: PathBuf,
        /// How many, as far as is known.
        frames: u64,
    },
    /// The frame would be longer than a line may be.
    #[error("a frame of {0} bytes is too large for the journal")]
    TooLarge(usize),
}
