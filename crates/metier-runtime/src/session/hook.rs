//! The hooks of a skill: one script before it becomes active, one before it is released.
//!
//! They run as every script does, under the same law and inside the same walls, with a short time
//! and a line of JSON on standard input that says what is going on. A `pre` hook that cannot run,
//! fails or takes too long blocks the activation with its message; it can only forbid, since the
//! ruling on the skill is asked besides. A `post` hook forbids nothing: restrictions that do not end
//! because a script fails would be a trap, so its failure is a warning.
//!
//! A hook runs between two turns, as every script does: in the first it is decided on and its
//! beginning recorded, in the second the skill becomes active or is released, if nothing stands
//! against that by then. So nobody waits for a hook but whoever asked for its skill; and until the
//! second turn the stack is as it was.

use std::time::Duration;

use metier_store::catalog::{Entry, Visibility};
use serde_json::{Value, json};

use super::Session;
use super::script::{BegunHook, Purpose};
use crate::event::Trigger;
use crate::journal::JournalError;
use crate::limits::HOOK_SECONDS;
use crate::script::{Envelope, Input, ScriptCall, ScriptError};
use crate::session::{ActivationError, Invocation};
use crate::state::Active;

impl Session {
    /// Begins the skill's `pre` hook at `path`, in a turn. An error when it may not run.
    pub(super) fn begin_pre(
        &mut self,
        entry: &Entry,
        path: &str,
        invocation: &Invocation<'_>,
    ) -> Result<BegunHook, ActivationError> {
        let name = entry.name().as_str();
        let told = json!({ "hook": "pre", "arguments": invocation.arguments });
        let call = self.hook_call((name, path), invocation.trigger, told);
        let begun = self.begin_hook(entry, call, Purpose::Pre);
        begun
            .map_err(|error| unwell(error).map_or_else(Into::into, |why| blocks((name, path), why)))
    }

    /// Runs a `pre` hook that was begun. An error when it says no.
    pub(super) fn run_pre(&mut self, hook: &BegunHook) -> Result<(), ActivationError> {
        let why = match self.run_hook(hook) {
            Err(error) => Some(unwell(error)?),
            Ok(outcome) => outcome.failure.map(|(_, message)| message),
        };
        why.map_or(Ok(()), |why| Err(blocks(hook.name(), why)))
    }

    /// Begins the `post` hook of a skill that is about to be released, in a turn. None when it has
    /// none, or has one that does not run, which is a warning. Nobody can be asked here, so what
    /// policy wants to be asked about does not run.
    pub(super) fn begin_post(
        &mut self,
        active: &Active,
    ) -> Result<Option<BegunHook>, JournalError> {
        let Some(path) = &active.skill.hook_post else { return Ok(None) };
        let name = active.skill.name.as_str();
        let entry = self
            .look_up(name, Trigger::Auto)
            .ok()
            .filter(|e| e.visibility != Visibility::Untrusted);
        let Some(entry) = entry else {
            let why = "the skill is not there any more, or not trusted";
            return self.warn_of_post((name, path), why).map(|()| None);
        };
        let call = self.hook_call((name, path), Trigger::Auto, json!({ "hook": "post" }));
        match self.begin_hook(&entry, call, Purpose::Post) {
            Ok(hook) => Ok(Some(hook)),
            Err(error) => self.warn_of_post((name, path), &unwell(error)?).map(|()| None),
        }
    }

    /// Runs a `post` hook that was begun. That it fails is a warning.
    pub(super) fn run_post(&mut self, hook: &BegunHook) -> Result<(), JournalError> {
        let why = match self.run_hook(hook) {
            Err(error) => Some(unwell(error)?),
            Ok(outcome) => outcome.failure.map(|(_, message)| message),
        };
        why.map_or(Ok(()), |why| self.warn_of_post(hook.name(), &why))
    }

    pub(super) fn warn_of_post(
        &mut self,
        (name, path): (&str, &str),
        why: &str,
    ) -> Result<(), JournalError> {
        let detail = format!("the hook `{path}` after `{name}` did not run well: {why}");
        self.warn(Some(name), "hook_failed", &detail)
    }

    fn hook_call(&self, (skill, path): (&str, &str), trigger: Trigger, told: Value) -> ScriptCall {
        let mut told = told;
        if let Some(members) = told.as_object_mut() {
            members.insert("skill".to_owned(), skill.into());
            members.insert("session".to_owned(), self.setup.ids.session.as_str().into());
        }
        ScriptCall {
            input: Input::Bytes(format!("{told}\n").into_bytes()),
            timeout: Some(Duration::from_secs(HOOK_SECONDS)),
            trigger,
            ..ScriptCall::new(skill, path)
        }
    }
}

/// That the hook stands against the activation.
pub(super) fn blocks((name, path): (&str, &str), reason: String) -> ActivationError {
    ActivationError::Hook { name: name.to_owned(), hook: path.to_owned(), reason }
}

/// Why a hook did not run, in words; what the journal refused is nobody's but the journal's.
fn unwell(error: ScriptError) -> Result<String, JournalError> {
    match error {
        ScriptError::Journal(error) => Err(error),
        error => Ok(Envelope::of_error(&error).message),
    }
}
