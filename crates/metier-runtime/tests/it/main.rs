//! What a session, its journal and its replay promise, tried from outside.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests write files, start processes and kill them"
)]

mod artifacts;
mod capabilities;
mod checkpoint;
mod ground;
mod journal;
mod proved;
mod reading;
mod resuming;
mod script;
mod session;
mod simulation;
mod together;
mod vouched;
