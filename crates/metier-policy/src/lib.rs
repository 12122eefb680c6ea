//! May this tool call happen? A pure answer from policy, active skills and the call.
//!
//! [`decide`] is the way in. It refuses to know files, clocks and environments: where a call
//! happens is handed in as a [`Place`], and links are followed by whoever implements [`Resolve`].
//!
//! The way of a call: `host` translates the host's names, `call` says what the call is about, `act`
//! takes it apart into acts (reading shell text with `shell` and its programs with `programs`),
//! `judge` holds the acts against clauses whose patterns are in `pattern`, `policy` and `stack` say
//! which clauses there are, and `grant` joins the answers to one [`Ruling`].
//!
//! ```
//! use metier_format::{AllowedTools, SkillName, ToolPattern};
//! use metier_policy::{ActiveSkill, ActiveStack, HostTable, Place, Policy, Profile, ToolCall, Verdict};
//!
//! let tools = ToolPattern::tokenize("Read Bash(git:*)").expect("two patterns");
//! let mut stack = ActiveStack::default();
//! stack.push(ActiveSkill {
//!     allowed: Some(AllowedTools::Only(tools)),
//!     ..ActiveSkill::unrestricted(SkillName::parse("git-helper").expect("a name"))
//! });
//! let policy = Policy::profile(Profile::Default);
//! let place = Place::lexical("/project".as_ref());
//! let rule = |command: &str| {
//!     let call = ToolCall::new("Bash", serde_json::json!({ "command": command }));
//!     metier_policy::decide(&policy, &stack, &call, HostTable::plain(), &place).verdict
//! };
//! assert_eq!(rule("git status && git log"), Verdict::Allow);
//! assert_eq!(rule("git status $(touch x)"), Verdict::Deny);
//! ```

mod act;
pub mod call;
mod editor;
mod entries;
mod glob;
pub mod grant;
pub mod host;
mod judge;
pub mod limits;
pub mod overrides;
pub mod own;
pub mod pattern;
pub mod place;
pub mod policy;
pub mod programs;
mod reading;
pub mod rule;
#[cfg(test)]
#[path = "ruled_tests.rs"]
mod ruled;
pub mod scripts;
mod shape;
pub mod shell;
pub mod stack;
pub mod survey;
pub mod url;
pub mod verdict;

pub use call::{Kind, McpTool, ToolCall};
pub use grant::{Grant, decide};
pub use host::{Flow, HostTable};
pub use overrides::{Override, OverrideKind};
pub use pattern::Pattern;
pub use place::{Layout, Lexical, Place, Resolve};
pub use policy::{
    AllowedToolsMode, Policy, PolicyError, PolicyFile, PolicyLayer, Profile, ScriptRead,
};
pub use programs::ProgramTable;
pub use rule::Rule;
pub use scripts::{
    ProjectAccess, ScriptDependencies, ScriptLaw, ScriptLevel, ScriptLimits, ScriptNetwork,
};
pub use stack::{ActiveSkill, ActiveStack};
pub use survey::Survey;
pub use verdict::{Reason, Ruling, Verdict};
