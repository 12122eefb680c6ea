//! What a skill proposes to change about its host: model, provider, tool defaults, aliases, context
//! scope. Proposals are data; [`crate::Policy::rule_on`] decides about each.

use metier_format::yaml::Entry;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One proposal of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Override {
    /// Use another model.
    Model {
        /// The model's name.
        model: String,
    },
    /// Use another provider.
    Provider {
        /// The provider's name.
        provider: String,
    },
    /// Give a tool other defaults.
    ToolDefault {
        /// The tool.
        tool: String,
        /// The arguments it gets unless the call has them.
        arguments: Value,
    },
    /// Call a tool by another name.
    Alias {
        /// The new name.
        name: String,
        /// The tool.
        tool: String,
    },
    /// Show the model less, or other, context.
    ContextScope {
        /// As written.
        scope: Value,
    },
}

/// The kinds of [`Override`], as rules name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverrideKind {
    /// `model`.
    Model,
    /// `provider`.
    Provider,
    /// `tool-default`.
    ToolDefault,
    /// `alias`.
    Alias,
    /// `context-scope`.
    ContextScope,
}

/// Why a part of `overrides` is no proposal. Nothing of it takes effect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OverrideError {
    /// `overrides` is not a map.
    #[error("`overrides` is not a map")]
    NotAMap,
    /// A key nobody knows.
    #[error("`overrides.{0}` is not a known override")]
    UnknownKey(String),
    /// A value of the wrong kind.
    #[error("`overrides.{key}` is not {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What it should be.
        expected: &'static str,
    },
}

impl Override {
    /// Reads the manifest's `overrides` entry. What can be read is read; the rest is reported.
    #[must_use]
    pub fn parse(entry: &Entry<'_>) -> (Vec<Self>, Vec<OverrideError>) {
        let Value::Object(map) = entry.value.to_json() else {
            return (Vec::new(), vec![OverrideError::NotAMap]);
        };
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        for (key, value) in &map {
            match Self::parse_one(key, value) {
                Ok(overrides) => found.extend(overrides),
                Err(fault) => faults.push(fault),
            }
        }
        (found, faults)
    }

    /// What kind of proposal this is.
    #[must_use]
    pub fn kind(&self) -> OverrideKind {
        match self {
            Self::Model { .. } => OverrideKind::Model,
            Self::Provider { .. } => OverrideKind::Provider,
            Self::ToolDefault { .. } => OverrideKind::ToolDefault,
            Self::Alias { .. } => OverrideKind::Alias,
            Self::ContextScope { .. } => OverrideKind::ContextScope,
        }
    }

    /// The proposal as a person would recognise it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Model { model } => format!("the model `{model}`"),
            Self::Provider { provider } => format!("the provider `{provider}`"),
            Self::ToolDefault { tool, .. } => format!("other defaults for `{tool}`"),
            Self::Alias { name, tool } => format!("the name `{name}` for `{tool}`"),
            Self::ContextScope { .. } => "another context scope".to_owned(),
        }
    }

    fn parse_one(key: &str, value: &Value) -> Result<Vec<Self>, OverrideError> {
        let folded = key.to_lowercase().replace(['-', '_'], "");
        let wrong = |expected| OverrideError::WrongType { key: key.to_owned(), expected };
        let text = || value.as_str().map(str::to_owned).filter(|text| !text.is_empty());
        match folded.as_str() {
            "model" => Ok(vec![Self::Model { model: text().ok_or_else(|| wrong("text"))? }]),
            "provider" => {
                Ok(vec![Self::Provider { provider: text().ok_or_else(|| wrong("text"))? }])
            }
            "tooldefaults" | "tooldefault" | "tools" => {
                let map = value.as_object().ok_or_else(|| wrong("a map of tools"))?;
                let one = |(tool, arguments): (&String, &Value)| Self::ToolDefault {
                    tool: tool.clone(),
                    arguments: arguments.clone(),
                };
                Ok(map.iter().map(one).collect())
            }
            "aliases" | "alias" => {
                let map = value.as_object().ok_or_else(|| wrong("a map of names"))?;
                let one = |(name, tool): (&String, &Value)| {
                    let tool = tool.as_str().ok_or_else(|| wrong("a map of names"))?.to_owned();
                    Ok(Self::Alias { name: name.clone(), tool })
                };
                map.iter().map(one).collect()
            }
            "context" | "contextscope" => Ok(vec![Self::ContextScope { scope: value.clone() }]),
            _ => Err(OverrideError::UnknownKey(key.to_owned())),
        }
    }
}

impl OverrideKind {
    /// Every kind.
    pub const ALL: [Self; 5] =
        [Self::Model, Self::Provider, Self::ToolDefault, Self::Alias, Self::ContextScope];

    /// The word rules use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Provider => "provider",
            Self::ToolDefault => "tool-default",
            Self::Alias => "alias",
            Self::ContextScope => "context-scope",
        }
    }
}

#[cfg(test)]
#[path = "overrides_tests.rs"]
mod tests;
