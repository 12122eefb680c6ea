//! What a user of the crate gets, from the bytes of a file to its manifest and findings.
//!
//! `standard` holds every case of the standard's reference to the outcome the standard demands,
//! `corpus` reads real files, `bounds` hostile ones, `total` random ones; `seed_*` hold the format to
//! what each of the source designs asks of it; `advice`, `reports` and `sarif` look at lint and what it
//! prints.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "tests read their own tables and the corpus, and stop where something is missing"
)]

mod advice;
mod bounds;
mod corpus;
mod reports;
mod sarif;
mod seed_agent_base;
mod seed_all;
mod seed_chibi;
mod seed_omniforge;
mod seed_tavern;
mod standard;
mod support;
mod total;
