//! Hermetic worlds and fixtures for metier's tests and benchmarks. Nothing here is published.
//!
//! [`World`] is a temporary directory with a home and a project in it, skills written by one call,
//! and the real binary run in it with nothing inherited from the machine.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    reason = "test fixtures write files, start the binary and stop the test when that fails"
)]

mod exchange;
mod generate;
mod git_server;
pub mod measure;
pub mod skill_server;
pub mod tools;
mod world;

pub use exchange::{Exchange, Mood};
pub use generate::{Layout, generate_skills};
pub use git_server::{Fault, GitServer, RepoBuilder};
pub use skill_server::SkillServer;
pub use world::{Run, World};

use std::path::PathBuf;

/// The project's root directory.
#[must_use]
pub fn project_root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("crates/metier-testing lies two levels down").to_owned()
}

/// The material beside the project (`../shared`), where a checkout has it. Tests that use it say
/// so when it is absent and prove the same on data of their own.
#[must_use]
pub fn shared() -> Option<PathBuf> {
    let shared = project_root().parent()?.join("shared");
    shared.is_dir().then_some(shared)
}
