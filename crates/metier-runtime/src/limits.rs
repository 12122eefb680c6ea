//! Every bound of this crate, each with its reason. Reaching one is an outcome, never a crash.

/// Longest line a journal may have, in bytes. A frame refers to large content by digest, so a
/// longer line is damage or an attack.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// Deepest stack of active skills. A skill that activates itself through others ends here.
pub const MAX_STACK: usize = 16;

/// Longest text kept inside a frame; longer ones are stored as artifacts and referred to.
pub const MAX_INLINE_TEXT: usize = 4096;

/// Largest artifact, in bytes.
pub const MAX_ARTIFACT_BYTES: usize = 64 * 1024 * 1024;

/// Most resources named in one activation; the rest are a count.
pub const MAX_LISTED_RESOURCES: usize = 200;

/// Longest arguments an activation takes, in bytes.
pub const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// Most skills one answer lists.
pub const MAX_LISTED_SKILLS: u64 = 100_000;

/// Most frames one answer lists: a page that agents take whole.
pub const MAX_LISTED_FRAMES: u64 = 1000;

/// Most hits of one search. Nobody reads more.
pub const MAX_SEARCH_HITS: u64 = 1000;

/// Hits of a search when nobody says how many.
pub const USUAL_HITS: usize = 10;

/// Largest file of a skill that is read for somebody, in bytes.
pub const MAX_READ_BYTES: u64 = 200_000;
