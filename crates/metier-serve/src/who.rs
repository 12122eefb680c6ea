//! Who a client is, as far as that decides what it has. Settings have sections for clients; each
//! section only takes away, so whoever is in two has what both leave.
//!
//! Nothing is taken away here: a [`Host`](crate::Host) knows what its sections say.

use std::sync::Arc;

use metier_format::text::quoted;

use crate::limits::MAX_SESSION_NAME;

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

/// A name that no session can have: it is part of a file's name, so it can be neither a path nor hidden.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} cannot name a session; {}", quoted(.0), Self::ALLOWED)]
pub struct SessionNameError(String);

impl SessionNameError {
    /// What can be one.
    pub const ALLOWED: &str = "a name has 1 to 128 letters from a to z, digits, `-`, `_` and `.`, and \
                               does not begin with `.`";

    /// Whether a session can be called `name`.
    pub fn check(name: &str) -> Result<(), Self> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let good = !name.is_empty()
            && name.len() <= MAX_SESSION_NAME
            && !name.starts_with('.')
            && name.chars().all(fits);
        if good { Ok(()) } else { Err(Self(name.to_owned())) }
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

    /// The name of the session that this client calls `name`. Those of a known client are its own:
    /// no other client can name them, since a section's name has no `.` in it.
    #[must_use]
    pub fn session(&self, name: &str) -> String {
        match &self.known {
            Some(section) => format!("{section}.{name}"),
            None => name.to_owned(),
        }
    }
}

#[cfg(test)]
#[path = "who_tests.rs"]
mod tests;
