//! Every bound of this crate, each with its reason. Reaching one is a diagnostic, never a crash.

/// Longest frontmatter accepted, in bytes between the fences. The largest real one measured is
/// under 4 KiB; one of the source systems allows 50,000. Beyond this a full parse could cost more
/// than the five milliseconds a hostile file is allowed.
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;

/// Blank bytes tolerated before the opening fence. People leave a line or two, editors a space.
pub const MAX_LEADING_BLANK_BYTES: usize = 1024;

/// The first bytes of a file in which its frontmatter must close: the longest frontmatter, and room
/// for what stands around it. Nobody who wants the frontmatter needs to read further, and
/// discovery and linting say the same of a file because both stop here.
pub const MAX_PREFIX_BYTES: usize = MAX_FRONTMATTER_BYTES + 4096;

/// Largest `SKILL.md` loaded whole. The standard advises 5,000 tokens; this leaves three orders of
/// magnitude and still bounds memory.
pub const MAX_FILE_BYTES: usize = 16 * 1024 * 1024;

/// Deepest nesting of frontmatter values. Real frontmatter nests two or three levels.
pub const MAX_DEPTH: usize = 16;

/// Most values (scalars, lists and maps together) in one frontmatter.
pub const MAX_NODES: usize = 4096;

/// Longest frontmatter that is repaired, in bytes. Repair reads every entry on its own, which costs
/// more than one reading of the whole; real frontmatter stays under 4 KiB.
pub const MAX_REPAIR_BYTES: usize = 8 * 1024;

/// Most broken entries one repair looks at. A real file has one or two; a text with more is not
/// frontmatter with a mistake in it.
pub const MAX_REPAIRS: usize = 64;

/// Longest name the standard allows, in code points.
pub const MAX_NAME_CHARS: usize = 64;

/// Longest name that is loaded at all. Past this a name is not a name but a payload.
pub const MAX_USABLE_NAME_CHARS: usize = 256;

/// Longest description the standard allows, in code points.
pub const MAX_DESCRIPTION_CHARS: usize = 1024;

/// Longest `compatibility` the standard allows, in code points.
pub const MAX_COMPATIBILITY_CHARS: usize = 500;

/// Lines of body after which the standard advises splitting into references.
pub const MAX_BODY_LINES: usize = 500;

/// Tokens of body after which the standard advises splitting into references.
pub const MAX_BODY_TOKENS: usize = 5000;

/// Bytes of body that are read as Markdown, for links and scripts. Fifty times the advised length;
/// the parser takes some sixty bytes for one of hostile text.
pub const MAX_MARKDOWN_BYTES: usize = 1024 * 1024;

/// Most diagnostics kept for one file; the last one then says how many were dropped.
pub const MAX_DIAGNOSTICS: usize = 200;

/// Most tools one `allowed-tools` may name.
pub const MAX_TOOL_PATTERNS: usize = 512;

/// Most rounds of repair over one file. Each round applies every repair that overlaps no other, so
/// two or three settle any real file; the bound only ends a pair of repairs that undo each other.
pub const MAX_FIX_ROUNDS: usize = 8;

/// Unknown fields of one file for which the field they were meant to be is looked for. Real files
/// have a handful; each search costs as much as reading the file.
pub const MAX_SUGGESTIONS: usize = 16;

/// Bytes of memory that the values of one JSON text from outside may take, their letters aside: some
/// four hundred thousand numbers, or fifty thousand files with their digests. A text of two bytes a
/// list would otherwise take two hundred times its own size.
pub const MAX_JSON_MEMORY: usize = 64 * 1024 * 1024;
