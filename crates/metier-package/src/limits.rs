//! Every bound of this crate, each with its reason. Reaching one is an outcome, never a crash.

use std::time::Duration;

/// Largest lockfile read, in bytes. An entry of a usual skill takes a kilobyte; ten thousand of them
/// fit.
pub const MAX_LOCK_BYTES: u64 = 16 * 1024 * 1024;

/// Largest list of approvals read, in bytes: some hundred thousand acts of a person.
pub const MAX_APPROVAL_BYTES: u64 = 64 * 1024 * 1024;

/// Largest file of metier's own records (receipts, generations, an act in progress), in bytes.
pub const MAX_RECORD_BYTES: u64 = 64 * 1024 * 1024;

/// Skills one lockfile may have.
pub const MAX_LOCKED_SKILLS: usize = 100_000;

/// Generations of one skill that are kept to go back to.
pub const MAX_GENERATIONS: usize = 10;

/// Files written one by one to the disk before one call for the whole file system is quicker.
pub const MAX_SINGLE_SYNCS: usize = 64;

/// How long one waits between two tries for a turn.
pub const TURN_PAUSE: Duration = Duration::from_millis(5);

/// How often one tries: an act takes milliseconds, so a minute means that somebody hangs.
pub const TURN_TRIES: u32 = 12_000;

/// Differences named in one answer; the rest are a count.
pub const MAX_DIFFERENCES: usize = 20;

/// Lines of two texts compared at most. Longer texts are shown as replaced whole.
pub const MAX_DIFF_LINES: usize = 20_000;

/// Edits between two texts that are looked for. Texts further apart are shown as replaced whole.
pub const MAX_DIFF_EDITS: usize = 1000;

/// How much older than the look at it a file's times must be to be believed later. Clocks of file
/// systems tick up to every ten milliseconds, some only every two seconds.
pub const RACY_NANOSECONDS: i128 = 2_000_000_000;

/// Bytes copied at once.
pub const COPY_BYTES: usize = 256 * 1024;

/// Names tried for a draft before giving up.
pub const MAX_DRAFT_NAMES: u32 = 10_000;
