//! Who a client is, as far as that decides what it has. Settings have sections for clients; each
//! section only takes away, so whoever is in two has what both leave.
//!
//! Nothing is taken away here: a [`Host`] knows what its sections say.

use std::sync::Arc;

use metier_format::text::quoted;
use metier_runtime::SessionName;

use crate::desk::Host;

/// The sections that hold for a client. Nobody in particular has none, and everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// The section that the client's token stands for, or that whoever started it named.
    pub known: Option<Arc<str>>,
    /// The section the client says it is. It may lie, and then has less than it could have.
    pub said: Option<Arc<str>>,
    /// Whether it could be anybody who reaches this machine: nothing was asked of it.
    pub anybody: bool,
}

/// Says why no session can be called `name`, when none can.
pub(crate) fn check_session(name: &str) -> Result<(), String> {
    match SessionName::parse(name) {
        Ok(_) => Ok(()),
        Err(allowed) => Err(format!("{} cannot name a session; {allowed}", quoted(name))),
    }
}

impl Who {
    /// The client that a section called `name` is for.
    #[must_use]
    pub fn known(name: &str) -> Self {
        Self { known: Some(name.into()), ..Self::default() }
    }

    /// Whose sections these are, each once.
    pub fn sections(&self) -> impl Iterator<Item = &str> {
        let said = self.said.as_deref().filter(|said| self.known.as_deref() != Some(*said));
        self.known.as_deref().into_iter().chain(said)
    }

    /// The name of the session that this client calls `name`. Those of a known client are its own: a
    /// section's name has no `.` in it, and no other client [may name](Self::may_name) them.
    #[must_use]
    pub fn session(&self, name: &str) -> String {
        match &self.known {
            Some(section) => format!("{section}.{name}"),
            None => name.to_owned(),
        }
    }

    /// Whether the session this client calls `name` is its to name: none of a section it is not
    /// known to be of. What a client says of itself proves nothing.
    #[must_use]
    pub fn may_name(&self, name: &str, host: &dyn Host) -> bool {
        let first = name.split_once('.').map(|(first, _)| first);
        self.known.is_some() || first.is_none_or(|first| host.section(first).is_none())
    }
}

#[cfg(test)]
#[path = "who_tests.rs"]
mod tests;
