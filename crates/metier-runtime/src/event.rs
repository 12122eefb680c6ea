//! What can happen in a session. An event is what a frame says; its names and shapes are a
//! contract: fields are added, never renamed, and what this version does not know is kept.

use metier_store::vouch::is_served;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A session began.
    SessionStarted(SessionStarted),
    /// The catalog was built or changed.
    SkillCatalogUpdated(SkillCatalogUpdated),
    /// A skill's `SKILL.md` was read whole.
    SkillLoaded(SkillLoaded),
    /// A skill was asked for: the intent, written before anything is done.
    SkillInvoked(SkillInvoked),
    /// A skill is on the stack: the result.
    SkillActivated(SkillActivated),
    /// An activation did not come about.
    SkillRefused(SkillRefused),
    /// A skill left the stack.
    SkillDeactivated(SkillDeactivated),
    /// A tool call was ruled on while skills were active or policy had a say.
    ToolExecutionInSkill(ToolRuled),
    /// A tool call was denied.
    ToolRestrictionViolated(ToolRuled),
    /// A file of a skill was asked for.
    ResourceRequested(ResourceRequested),
    /// A file of a skill was read, or was refused.
    ResourceRead(ResourceRead),
    /// A script is about to run: the intent.
    ScriptStarted(ScriptStarted),
    /// A script has run, or could not after all: the result.
    ScriptFinished(ScriptFinished),
    /// A skill proposed an override and policy ruled on it.
    OverrideRuled(OverrideRuled),
    /// Something worth knowing that stopped nothing.
    SkillWarning(SkillWarning),
    /// A skill is to be installed, updated, removed or approved: the intent, written before
    /// anything is changed.
    SkillChangeRequested(SkillChanged),
    /// A skill was installed: the result.
    SkillInstalled(SkillChanged),
    /// Another version took the place of an installed skill, or it was put right.
    SkillUpdated(SkillChanged),
    /// An installed skill was removed.
    SkillRemoved(SkillChanged),
    /// Somebody said yes to a skill as it is, or to a folder.
    SkillApproved(SkillChanged),
    /// Somebody took that back.
    SkillUnapproved(SkillChanged),
    /// A change that was asked for did not come about, or was not needed.
    SkillUnchanged(SkillChanged),
    /// The session ended; the stack is empty.
    SessionEnded(SessionEnded),
    /// An event of another version or another program, kept as it is.
    Other {
        /// Its name.
        kind: String,
        /// What it says.
        payload: Map<String, Value>,
    },
}

macro_rules! events {
    ($( $variant:ident => $name:literal, )*) => {
        impl Event {
            /// Every name this version writes.
            pub const NAMES: &[&str] = &[ $( $name, )* ];

            /// The event's name in a frame.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $name, )*
                    Self::Other { kind, .. } => kind,
                }
            }

            /// The event's payload in a frame.
            #[must_use]
            pub fn payload(&self) -> Map<String, Value> {
                let value = match self {
                    $( Self::$variant(payload) => serde_json::to_value(payload), )*
                    Self::Other { payload, .. } => Ok(Value::Object(payload.clone())),
                };
                match value {
                    Ok(Value::Object(map)) => map,
                    _ => Map::new(),
                }
            }

            /// The event a frame tells. A payload this version cannot read is kept as `Other`.
            #[must_use]
            pub fn read(kind: &str, payload: &Map<String, Value>) -> Self {
                let value = Value::Object(payload.clone());
                let known = match kind {
                    $( $name => serde_json::from_value(value).ok().map(Self::$variant), )*
                    _ => None,
                };
                known.unwrap_or_else(|| Self::Other { kind: kind.to_owned(), payload: payload.clone() })
            }
        }
    };
}

events! {
    SessionStarted => "session_started",
    SkillCatalogUpdated => "skill_catalog_updated",
    SkillLoaded => "skill_loaded",
    SkillInvoked => "skill_invoked",
    SkillActivated => "skill_activated",
    SkillRefused => "skill_refused",
    SkillDeactivated => "skill_deactivated",
    ToolExecutionInSkill => "tool_execution_in_skill",
    ToolRestrictionViolated => "tool_restriction_violated",
    ResourceRequested => "resource_requested",
    ResourceRead => "resource_read",
    ScriptStarted => "script_started",
    ScriptFinished => "script_finished",
    OverrideRuled => "override_ruled",
    SkillWarning => "skill_warning",
    SkillChangeRequested => "skill_change_requested",
    SkillInstalled => "skill_installed",
    SkillUpdated => "skill_updated",
    SkillRemoved => "skill_removed",
    SkillApproved => "skill_approved",
    SkillUnapproved => "skill_unapproved",
    SkillUnchanged => "skill_unchanged",
    SessionEnded => "session_ended",
}

impl Event {
    /// Whether applying this event changes the stack.
    #[must_use]
    pub fn changes_stack(&self) -> bool {
        matches!(self, Self::SkillActivated(_) | Self::SkillDeactivated(_) | Self::SessionEnded(_))
    }
}

/// Payload of `session_started`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionStarted {
    /// The host that speaks: `claude-code`, `plain` …
    #[serde(default)]
    pub host: String,
    /// metier's version.
    #[serde(default)]
    pub version: String,
    /// Digest of the policy in force.
    #[serde(default)]
    pub policy: String,
}

/// Payload of `skill_catalog_updated`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillCatalogUpdated {
    /// How many skills a model may see.
    pub count: usize,
    /// The roots, as `layer:path`.
    pub roots: Vec<String>,
    /// Names that had more than one candidate.
    #[serde(default)]
    pub collisions: Vec<String>,
    /// How many more of them there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_collisions: usize,
    /// The catalog's digest.
    #[serde(default)]
    pub digest: String,
}

/// What is nothing is not written: frames are as they were before there was such a count.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Payload of `skill_loaded`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillLoaded {
    /// The skill.
    pub name: String,
    /// Its directory.
    pub path: String,
    /// SHA-256 of its `SKILL.md`.
    pub digest: String,
    /// Its frontmatter, unknown fields included.
    pub frontmatter: Value,
    /// Codes of what was wrong with it.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// The links of the chain before this one.
    #[serde(flatten)]
    pub chain: Chain,
}

/// The links of the chain before an activation, as far as somebody vouches for them: where the
/// content was installed from, what exactly it is, who said yes to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Where it was installed from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The digest of the whole tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Who said yes, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
}

impl Chain {
    /// The MCP server that gave the content, when one did.
    #[must_use]
    pub fn served(&self) -> Option<&str> {
        let source = self.source.as_deref()?;
        is_served(source).then_some(source)
    }
}

/// Who asked for a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    /// A person, by name.
    #[default]
    Manual,
    /// A model.
    Auto,
}

/// Payload of `skill_invoked`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillInvoked {
    /// The skill.
    pub name: String,
    /// The arguments as given.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub args: String,
    /// Who asked.
    pub mode: Trigger,
}

/// Payload of `skill_activated`: everything a restarted process needs to know again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillActivated {
    /// The skill.
    pub name: String,
    /// Its directory.
    pub path: String,
    /// SHA-256 of its `SKILL.md`.
    pub digest: String,
    /// Its layer.
    pub layer: String,
    /// Its trust.
    pub trust: String,
    /// Its `allowed-tools`; none means unrestricted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_tools: Option<Vec<String>>,
    /// Whether its `allowed-tools` cannot be read, so that nothing is allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tools_unreadable: bool,
    /// Its scripts, relative to its directory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<String>,
    /// The script that runs before it is released.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_post: Option<String>,
    /// Size of what the model received, in tokens, estimated or exact.
    #[serde(default)]
    pub tokens: usize,
    /// The links of the chain before this one.
    #[serde(flatten)]
    pub chain: Chain,
}

/// Payload of `skill_refused`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillRefused {
    /// The skill as asked for.
    pub name: String,
    /// The error's code.
    pub code: String,
    /// Why.
    pub reason: String,
}

/// Payload of `skill_deactivated`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillDeactivated {
    /// The skill.
    pub name: String,
    /// Why: `released`, `ended`, `unwound`.
    pub reason: String,
}

/// Payload of `tool_execution_in_skill` and `tool_restriction_violated`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolRuled {
    /// The tool as the host called it.
    pub tool: String,
    /// Its arguments, redacted and cut.
    pub arguments: Value,
    /// `allow`, `ask` or `deny`.
    pub verdict: String,
    /// Every reason.
    pub reasons: Vec<String>,
    /// The skill that decided, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The rule that decided, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Whether a script of an active skill was to be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub script_read: bool,
}

/// Payload of `resource_requested`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceRequested {
    /// The skill.
    pub name: String,
    /// The path inside it.
    pub path: String,
}

/// Payload of `resource_read`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ResourceRead {
    /// The skill.
    pub name: String,
    /// Its directory: a file may be read without the skill being loaded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub directory: String,
    /// The path inside it.
    pub path: String,
    /// SHA-256 of the bytes; empty when refused.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
    /// How many bytes.
    #[serde(default)]
    pub bytes: u64,
    /// The error's code, when it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Payload of `script_started`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptStarted {
    /// The skill.
    pub name: String,
    /// The script's path inside it.
    pub script: String,
    /// What it runs for: `run`, `help`, `pre` or `post`.
    pub purpose: String,
    /// SHA-256 of the script.
    pub digest: String,
    /// Its arguments, redacted and cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// What runs it.
    pub interpreter: String,
    /// The walls: what it may read, write, reach and use, variables by name.
    pub confinement: Value,
    /// For a script with dependencies: whether they may be fetched, and the walls around that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<Value>,
}

/// Payload of `script_finished`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScriptFinished {
    /// The skill.
    pub name: String,
    /// The script's path inside it.
    pub script: String,
    /// What it ran for.
    pub purpose: String,
    /// How it ended, in words; empty when it did not start.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub status: String,
    /// For a script with dependencies that were provided: whether that was done now, and which
    /// walls stood around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prepared: Option<Value>,
    /// Its exit code, when it ended with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The code of the failure, when it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Milliseconds it took.
    #[serde(default)]
    pub duration_ms: u64,
    /// Milliseconds of CPU time.
    #[serde(default)]
    pub cpu_ms: u64,
    /// Bytes of resident memory of its largest process.
    #[serde(default)]
    pub max_rss: u64,
    /// Bytes it wrote to standard output.
    #[serde(default)]
    pub stdout_bytes: u64,
    /// Bytes it wrote to standard error.
    #[serde(default)]
    pub stderr_bytes: u64,
    /// SHA-256 of what was kept of standard output; empty when nothing was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stdout_digest: String,
    /// SHA-256 of what was kept of standard error; empty when nothing was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stderr_digest: String,
    /// Which mechanism stood behind each wall.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub enforced: Value,
    /// The walls it ran into, as far as that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denials: Vec<Value>,
}

/// Payload of `override_ruled`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OverrideRuled {
    /// The skill that proposed it.
    pub name: String,
    /// What it proposed.
    pub proposal: Value,
    /// `allow`, `ask` or `deny`.
    pub verdict: String,
    /// Why.
    pub reasons: Vec<String>,
}

/// Payload of `skill_warning`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillWarning {
    /// The skill, when it concerns one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What kind: `collision`, `skipped`, `not_approved`, `torn_tail` …
    pub kind: String,
    /// In words.
    pub detail: String,
}

/// Payload of `skill_change_requested` and of what came of it: `skill_installed`, `skill_updated`,
/// `skill_removed`, `skill_approved`, `skill_unapproved`, `skill_unchanged`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillChanged {
    /// What was asked for: `add`, `update`, `remove`, `sync`, `rollback`, `trust`, `untrust`.
    pub act: String,
    /// The skill; empty when it is about a folder.
    pub name: String,
    /// Its layer; empty when it is about a folder.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub layer: String,
    /// Its directory, or the folder.
    pub path: String,
    /// Who asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
    /// What was there before, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Chain>,
    /// What is there after, or is to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Chain>,
    /// The code of what stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Payload of `session_ended`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionEnded {
    /// Why: `end`, `crashed`, `replaced`.
    pub reason: String,
}
