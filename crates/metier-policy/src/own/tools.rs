//! Tools that nobody knows: of MCP servers, and of hosts that bring their own. One that is told a path
//! may write it, unless its name says that it only looks; a path that is told in parts is one that it
//! may put together. The same holds for a known one that is told its file by another name.

use std::path::Path;

use serde_json::Value;

use super::Inquiry;
use super::program::is_called;
use crate::call::{Kind, ShellInput, ToolCall, Understood};
use crate::limits::{MAX_JOINED, MAX_PATH_BYTES, MAX_TOLD};
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
const RUN: [&str; 9] = [
    "command",
    "cmd",
    "script",
    "shell",
    "cmdline",
    "commandline",
    "command_line",
    "shell_command",
    "exec",
];

/// Fields that describe something and run nothing, with one text or with many.
const DESCRIBES: [&str; 27] = [
    "title",
    "description",
    "body",
    "summary",
    "text",
    "content",
    "message",
    "subject",
    "query",
    "q",
    "repo",
    "repository",
    "owner",
    "project",
    "branch",
    "author",
    "channel",
    "topic",
    "topics",
    "label",
    "labels",
    "tag",
    "tags",
    "keywords",
    "categories",
    "assignees",
    "reviewers",
];

/// What a tool is told.
#[derive(Default)]
pub(super) struct Told {
    /// The paths.
    pub(super) paths: Vec<Spots>,
    /// Paths that may be put together from what it is told.
    pub(super) joined: Vec<Spots>,
    /// Commands and code, in lowercase.
    pub(super) texts: Vec<String>,
}

/// What a tool nobody knows is told; no more than commands for one that only looks.
pub(super) fn told(call: &ToolCall, place: &Place<'_>) -> Told {
    let mut told = Told::default();
    let looks = only_looks(call);
    let mut parts = Vec::new();
    let whole = each(&call.arguments, |field, text| match looks {
        true if !is_one_of(&RUN, field) => {}
        true => told.texts.push(folded(text)),
        false => {
            told.add(field, text, place);
            parts.push(expanded(text, place));
        }
    });
    told.join(&parts, place);
    if !whole && !looks {
        // What is not looked at one by one is looked at as text.
        told.texts.push(folded(&call.arguments.to_string()));
    }
    told
}

/// The commands that a tool nobody knows is told to run, as a shell may read them: each alone, and with
/// the words it is given beside it.
fn commands(call: &ToolCall, place: &Place<'_>) -> Option<String> {
    let (mut lines, mut words) = (Vec::new(), Vec::new());
    let _ = each(&call.arguments, |field, text| match is_one_of(&RUN, field) {
        true => lines.push(text.to_owned()),
        false if is_one_of(&COMMANDS, field) => words.push(text.to_owned()),
        false => {}
    });
    beside(&call.arguments, place, &mut lines);
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
    if inquiry.place.protected.is_empty() || !is_unknown(inquiry.understood) {
        return None;
    }
    let command = ShellInput::Text(commands(inquiry.call, inquiry.place)?);
    Some(Understood { kind: Kind::Shell { command }, ..inquiry.understood.clone() })
}

/// Whether nobody knows what a tool does with what it is told: nobody knows the tool, or it is told
/// nothing by the names that it has for a file or a command.
pub(super) fn is_unknown(call: &Understood) -> bool {
    match &call.kind {
        Kind::Mcp { .. } | Kind::Other => true,
        Kind::Write { paths } => paths.iter().all(|target| target.path.is_none()),
        Kind::Shell { command } => *command == ShellInput::Unreadable,
        Kind::Read { .. } | Kind::Fetch { .. } => false,
    }
}

/// Command lines that a tool may put together: metier's name with each list of words beside it, and
/// each list with that name in it.
fn beside(arguments: &Value, place: &Place<'_>, lines: &mut Vec<String>) {
    let is_program = |text: &&str| is_called(text) || is_file(text, place);
    let mut open = vec![arguments];
    let mut left = MAX_TOLD;
    while let (Some(value), true) = (open.pop(), left > 0) {
        left -= 1;
        let Value::Object(map) = value else {
            open.extend(value.as_array().into_iter().flatten());
            continue;
        };
        open.extend(map.values());
        let runs = || map.iter().filter(|(field, _)| !is_one_of(&DESCRIBES, field));
        let lists: Vec<Vec<&str>> = runs().filter_map(|(_, value)| list(value)).collect();
        if lists.is_empty() {
            continue;
        }
        let texts = runs().filter_map(|(_, value)| value.as_str()).take(MAX_JOINED);
        for program in texts.filter(is_program) {
            lines.extend(lists.iter().map(|list| format!("{program} {}", list.join(" "))));
        }
        let names_it = |list: &&Vec<&str>| {
            list.iter().any(|word| is_called(word)) || list.first().is_some_and(is_program)
        };
        lines.extend(lists.iter().filter(names_it).map(|list| list.join(" ")));
        lines.truncate(MAX_TOLD);
    }
}

/// Whether a path leads to metier; a name alone is looked for where programs are.
fn is_file(text: &str, place: &Place<'_>) -> bool {
    let is = |path: &str| place.resolver.is_program(Path::new(path));
    match place.locate(text, From::Directory(place.cwd)) {
        Some(spots) if text.contains('/') => spots.iter().any(|spot| is(&spot.path)),
        Some(_) => is(text),
        None => false,
    }
}

/// The words of a list of nothing else.
fn list(value: &Value) -> Option<Vec<&str>> {
    let words: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    words.filter(|words| !words.is_empty())
}

/// A text with what variables stand for that everybody has.
fn expanded(text: &str, place: &Place<'_>) -> String {
    let home = place.home.and_then(|home| home.to_str()).unwrap_or("~");
    if !text.contains('$') || text.len() > MAX_PATH_BYTES {
        return text.to_owned();
    }
    let user = home.rsplit('/').next().unwrap_or_default();
    let variables = [
        ("XDG_DATA_HOME", format!("{home}/.local/share")),
        ("XDG_CONFIG_HOME", format!("{home}/.config")),
        ("HOME", home.to_owned()),
        ("USER", user.to_owned()),
        ("LOGNAME", user.to_owned()),
    ];
    variables.iter().fold(text.to_owned(), |text, (name, value)| {
        text.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
    })
}

/// Hands on every text in a value with the field it is in, in the order it is written in, and every
/// name of a field that may be a path. False when there are more values than are looked at.
fn each<'v>(value: &'v Value, mut use_it: impl FnMut(&'v str, &'v str)) -> bool {
    let mut open = vec![("", value)];
    let mut left = MAX_TOLD;
    while let Some((field, value)) = open.pop() {
        match value {
            Value::String(text) => use_it(field, text),
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (field, item))),
            Value::Object(map) => {
                map.keys().filter(|name| name.contains('/')).for_each(|name| use_it("", name));
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
        for path in [Some(expanded(text, place)), file_path(text)].into_iter().flatten() {
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

impl Told {
    /// Puts each relative text behind each that may be a directory, and behind that another.
    fn join(&mut self, parts: &[String], place: &Place<'_>) {
        let fits = |text: &&String| text.len() <= MAX_PATH_BYTES && !text.contains('\n');
        let is_whole = |text: &&String| text.starts_with(['/', '~']);
        let is_part = |text: &&String| !is_whole(text) && !text.is_empty() && !text.contains("://");
        let parts: Vec<&String> = parts.iter().filter(fits).collect();
        let whole = parts.iter().copied().filter(is_whole).cloned();
        let mut directories: Vec<String> = whole.take(MAX_JOINED).collect();
        let names: Vec<&String> = parts.into_iter().filter(is_part).take(MAX_JOINED).collect();
        for _ in 0..2 {
            let with = |directory: &String| {
                let directory = directory.trim_end_matches('/').to_owned();
                names.iter().map(move |name| format!("{directory}/{name}"))
            };
            directories = directories.iter().flat_map(with).take(MAX_JOINED * MAX_JOINED).collect();
            let from = From::Directory(place.cwd);
            let spots = directories.iter().filter_map(|path| place.locate_argument(path, from));
            self.joined.extend(spots);
            directories.truncate(MAX_JOINED);
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

#[cfg(test)]
#[path = "tools_tests.rs"]
mod tests;
