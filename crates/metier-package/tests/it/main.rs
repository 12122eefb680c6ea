//! Packages as a caller has them: real repositories on a real server, real archives, a real disk.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests make files and look at them; whatever fails ends the test"
)]

mod fetching;
mod hostile;
mod pack;
mod place;
mod sameness;
mod signatures;
mod trouble;
