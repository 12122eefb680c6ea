//! Every bound of this crate, each with its reason. Reaching one is reported, never silent.

/// Directory levels below a root that are looked into. The standard's guide suggests four to six.
pub const MAX_DEPTH: usize = 6;

/// Directories looked into per root before the walk stops and says so.
pub const MAX_DIRECTORIES: usize = 200_000;

/// Bytes read from a `SKILL.md` at first. Real frontmatter is a few hundred bytes, and one page
/// costs the kernel no more than one byte.
pub const PREFIX_BYTES: usize = 4096;

/// Most files and directories listed as one skill's resources.
pub const MAX_RESOURCES: usize = 10_000;

/// Levels below a skill's directory that its resource list goes.
pub const MAX_RESOURCE_DEPTH: usize = 32;

/// Largest resource read by default, in bytes.
pub const MAX_RESOURCE_BYTES: u64 = 200_000;

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
