//! Skills from what a person typed to an approved, pinned and verified tree on disk, and never half
//! of one.
//!
//! Start reading at [`source`]: what is asked for, what exactly that is, and what was fetched but
//! is not visible yet. [`mod@reference`] reads what a person typed, [`mod@fetch`] brings it here,
//! [`mod@install`] makes it visible in one step; `change` says how that survives a crash. [`ledger`] is
//! who vouches for what is installed. This crate knows nothing of sessions, prints nothing, and asks
//! nobody anything: whoever calls it brings the yes.

pub mod adopt;
pub mod agents;
pub mod approve;
pub mod archive;
mod atomic;
mod brief;
mod change;
pub mod changes;
pub mod collect;
mod copies;
mod copy;
pub mod difference;
mod directory;
mod distance;
pub mod doctor;
mod download;
mod entry;
pub mod fetch;
mod git;
mod git_offer;
mod git_tree;
pub mod hazard;
pub mod home;
pub mod index;
pub mod inspect;
pub mod install;
pub mod installed;
mod keep;
pub mod ledger;
pub mod limits;
pub mod link;
mod link_change;
pub mod links;
pub mod lockfile;
mod offer;
pub mod pinned;
pub mod progress;
pub mod receipt;
mod records;
pub mod reference;
pub mod remove;
pub mod replaced;
mod retry;
pub mod served;
mod skills;
mod sorted;
pub mod source;
mod stage;
mod staging;
mod stamp;
pub mod sync;
pub mod trust;
mod turn;
pub mod verify;
pub mod wanted;

#[cfg(test)]
#[path = "fixture_tests.rs"]
mod fixture;
#[cfg(test)]
#[path = "machine_tests.rs"]
mod machine;
#[cfg(test)]
#[path = "tampers_tests.rs"]
mod tampers;

pub use atomic::DiskError;
pub use change::{ChangeError, Repaired};
pub use copy::CopyError;
pub use fetch::{Fetch, FetchError, Select, fetch, fetch_digested, fetch_locked, offered, resolve};
pub use hazard::Hazard;
pub use home::{Home, Place};
pub use install::{Candidate, Done, Drift, Outcome, Request, install};
pub use ledger::Ledger;
pub use pinned::Pinned;
pub use progress::{Progress, Silent, Step};
pub use records::RecordError;
pub use reference::{Bases, Reference, ReferenceError};
pub use remove::{remove, rollback};
pub use retry::Retry;
pub use skills::Offered;
pub use source::{Fetched, Locked, Refused, Signature, Staged};
pub use turn::{Owner, Turn, TurnError};
