//! Skills from what a person typed to an approved, pinned and verified tree on disk, and never half
//! of one.
//!
//! Start reading at [`source`]: what is asked for, what exactly that is, and what was fetched but
//! is not visible yet. Then [`install`](install::install), which makes it visible in one step;
//! `change` says how that survives a crash. [`ledger`] is who vouches for what is installed. This
//! crate knows nothing of sessions, prints nothing, and asks nobody anything: whoever calls it
//! brings the yes.

pub mod approve;
mod atomic;
mod change;
pub mod collect;
mod copy;
pub mod difference;
pub mod home;
pub mod install;
mod keep;
pub mod ledger;
pub mod limits;
pub mod lockfile;
pub mod pinned;
pub mod receipt;
mod records;
pub mod remove;
pub mod source;
mod stamp;
pub mod sync;
pub mod trust;
mod turn;
pub mod verify;
pub mod wanted;

#[cfg(test)]
mod fixture;

pub use atomic::DiskError;
pub use change::{ChangeError, Repaired};
pub use copy::CopyError;
pub use home::{Home, Place};
pub use install::{Candidate, Done, Drift, Outcome, Request, install};
pub use ledger::Ledger;
pub use pinned::Pinned;
pub use records::RecordError;
pub use remove::{remove, rollback};
pub use source::{Fetched, Locked, Signature, Staged};
pub use turn::{Owner, Turn, TurnError};
