//! What switches an agent's hooks off. A repository can bring such a switch with it, so a person has
//! to be told, and how to start the agent so that it does not count.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use super::NAME;
use crate::agent_hook::HookAgent;

/// A switch that is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OffSwitch {
    /// The file that has it.
    pub path: PathBuf,
    /// The key in it.
    pub key: &'static str,
    /// How to start the agent so that it does not count, as far as there is a way.
    pub start: Option<&'static str>,
}

/// The files of a project in which an agent looks for such a switch.
#[must_use]
pub fn project_files(agent: HookAgent) -> &'static [&'static str] {
    match agent {
        HookAgent::ClaudeCode => &[".claude/settings.json", ".claude/settings.local.json"],
        HookAgent::Codex => &[".codex/config.toml"],
        HookAgent::GeminiCli => &[".gemini/settings.json"],
        HookAgent::Opencode => &[],
    }
}

/// The switches that are off in a file of settings, of a project or of the user. A file that cannot
/// be read switches nothing off: the agent cannot read it either.
#[must_use]
pub fn off_switches(agent: HookAgent, path: &std::path::Path, text: &str) -> Vec<OffSwitch> {
    let json = || serde_json::from_str::<Value>(text).unwrap_or_default();
    let found = |key, start| OffSwitch { path: path.to_owned(), key, start };
    let mut switches = Vec::new();
    match agent {
        HookAgent::ClaudeCode => {
            if json().get("disableAllHooks").is_some_and(|value| value != &Value::Bool(false)) {
                let start = "claude --settings '{\"disableAllHooks\":false}'";
                switches.push(found("disableAllHooks", Some(start)));
            }
        }
        HookAgent::Codex => {
            let document: toml_edit::DocumentMut = text.parse().unwrap_or_default();
            let hooks = document.get("features").and_then(|features| features.get("hooks"));
            if hooks.is_some_and(|value| value.as_bool() != Some(true)) {
                switches.push(found("features.hooks", Some("codex --enable hooks")));
            }
        }
        HookAgent::GeminiCli => {
            let root = json();
            let config = root.get("hooksConfig");
            let enabled = config.and_then(|config| config.get("enabled"));
            if enabled.is_some_and(|value| value != &Value::Bool(true)) {
                switches.push(found("hooksConfig.enabled", None));
            }
            let disabled = config.and_then(|config| config.get("disabled")?.as_array());
            if disabled.is_some_and(|names| names.iter().any(|name| name == NAME)) {
                switches.push(found("hooksConfig.disabled", None));
            }
        }
        HookAgent::Opencode => {}
    }
    switches
}
