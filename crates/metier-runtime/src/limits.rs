//! Every bound of this crate, each with its reason. Reaching one is an outcome, never a crash.

/// Longest line a journal may have, in bytes. A frame refers to large content by digest, so a
/// longer line is damage or an attack.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// Deepest stack of active skills. A skill that activates itself through others ends here.
pub const MAX_STACK: usize = 16;

/// Longest text kept inside a frame; longer ones are stored as artifacts and referred to.
pub const MAX_INLINE_TEXT: usize = 4096;

/// Most bytes of text of one call kept inside a frame. Written as JSON a byte takes at most six, so
/// a frame with this much is less than half of [`MAX_FRAME_BYTES`].
pub const MAX_INLINE_BYTES: usize = 64 * 1024;

/// Most items of one list or object of a call kept inside a frame.
pub const MAX_INLINE_ITEMS: usize = 200;

/// Most reasons of one ruling kept inside a frame. A command line of a thousand commands has one
/// each, and the strictest come first.
pub const MAX_REASONS: usize = 32;

/// Largest artifact, in bytes.
pub const MAX_ARTIFACT_BYTES: usize = 64 * 1024 * 1024;

/// Most resources named in one activation; the rest are a count.
pub const MAX_LISTED_RESOURCES: usize = 200;

/// Longest arguments an activation takes, in bytes.
pub const MAX_ARGUMENT_BYTES: usize = 64 * 1024;

/// Frames after which the journal's checkpoint is written anew. A process that lives for one call
/// reads half as many on average, at some microseconds each, and one in so many pays for a small
/// file.
pub const CHECKPOINT_EVERY: u64 = 64;

/// Largest checkpoint, in bytes: some ten thousand sessions in one journal. With more, every
/// opening reads the whole journal.
pub const MAX_CHECKPOINT_BYTES: usize = 8 * 1024 * 1024;

/// Most events on one span of an export; how many more there were is said. A span goes to a
/// collector whole, and with this many it stays below a megabyte.
pub const MAX_SPAN_EVENTS: usize = 2000;
