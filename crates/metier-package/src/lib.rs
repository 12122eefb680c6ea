//! Skills from what a person typed to an approved, pinned and verified tree on disk, and never half
//! of one.
//!
//! Start reading at [`source`]: what is asked for, what exactly that is, and what was fetched but
//! is not visible yet. This crate knows nothing of sessions, prints nothing, and asks nobody
//! anything: whoever calls it brings the yes.

pub mod source;

pub use source::{Fetched, Locked, Signature, Staged};
