//! What switches an agent's hooks off, or changes what they go by. A repository can bring either with
//! it, so a person has to be told, and how to start the agent so that it does not count. Where metier
//! cannot read a file that speaks of the switch, the switch counts as off: the agent may read more
//! than metier does.

use std::path::{Path, PathBuf};

use metier_store::client;
use serde::Serialize;
use serde_json::Value;

use super::NAME;
use super::jsonc::Document;
use crate::agent_hook::HookAgent;

/// A switch that is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OffSwitch {
    /// The file that has it; empty for a variable.
    pub path: PathBuf,
    /// The key in it, or the variable.
    pub key: String,
    /// What it does.
    pub effect: Effect,
    /// How to start the agent so that it does not count, as far as there is a way.
    pub start: Option<&'static str>,
}

/// What a switch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Hooks do not run.
    HooksOff,
    /// Hooks run with a variable that decides what they go by.
    VariableSet,
}

/// Variables besides metier's own that decide where metier looks, or what runs when an agent starts
/// it through a shell.
const DECISIVE: &[&str] = &[
    "AGENT_SKILLS",
    "BASH_ENV",
    "ENV",
    "HOME",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

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

/// The files of a project that hold nothing but variables, which the agent may hand on to its hooks:
/// Gemini CLI reads them itself, for Claude Code and opencode the engine they are built on may.
#[must_use]
pub fn variable_files(agent: HookAgent) -> &'static [&'static str] {
    match agent {
        HookAgent::GeminiCli => &[".gemini/.env", ".env"],
        HookAgent::ClaudeCode | HookAgent::Opencode => {
            &[".env", ".env.local", ".env.development", ".env.production"]
        }
        HookAgent::Codex => &[],
    }
}

/// Whether a hook of `agent` that is started with this variable may go by something else than the
/// user meant.
#[must_use]
pub fn is_decisive(agent: HookAgent, variable: &str) -> bool {
    variable.starts_with("METIER_")
        || DECISIVE.contains(&variable)
        || off_variables(agent).contains(&variable)
        || client::variables().contains(&variable)
}

/// The decisive variables that a project's file sets. For the user's own settings this is not asked:
/// there they are the user's wish.
#[must_use]
pub fn set_variables(agent: HookAgent, path: &Path, text: &str) -> Vec<OffSwitch> {
    let is_plain = path.extension().is_none_or(|end| end != "json" && end != "toml");
    let (prefix, names) = match agent {
        _ if is_plain => ("", assigned(text)),
        HookAgent::ClaudeCode => ("env.", claude_variables(text)),
        HookAgent::Codex => ("shell_environment_policy.set.", codex_variables(text)),
        HookAgent::GeminiCli | HookAgent::Opencode => ("", Vec::new()),
    };
    let decisive = names.into_iter().filter(|name| is_decisive(agent, name));
    let switch = |name: String| OffSwitch {
        path: path.to_owned(),
        key: format!("{prefix}{name}"),
        effect: Effect::VariableSet,
        start: None,
    };
    decisive.map(switch).collect()
}

/// The names that `NAME=value` lines assign, with `export` before or a colon between.
fn assigned(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let line = line.trim_start_matches('\u{feff}').trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (name, _) = line.split_once(['=', ':'])?;
        Some(name.trim().to_owned())
    };
    once(text.lines().filter_map(name))
}

fn claude_variables(text: &str) -> Vec<String> {
    match json(text) {
        Some(root) => {
            let set = root.get("env").and_then(Value::as_object);
            set.into_iter().flatten().map(|(name, _)| name.clone()).collect()
        }
        None => names_in(text),
    }
}

/// Whatever looks like a name in what cannot be read may be one.
fn names_in(text: &str) -> Vec<String> {
    once(text.split(|c: char| !is_of_name(c)).map(str::to_owned))
}

fn codex_variables(text: &str) -> Vec<String> {
    let Ok(document) = text.parse::<toml_edit::DocumentMut>() else {
        let speaks_of_it = text.contains("shell_environment_policy");
        return if speaks_of_it { names_in(text) } else { Vec::new() };
    };
    let policy = document.get("shell_environment_policy").and_then(|policy| policy.get("set"));
    let set = policy.and_then(|set| set.as_table_like());
    set.into_iter().flat_map(|set| set.iter()).map(|(name, _)| name.to_owned()).collect()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Each name once, in order.
fn once(names: impl Iterator<Item = String>) -> Vec<String> {
    names.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
}

/// The settings by which the hooks of `agent` can be switched off or talked around, from the directory
/// they may lie in: no tool call of a hooked agent writes one, wherever it is. Those of the whole machine
/// are among them, for an agent may be started by who can write them.
#[must_use]
pub fn hook_settings(agent: HookAgent) -> &'static [&'static str] {
    match agent {
        HookAgent::ClaudeCode => &[
            ".claude/settings.json",
            ".claude/settings.local.json",
            "etc/claude-code/managed-settings.json",
            "etc/claude-code/managed-settings.d",
            "Application Support/ClaudeCode/managed-settings.json",
            "Application Support/ClaudeCode/managed-settings.d",
        ],
        HookAgent::Codex => &[
            ".codex/config.toml",
            ".codex/hooks.json",
            "etc/codex/config.toml",
            "etc/codex/requirements.toml",
            "etc/codex/managed_config.toml",
        ],
        HookAgent::GeminiCli => &[
            ".gemini/settings.json",
            "etc/gemini-cli/settings.json",
            "etc/gemini-cli/system-defaults.json",
            "Application Support/GeminiCli/settings.json",
            "Application Support/GeminiCli/system-defaults.json",
        ],
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
    (!on).then(|| OffSwitch {
        path: PathBuf::new(),
        key: variable.to_owned(),
        effect: Effect::HooksOff,
        start,
    })
}

/// The switches of an agent's settings that count as off when nobody can say what is in a file.
#[must_use]
pub fn unknown_switches(agent: HookAgent, path: &Path) -> Vec<OffSwitch> {
    // No format that settings have, and every key there is.
    off_switches(agent, path, "{ disableAllHooks [features] hooks hooksConfig")
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
    let switch = |key: &str| OffSwitch {
        path: path.to_owned(),
        key: key.to_owned(),
        effect: Effect::HooksOff,
        start,
    };
    off.into_iter().map(switch).collect()
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
        // Another version may read what this one cannot.
        Err(_) => text.contains("features") && text.contains("hooks"),
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
    let document = Document::read(text).ok()?;
    Some(document.value(document.root()))
}
