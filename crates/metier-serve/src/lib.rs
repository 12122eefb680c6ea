//! Sessions with skills as others see them: dialects, MCP and HTTP.
//!
//! Everything here is spelling and transport. What an operation does is decided in
//! [`metier_runtime::capability`]; a [`Dialect`] says what its tools are called and how results
//! look; [`mcp`] and [`mod@http`] carry them to agents. A [`Host`] is what the application brings: the catalog,
//! the clock, and how a session is opened. Each client has a [`Desk`], which holds its session.

mod brief;
pub mod desk;
pub mod dialect;
mod digests;
pub mod http;
pub mod limits;
pub mod mcp;
mod yaml_json;

pub use desk::{Client, Desk, Host, Seat, Tail};
pub use dialect::Dialect;
