//! Skills from what a person typed to an approved, pinned and verified tree on disk, and never half
//! of one.
//!
//! Start reading at [`source`]: what is asked for, what exactly that is, and what was fetched but
//! is not visible yet. [`reference`] reads what a person typed, [`fetch`] brings it here. This crate
//! knows nothing of sessions, prints nothing, and asks nobody anything: whoever calls it brings the
//! yes.

mod archive;
mod directory;
mod entry;
pub mod fetch;
mod git;
mod git_offer;
pub mod hazard;
pub mod limits;
mod offer;
pub mod progress;
pub mod reference;
mod skills;
pub mod source;
mod stage;
mod staging;

pub use fetch::{Fetch, FetchError, Retry, Select, fetch, fetch_locked, offered, resolve};
pub use hazard::Hazard;
pub use progress::{Progress, Silent, Step};
pub use reference::{Bases, Reference, ReferenceError};
pub use skills::Offered;
pub use source::{Fetched, Locked, Refused, Signature, Staged};
