//! Every bound of this crate, each with its reason. Reaching one is an outcome, never a crash.

use std::time::Duration;

/// How long a client over HTTP may be silent before its session ends. People leave an agent open
/// over a meeting or a night; agents mostly do not say goodbye.
pub const MAX_IDLE: Duration = Duration::from_secs(12 * 60 * 60);

/// Longest message a client may send, in bytes: a script's arguments and standard input fit, a
/// client that never ends its line does not fill the memory.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Longest text of one result, in characters of JSON. Agents cut what is longer (the strictest of
/// the known ones at 40,000), mostly in the middle.
pub const MAX_RESULT_CHARS: usize = 36_000;

/// Longest server instructions, in characters. Agents cut at 2,048.
pub const MAX_INSTRUCTION_CHARS: usize = 2_048;

/// Skills, prompts or resources in one page of a list.
pub const PAGE: usize = 50;

/// Skills a listing tool gives when nobody says how many.
pub const LISTED: u64 = 50;

/// Most files a skill may have to be offered with digests; the extension asks hosts for no more.
pub const MAX_SKILL_FILES: usize = 512;

/// Most bytes a skill may have to be offered with digests; the extension asks hosts for no more.
pub const MAX_SKILL_BYTES: u64 = 16 * 1024 * 1024;

/// Most values of one completion; the protocol allows no more.
pub const MAX_COMPLETIONS: usize = 100;

/// Frames an answer lists when nobody says how many.
pub const FRAMES: u64 = 20;

/// Longest event of an agent's hook, in bytes: a call that writes a whole file carries it.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// Longest id of an agent's session that stands for itself in a name, in bytes; a longer one is
/// digested. Agents use 36.
pub const MAX_EVENT_ID_BYTES: usize = 96;

/// Longest reason an agent is told, in characters: a few sentences, for a model reads it.
pub const MAX_REASON_CHARS: usize = 2_000;

/// Milliseconds after which a hook call is blocked because it took too long: far below the shortest
/// patience of any agent, whose own answer to that is to run the tool.
pub const HOOK_DEADLINE_MS: u64 = 3_000;
