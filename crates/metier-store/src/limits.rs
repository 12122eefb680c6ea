//! Every bound of this crate, each with its reason. Reaching one is reported, never silent.

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

/// Bytes read from a `SKILL.md` at first. Real frontmatter is a few hundred bytes, and one page
/// costs the kernel no more than one byte.
pub const PREFIX_BYTES: usize = 4096;

/// Most bytes read from a `SKILL.md` at discovery: the largest frontmatter there may be, its
/// fences, and a page for blank lines before them.
pub const MAX_PREFIX_BYTES: usize = metier_format::limits::MAX_FRONTMATTER_BYTES + PREFIX_BYTES;

/// Bytes of directory entries asked for at once. Larger gains nothing measurable.
pub const LISTING_BYTES: usize = 32 * 1024;

/// Most files and directories listed as one skill's resources.
pub const MAX_RESOURCES: usize = 10_000;

/// Directory entries looked at for one skill's resources. Past this the count of what was left out
/// is a lower bound: counting a hostile tree to its end is not worth the time.
pub const MAX_RESOURCE_ENTRIES: usize = 10 * MAX_RESOURCES;

/// Levels below a skill's directory that its resource list goes.
pub const MAX_RESOURCE_DEPTH: usize = 32;

/// Largest resource read by default, in bytes.
pub const MAX_RESOURCE_BYTES: u64 = 200_000;

/// Longest path of a file inside a skill, in bytes; the kernel refuses longer ones.
pub const MAX_PATH_BYTES: usize = 4095;

/// Links followed on the way to one file, as the kernel has it.
pub const MAX_LINKS: usize = 40;

/// Times a contained open is tried again when a rename elsewhere made the kernel unsure.
pub const MAX_OPEN_RETRIES: usize = 128;

/// Largest tree a digest is taken of, in bytes of content. Ten times the largest real skill known.
pub const MAX_TREE_BYTES: u64 = 512 * 1024 * 1024;
