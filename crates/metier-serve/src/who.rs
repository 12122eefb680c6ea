//! Who a client is, as far as that decides what it has. Settings have sections for clients; each
//! section only takes away, so whoever is in two has what both leave.
//!
//! Nothing is taken away here: a [`Host`] knows what its sections say.

use std::sync::Arc;

use metier_format::text::quoted;
use metier_runtime::SessionName;

use crate::agent_hook::is_of_an_agent;
use crate::desk::Host;

/// The sections that hold for a client. Nobody in particular has none, and everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Who {
    /// The section that the client's token stands for, or that whoever started it named.
    pub known: Option<Arc<str>>,
    /// The section the client says it is. It may lie, and then has less than it could have.
    pub said: Option<Arc<str>>,
    /// Whether it could be anybody who reaches this machine, since nothing was asked of it, or a
    /// model, whoever let that in.
    pub anybody: bool,
}

/// Why a client does not get the session it names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotYours {
    /// No session can be called so.
    #[error("{0}")]
    Invalid(String),
    /// What holds in it would be lifted from outside.
    #[error(
        "that session is an agent's own; over HTTP a server with a token shows it to who has it"
    )]
    Agents,
    /// It belongs to somebody else.
    #[error("that session is of a client with a section of its own")]
    Section,
}

impl NotYours {
    /// The stable code of this refusal.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "bad_request",
            Self::Agents | Self::Section => "not_yours",
        }
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

    /// The whole name of the session that this client calls `name`, when that is its to name.
    ///
    /// None of a section it is not known to be of is: what a client says of itself proves nothing.
    /// Nor is one that an agent's hooks keep, unless the client has proved that it may do anything: a
    /// client of its own has sessions of its own, though it were called like an agent.
    pub fn may_name(&self, name: &str, host: &dyn Host) -> Result<String, NotYours> {
        let session = self.session(name);
        [name, &session].into_iter().try_for_each(check)?;
        if (self.anybody || self.known.is_some()) && is_of_an_agent(&session) {
            return Err(NotYours::Agents);
        }
        let first = name.split_once('.').map(|(first, _)| first);
        if self.known.is_none() && first.is_some_and(|first| host.section(first).is_some()) {
            return Err(NotYours::Section);
        }
        Ok(session)
    }
}

/// Says why no session can be called `name`, when none can.
fn check(name: &str) -> Result<(), NotYours> {
    let wrong =
        |allowed| NotYours::Invalid(format!("{} cannot name a session; {allowed}", quoted(name)));
    SessionName::parse(name).map(drop).map_err(wrong)
}

#[cfg(test)]
#[path = "who_tests.rs"]
mod tests;
