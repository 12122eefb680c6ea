//! Tools that nobody knows: of MCP servers, and of hosts that bring their own. One that is told a path
//! may write it, unless its name says that it only looks.

use serde_json::Value;

use super::Inquiry;
use crate::call::{Kind, ShellInput, ToolCall, Understood};
use crate::limits::{MAX_PATH_BYTES, MAX_TOLD};
use crate::place::{From, Place, Spots, folded};
use crate::url::decoded;

/// Words in the name of a tool that only looks.
const LOOKS: [&str; 21] = [
    "read", "get", "list", "search", "find", "view", "show", "stat", "info", "tree", "glob",
    "grep", "cat", "head", "tail", "ls", "query", "lookup", "describe", "exists", "count",
];

/// Words in the name of a tool that does more, whatever else its name says.
const CHANGES: [&str; 66] = [
    "write",
    "create",
    "edit",
    "update",
    "set",
    "delete",
    "remove",
    "move",
    "rename",
    "copy",
    "append",
    "insert",
    "replace",
    "save",
    "put",
    "post",
    "patch",
    "apply",
    "run",
    "exec",
    "execute",
    "mkdir",
    "upload",
    "store",
    "substitute",
    "modify",
    "change",
    "alter",
    "add",
    "drop",
    "truncate",
    "overwrite",
    "rewrite",
    "sync",
    "clear",
    "purge",
    "clean",
    "prune",
    "rm",
    "mv",
    "cp",
    "touch",
    "make",
    "download",
    "extract",
    "unzip",
    "install",
    "import",
    "commit",
    "push",
    "pull",
    "reset",
    "restore",
    "revert",
    "swap",
    "merge",
    "upsert",
    "toggle",
    "enable",
    "disable",
    "link",
    "symlink",
    "format",
    "fix",
    "generate",
    "refactor",
];

/// Fields that hold commands or code.
const COMMANDS: [&str; 8] =
    ["command", "cmd", "script", "code", "args", "arguments", "shell", "expression"];

/// Those of them that hold nothing but a command.
const RUN: [&str; 4] = ["command", "cmd", "script", "shell"];

/// What a tool is told.
#[derive(Default)]
pub(super) struct Told {
    /// The paths.
    pub(super) paths: Vec<Spots>,
    /// Commands and code, in lowercase.
    pub(super) texts: Vec<String>,
}

/// What a tool nobody knows is told; no more than commands for one that only looks.
pub(super) fn told(call: &ToolCall, place: &Place<'_>) -> Told {
    let mut told = Told::default();
    let looks = only_looks(call);
    let whole = each(&call.arguments, |field, text| match looks {
        true if !is_one_of(&RUN, field) => {}
        true => told.texts.push(folded(text)),
        false => told.add(field, text, place),
    });
    if !whole && !looks {
        // What is not looked at one by one is looked at as text.
        told.texts.push(folded(&call.arguments.to_string()));
    }
    told
}

/// The commands that a tool nobody knows is told to run, as a shell may read them: each alone, and with
/// the words it is given beside it.
fn commands(call: &ToolCall) -> Option<String> {
    let (mut lines, mut words) = (Vec::new(), Vec::new());
    let _ = each(&call.arguments, |field, text| match is_one_of(&RUN, field) {
        true => lines.push(text.to_owned()),
        false if is_one_of(&COMMANDS, field) => words.push(text.to_owned()),
        false => {}
    });
    // A list of words is one command.
    let all = lines.iter().chain(&words).map(String::as_str).collect::<Vec<_>>().join(" ");
    let alone = words.join(" ");
    lines.extend(words);
    lines.extend([all, alone]);
    lines.retain(|line| !line.is_empty());
    lines.dedup();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// A call of a tool nobody knows as one of a shell, where it is told a command.
pub(super) fn as_shell(inquiry: Inquiry<'_>) -> Option<Understood> {
    if inquiry.place.protected.is_empty()
        || !matches!(inquiry.understood.kind, Kind::Mcp { .. } | Kind::Other)
    {
        return None;
    }
    let command = ShellInput::Text(commands(inquiry.call)?);
    Some(Understood { kind: Kind::Shell { command }, ..inquiry.understood.clone() })
}

/// Hands on every text in a value with the field it is in, in the order it is written in. False when
/// there are more values than are looked at.
fn each<'v>(value: &'v Value, mut use_it: impl FnMut(&'v str, &'v str)) -> bool {
    let mut open = vec![("", value)];
    let mut left = MAX_TOLD;
    while let Some((field, value)) = open.pop() {
        match value {
            Value::String(text) => use_it(field, text),
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (field, item))),
            Value::Object(map) => {
                open.extend(map.iter().rev().map(|(name, item)| (name.as_str(), item)));
            }
            _ => {}
        }
        left -= 1;
        if left == 0 {
            return open.is_empty();
        }
    }
    true
}

fn is_one_of(fields: &[&str], field: &str) -> bool {
    fields.contains(&field.to_ascii_lowercase().as_str())
}

impl Told {
    fn add(&mut self, field: &str, text: &str, place: &Place<'_>) {
        if is_one_of(&COMMANDS, field) {
            self.texts.push(folded(text));
        }
        for path in [Some(text.to_owned()), file_path(text)].into_iter().flatten() {
            // What leads through a running process can be followed by nobody, so what is spelled counts.
            if path.contains("/proc/") || path.contains("/dev/fd") {
                self.texts.push(folded(&path));
            }
            if path.len() <= MAX_PATH_BYTES && !path.contains('\n') {
                self.paths.extend(place.locate_argument(&path, From::Directory(place.cwd)));
            }
        }
    }
}

/// The path that an address of a file is, or one with `%2e` and the like in it; nothing for any other.
fn file_path(text: &str) -> Option<String> {
    if text.len() > MAX_PATH_BYTES {
        return None;
    }
    let scheme = text.get(.."file:".len()).filter(|start| start.eq_ignore_ascii_case("file:"));
    let path = match scheme.and_then(|scheme| text.get(scheme.len()..)) {
        // Between two slashes and the next stands the name of a machine.
        Some(rest) => match rest.strip_prefix("//") {
            Some(rest) => rest.get(rest.find('/')?..)?,
            None => rest,
        },
        None if text.contains('%') => text,
        None => return None,
    };
    decoded(path)
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
