//! Every bound of this crate, each with its reason. Reaching one is an outcome, never a crash.

use std::time::Duration;

/// How long a client over HTTP may be silent before its session ends. People leave an agent open
/// over a meeting or a night; agents mostly do not say goodbye.
pub const MAX_IDLE: Duration = Duration::from_secs(12 * 60 * 60);

/// Longest message a client may send, in bytes: a script's arguments and standard input fit, a
/// client that never ends its line does not fill the memory.
pub const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// Bytes of memory that the values of one message may take, their letters aside: a hundred thousand
/// numbers, more than any model writes. Several messages are read at once, and copied on their way.
pub const MAX_MESSAGE_MEMORY: usize = 16 * 1024 * 1024;

/// Longest text of one result, in characters of JSON, counted in units of UTF-16 as agents in
/// JavaScript count them. Agents cut what is longer (the strictest of
/// the known ones at 40,000), mostly in the middle.
pub const MAX_RESULT_CHARS: usize = 36_000;

/// Characters of what a client said that a refusal repeats: a whole name, and enough of an address to
/// find the place.
pub const MAX_SHOWN_CHARS: usize = 256;

/// Longest server instructions, in units of UTF-16. Agents cut at 2,048.
pub const MAX_INSTRUCTION_CHARS: usize = 2_048;

/// Skills, prompts or resources in one page of a list.
pub const PAGE: usize = 50;

/// Skills a listing tool gives when nobody says how many.
pub const LISTED: u64 = 50;

/// Skills of remote indexes in one answer of chibi's marketplace: a model reads all of them.
pub const MAX_MARKET_SKILLS: usize = 50;

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

/// Most different names after a `$` in one prompt that are looked up: a prompt asks for a few skills,
/// a pasted script has hundreds of variables. A prompt with more is blocked.
pub const MAX_MARKS: usize = 4_096;

/// How deep values may lie in one another in an agent's settings: people write five, and each takes a
/// little of the stack.
pub const MAX_SETTINGS_DEPTH: usize = 128;

/// Longest reason an agent is told, in characters: a few sentences, for a model reads it.
pub const MAX_REASON_CHARS: usize = 2_000;

/// Milliseconds after which a hook call is blocked because it took too long: far below the shortest
/// patience of any agent, whose own answer to that is to run the tool.
pub const HOOK_DEADLINE_MS: u64 = 3_000;

/// Connections served at once; who comes later waits in the system's queue. Every client of a busy
/// machine fits, a flood does not take all sockets.
pub const MAX_CONNECTIONS: usize = 256;

/// Most headers of one request. Browsers send about twenty.
pub const MAX_HEADERS: usize = 64;

/// Longest head of one request, in bytes: room for a long address and a long token.
pub const MAX_HEADER_BYTES: usize = 32 * 1024;

/// How long a client may take for the head of a request, and how long it may keep a connection
/// without asking for anything.
pub const HEADER_TIME: Duration = Duration::from_secs(20);

/// How long a client may take for the body of a request: four megabytes over a slow line.
pub const BODY_TIME: Duration = Duration::from_secs(30);

/// How long a client may take to read what is written to it.
pub const WRITE_TIME: Duration = Duration::from_secs(30);

/// Bytes of all bodies in memory at once: sixteen of the longest messages.
pub const MAX_BUFFERED_BYTES: usize = 16 * MAX_MESSAGE_BYTES;

/// Operations carried out at once. Sessions wait for the disk and for each other, not for the
/// processor, so more than there are cores.
pub const MAX_CALLS: usize = 64;

/// Those of them at once that read every file of a skill, for an archive or a list with digests: each
/// keeps a processor busy, and has a skill in memory.
pub const MAX_CLOSE_LOOKS: usize = 4;

/// Those of them at once that read one file of a skill, which may be as large as a whole skill and is
/// in memory some three times until the answer is written.
pub const MAX_FILE_READS: usize = 8;

/// Bytes of a message from which on it is large: read where it holds up nobody, with room and a turn of
/// its own. Below, every connection may have one at once, and that is sixteen megabytes; nearly all that
/// agents say is below.
pub const LARGE_MESSAGE: usize = 64 * 1024;

/// Messages that are large and read, or have been and are acted upon, at once: each may have
/// [`MAX_MESSAGE_MEMORY`] for its values.
pub const MAX_LARGE_READS: usize = 4;

/// Bytes of archives in memory at once that their readers have not taken yet: two of the largest
/// skills for each of four clients.
pub const MAX_ANSWER_BYTES: usize = 8 * 16 * 1024 * 1024;

/// How long an operation may wait to be carried out before the client is told to come again.
pub const CALL_PATIENCE: Duration = Duration::from_secs(10);

/// Scripts run at once for all clients of a server. Each is a process, maybe several.
pub const MAX_RUNS: usize = 16;

/// Scripts run at once for one client: a model that asks for many in one breath has them, and one
/// that asks for ever leaves room for others.
pub const MAX_CLIENT_RUNS: usize = 8;

/// Resources one client hears about; each is looked at once a second.
pub const MAX_SUBSCRIPTIONS: usize = 64;

/// Streams of changes that clients without a handshake listen to at once, all together.
pub const MAX_LISTENERS: usize = 256;

/// Clients that follow a journal at once. Each looks at it ten times a second.
pub const MAX_STREAMS: usize = 64;

/// Threads for what waits: operations, scripts, journals that are followed, and clients of MCP.
pub const MAX_THREADS: usize = 192;

/// Sessions held open at once. Those that nobody uses give way.
pub const MAX_SESSIONS: usize = 256;

/// Sessions of MCP held open at once over HTTP, a tenth of a megabyte each. The one that has been
/// silent for longest gives way.
pub const MAX_MCP_SESSIONS: usize = 512;

/// How long those inside may take when the server stops; after that scripts are ended.
pub const STOP_GRACE: Duration = Duration::from_secs(5);

/// How long what was cut short may take to be recorded, and connections to close.
pub const LAST_GRACE: Duration = Duration::from_secs(5);

/// Shortest token: sixteen characters chosen at random cannot be guessed over a network.
pub const MIN_TOKEN_BYTES: usize = 16;

/// Longest token: longer than any service hands out.
pub const MAX_TOKEN_BYTES: usize = 4096;

/// How long the list of skills for other machines is kept before it is made again.
pub const SHELF_TIME: Duration = Duration::from_secs(5);

/// Skills in the list for other machines; those who read it take no more.
pub const MAX_OFFERED: usize = 10_000;

/// Bytes of one page of another server's skills: some twenty of the largest the extension has.
pub const MAX_PAGE_BYTES: u64 = 16 << 20;

/// Bytes of what another server says of itself.
pub const MAX_GREETING_BYTES: u64 = 1 << 20;

/// What one byte of a file may become on its way as JSON: letters outside ASCII, all escaped.
pub const MAX_ESCAPED: u64 = 3;

/// Bytes of a message beside the file in it.
pub const MESSAGE_SPARE_BYTES: u64 = 64 << 10;

/// How long another server may take for one answer.
pub const ANSWER_PATIENCE: Duration = Duration::from_secs(60);

/// How long another server may take to say which versions it speaks. One from before that question
/// may say nothing at all, and is asked in the old way then.
pub const DISCOVER_PATIENCE: Duration = Duration::from_secs(10);

/// How long a whole conversation with another server may take: one second for each of as many files
/// as every host takes, and a reserve.
pub const TALK_PATIENCE: Duration = Duration::from_secs(600);

/// How long another server may take to list all its skills, page by page: as long as for one answer,
/// since nobody waits for more than the list.
pub const LIST_PATIENCE: Duration = Duration::from_secs(60);

/// Files that are asked for together: a skill with as many as every host takes needs four programs on
/// the web, and what one of them is told stays small.
pub const READS_TOGETHER: usize = 128;

/// Questions that a program on this machine has before it while it answers the first: enough that it
/// never waits, fewer than it may leave unread.
pub const QUESTIONS_AHEAD: usize = 16;

/// How long a stream on the web may stay open behind its answer before the next question is asked
/// without waiting for its end.
pub const STREAM_PATIENCE: Duration = Duration::from_secs(2);

/// How long a server waits for the scripts of a client that is gone, once they were told to end. What
/// does not end by itself is killed after less.
pub const ENDING_PATIENCE: Duration = Duration::from_secs(10);

/// How long a server that was told to end may take to do so before it is ended.
pub const FAREWELL_PATIENCE: Duration = Duration::from_secs(2);

/// Messages another server may send before it answers.
pub const MAX_STRAY_MESSAGES: usize = 10_000;

/// Lines that are no messages a server on this machine may write: greetings of careless programs.
pub const MAX_NOISE_LINES: usize = 64;

/// Bytes of the head of an answer from the web.
pub const MAX_HEAD_BYTES: usize = 64 << 10;

/// Longest name a server has for a conversation.
pub const MAX_CONVERSATION_ID: usize = 1024;

/// Most of the kernel's list of sockets that is read to learn whose a connection is: tens of thousands
/// of them.
pub const MAX_SOCKETS_BYTES: u64 = 8 * 1024 * 1024;
