//! What a caller of the crate gets, over data files and whole rulings.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "tests read their data files and stop when something is not as expected"
)]

mod calls;
mod denies;
mod hostile;
mod hosts;
mod links;
mod oracle;
mod own;
mod properties;
mod scripts;
mod tables;
mod typed;
mod wild;
mod world;
