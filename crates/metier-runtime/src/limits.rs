//! Every bound of this crate, each with its reason. Reaching one is an outcome, never a crash.

/// Longest line a journal may have, in bytes. A frame refers to large content by digest, so a
/// longer line is damage or an attack.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// Longest name of a session, in bytes. A file is called like it, and a file's name has 255.
pub const MAX_SESSION_NAME_BYTES: usize = 128;

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

/// Most collisions named when a catalog is recorded; the rest are a count. A name may have a kilobyte,
/// so that this many fit a frame with room to spare, and nobody reads as many warnings.
pub const MAX_COLLISIONS: usize = 64;

/// Largest artifact, in bytes.
pub const MAX_ARTIFACT_BYTES: usize = 64 * 1024 * 1024;

/// Most resources named in one activation; the rest are a count.
pub const MAX_LISTED_RESOURCES: usize = 200;

/// Trees whose files' digests a session remembers, so that not every file that is read has its whole
/// skill read again. As many as can be active, and a tree of ten thousand files takes a megabyte.
pub const MAX_KNOWN_TREES: usize = MAX_STACK;

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

/// Largest file of a skill that is read for somebody as a whole, in bytes.
pub const MAX_READ_BYTES: u64 = 200_000;

/// Largest file of a skill of which parts are read, in bytes: as large as the MCP skills extension
/// has a whole skill.
pub const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Most arguments a script is given; agent-base has the same bound.
pub const MAX_SCRIPT_ARGS: usize = 100;

/// Bytes of all arguments of a script together.
pub const MAX_SCRIPT_ARG_BYTES: usize = 4096;

/// Largest script that is run, in bytes. It is read whole for its digest; a compiled program fits.
pub const MAX_SCRIPT_BYTES: u64 = 64 * 1024 * 1024;

/// Longest first line of a script that is read as the name of its interpreter. The kernel's own
/// bound is shorter.
pub const MAX_SHEBANG_BYTES: usize = 1024;

/// Longest metadata block of a Python script. Real ones have a few hundred bytes.
pub const MAX_SCRIPT_METADATA_BYTES: usize = 64 * 1024;

/// Seconds a script may ask for at most where no policy says less. A call that waits longer has
/// lost its caller.
pub const MAX_SCRIPT_SECONDS: u64 = 600;

/// Largest wheel a skill may bring, and largest file that fixes versions: the largest package a skill
/// could carry.
pub const MAX_WHEEL_BYTES: u64 = 64 << 20;

/// Seconds that providing a script's dependencies may take: a cold download of a few hundred MiB.
pub const PREPARE_SECONDS: u64 = 300;

/// Bytes that the dependencies of a script may take, when its skill was approved: a few of the
/// largest packages there are.
pub const MAX_PREPARED_BYTES: u64 = 4 << 30;

/// The same for a skill that nobody approved, which has only the wheels that lie in it.
pub const MAX_UNAPPROVED_BYTES: u64 = 512 << 20;

/// Files and directories that the dependencies of a script may have.
pub const MAX_PREPARED_ENTRIES: u64 = 500_000;

/// Environments that are kept. The one made first goes when there are more.
pub const MAX_ENVIRONMENTS: usize = 64;

/// Milliseconds between two looks at how much uv has written.
pub const QUOTA_SAMPLE_MS: u64 = 500;

/// Seconds a hook may take. Somebody waits for the skill meanwhile.
pub const HOOK_SECONDS: u64 = 30;

/// Seconds `--help` may take once dependencies are there.
pub const HELP_SECONDS: u64 = 30;

/// Bytes of help text that are kept.
pub const MAX_HELP_BYTES: u64 = 64 * 1024;

/// Characters of standard error that a failure quotes, from its end.
pub const STDERR_TAIL_CHARS: usize = 500;

/// Characters of unexpected output that a failure quotes, from its beginning.
pub const OUTPUT_HEAD_CHARS: usize = 200;

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

/// Search indexes a finder keeps: one for each kind of client that a server tells apart. An index
/// is about as large as the texts it is of.
pub const MAX_KEPT_INDEXES: usize = 8;
