//! Sessions with skills as others see them: dialects, MCP and agents' hooks.
//!
//! Everything here is spelling and transport. What an operation does is decided in
//! [`metier_runtime::capability`]; a [`Dialect`] says what its tools are called and how results
//! look; [`mcp`] carries them to agents, [`chibi_plugin`] to chibi. A [`Host`] is what the application brings: the catalog,
//! the clock, and how a session is opened. Each client has a [`Desk`], which holds its session.
//! [`agent_hook`] answers agents that ask before each tool call; [`hook_setup`] makes them ask.

mod brief;
pub mod chibi_plugin;
pub mod agent_hook;
pub mod desk;
pub mod dialect;
mod digests;
pub mod hook_setup;
pub mod limits;
pub mod mcp;
mod yaml_json;

pub use desk::{Client, Desk, Host, Seat};
pub use dialect::Dialect;
