//! Run one child inside limits, and say which of them the system enforced.
//!
//! A [`Confinement`] says what the child may read, write, reach, see and use. [`Runner::run`] runs
//! one [`Invocation`] inside it and gives an [`Outcome`], in which [`Enforced`] names the mechanism
//! behind each wall. When it returns, nothing of the child is left: no process, no descriptor, no
//! directory. This crate does not know what a skill is, prints nothing, and keeps no state beyond
//! what it found out about the system.
//!
//! Start reading at `confinement.rs`, then `runner.rs`, then `helper.rs`, the other side of it.
//!
//! ```no_run
//! use metier_sandbox::{Cancel, Confinement, Invocation, Runner};
//!
//! fn main() -> std::process::ExitCode {
//!     // The program starts itself again to build the walls.
//!     if let Some(code) = metier_sandbox::helper_main() {
//!         return code;
//!     }
//!     let runner = Runner::new();
//!     let invocation = Invocation::new("/usr/bin/true");
//!     match runner.run(&invocation, &Confinement::default(), &Cancel::never()) {
//!         Ok(outcome) if outcome.status.is_success() => std::process::ExitCode::SUCCESS,
//!         _ => std::process::ExitCode::FAILURE,
//!     }
//! }
//! ```

#![cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "plans are made everywhere and carried out on Linux only")
)]

pub mod backend;
pub mod confinement;
mod denial;
pub mod environment;
mod invocation;
pub mod limits;
mod outcome;
mod wire;

#[cfg(target_os = "linux")]
mod cancel;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod ground;
#[cfg(target_os = "linux")]
mod helper;
#[cfg(target_os = "linux")]
mod pump;
#[cfg(target_os = "linux")]
mod runner;

pub use backend::{BackendKind, ControlGroups, Support};
pub use confinement::{Confinement, Level, Network, Scratch};
pub use denial::{Certainty, Denial};
pub use invocation::{Invocation, Stdin, Stdout};
pub use limits::{Limit, Limits, Overflow};
pub use outcome::{Captured, Enforced, Missing, Outcome, RunError, Status, Wall};

#[cfg(target_os = "linux")]
pub use cancel::Cancel;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Cancel, Runner, helper_main};
#[cfg(target_os = "linux")]
pub use helper::helper_main;
#[cfg(target_os = "linux")]
pub use runner::Runner;
