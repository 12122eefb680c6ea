//! The guard: one tool call, one ruling, one frame.

use metier_policy::grant::SCRIPT_READ;
use metier_policy::{ActiveStack, Place, Ruling, Survey, ToolCall, Verdict, decide};

use super::Session;
use crate::event::{Event, ToolRuled};
use crate::journal::{Beat, JournalError};
use crate::limits::MAX_INLINE_TEXT;
use crate::resolver::Disk;

/// A ruling that was recorded.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The ruling.
    pub ruling: Ruling,
    /// The number of the frame that tells it.
    pub seq: u64,
}

impl Session {
    /// Rules on a call and records the ruling. When the journal refuses there is no ruling, and
    /// the call must not happen.
    pub fn guard(&mut self, call: &ToolCall) -> Result<Guarded, JournalError> {
        self.act(|session| {
            let ruling = session.rule(call);
            session.record_ruling(call, ruling)
        })
    }

    /// Denies a call that cannot even be asked about, and records that: its arguments cannot be
    /// read, or somebody outside has said no already.
    pub fn refuse(&mut self, call: &ToolCall, why: &str) -> Result<Guarded, JournalError> {
        self.act(|session| session.record_ruling(call, Ruling::of(Verdict::Deny, why)))
    }

    /// What a call would do, without a ruling and without a frame.
    #[must_use]
    pub fn survey(&self, call: &ToolCall) -> Survey {
        self.setup.policy.survey(call, &self.setup.host, &self.scene())
    }

    pub(super) fn record_ruling(
        &mut self,
        call: &ToolCall,
        ruling: Ruling,
    ) -> Result<Guarded, JournalError> {
        // Redacted before it is cut: half a secret is one that nobody recognises.
        let redactor = &self.setup.redactor;
        let ruled = ToolRuled {
            tool: cut(&redactor.text(&call.tool)),
            arguments: bounded(&redactor.value(&call.arguments)),
            verdict: ruling.verdict.as_str().to_owned(),
            reasons: ruling.reasons.iter().map(|r| cut(&redactor.text(&r.text))).collect(),
            skill: ruling.skill.as_ref().map(ToString::to_string),
            rule: ruling.rule.clone(),
            script_read: ruling.reasons.iter().any(|r| r.rule.as_deref() == Some(SCRIPT_READ)),
        };
        let event = match ruling.verdict {
            Verdict::Deny => Event::ToolRestrictionViolated(ruled),
            Verdict::Allow | Verdict::Ask => Event::ToolExecutionInSkill(ruled),
        };
        let frame = self.record(&event, Beat::Result)?;
        Ok(Guarded { ruling, seq: frame.seq })
    }

    /// The ruling alone: a pure function of policy, stack and call, but for links on disk.
    pub(super) fn rule(&self, call: &ToolCall) -> Ruling {
        self.rule_with(call, &self.stack)
    }

    /// As [`Session::rule`], with these skills active.
    pub(super) fn rule_with(&self, call: &ToolCall, stack: &ActiveStack) -> Ruling {
        decide(&self.setup.policy, stack, call, &self.setup.host, &self.scene())
    }

    fn scene(&self) -> Place<'_> {
        let here = &self.setup.whereabouts;
        Place {
            cwd: &here.cwd,
            home: here.home.as_deref(),
            project: here.project.as_deref(),
            resolver: &Disk,
        }
    }
}

/// `text` up to the length a frame keeps, with the rest as a count.
pub(super) fn cut(text: &str) -> String {
    if text.len() <= MAX_INLINE_TEXT {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(MAX_INLINE_TEXT);
    format!("{}… ({} more bytes)", &text[..end], text.len() - end)
}

/// `value` with every text in it cut, and no more than a few hundred of them.
fn bounded(value: &serde_json::Value) -> serde_json::Value {
    const MOST: usize = 200;
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(cut(text)),
        Value::Array(items) => items.iter().take(MOST).map(bounded).collect(),
        Value::Object(map) => Value::Object(
            map.iter().take(MOST).map(|(key, item)| (cut(key), bounded(item))).collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
