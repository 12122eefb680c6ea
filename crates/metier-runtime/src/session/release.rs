//! Releasing: last in, first out. Only these events pop the stack.

use std::collections::BTreeSet;

use super::Session;
use super::script::BegunHook;
use crate::event::{Event, SessionEnded, SkillDeactivated};
use crate::journal::{Beat, JournalError};
use crate::limits::MAX_STACK;
use crate::state::Active;

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

/// How far a session has come on the way to its end.
#[derive(Default)]
struct Unwound {
    /// The skills released, the last first.
    released: Vec<String>,
    /// The activations whose hook was asked for; each is once.
    asked: BTreeSet<u64>,
}

impl Session {
    /// Releases the skill on top, which must be `name` when one is given. Returns its name.
    pub fn release(&mut self, name: Option<&str>) -> Result<String, ReleaseError> {
        // A session that never began has nothing to release, and asking does not begin it.
        self.catch_up()?;
        if !self.state.open {
            return Err(ReleaseError::nothing(name));
        }
        let (top, hook) = self.act(|session| session.begin_release(name))?;
        let Some(hook) = hook else { return Ok(top.skill.name) };
        self.run_post(&hook)?;
        self.conclude(|session| session.finish_release(&top))?;
        Ok(top.skill.name)
    }

    /// Releases the skill on top, unless a hook has to run before.
    fn begin_release(
        &mut self,
        name: Option<&str>,
    ) -> Result<(Active, Option<BegunHook>), ReleaseError> {
        let active = self.top(name)?;
        let hook = self.begin_post(&active)?;
        if hook.is_none() {
            self.pop(&active.skill.name, "released")?;
        }
        Ok((active, hook))
    }

    /// Releases the skill whose hook has run, if it is on top as it was.
    fn finish_release(&mut self, active: &Active) -> Result<(), ReleaseError> {
        let name = active.skill.name.clone();
        let is_it = |other: &Active| other.since == active.since;
        match self.state.stack.last() {
            Some(last) if is_it(last) => Ok(self.pop(&name, "released")?),
            Some(last) if self.state.stack.iter().any(is_it) => {
                Err(ReleaseError::NotOnTop { name, top: last.skill.name.clone() })
            }
            _ => Err(ReleaseError::NotActive(name)),
        }
    }

    /// The skill on top, which must be `name` when one is given.
    fn top(&self, name: Option<&str>) -> Result<Active, ReleaseError> {
        let Some(active) = self.state.stack.last() else {
            return Err(ReleaseError::nothing(name));
        };
        let top = active.skill.name.clone();
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
        Ok(active.clone())
    }

    /// Ends the session: every skill is released, the last first, then the end is recorded.
    /// Returns the names in that order.
    pub fn end(&mut self) -> Result<Vec<String>, JournalError> {
        let mut unwound = Unwound::default();
        let mut hook = self.act(|session| session.unwind(&mut unwound))?;
        while let Some(begun) = hook {
            self.run_post(&begun)?;
            hook = self.conclude(|session| session.unwind(&mut unwound))?;
        }
        Ok(unwound.released)
    }

    /// Releases skills, the last first, until one has a hook that has yet to run, which is returned;
    /// when none is left, records the end.
    fn unwind(&mut self, unwound: &mut Unwound) -> Result<Option<BegunHook>, JournalError> {
        if !self.state.open {
            // Somebody else was first.
            return Ok(None);
        }
        while let Some(active) = self.state.stack.last().cloned() {
            if unwound.asked.len() < MAX_STACK && unwound.asked.insert(active.since) {
                if let Some(hook) = self.begin_post(&active)? {
                    return Ok(Some(hook));
                }
            } else if let (false, Some(path)) =
                (unwound.asked.contains(&active.since), &active.skill.hook_post)
            {
                // Whoever activates without end does not keep a session from ending.
                let why = "too many hooks have run since the end was asked for";
                self.warn_of_post((&active.skill.name, path), why)?;
            }
            self.pop(&active.skill.name, "ended")?;
            unwound.released.push(active.skill.name);
        }
        let ended = SessionEnded { reason: "end".to_owned() };
        self.record(&Event::SessionEnded(ended), Beat::Result)?;
        Ok(None)
    }

    fn pop(&mut self, name: &str, reason: &str) -> Result<(), JournalError> {
        let gone = SkillDeactivated { name: name.to_owned(), reason: reason.to_owned() };
        self.record(&Event::SkillDeactivated(gone), Beat::Result).map(drop)
    }
}
