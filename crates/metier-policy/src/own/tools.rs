//! Tools that nobody knows: of MCP servers, and of hosts that bring their own. One that is told a path
//! may write it, unless its name says that it only looks.

use serde_json::Value;

use crate::call::ToolCall;
use crate::limits::{MAX_PATH_BYTES, MAX_TOLD};
use crate::place::{From, Place, Spots, folded};

/// Words in the name of a tool that only looks.
const LOOKS: [&str; 21] = [
    "read", "get", "list", "search", "find", "view", "show", "stat", "info", "tree", "glob",
    "grep", "cat", "head", "tail", "ls", "query", "lookup", "describe", "exists", "count",
];

/// Words in the name of a tool that does more, whatever else its name says.
const CHANGES: [&str; 24] = [
    "write", "create", "edit", "update", "set", "delete", "remove", "move", "rename", "copy",
    "append", "insert", "replace", "save", "put", "post", "patch", "apply", "run", "exec",
    "execute", "mkdir", "upload", "store",
];

/// Fields that hold commands or code.
const COMMANDS: [&str; 8] =
    ["command", "cmd", "script", "code", "args", "arguments", "shell", "expression"];

/// What a tool is told.
#[derive(Default)]
pub(super) struct Told {
    /// The paths.
    pub(super) paths: Vec<Spots>,
    /// Commands and code, in lowercase.
    pub(super) texts: Vec<String>,
}

/// What a tool nobody knows is told; nothing for one that only looks.
pub(super) fn told(call: &ToolCall, place: &Place<'_>) -> Told {
    let mut told = Told::default();
    if call.arguments.is_null() || only_looks(call) {
        return told;
    }
    let mut open = vec![("", &call.arguments)];
    let mut left = MAX_TOLD;
    while let Some((field, value)) = open.pop() {
        match value {
            Value::String(text) => told.add(field, text, place),
            Value::Array(items) => open.extend(items.iter().map(|item| (field, item))),
            Value::Object(map) => open.extend(map.iter().map(|(name, item)| (name.as_str(), item))),
            _ => {}
        }
        left -= 1;
        if left == 0 {
            // What is not looked at one by one is looked at as text.
            told.texts.push(folded(&call.arguments.to_string()));
            break;
        }
    }
    told
}

impl Told {
    fn add(&mut self, field: &str, text: &str, place: &Place<'_>) {
        if COMMANDS.contains(&field.to_ascii_lowercase().as_str()) {
            self.texts.push(folded(text));
        }
        let path = text.strip_prefix("file://").unwrap_or(text);
        // What leads through a running process can be followed by nobody, so what is spelled counts.
        if path.contains("/proc/") || path.contains("/dev/fd") {
            self.texts.push(folded(path));
        }
        if path.len() <= MAX_PATH_BYTES && !path.contains('\n') {
            self.paths.extend(place.locate_argument(path, From::Directory(place.cwd)));
        }
    }
}

/// Whether the name of a tool says that it only looks.
fn only_looks(call: &ToolCall) -> bool {
    let name = call.mcp.as_ref().map_or(call.tool.as_str(), |mcp| mcp.tool.as_str());
    let name = name.rsplit("__").next().unwrap_or(name);
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&LOOKS) && !has(&CHANGES)
}

/// The words of a name: between marks, and at each capital letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    words
}
