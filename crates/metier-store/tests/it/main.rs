//! What a store promises, tested from outside.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make the files they look at and stop when they cannot"
)]

mod bounded;
mod conformance;
mod determinism;
mod discovery;
mod ground;
mod hostile;
mod loading;
mod model;
mod nobody;
mod watch;
