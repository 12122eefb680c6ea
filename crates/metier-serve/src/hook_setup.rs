//! Agents' settings with metier in them: hooks that call `metier hook`, the MCP server, and what an
//! agent wants besides. Pure: texts in, texts out; who reads and writes the files is the
//! application's business.
//!
//! What is in a file stays as it is and where it is. metier's own entries are known by a mark in
//! their command, so they are found again whatever else has changed. Start at [`targets`], then
//! [`join`] and [`part`]; [`gaps`] says what is missing, [`off_switches`] what turns hooks off.

mod codex;
mod found;
mod gap;
mod json;
mod jsonc;
mod switch;

use std::path::PathBuf;

use metier_store::client::Places;

use crate::agent_hook::{HookAgent, Occasion};

pub use codex::trust_hash;
pub use found::{Found, found};
pub use gap::{Gap, Missing, gaps};
pub use switch::{
    Effect, OffSwitch, hook_settings, is_decisive, off_switches, off_variable, off_variables,
    project_files, set_variables, unknown_switches, variable_files,
};

/// The name of metier's MCP server and of its hooks where they have one.
pub const NAME: &str = "metier";

/// What ends every command that metier writes into an agent's settings.
const MARK: &str = "# written by metier";

/// The plugin for opencode, with a place for the words of the command.
const PLUGIN: &str = include_str!("hook_setup/opencode.js");

/// One file of an agent's settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Where it is.
    pub path: PathBuf,
    /// What of metier's belongs into it.
    pub part: Part,
}

/// What of metier's belongs into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Hooks, in JSON.
    Hooks,
    /// The MCP server, in JSON.
    Server,
    /// Hooks and the MCP server, in JSON.
    Both,
    /// The MCP server and the trust in the hooks of the file before, in TOML.
    CodexConfig,
    /// A file of metier's alone.
    Plugin,
}

/// A file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Present {
    /// Which.
    pub target: Target,
    /// Its text; none when there is no such file.
    pub text: Option<String>,
}

/// How metier is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The program, a whole path.
    pub program: String,
    /// Flags that every start has.
    pub flags: Vec<String>,
    /// Variables that a hook has with these values, whatever the agent was started with or a project
    /// sets; an empty one is as good as none.
    pub variables: Vec<(String, String)>,
}

/// Why an agent's settings are left as they are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// Nobody knows where they are.
    #[error("nobody knows where {0} keeps its settings without a home directory")]
    NoPlace(&'static str),
    /// They cannot be read as what they should be.
    #[error("`{path}` is not {format}: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What it should be.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Something of another kind stands where metier's entries belong.
    #[error("in `{path}`, `{key}` is not {kind}")]
    Shape {
        /// The file.
        path: String,
        /// Where in it.
        key: String,
        /// What belongs there.
        kind: &'static str,
    },
}

/// The files of `agent` that metier belongs into, in the order they have to be joined.
pub fn targets(agent: HookAgent, places: &Places) -> Result<Vec<Target>, SetupError> {
    let find = |path: &str, part| {
        let path = places.resolve(path).ok_or(SetupError::NoPlace(agent.title()))?;
        Ok(Target { path, part })
    };
    match agent {
        HookAgent::ClaudeCode => Ok(vec![
            find("{CLAUDE_CONFIG_DIR|~/.claude}/settings.json", Part::Hooks)?,
            // Beside its own directory, unless that is somewhere else.
            match places.variables.contains_key("CLAUDE_CONFIG_DIR") {
                true => find("{CLAUDE_CONFIG_DIR|~/.claude}/.claude.json", Part::Server)?,
                false => find("~/.claude.json", Part::Server)?,
            },
        ]),
        HookAgent::Codex => Ok(vec![
            find("{CODEX_HOME|~/.codex}/hooks.json", Part::Hooks)?,
            find("{CODEX_HOME|~/.codex}/config.toml", Part::CodexConfig)?,
        ]),
        HookAgent::GeminiCli => Ok(vec![find("~/.gemini/settings.json", Part::Both)?]),
        HookAgent::Opencode => Ok(vec![
            find("{XDG_CONFIG_HOME|~/.config}/opencode/plugin/metier.js", Part::Plugin)?,
            find("{XDG_CONFIG_HOME|~/.config}/opencode/opencode.json", Part::Server)?,
        ]),
    }
}

/// The texts of the files with metier's entries in them, in the same order. What metier wrote before
/// is replaced; a server that somebody else called `metier` is left alone.
pub fn join(agent: HookAgent, files: &[Present], start: &Start) -> Result<Vec<String>, SetupError> {
    let mut joined: Vec<String> = Vec::new();
    for file in files {
        let text = match file.target.part {
            Part::Plugin => plugin(start),
            Part::CodexConfig => {
                let hooks = files.iter().zip(&joined).find(|(f, _)| f.target.part == Part::Hooks);
                codex::join(
                    file,
                    hooks.map(|(f, text)| (f.target.path.as_path(), text.as_str())),
                    start,
                )?
            }
            part => json::join(agent, part, file, start)?,
        };
        joined.push(text);
    }
    Ok(joined)
}

/// The texts of the files without metier's entries; none where nothing else was in a file. Hooks are
/// known by their mark; servers and trust by what starts them, which is one of `starts`. A table that
/// is empty without them goes with them, unless somebody made it: it was there `before` metier came,
/// as far as that is known, or somebody left a remark in it.
pub fn part(
    agent: HookAgent,
    files: &[Present],
    starts: &[Start],
    before: &[Present],
) -> Result<Vec<Option<String>>, SetupError> {
    let was = |file: &Present| {
        let was = before.iter().find(|was| was.target == file.target);
        was.and_then(|was| was.text.as_deref())
    };
    let without = |file: &Present| match (&file.text, file.target.part) {
        (None, _) => Ok(None),
        (Some(text), Part::Plugin) => Ok(Some(text.clone()).filter(|text| !is_plugin(text))),
        (Some(_), Part::CodexConfig) => codex::part(file, files, starts),
        (Some(_), part) => json::part((agent, part), file, starts, was(file)),
    };
    files.iter().map(without).collect()
}

impl Start {
    /// The command as agents' settings have it: run by a shell, and blocking when the program is
    /// gone or dies, which would otherwise let every call pass.
    #[must_use]
    pub fn command(&self, agent: HookAgent) -> String {
        let id = agent.as_str();
        let words = std::iter::once(&self.program).chain(&self.flags);
        let words: Vec<String> = words.map(|word| quoted(word)).collect();
        let pin = |(name, value): &(String, String)| match value.as_str() {
            "" => format!("{name}= "),
            value => format!("{name}={} ", quoted(value)),
        };
        let pinned: String = self.variables.iter().map(pin).collect();
        format!(
            "{pinned}{} hook {id} || {{ echo 'metier could not answer, so nothing passes; `metier hook remove {id}` \
             takes its hooks away' >&2; exit 2; }} {MARK}",
            words.join(" ")
        )
    }

    /// The arguments that start the MCP server.
    fn server_arguments(&self) -> Vec<String> {
        self.flags.iter().cloned().chain(["mcp".to_owned()]).collect()
    }
}

/// Seconds an agent waits for an answer, ten times as long as metier takes at most; Codex does not
/// wait longer than three when a session ends.
fn patience(agent: HookAgent, occasion: Occasion) -> u64 {
    match (agent, occasion) {
        (HookAgent::Codex, Occasion::End) => 3,
        _ => 30,
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Whether a text is the plugin, of this metier or another.
fn is_plugin(text: &str) -> bool {
    PLUGIN.lines().next().is_some_and(|line| text.starts_with(line))
}

fn plugin(start: &Start) -> String {
    let words: Vec<&String> = std::iter::once(&start.program).chain(&start.flags).collect();
    let words = serde_json::to_string(&words).unwrap_or_default();
    let pinned: serde_json::Map<String, serde_json::Value> =
        start.variables.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
    let pinned = serde_json::Value::Object(pinned).to_string();
    // Each place once, and the words last: they are the user's, and may look like the other.
    PLUGIN.replacen("const PINNED = {}", &format!("const PINNED = {pinned}"), 1).replacen(
        "[\"metier\"]",
        &words,
        1,
    )
}

#[cfg(test)]
#[path = "hook_setup_tests.rs"]
mod tests;
