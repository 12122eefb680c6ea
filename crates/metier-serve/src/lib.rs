//! Sessions with skills as others see them: dialects, MCP, HTTP, chibi and agents' hooks.
//!
//! Everything here is spelling and transport. What an operation does is decided in
//! [`metier_runtime::capability`]; a [`Dialect`] says what its tools are called and how results
//! look; [`mcp`] and [`mod@http`] carry them to agents, [`chibi_plugin`] to chibi. A [`Host`] is what the application brings: the catalog,
//! the clock, and how a session is opened. Each client has a [`Desk`], which holds its session.
//! [`agent_hook`] answers agents that ask before each tool call; [`hook_setup`] makes them ask.
//! [`surface`] is the table of what is called how and where.

pub mod agent_hook;
mod aside;
mod brief;
pub mod chibi_plugin;
pub mod desk;
pub mod dialect;
mod digests;
#[cfg(test)]
#[path = "held_up_tests.rs"]
mod held_up;
pub mod hook_setup;
pub mod http;
pub mod limits;
pub mod mcp;
pub mod mcp_client;
mod runs;
mod shares;
#[cfg(test)]
#[path = "starved_tests.rs"]
mod starved;
pub mod surface;
pub mod tally;
mod turns;
#[cfg(test)]
#[path = "unopened_tests.rs"]
mod unopened;
pub mod who;
mod yaml_json;

pub use desk::{Client, Desk, Host, Seat, Tail};
pub use dialect::Dialect;
pub use who::Who;
