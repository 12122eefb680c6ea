//! Every bound of this crate, each with its reason: first those of fetching, where reaching one is a
//! refusal with a code, then those of keeping.

use std::time::Duration;

/// Longest reference a person can type, in bytes. Longer than any URL a browser shows.
pub const MAX_REFERENCE_BYTES: usize = 2048;

/// Longest name of a branch or tag, in bytes; what a file system takes for one.
pub const MAX_REF_BYTES: usize = 255;

/// Longest name of one file or directory, in bytes. Every file system in use takes this.
pub const MAX_COMPONENT_BYTES: usize = 255;

/// Longest path inside a skill, in bytes. Leaves room for where the skill will lie below the 4,096
/// of the kernel, and the longest seen in real skills is under 200.
pub const MAX_PATH_BYTES: usize = 1024;

/// Levels of directories inside a skill, as far as its digest is taken.
pub const MAX_DEPTH: usize = 32;

/// Files and directories in one skill. The largest real skill has some 1,200.
pub const MAX_ENTRIES: usize = 10_000;

/// Files and directories of one local directory, repository or archive that are looked at.
pub const MAX_SOURCE_ENTRIES: usize = 200_000;

/// Levels below a local directory that are looked at: those of discovery and those of a skill.
pub const MAX_SOURCE_DEPTH: usize = 48;

/// Largest file of a skill. Held in memory once while it is written.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// Largest skill, all files together.
pub const MAX_TOTAL_BYTES: u64 = 256 << 20;

/// Largest archive file.
pub const MAX_ARCHIVE_BYTES: u64 = 256 << 20;

/// Members of one gzip file. Programs that pack in blocks begin one every 64 KiB, which makes 4,096 in
/// the largest archive; an empty one costs 20 bytes and the setting up of a decoder.
pub const MAX_GZIP_MEMBERS: usize = 1 << 16;

/// What one byte of an archive may become. Text shrinks to a tenth, and deflate cannot do better
/// than 1,032, which only a bomb gets near to.
pub const MAX_RATIO: u64 = 200;

/// Bytes that are never called a bomb, however well they were compressed.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;

/// Bytes of a plugin's or marketplace's manifest that are read. Real ones have a few kilobytes.
pub const MAX_PLUGIN_BYTES: u64 = 1 << 20;

/// Directories one plugin manifest may name.
pub const MAX_PLUGIN_PATHS: usize = 1024;

/// Files called `SKILL.md` in one source. The largest collections have some ten thousand.
pub const MAX_SKILLS: usize = 20_000;

/// Bytes of objects asked of git at once, which are held in memory.
pub const OBJECT_BATCH_BYTES: u64 = 32 << 20;

/// Bytes of a tree's listing: some six hundred thousand files.
pub const MAX_LISTING_BYTES: u64 = 64 << 20;

/// Bytes of git's list of a server's references: some million of them.
pub const MAX_REFS_BYTES: u64 = 64 << 20;

/// Files of a repository up to which all of them are asked for at once rather than only those that
/// turn out to be wanted: one more trip to the server costs more than they do.
pub const SMALL_REPOSITORY_FILES: usize = 256;

/// Largest pack git may write. A repository's newest state without history; beyond it somebody
/// keeps films beside their skills.
pub const MAX_PACK_BYTES: u64 = 2 << 30;

/// How long one conversation with a server may take.
pub const REMOTE_SECONDS: u64 = 300;

/// How long reading from the cache may take.
pub const LOCAL_SECONDS: u64 = 60;

/// Bytes that must stay free on a disk beside what is about to be written, for everybody else.
pub const SPARE_BYTES: u64 = 16 << 20;

/// How long to wait before each further try of what may pass by itself. Four tries in some eight
/// seconds: a restarting proxy is back by then, and a person still waits.
pub const RETRY_DELAYS: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(2), Duration::from_secs(5)];

/// How often the size of what arrives is told.
pub const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

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

/// Bytes of a file that is compared line by line; a longer one is only named. No person reads more.
pub const MAX_COMPARED_BYTES: u64 = 256 * 1024;

/// Files of one skill that are compared line by line; the others are only named.
pub const MAX_COMPARED_FILES: usize = 64;

/// Lines of two texts compared at most. Longer texts are shown as replaced whole.
pub const MAX_DIFF_LINES: usize = 20_000;

/// Edits between two texts that are looked for. Texts further apart are shown as replaced whole.
pub const MAX_DIFF_EDITS: usize = 1000;

/// How much older than the look at it a file's times must be to be believed later. Clocks of file
/// systems tick up to every ten milliseconds, some only every two seconds.
pub const RACY_NANOSECONDS: i128 = 2_000_000_000;

/// Names in one agent's directory that are looked at for links: more than any agent could show.
pub const MAX_AGENT_ENTRIES: usize = 10_000;

/// Bytes of another tool's record that are read: a thousand times what they usually have.
pub const MAX_FOREIGN_BYTES: u64 = 4 << 20;

/// Skills of another tool's record that are looked at.
pub const MAX_FOREIGN_SKILLS: usize = 10_000;

/// Bytes copied at once.
pub const COPY_BYTES: usize = 256 * 1024;

/// Bytes read at a time when the last line's end is looked for from the end of a file: most lines of
/// notes and approvals are shorter.
pub const TAIL_BYTES: u64 = 4096;

/// Names tried for a draft before giving up.
pub const MAX_DRAFT_NAMES: u32 = 10_000;

/// Largest index read, in bytes: ten thousand skills with long descriptions.
pub const MAX_INDEX_BYTES: usize = 8 * 1024 * 1024;

/// Skills of one index that are listed.
pub const MAX_INDEX_SKILLS: usize = 10_000;

/// Longest description of a listed skill that is kept, in characters: what the standard allows.
pub const MAX_INDEX_DESCRIPTION: usize = 1024;

/// Things wrong with one index that are named; the rest are a count.
pub const MAX_INDEX_PROBLEMS: usize = 100;

/// Indexes one home may have.
pub const MAX_INDEXES: usize = 100;

/// Longest name of an index.
pub const MAX_INDEX_NAME: usize = 64;

/// Files of one skill of an MCP server. The extension has every host take 512.
pub const MAX_SERVED_FILES: usize = 2048;

/// Bytes of all files of one skill of an MCP server. The extension has every host take 16 MiB; one
/// file is held in memory as JSON while it is read.
pub const MAX_SERVED_BYTES: u64 = 32 << 20;

/// Pages of an MCP server's list: all skills of an index in pages of forty, and a list without end is
/// over in seconds, since each page is a request.
pub const MAX_SERVED_PAGES: usize = 256;

/// Pages without a skill, one behind the other, after which nobody asks for more.
pub const MAX_EMPTY_PAGES: usize = 8;

/// Longest address of a skill's file at an MCP server: its longest path, every byte escaped.
pub const MAX_URI_BYTES: usize = 4096;

/// Longest mark of a page, which is sent back to the server as it came.
pub const MAX_CURSOR_BYTES: usize = 4096;

/// Characters of what a server says about its failure that are passed on.
pub const MAX_SAID_BYTES: usize = 500;

/// Words of a command that starts a server, and bytes of all of them: what a person types.
pub const MAX_COMMAND_WORDS: usize = 64;

/// Bytes of all words of a command that starts a server.
pub const MAX_COMMAND_BYTES: usize = 8192;
