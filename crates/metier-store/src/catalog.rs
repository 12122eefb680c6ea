//! The merged view for one session: one winner a name, every loser kept with the rule that beat it.
//! Pure: the same discovery and settings give the same catalog, byte for byte.

use crate::discover::{Discovery, Found};

/// How far a skill is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trust {
    /// In a project whose folder the user has not trusted: hidden from models and refused.
    Untrusted,
    /// In a layer the user owns, never approved: listed and usable, scripts confined.
    Present,
    /// A person said yes to this content, or it ships with metier.
    Approved,
}

/// One winner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The candidate that won.
    pub found: Found,
    /// How far it is trusted.
    pub trust: Trust,
}

/// The merged view for one session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The winners, sorted by name.
    pub entries: Vec<Entry>,
    /// Where they come from.
    pub discovery: Discovery,
}
