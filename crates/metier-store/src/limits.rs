//! Every bound of this crate, each with its reason. Reaching one is reported, never silent.

use std::time::Duration;

/// Directory levels below a root that are looked into. The standard's guide suggests four to six.
pub const MAX_DEPTH: usize = 6;

/// Directories looked into per root before the walk stops and says so.
pub const MAX_DIRECTORIES: usize = 200_000;

/// The largest number of directories per root that can be asked for. Keeps every level of a walk
/// within 4 GiB of paths.
pub const MAX_DIRECTORIES_SETTING: usize = 1_000_000;

/// Roots one store may have. The client table has a few dozen; past this a list of roots is a
/// mistake.
pub const MAX_ROOTS: usize = 1024;

/// Threads one scan may use. The kernel's own locks are the limit long before this.
pub const MAX_THREADS: usize = 16;

/// Directories a thread must have to itself before starting it pays: starting one costs what
/// looking at about twenty directories does.
pub const DIRECTORIES_PER_THREAD: usize = 64;

/// The same where nearly all of them are remembered: a look at a stamp costs a tenth of reading, and
/// each thread has memory of its own to be paid for. Two for a thousand save an eighth of a hook's time.
pub const REMEMBERED_PER_THREAD: usize = 400;

/// Remembered files that a thread looks at before it asks for more: what two threads wait for each other
/// at the end is less than a look at so many.
pub(crate) const LOOKS_AT_ONCE: usize = 32;

/// Directories that cannot be read, named per root. Past this they are counted.
pub const MAX_NOTES: usize = 1000;

/// Bytes read from a `SKILL.md` at first. Real frontmatter is a few hundred bytes, and one page
/// costs the kernel no more than one byte.
pub const PREFIX_BYTES: usize = 4096;

/// Bytes of directory entries asked for at once. Larger gains nothing measurable.
pub const LISTING_BYTES: usize = 32 * 1024;

/// Candidates a root must have before what was read of them is remembered. Fewer are read again in
/// less time than a memo takes.
pub const MIN_REMEMBERED: usize = 32;

/// Longest memo of one root that is read or made: a hundred thousand skills.
pub const MAX_MEMO_BYTES: usize = 64 * 1024 * 1024;

/// How much older than the look at it a file's times must be to be believed later. Clocks of file
/// systems tick up to every ten milliseconds, some only every two seconds.
pub const RACY_NANOSECONDS: i128 = 2_000_000_000;

/// Most files and directories listed as one skill's resources.
pub const MAX_RESOURCES: usize = 10_000;

/// Directory entries looked at for one skill's resources. Past this the count of what was left out
/// is a lower bound: counting a hostile tree to its end is not worth the time.
pub const MAX_RESOURCE_ENTRIES: usize = 10 * MAX_RESOURCES;

/// Levels below a skill's directory that its resource list goes.
pub const MAX_RESOURCE_DEPTH: usize = 32;

/// Largest resource read by default, in bytes.
pub const MAX_RESOURCE_BYTES: u64 = 200_000;

/// Longest name of a script that is looked up, in bytes. Longer than any path people write.
pub const MAX_SCRIPT_NAME_BYTES: usize = 1024;

/// Longest path of a file inside a skill, in bytes; the kernel refuses longer ones.
pub const MAX_PATH_BYTES: usize = 4095;

/// Links followed on the way to one file, as the kernel has it.
pub const MAX_LINKS: usize = 40;

/// Times a contained open is tried again when a rename elsewhere made the kernel unsure.
pub const MAX_OPEN_RETRIES: usize = 128;

/// Largest tree a digest is taken of, in bytes of content. Ten times the largest real skill known.
pub const MAX_TREE_BYTES: u64 = 512 * 1024 * 1024;

/// Longest text, in bytes, that suggestions are looked for. A name has at most 256 characters of at
/// most four bytes; whatever is longer was not meant as one.
pub const MAX_TYPED_BYTES: usize = 1024;

/// Bytes of one field, the body above all, that search looks at. The longest bodies people write
/// are a few tens of kilobytes; what a skill is about is said long before.
pub const MAX_SEARCH_FIELD_BYTES: usize = 64 * 1024;

/// Bytes of text that one search index takes in all. At a thousand skills real text is a few
/// megabytes; past this the rest is left out and counted.
pub const MAX_SEARCH_BYTES: usize = 1024 * 1024 * 1024;

/// Characters of one word that search looks at. Longer runs are encoded data, not words.
pub const MAX_WORD_CHARS: usize = 40;

/// Bytes of a query that are looked at.
pub const MAX_QUERY_BYTES: usize = 4096;

/// Different words of a query that are looked at.
pub const MAX_QUERY_WORDS: usize = 64;

/// Words of the index that one word of a query may stand for as a prefix, or as a slip.
pub const MAX_EXPANSIONS: usize = 32;

/// Candidates of other stores that find room behind those of a root: what ships with metier is a few, and
/// should not have a thousand others moved.
pub(crate) const ROOM_FOR_OTHERS: usize = 16;

/// How long a catalog is good without anybody looking at the files again. Watching makes changes
/// known much sooner; this is for what no watch can see.
pub const CATALOG_TTL: Duration = Duration::from_secs(300);

/// How long nothing must happen to files before a change is looked at. Editors and installers
/// write in bursts whose pauses are shorter.
pub const WATCH_QUIET: Duration = Duration::from_millis(50);

/// How long a change waits at most, however much goes on happening, so that it is in the catalog
/// within 200 milliseconds.
pub const WATCH_LONGEST: Duration = Duration::from_millis(150);

/// How often the watch looks whether there is quiet.
pub const WATCH_TICK: Duration = Duration::from_millis(10);

/// How long the watch rests after the system lost events and everything was scanned again.
pub const WATCH_REST: Duration = Duration::from_secs(1);

/// Bytes of notifications taken from the system at once: some hundred of them.
pub const NOTIFICATION_BYTES: usize = 16 * 1024;

/// Directories watched at most. Each takes about a kilobyte of the kernel's memory.
pub const MAX_WATCHES: usize = 65_536;

/// How often files are looked at where the system cannot watch them. A scan of a thousand skills
/// takes a few milliseconds.
pub const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Places of one root looked at one by one after a change; with more of them the whole root is
/// looked at, which is quicker.
pub const MAX_PLACES: usize = 32;
