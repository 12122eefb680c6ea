//! The guard: one tool call, one ruling, one frame.

use metier_format::NameKey;
use metier_policy::grant::{Grant, SCRIPT_READ};
use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Place, Ruling, Survey, ToolCall, Verdict, decide,
};
use metier_store::Scripts;
use serde_json::{Map, Value};

use super::Session;
use crate::event::{Event, ToolRuled, Trigger};
use crate::journal::{Beat, JournalError};
use crate::limits::{MAX_INLINE_BYTES, MAX_INLINE_ITEMS, MAX_INLINE_TEXT, MAX_REASONS};
use crate::redact::Redactor;
use crate::resolver::Glance;

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

    /// Rules on a call of which it is known that it does nothing but read a skill to activate it, and
    /// records the ruling: policy decides on it as on every other, and no active skill restricts it.
    pub fn guard_activating(&mut self, call: &ToolCall) -> Result<Guarded, JournalError> {
        self.act(|session| {
            let host = session.setup.host.clone().where_skill_tool(&call.tool);
            let ruling = session.rule_as(call, &host);
            session.record_ruling(call, ruling)
        })
    }

    /// Rules on a call as if the skills called `names` were active as well, and records the ruling. One
    /// that cannot be loaded is left out: it cannot be activated either.
    pub fn guard_beside(
        &mut self,
        call: &ToolCall,
        names: &[String],
    ) -> Result<Guarded, JournalError> {
        self.act(|session| {
            let mut stack = session.stack.clone();
            stack.extend(names.iter().filter_map(|name| session.unborn(name)));
            let ruling = session.rule_with(call, &stack);
            session.record_ruling(call, ruling)
        })
    }

    /// Rules on a call that has somebody else run a script of `skill`, and records the ruling: as for
    /// [`Session::run`], policy and every other active skill have to allow the tool `Script`.
    pub fn guard_script(&mut self, call: &ToolCall, skill: &str) -> Result<Guarded, JournalError> {
        let key = NameKey::of(skill);
        self.act(|session| {
            let others = session.stack.iter().filter(|active| active.name.key() != key);
            let stack: ActiveStack = others.cloned().collect();
            let ruling = session.rule_with(call, &stack);
            session.record_ruling(call, ruling)
        })
    }

    /// The skill as it would be on the stack, unless it is.
    fn unborn(&self, name: &str) -> Option<ActiveSkill> {
        let entry = self.look_up(name, Trigger::Auto).ok()?;
        if self.is_active(entry.name()) {
            return None;
        }
        let skill = self.setup.store.load(&entry.location()).ok()?;
        let scripts = Scripts::in_store(&*self.setup.store, &entry.location(), &skill);
        Some(ActiveSkill {
            name: entry.name().clone(),
            allowed: skill.manifest.allowed_tools.as_ref().map(|tools| tools.value.clone()),
            layer: self.setup.catalog.layer(&entry.found).as_str().to_owned(),
            trust: entry.trust.as_str().to_owned(),
            scripts: scripts.found.iter().map(|s| skill.directory.join(&s.path)).collect(),
            directory: Some(skill.directory),
            served: false,
        })
    }

    /// Denies a call that cannot even be asked about, and records that: its arguments cannot be
    /// read, or somebody outside has said no already.
    pub fn refuse(&mut self, call: &ToolCall, why: &str) -> Result<Guarded, JournalError> {
        self.act(|session| session.record_ruling(call, Ruling::of(Verdict::Deny, why)))
    }

    /// Whether any call of `tool` could pass the active skills, for hosts that can hide tools.
    #[must_use]
    pub fn exposes(&self, tool: &str) -> bool {
        let grant = Grant { policy: &self.setup.policy, stack: &self.stack };
        grant.exposes(tool, &self.setup.host)
    }

    /// What a call would do, without a ruling and without a frame.
    #[must_use]
    pub fn survey(&self, call: &ToolCall) -> Survey {
        self.setup.policy.survey(call, &self.setup.host, &self.scene(&Glance::default()))
    }

    pub(super) fn record_ruling(
        &mut self,
        call: &ToolCall,
        ruling: Ruling,
    ) -> Result<Guarded, JournalError> {
        let redactor = &self.setup.redactor;
        let mut recorder = Recorder { redactor, left: MAX_INLINE_BYTES };
        let (tool, arguments) = (recorder.text(&call.tool), recorder.value(&call.arguments));
        let mut recorder = Recorder { redactor, left: MAX_INLINE_BYTES / 4 };
        let told = ruling.reasons.iter().take(MAX_REASONS);
        let mut reasons: Vec<String> = told.map(|reason| recorder.text(&reason.text)).collect();
        if ruling.reasons.len() > MAX_REASONS {
            reasons.push(format!("… ({} more)", ruling.reasons.len() - MAX_REASONS));
        }
        let ruled = ToolRuled {
            tool,
            arguments,
            verdict: ruling.verdict.as_str().to_owned(),
            reasons,
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
        self.rule_in(call, &self.stack, &self.setup.host)
    }

    /// The ruling on a call in the words of `host`.
    pub(super) fn rule_as(&self, call: &ToolCall, host: &HostTable) -> Ruling {
        self.rule_in(call, &self.stack, host)
    }

    /// The ruling on a call with these skills active.
    pub(super) fn rule_with(&self, call: &ToolCall, stack: &ActiveStack) -> Ruling {
        self.rule_in(call, stack, &self.setup.host)
    }

    fn rule_in(&self, call: &ToolCall, stack: &ActiveStack, host: &HostTable) -> Ruling {
        decide(&self.setup.policy, stack, call, host, &self.scene(&Glance::default()))
    }

    /// Where a call happens, with links as this ruling finds them.
    fn scene<'a>(&'a self, glance: &'a Glance) -> Place<'a> {
        let here = &self.setup.whereabouts;
        Place {
            cwd: &here.cwd,
            home: here.home.as_deref(),
            project: here.project.as_deref(),
            protected: &here.protected,
            resolver: glance,
        }
    }
}

/// Arguments as a frame has them: redacted, then cut, to a number of texts and of bytes in all. What
/// is left out is said in its place.
pub(super) struct Recorder<'a> {
    pub(super) redactor: &'a Redactor,
    /// Bytes of text that may still be recorded.
    pub(super) left: usize,
}

impl Recorder<'_> {
    /// `text` without secrets, up to the length a frame keeps, with the rest as a count.
    pub(super) fn text(&mut self, text: &str) -> String {
        // Redacted before it is cut: half a secret is one that nobody recognises. Of a long text only
        // the beginning is redacted, and what may be half a secret at the end of that goes.
        let longest = self.redactor.longest();
        let part = &text[..text.floor_char_boundary(MAX_INLINE_TEXT.saturating_add(longest))];
        let mut out = self.redactor.text(part);
        let whole = part.len() == text.len();
        let sure = if whole { out.len() } else { out.len().saturating_sub(longest) };
        let end = out.floor_char_boundary(sure.min(MAX_INLINE_TEXT).min(self.left));
        if !whole || end < out.len() {
            out.truncate(end);
            out.push_str(&format!("… ({} more bytes)", text.len().saturating_sub(end)));
        }
        self.left = self.left.saturating_sub(out.len());
        out
    }

    fn value(&mut self, value: &Value) -> Value {
        // Every value counts, so that a million numbers are bounded as well.
        self.left = self.left.saturating_sub(8);
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => {
                let mut kept: Vec<Value> = Vec::new();
                for item in items {
                    if kept.len() >= MAX_INLINE_ITEMS || self.left == 0 {
                        kept.push(format!("… ({} more)", items.len() - kept.len()).into());
                        break;
                    }
                    kept.push(self.value(item));
                }
                Value::Array(kept)
            }
            Value::Object(map) => Value::Object(self.members(map)),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn members(&mut self, map: &Map<String, Value>) -> Map<String, Value> {
        let mut kept = Map::new();
        for (key, item) in map {
            if kept.len() >= MAX_INLINE_ITEMS || self.left == 0 {
                let more = format!("({} more)", map.len() - kept.len());
                kept.insert("…".to_owned(), more.into());
                break;
            }
            let item = match item {
                Value::String(text) if !text.is_empty() && Redactor::names_secret(key) => {
                    Redactor::MARK.into()
                }
                _ => self.value(item),
            };
            let key = self.text(key);
            kept.insert(key, item);
        }
        kept
    }
}
