//! The state of a session, which is nothing but its events applied in order. Live and replayed
//! state go through the same [`State::apply`].

use serde::{Deserialize, Serialize};

use crate::event::{Event, SkillActivated, ToolRuled};

/// Which reading of events the states in a checkpoint come from. Whoever changes what
/// [`State::apply`] does raises it, so that no state of the old reading is believed.
pub(crate) const STATE_VERSION: u32 = 1;

/// One element of the stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Active {
    /// What `skill_activated` said.
    #[serde(flatten)]
    pub skill: SkillActivated,
    /// The sequence number of the frame that put it there.
    pub since: u64,
}

/// What has been counted. Every metric is derived from these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    /// Activations.
    pub activations: u64,
    /// Activations that did not come about.
    pub refusals: u64,
    /// Rulings that allowed.
    pub allowed: u64,
    /// Rulings that asked.
    pub asked: u64,
    /// Rulings that denied.
    pub denied: u64,
    /// Denials of reading an active skill's script.
    pub script_reads_blocked: u64,
    /// Files of skills read.
    pub resources_read: u64,
    /// Scripts run.
    pub scripts_run: u64,
    /// Scripts run that failed.
    pub scripts_failed: u64,
    /// Warnings.
    pub warnings: u64,
    /// Tokens given to the model by activations.
    pub tokens: u64,
}

/// The state of one session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The active skills, the last activated last.
    pub stack: Vec<Active>,
    /// What has been counted.
    pub counters: Counters,
    /// The digest of the catalog last recorded.
    pub catalog: String,
    /// Whether the session has begun and not ended.
    pub open: bool,
    /// Frames applied.
    pub frames: u64,
}

impl State {
    /// Takes `event`, recorded as frame `seq`, into account. Total: an event that makes no sense
    /// (a release of a skill that is not on the stack) changes nothing but the count of frames.
    /// Only a release or an end pops the stack.
    pub fn apply(&mut self, seq: u64, event: &Event) {
        self.frames += 1;
        match event {
            Event::SessionStarted(_) => self.open = true,
            Event::SkillCatalogUpdated(updated) => self.catalog.clone_from(&updated.digest),
            Event::SkillActivated(skill) => self.push(seq, skill),
            Event::SkillRefused(_) => self.counters.refusals += 1,
            Event::SkillDeactivated(gone) => self.remove(&gone.name),
            Event::ToolExecutionInSkill(ruled) | Event::ToolRestrictionViolated(ruled) => {
                self.count(ruled);
            }
            Event::ResourceRead(read) if read.refused.is_none() => {
                self.counters.resources_read += 1;
            }
            Event::ScriptFinished(finished) => {
                self.counters.scripts_run += 1;
                self.counters.scripts_failed += u64::from(finished.error.is_some());
            }
            Event::SkillWarning(_) => self.counters.warnings += 1,
            Event::SessionEnded(_) => {
                self.stack.clear();
                self.open = false;
            }
            Event::SkillLoaded(_)
            | Event::SkillInvoked(_)
            | Event::ResourceRequested(_)
            | Event::ResourceRead(_)
            | Event::ScriptStarted(_)
            | Event::OverrideRuled(_)
            // What is installed is the disk's state, not a session's.
            | Event::SkillChangeRequested(_)
            | Event::SkillInstalled(_)
            | Event::SkillUpdated(_)
            | Event::SkillRemoved(_)
            | Event::SkillApproved(_)
            | Event::SkillUnapproved(_)
            | Event::SkillUnchanged(_)
            | Event::Other { .. } => {}
        }
    }

    fn push(&mut self, seq: u64, skill: &SkillActivated) {
        self.counters.activations += 1;
        self.counters.tokens += skill.tokens as u64;
        self.stack.push(Active { skill: skill.clone(), since: seq });
    }

    /// Removes the topmost skill of that name. What stands above it stays: it was activated on
    /// its own.
    fn remove(&mut self, name: &str) {
        if let Some(at) = self.stack.iter().rposition(|active| active.skill.name == name) {
            self.stack.remove(at);
        }
    }

    fn count(&mut self, ruled: &ToolRuled) {
        match ruled.verdict.as_str() {
            "allow" => self.counters.allowed += 1,
            "ask" => self.counters.asked += 1,
            _ => self.counters.denied += 1,
        }
        self.counters.script_reads_blocked += u64::from(ruled.script_read);
    }
}
