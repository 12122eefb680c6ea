//! The session over HTTP: every operation of the table as `POST /v1/NAME`, the journal as a stream
//! of events, MCP on `/mcp`, the catalog as an index for other machines, and what a machine asks of a
//! server: health, numbers, a description of itself.
//!
//! Nothing is decided here. `gate` says who may come in, `framing` that a request has one end, `body`
//! how much it may bring, `crowd` who has a seat, `presence` whether anybody waits for the answer, `calls`
//! carries an operation to its session, `events` follows a journal, `openapi` describes it all from
//! the table, `well_known` offers the skills to other machines, `server` accepts and stops. Start reading at [`serve`].

mod body;
mod calls;
mod crowd;
mod desks;
mod events;
mod framing;
mod gate;
mod mcp_sessions;
mod metrics;
mod neighbour;
mod openapi;
mod page;
mod presence;
mod problem;
mod routes;
mod seen;
mod server;
mod timed;
mod token;
mod well_known;

pub use gate::{Badge, Gate};
pub use openapi::document;
pub use routes::{Behind, ROUTES, Route, Verb};
pub use server::{HttpError, Stop, serve};
pub use token::{Token, TokenError};

use std::time::Duration;

use crate::dialect::Dialect;

/// The header that names the session a request means.
pub const SESSION_HEADER: &str = "metier-session";

/// The header that says who asks: `model`, or `user` for a person or a program of theirs.
pub const ASKER_HEADER: &str = "metier-asker";

/// What is served, and to whom.
#[derive(Clone, Debug)]
pub struct HttpSetup {
    /// The session of a request that names none.
    pub session: String,
    /// The spelling on `/mcp`.
    pub dialect: Dialect,
    /// Who may come in.
    pub gate: Gate,
    /// How long a client may take for the head of a request, and how long it may keep a connection
    /// without asking for anything; [`HEADER_TIME`](crate::limits::HEADER_TIME) is usual.
    pub header_time: Duration,
}
