//! The manifest: every field of the standard and of the five source designs, typed and placed.
//! Fields the table does not know are kept as they are, in order.

use crate::name::SkillName;
use crate::span::Spanned;
use crate::tool_pattern::AllowedTools;
use crate::yaml::Entry;

/// Text with its place.
pub type Text = Spanned<String>;

/// A parsed frontmatter that can be loaded: it has a usable name and a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// `name`.
    pub name: Spanned<SkillName>,
    /// `description`, trimmed.
    pub description: Text,
    /// `license`.
    pub license: Option<Text>,
    /// `compatibility`.
    pub compatibility: Option<Text>,
    /// `metadata`, in the order written.
    pub metadata: Vec<(Text, Text)>,
    /// `allowed-tools`; none means unrestricted.
    pub allowed_tools: Option<Spanned<AllowedTools>>,
    /// What runs the skill, and how.
    pub invocation: Invocation,
    /// `priority`; higher wins within a layer.
    pub priority: i64,
    /// `tags`.
    pub tags: Vec<Text>,
    /// `scope`.
    pub scope: Scope,
    /// Who made it and what it works with.
    pub origin: Origin,
    /// What it brings to run and what that may touch.
    pub parts: Parts,
    /// `overrides`, as written; policy decides about each.
    pub overrides: Option<Entry<'static>>,
    /// Unknown fields, in the order written.
    pub extra: Vec<Entry<'static>>,
    /// Every top-level key as written, in order, known or not.
    pub keys: Vec<Text>,
}

/// How a skill wants to be invoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// `model`.
    pub model: Option<Text>,
    /// `context`.
    pub context: ContextMode,
    /// `agent`.
    pub agent: Option<Text>,
    /// `hooks.pre`.
    pub hook_pre: Option<Text>,
    /// `hooks.post`.
    pub hook_post: Option<Text>,
    /// `disable-model-invocation`: only a user may invoke it.
    pub disable_model_invocation: bool,
    /// `user-invocable`: whether a user may invoke it by name.
    pub user_invocable: bool,
    /// `argument-hint`.
    pub argument_hint: Option<Text>,
    /// `arguments`: the names positional arguments get.
    pub arguments: Vec<Text>,
}

impl Default for Invocation {
    fn default() -> Self {
        Self {
            model: None,
            context: ContextMode::default(),
            agent: None,
            hook_pre: None,
            hook_post: None,
            disable_model_invocation: false,
            user_invocable: true,
            argument_hint: None,
            arguments: Vec::new(),
        }
    }
}

/// `context`: whether the skill runs in the conversation or beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContextMode {
    /// In the conversation.
    #[default]
    Inherit,
    /// In a fresh one.
    Fork,
}

/// `scope`: where the skill is offered. A missing list means everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// `scope.agents`.
    pub agents: Option<Vec<Text>>,
    /// `scope.tenants`.
    pub tenants: Option<Vec<Text>>,
    /// `scope.environments`.
    pub environments: Option<Vec<Text>>,
}

/// Who made a skill and what it works with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// `version`, else `metadata.version`.
    pub version: Option<Text>,
    /// `author`, else `metadata.author`.
    pub author: Option<Text>,
    /// `repository`.
    pub repository: Option<Text>,
    /// `min-host-version` and the seeds' spellings of it.
    pub min_host_version: Option<Text>,
    /// `max-host-version` and the seeds' spellings of it.
    pub max_host_version: Option<Text>,
}

/// What a skill brings to run and what that may touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// `toolsets`, as `module:Class`.
    pub toolsets: Vec<Text>,
    /// `scripts`; none means every script found.
    pub scripts: Option<Vec<Text>>,
    /// `scripts-ignore`, globs.
    pub scripts_ignore: Vec<Text>,
    /// `permissions.env`, names with wildcards.
    pub env: Vec<Text>,
    /// `permissions.network`, hosts.
    pub network: Vec<Text>,
    /// `permissions.filesystem`, paths.
    pub filesystem: Vec<Text>,
}
