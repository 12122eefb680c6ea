//! Every bound of this crate, each with its reason. Reaching one is never an allow.

/// Longest shell command that is read. Real agent commands, here-documents included, stay under
/// 8 KiB; a longer one is a script and belongs in a file.
pub const MAX_COMMAND_BYTES: usize = 16 * 1024;

/// Deepest nesting of substitutions and of `sh -c` inside `sh -c`. Commands people write reach
/// three; each level is one level of recursion here.
pub const MAX_NESTING: usize = 12;

/// Deepest nesting of loops, conditions, groups and subshells handed to the grammar, which
/// recurses and tries alternatives per level.
pub const MAX_COMPOUND_DEPTH: usize = 8;

/// Most `case` clauses in one list: the grammar reads the last branch of each twice, so its cost
/// doubles with every one nested in another.
pub const MAX_CASES: usize = 4;

/// Most tokens in one list.
pub const MAX_TOKENS: usize = 4096;

/// Most simple commands judged in one call. Past this the call is refused as a whole: an agent
/// that stopped looking after fifty was talked around with the fifty-first.
pub const MAX_COMMANDS: usize = 512;

/// How much of a command that cannot be read as a whole is read piece by piece. Real ones, scripts in
/// here-documents included, stay far below; what is longer is searched as text.
pub const MAX_CUT_BYTES: usize = 128 * 1024;

/// Most pieces of such a command that are read: one that is all operators stays cheap.
pub const MAX_PIECES: usize = 4096;

/// Longest path that is matched; the limit of the systems metier runs on.
pub const MAX_PATH_BYTES: usize = 4096;

/// Longest URL that is read.
pub const MAX_URL_BYTES: usize = 8 * 1024;

/// Longest argument of one tool pattern.
pub const MAX_PATTERN_BYTES: usize = 4 * 1024;

/// Largest policy file. The longest plausible one, hundreds of rules with examples, is a tenth.
pub const MAX_POLICY_BYTES: usize = 1024 * 1024;

/// Most rules in one policy file.
pub const MAX_RULES: usize = 4096;

/// Most characters of a command quoted in a reason.
pub const MAX_QUOTED_CHARS: usize = 120;

/// Longest description of paths of which only a part is known; what is longer ends in anything.
/// Paths people write with wildcards stay under a hundred characters.
pub const MAX_SHAPE: usize = 512;

/// Most directories one command line is followed into by relative paths; past this it may be anywhere.
pub const MAX_DIRECTORIES: usize = 16;

/// Most directories it is remembered to have gone to; past this the latest are kept, and it may be
/// anywhere.
pub const MAX_GONE: usize = 64;

/// The fewest of them, however many commands there are.
pub const MIN_DIRECTORIES: usize = 4;

/// Most commands times directories: a relative path is looked at in each directory, so a long call is
/// followed into few.
pub const MAX_PLACES: usize = 16 * 1024;

/// Longest directory that `cd` is followed into step by step. Real ones stay under a quarter; a call of
/// nothing but `cd` stays cheap.
pub const MAX_WALKED_BYTES: usize = 1024;

/// Most words of a program nobody knows that are looked at as files.
pub const MAX_MENTIONS: usize = 64;

/// How many bytes behind `metier` are searched for its command in text that cannot be read as
/// commands: more than flags need, and little enough that a text of nothing but names stays cheap.
pub const MAX_SEARCHED_BYTES: usize = 1024;

/// Most texts that braces and wildcards of one word are written out to; past this the word may be
/// anything.
pub const MAX_READINGS: usize = 64;

/// Most parts of one word, between commas and colons, that are looked at as files.
pub const MAX_PARTS: usize = 8;

/// Most values in the arguments of a tool nobody knows that are looked at as paths.
pub const MAX_TOLD: usize = 512;

/// Most directories, and most names, in such arguments that are put together to a path.
pub const MAX_JOINED: usize = 8;

/// How many words of a program that runs others are looked at for one that runs what is typed: more
/// than anybody writes before the command itself.
pub(crate) const MAX_HANDED_WORDS: usize = 64;

/// How deep the arguments of a tool nobody knows are looked through for paths.
pub(crate) const MAX_ARGUMENT_DEPTH: usize = 8;
