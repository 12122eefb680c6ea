//! What is missing of metier in an agent's settings: a hook somebody took out or changed, trust that
//! does not fit, the MCP server. Others' entries, before or after metier's, are no gap.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use toml_edit::{DocumentMut, Item};

use super::{NAME, Part, Present, Start, codex, json, plugin};
use crate::agent_hook::HookAgent;

/// Something of metier's that is not in an agent's settings as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The file it belongs into.
    pub path: PathBuf,
    /// What it is.
    pub what: Missing,
}

/// What is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// The hook for this event, as metier writes it.
    Hook(&'static str),
    /// The record that the hook with this key is trusted.
    Trust(String),
    /// The MCP server.
    Server,
    /// The MCP server, since another one has its name.
    ForeignServer,
    /// The plugin, as metier writes it.
    Plugin,
}

/// What is missing in `files`, in their order. A file that cannot be read has nothing of metier's.
#[must_use]
pub fn gaps(agent: HookAgent, files: &[Present], start: &Start) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for file in files {
        let text = file.text.as_deref().unwrap_or_default();
        let missing = match file.target.part {
            Part::Plugin => {
                (text != plugin(start)).then_some(Missing::Plugin).into_iter().collect()
            }
            Part::CodexConfig => trust(files, text, start),
            part => in_json(agent, part, text, start),
        };
        let path = &file.target.path;
        gaps.extend(missing.into_iter().map(|what| Gap { path: path.clone(), what }));
    }
    gaps
}

fn in_json(agent: HookAgent, part: Part, text: &str, start: &Start) -> Vec<Missing> {
    let root = json::said(agent, text).unwrap_or_default();
    let mut missing = Vec::new();
    if part != Part::Server {
        let hooks = root.get("hooks");
        for (event, occasion) in agent.needed() {
            let groups = hooks.and_then(|hooks| hooks.get(event)?.as_array());
            let ours = json::group(agent, occasion, start);
            if !groups.into_iter().flatten().any(|group| holds(group, &ours)) {
                missing.push(Missing::Hook(event));
            }
        }
    }
    if part != Part::Hooks {
        let server = root.get(json::servers(agent)).and_then(|servers| servers.get(NAME));
        missing.extend(server_gap(server.map(words).as_deref(), start));
    }
    missing
}

/// What starts a server: its command, in whichever form, and its arguments.
fn words(server: &Value) -> Vec<String> {
    let parts = [server.get("command"), server.get("args")].into_iter().flatten();
    let words = parts.flat_map(|part| match part {
        Value::Array(words) => words.iter().collect(),
        word => vec![word],
    });
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// What is missing when the server called metier is started by these words: nothing when they start
/// some metier, which a person may have written down too.
fn server_gap(words: Option<&[String]>, start: &Start) -> Option<Missing> {
    let Some(words) = words else { return Some(Missing::Server) };
    let file = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
    let program = words.first().and_then(|word| file(word));
    let is_metier = program == file(&start.program) || program == file(NAME);
    let is_ours = program.is_some() && is_metier && words.iter().any(|word| word == "mcp");
    (!is_ours).then_some(Missing::ForeignServer)
}

/// Whether `group` matches what ours does, and has our handler among its own.
fn holds(group: &Value, ours: &Value) -> bool {
    let matcher = |group: &Value| group.get("matcher").cloned();
    let handlers = |group: &'_ Value| group.get("hooks").and_then(Value::as_array).cloned();
    let (theirs, ours_in_it) = (handlers(group).unwrap_or_default(), handlers(ours));
    matcher(group) == matcher(ours)
        && ours_in_it.unwrap_or_default().iter().all(|handler| theirs.contains(handler))
}

fn trust(files: &[Present], text: &str, start: &Start) -> Vec<Missing> {
    let document: DocumentMut = text.parse().unwrap_or_default();
    let mut missing = Vec::new();
    let hooks = files.iter().find(|file| file.target.part == Part::Hooks);
    if let Some((path, hooks)) =
        hooks.and_then(|file| Some((&file.target.path, file.text.as_ref()?)))
    {
        let state = document.get("hooks").and_then(|hooks| hooks.get("state"));
        for (key, hash) in codex::trusted(Path::new(path), hooks) {
            let known = state.and_then(|state| state.get(&key)?.get("trusted_hash"));
            if known.and_then(Item::as_str) != Some(hash.as_str()) {
                missing.push(Missing::Trust(key));
            }
        }
    }
    let server = document.get("mcp_servers").and_then(|servers| servers.get(NAME));
    missing.extend(server_gap(server.map(toml_words).as_deref(), start));
    missing
}

fn toml_words(server: &Item) -> Vec<String> {
    let command = server.get("command").and_then(Item::as_str);
    let arguments = server.get("args").and_then(Item::as_array);
    let arguments = arguments.into_iter().flatten().filter_map(|word| word.as_str());
    command.into_iter().chain(arguments).map(str::to_owned).collect()
}

#[cfg(test)]
#[path = "gap_tests.rs"]
mod tests;
