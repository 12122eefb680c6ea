//! The manifest: every field of the standard and of the five source designs, typed and placed.
//! Fields the table does not know are kept as they are, in order.
//!
//! It holds what a file says, not what follows from it: defaults of the fields are here, policy and
//! precedence are not. `validate` makes one, [`Manifest::props`] shows one.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::name::SkillName;
use crate::span::Spanned;
use crate::tool_pattern::AllowedTools;
use crate::yaml::{Entry, Node};

/// Text with its place.
pub type Text = Spanned<String>;

/// A key as written, with its place. One that is spelled as it should be takes no memory.
pub type Key = Spanned<Cow<'static, str>>;

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
    /// `allowed-tools` as it stands in the file, when that is not simply the tools above with a
    /// space between them: a list, a string with commas, or something unreadable.
    pub allowed_tools_written: Option<Box<Node<'static>>>,
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
    /// The known fields outside the standard as they stand in the file, in the order written. What
    /// metier acts on is also typed above.
    pub extensions: Vec<Entry<'static>>,
    /// Unknown fields, in the order written.
    pub extra: Vec<Entry<'static>>,
    /// Every top-level key as written, in order, known or not.
    pub keys: Vec<Key>,
}

impl Manifest {
    /// The frontmatter as `metier props` prints it: the standard's six fields, `null` where the file
    /// has none, and everything else under `extra`, as written and in order. `allowed-tools` is what
    /// stands in the file, string or list.
    #[must_use]
    pub fn props(&self) -> Value {
        let text =
            |text: &Option<Text>| text.as_ref().map_or(Value::Null, |t| t.value.clone().into());
        let metadata = self
            .metadata
            .iter()
            .map(|(key, value)| (key.value.clone(), value.value.clone().into()));
        let mut props = Map::new();
        props.insert("name".into(), self.name.as_str().into());
        props.insert("description".into(), self.description.value.clone().into());
        props.insert("license".into(), text(&self.license));
        props.insert("compatibility".into(), text(&self.compatibility));
        props.insert("allowed-tools".into(), self.tools_as_written());
        props.insert("metadata".into(), Value::Object(metadata.collect()));
        props.insert("extra".into(), Value::Object(self.outside_standard()));
        Value::Object(props)
    }

    fn tools_as_written(&self) -> Value {
        if let Some(node) = &self.allowed_tools_written {
            return node.to_json();
        }
        match self.allowed_tools.as_deref() {
            None => Value::Null,
            // Never without its text; were it so, the empty string allows nothing either.
            Some(AllowedTools::Unreadable) => Value::String(String::new()),
            Some(AllowedTools::Only(patterns)) => {
                let words: Vec<String> = patterns.iter().map(ToString::to_string).collect();
                Value::String(words.join(" "))
            }
        }
    }

    /// Extensions and unknown fields together, in the order of the file.
    fn outside_standard(&self) -> Map<String, Value> {
        let mut entries: Vec<_> = self.extensions.iter().chain(&self.extra).collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        entries.into_iter().map(|entry| (entry.key.to_string(), entry.value.to_json())).collect()
    }
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
    /// `permissions.network`, hosts; `*` for `true`.
    pub network: Vec<Text>,
    /// `permissions.filesystem`, paths.
    pub filesystem: Vec<Text>,
}

#[cfg(test)]
#[path = "manifest_tests.rs"]
mod tests;
