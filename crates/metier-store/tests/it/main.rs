//! What a store promises, tested from outside.

#![expect(clippy::disallowed_methods, reason = "tests make the files they look at")]

mod discovery;
mod ground;
