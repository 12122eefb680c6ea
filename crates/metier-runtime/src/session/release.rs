//! Releasing: last in, first out. Only these events pop the stack.

use super::Session;
use crate::event::{Event, SessionEnded, SkillDeactivated};
use crate::journal::{Beat, JournalError};

/// Why nothing was released.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The stack is empty.
    #[error("no skill is active")]
    NothingActive,
    /// That skill is not on the stack.
    #[error("`{0}` is not active")]
    NotActive(String),
    /// Another skill was activated after it.
    #[error("`{name}` is not the last one activated; release `{top}` first")]
    NotOnTop {
        /// The skill asked for.
        name: String,
        /// The one on top.
        top: String,
    },
    /// The journal refused, so nothing was released.
    #[error("nothing was released, because it could not be recorded")]
    Journal(#[from] JournalError),
}

impl ReleaseError {
    /// There is nothing to release, whatever was asked for.
    fn nothing(name: Option<&str>) -> Self {
        name.map_or(Self::NothingActive, |name| Self::NotActive(name.to_owned()))
    }

    /// The stable code of this error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NothingActive | Self::NotActive(_) => "skill_not_active",
            Self::NotOnTop { .. } => "skill_stack_violation",
            Self::Journal(_) => "journal_refused",
        }
    }
}

impl Session {
    /// Releases the skill on top, which must be `name` when one is given. Returns its name.
    pub fn release(&mut self, name: Option<&str>) -> Result<String, ReleaseError> {
        // A session that never began has nothing to release, and asking does not begin it.
        self.catch_up()?;
        match self.state.open {
            true => self.act(|session| session.release_top(name)),
            false => Err(ReleaseError::nothing(name)),
        }
    }

    fn release_top(&mut self, name: Option<&str>) -> Result<String, ReleaseError> {
        let top = match self.state.stack.last() {
            Some(active) => active.skill.name.clone(),
            None => return Err(ReleaseError::nothing(name)),
        };
        if let Some(name) = name {
            let key = metier_format::NameKey::of(name);
            let same = |active: &str| metier_format::NameKey::of(active) == key;
            if !same(&top) {
                let active = self.state.stack.iter().any(|active| same(&active.skill.name));
                let name = name.to_owned();
                return Err(match active {
                    true => ReleaseError::NotOnTop { name, top },
                    false => ReleaseError::NotActive(name),
                });
            }
        }
        self.pop(&top, "released")?;
        Ok(top)
    }

    /// Ends the session: every skill is released, the last first, then the end is recorded.
    /// Returns the names in that order.
    pub fn end(&mut self) -> Result<Vec<String>, JournalError> {
        self.act(Self::unwind)
    }

    fn unwind(&mut self) -> Result<Vec<String>, JournalError> {
        let mut released = Vec::new();
        while let Some(active) = self.state.stack.last() {
            let name = active.skill.name.clone();
            self.pop(&name, "ended")?;
            released.push(name);
        }
        let ended = SessionEnded { reason: "end".to_owned() };
        self.record(&Event::SessionEnded(ended), Beat::Result)?;
        Ok(released)
    }

    fn pop(&mut self, name: &str, reason: &str) -> Result<(), JournalError> {
        if let Some(active) = self.state.stack.last().cloned() {
            self.post_hook(&active)?;
        }
        let gone = SkillDeactivated { name: name.to_owned(), reason: reason.to_owned() };
        self.record(&Event::SkillDeactivated(gone), Beat::Result).map(drop)
    }
}
