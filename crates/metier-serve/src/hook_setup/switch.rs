//! What switches an agent's hooks off. A repository can bring such a switch with it, so a person has
//! to be told, and how to start the agent so that it does not count. Where metier cannot read a file
//! that speaks of the switch, the switch counts as off: the agent may read more than metier does.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::NAME;
use crate::agent_hook::HookAgent;

/// A switch that is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OffSwitch {
    /// The file that has it; empty for a variable.
    pub path: PathBuf,
    /// The key in it, or the variable.
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

/// The settings by which the hooks of `agent` can be switched off or talked around, from the directory
/// they may lie in: no tool call of a hooked agent writes one, wherever it is.
#[must_use]
pub fn hook_settings(agent: HookAgent) -> &'static [&'static str] {
    match agent {
        HookAgent::ClaudeCode | HookAgent::GeminiCli => project_files(agent),
        HookAgent::Codex => &[".codex/config.toml", ".codex/hooks.json"],
        // A plugin sees a call behind another one, and may change it.
        HookAgent::Opencode => &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/plugin",
            ".opencode/plugins",
            ".config/opencode/plugin",
            ".config/opencode/plugins",
        ],
    }
}

/// The variables that switch an agent's hooks off when it is started with them.
#[must_use]
pub fn off_variables(agent: HookAgent) -> &'static [&'static str] {
    match agent {
        HookAgent::Opencode => &["OPENCODE_PURE"],
        HookAgent::ClaudeCode | HookAgent::Codex | HookAgent::GeminiCli => &[],
    }
}

/// The switch that `variable` is when it has this value; none when it switches nothing off.
#[must_use]
pub fn off_variable(variable: &'static str, value: &str) -> Option<OffSwitch> {
    let on = matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "false");
    let start = Some("env -u OPENCODE_PURE opencode");
    (!on).then(|| OffSwitch { path: PathBuf::new(), key: variable, start })
}

/// The switches that are off in a file of settings, of a project or of the user.
#[must_use]
pub fn off_switches(agent: HookAgent, path: &Path, text: &str) -> Vec<OffSwitch> {
    let off = match agent {
        HookAgent::ClaudeCode => claude_code(text),
        HookAgent::Codex => codex(text),
        HookAgent::GeminiCli => gemini_cli(text),
        HookAgent::Opencode => Vec::new(),
    };
    let start = match agent {
        HookAgent::ClaudeCode => Some("claude --settings '{\"disableAllHooks\":false}'"),
        HookAgent::Codex => Some("codex --enable hooks"),
        HookAgent::GeminiCli | HookAgent::Opencode => None,
    };
    off.into_iter().map(|key| OffSwitch { path: path.to_owned(), key, start }).collect()
}

fn claude_code(text: &str) -> Vec<&'static str> {
    let off = match json(text) {
        Some(root) => root.get("disableAllHooks").is_some_and(|value| value != &Value::Bool(false)),
        None => text.contains("disableAllHooks"),
    };
    off.then_some("disableAllHooks").into_iter().collect()
}

fn codex(text: &str) -> Vec<&'static str> {
    let off = match text.parse::<toml_edit::DocumentMut>() {
        Ok(document) => {
            let hooks = document.get("features").and_then(|features| features.get("hooks"));
            hooks.is_some_and(|value| value.as_bool() != Some(true))
        }
        // Codex does not start with settings it cannot read.
        Err(_) => false,
    };
    off.then_some("features.hooks").into_iter().collect()
}

fn gemini_cli(text: &str) -> Vec<&'static str> {
    let Some(root) = json(text) else {
        return text.contains("hooksConfig").then_some("hooksConfig").into_iter().collect();
    };
    let config = root.get("hooksConfig");
    let enabled = config.and_then(|config| config.get("enabled"));
    let disabled = config.and_then(|config| config.get("disabled")?.as_array());
    let mut off = Vec::new();
    if enabled.is_some_and(|value| value != &Value::Bool(true)) {
        off.push("hooksConfig.enabled");
    }
    if disabled.is_some_and(|names| names.iter().any(|name| name == NAME)) {
        off.push("hooksConfig.disabled");
    }
    off
}

/// What settings in JSON say, with the comments and the commas at the end that agents put up with.
fn json(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}');
    serde_json::from_str(text).or_else(|_| serde_json::from_str(&plain(text))).ok()
}

/// JSON without its comments, and without commas that nothing follows. One pass.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => {
                out.push(c);
                while let Some(c) = rest.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while rest.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                rest.next();
                let mut last = ' ';
                for c in rest.by_ref() {
                    if (last, c) == ('*', '/') {
                        break;
                    }
                    last = c;
                }
            }
            ('}' | ']', _) => {
                let kept = out.trim_end();
                out.truncate(kept.strip_suffix(',').unwrap_or(kept).len());
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
