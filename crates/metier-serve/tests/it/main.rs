//! What other programs get of a session: tools in every dialect, and MCP as real clients speak it.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests write files and stop when something is not as promised"
)]

mod api;
mod api_events;
mod api_hostile;
mod api_index;
mod api_proved;
mod budget;
mod clients;
mod crowded;
mod dialects;
mod eras;
mod ground;
mod hostile;
mod http;
mod mcp;
mod mcp_client;
mod mcp_client_hostile;
mod origin;
mod parity;
mod parts;
mod seed_chibi;
mod seed_omniforge;
mod seed_tavern;
mod served;
mod skills;
mod subscriptions;
mod turns;
mod unseen;
