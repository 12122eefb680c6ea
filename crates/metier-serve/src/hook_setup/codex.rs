//! Codex: its settings in TOML, and the trust it wants recorded for every hook. A hook runs only
//! when the user's own settings hold the digest of what it is; otherwise it is left out in silence.

use std::collections::BTreeMap;
use std::path::Path;

use metier_store::digest;
use serde_json::Value;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, value};

use super::{MARK, NAME, Part, Present, SetupError, Start, patience};
use crate::agent_hook::HookAgent;

/// What some editors put before a text.
const MARK_OF_ORDER: char = '\u{feff}';

/// The digest by which Codex knows a hook without a matcher: of its event, command and timeout, as
/// JSON with sorted members.
#[must_use]
pub fn trust_hash(event: &str, command: &str, timeout: u64) -> String {
    let identity = serde_json::json!({
        "event_name": snake(event),
        "hooks": [{"async": false, "command": command, "timeout": timeout, "type": "command"}],
    });
    format!("sha256:{}", digest::hex(&digest::sha256(identity.to_string().as_bytes())))
}

/// The file with the MCP server and with trust in metier's hooks of the file `hooks`.
pub(super) fn join(
    file: &Present,
    hooks: Option<(&Path, &str)>,
    start: &Start,
) -> Result<String, SetupError> {
    let mut document = read(file)?;
    let servers = table(document.as_table_mut(), "mcp_servers", file)?;
    if !servers.contains_key(NAME) {
        let mut server = Table::new();
        server.insert("command", value(&start.program));
        server.insert("args", value(start.server_arguments().into_iter().collect::<Array>()));
        servers.insert(NAME, Item::Table(server));
    }
    if let Some((path, text)) = hooks {
        let all = table(document.as_table_mut(), "hooks", file)?;
        let state = table(all, "state", file)?;
        forget(state, &hashes(std::slice::from_ref(start)));
        for (key, hash) in trusted(path, text) {
            let mut trust = Table::new();
            trust.insert("trusted_hash", value(hash));
            state.insert(&key, Item::Table(trust));
        }
    }
    Ok(written(&document, file))
}

/// The file without them.
pub(super) fn part(
    file: &Present,
    files: &[Present],
    starts: &[Start],
) -> Result<Option<String>, SetupError> {
    let mut document = read(file)?;
    let before = written(&document, file);
    let mut known = hashes(starts);
    // Those of another metier are in the other file, as long as its hooks are.
    for hooks in files.iter().filter(|file| file.target.part == Part::Hooks) {
        let text = hooks.text.as_deref().unwrap_or_default();
        known.extend(trusted(&hooks.target.path, text).into_values());
    }
    let root = document.as_table_mut();
    if let Some(servers) = root.get_mut("mcp_servers").and_then(Item::as_table_like_mut) {
        let command = servers.get(NAME).and_then(|server| server.get("command"));
        let command = command.and_then(Item::as_str);
        let is_ours = starts.iter().any(|start| command == Some(start.program.as_str()));
        if is_ours {
            servers.remove(NAME);
        }
    }
    if is_made(root.get("mcp_servers")) {
        root.remove("mcp_servers");
    }
    if let Some(hooks) = root.get_mut("hooks").and_then(Item::as_table_like_mut)
        && let Some(state) = hooks.get_mut("state").and_then(Item::as_table_like_mut)
        && forget(state, &known)
    {
        if is_made(hooks.get("state")) {
            hooks.remove("state");
        }
        if is_made(root.get("hooks")) {
            root.remove("hooks");
        }
    }
    let text = written(&document, file);
    if text == before {
        return Ok(file.text.clone());
    }
    Ok((!text.trim_start_matches(MARK_OF_ORDER).trim().is_empty()).then_some(text))
}

/// Whether a table is empty and nobody wrote it: it was there only because of what was in it.
fn is_made(item: Option<&Item>) -> bool {
    item.and_then(Item::as_table).is_some_and(|table| table.is_implicit() && table.is_empty())
}

/// Takes out the trust in hooks with these digests; says whether there was some. Others' stays.
fn forget(state: &mut dyn TableLike, hashes: &[String]) -> bool {
    let is_ours = |item: &Item| {
        let hash = item.get("trusted_hash").and_then(Item::as_str);
        hash.is_some_and(|hash| hashes.iter().any(|ours| ours == hash))
    };
    let ours = state.iter().filter(|(_, item)| is_ours(item));
    let ours: Vec<String> = ours.map(|(key, _)| key.to_owned()).collect();
    for key in &ours {
        state.remove(key);
    }
    !ours.is_empty()
}

/// The digests of metier's hooks, started in one of these ways.
fn hashes(starts: &[Start]) -> Vec<String> {
    let hash = |start: &Start, (event, occasion)| {
        let command = start.command(HookAgent::Codex);
        trust_hash(event, &command, patience(HookAgent::Codex, occasion))
    };
    let of = |start| HookAgent::Codex.needed().map(move |needed| hash(start, needed));
    starts.iter().flat_map(of).collect()
}

/// The keys of metier's hooks in the file `text`, each with its digest.
pub(super) fn trusted(path: &Path, text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let root: Value = serde_json::from_str(text).unwrap_or_default();
    let Some(events) = root.get("hooks").and_then(Value::as_object) else { return found };
    for (event, groups) in events {
        for (group_index, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array);
            for (index, handler) in handlers.into_iter().flatten().enumerate() {
                let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
                let timeout = handler.get("timeout").and_then(Value::as_u64);
                if let (true, Some(timeout)) = (command.ends_with(MARK), timeout) {
                    let event_name = snake(event);
                    let key = format!("{}:{event_name}:{group_index}:{index}", path.display());
                    found.insert(key, trust_hash(event, command, timeout));
                }
            }
        }
    }
    found
}

/// `PreToolUse` as `pre_tool_use`.
fn snake(event: &str) -> String {
    let mut out = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn read(file: &Present) -> Result<DocumentMut, SetupError> {
    let text = file.text.as_deref().unwrap_or_default();
    text.parse().map_err(|error: toml_edit::TomlError| SetupError::Unreadable {
        path: file.target.path.display().to_string(),
        format: "TOML",
        reason: error.message().to_owned(),
    })
}

/// The text, with the mark and the ends of lines the file had; the parser keeps neither.
fn written(document: &DocumentMut, file: &Present) -> String {
    let old = file.text.as_deref().unwrap_or_default();
    let mut text = document.to_string();
    if old.contains("\r\n") && !old.replace("\r\n", "").contains('\n') {
        text = text.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    if old.starts_with(MARK_OF_ORDER) && !text.starts_with(MARK_OF_ORDER) {
        text.insert(0, MARK_OF_ORDER);
    }
    text
}

/// The table `key`, made when it is not there; one that is written on a line stays on it.
fn table<'a>(
    root: &'a mut dyn TableLike,
    key: &str,
    file: &Present,
) -> Result<&'a mut dyn TableLike, SetupError> {
    if !root.contains_key(key) {
        let mut table = Table::new();
        table.set_implicit(true);
        root.insert(key, Item::Table(table));
    }
    let made = root.get_mut(key).and_then(Item::as_table_like_mut);
    made.ok_or_else(|| SetupError::Shape {
        path: file.target.path.display().to_string(),
        key: key.to_owned(),
        kind: "a table",
    })
}
