//! The hooks of a skill: one script before it becomes active, one before it is released.
//!
//! They run as every script does, under the same law and inside the same walls, with a short time
//! and a line of JSON on standard input that says what is going on. A `pre` hook that cannot run,
//! fails or takes too long blocks the activation with its message; it can only forbid, since the
//! ruling on the skill is asked besides. A `post` hook forbids nothing: restrictions that do not end
//! because a script fails would be a trap, so its failure is a warning.
//!
//! A hook is part of the act it belongs to: whoever else wants to act on the session waits for it,
//! since what it says decides whether the skill is active.

use std::time::Duration;

use metier_store::catalog::{Entry, Visibility};
use serde_json::{Value, json};

use super::Session;
use super::script::Purpose;
use crate::event::Trigger;
use crate::journal::JournalError;
use crate::limits::HOOK_SECONDS;
use crate::script::{Envelope, Input, ScriptCall, ScriptError};
use crate::session::{ActivationError, Invocation};
use crate::state::Active;

impl Session {
    /// Runs the skill's `pre` hook at `path`. An error when it says no.
    pub(super) fn pre_hook(
        &mut self,
        entry: &Entry,
        path: &str,
        invocation: &Invocation<'_>,
    ) -> Result<(), ActivationError> {
        let name = entry.name().to_string();
        let told = json!({ "hook": "pre", "arguments": invocation.arguments });
        let call = self.hook_call((&name, path), invocation.trigger, told);
        let reason = match self.run_hook(entry, &call, Purpose::Pre) {
            Err(ScriptError::Journal(error)) => return Err(ActivationError::Journal(error)),
            Err(error) => Envelope::of_error(&error).message,
            Ok(outcome) => match outcome.failure {
                None => return Ok(()),
                Some((_, message)) => message,
            },
        };
        Err(ActivationError::Hook { name, hook: path.to_owned(), reason })
    }

    /// Runs the `post` hook of a skill that is about to be released. Nobody can be asked here, so
    /// what policy wants to be asked about does not run.
    pub(super) fn post_hook(&mut self, active: &Active) -> Result<(), JournalError> {
        let Some(path) = active.skill.hook_post.clone() else { return Ok(()) };
        let name = active.skill.name.clone();
        let entry = self
            .look_up(&name, Trigger::Auto)
            .ok()
            .filter(|e| e.visibility != Visibility::Untrusted);
        let problem = match entry {
            None => Some("the skill is not there any more, or not trusted".to_owned()),
            Some(entry) => {
                let told = json!({ "hook": "post" });
                let call = self.hook_call((&name, &path), Trigger::Auto, told);
                match self.run_hook(&entry, &call, Purpose::Post) {
                    Err(ScriptError::Journal(error)) => return Err(error),
                    Err(error) => Some(Envelope::of_error(&error).message),
                    Ok(outcome) => outcome.failure.map(|(_, message)| message),
                }
            }
        };
        match problem {
            None => Ok(()),
            Some(problem) => {
                let detail =
                    format!("the hook `{path}` after `{name}` did not run well: {problem}");
                self.warn(Some(&name), "hook_failed", &detail)
            }
        }
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
