//! Settings in JSON: hooks and MCP servers put in and taken out, everything else kept in its order
//! and with its indentation.

use serde::Serialize as _;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value, json};

use super::{MARK, NAME, Part, Present, SetupError, Start, patience};
use crate::agent_hook::{HookAgent, Occasion};

/// The file with metier in it.
pub(super) fn join(
    agent: HookAgent,
    part: Part,
    file: &Present,
    start: &Start,
) -> Result<String, SetupError> {
    let mut root = read(file)?;
    if part != Part::Server {
        take_handlers(&mut root);
        let hooks = table(&mut root, "hooks", file)?;
        for (event, occasion) in agent.needed() {
            let groups = hooks.entry(event).or_insert_with(|| json!([]));
            let Value::Array(groups) = groups else {
                return Err(shape(file, &format!("hooks.{event}"), "a list"));
            };
            groups.push(group(agent, occasion, start));
        }
    }
    if part != Part::Hooks {
        let servers = table(&mut root, servers(agent), file)?;
        // Somebody else's server of that name is somebody else's.
        servers.entry(NAME).or_insert_with(|| server(agent, start));
    }
    Ok(write(&root, file))
}

/// The file without metier; none when nothing is left.
pub(super) fn part(
    agent: HookAgent,
    part: Part,
    file: &Present,
    start: &Start,
) -> Result<Option<String>, SetupError> {
    let mut root = read(file)?;
    if part != Part::Server {
        take_hooks(&mut root);
    }
    if part != Part::Hooks
        && let Some(Value::Object(servers_of_file)) = root.get_mut(servers(agent))
        && servers_of_file.get(NAME) == Some(&server(agent, start))
    {
        servers_of_file.shift_remove(NAME);
        if servers_of_file.is_empty() {
            root.shift_remove(servers(agent));
        }
    }
    Ok((!root.is_empty()).then(|| write(&root, file)))
}

/// Takes out what metier put in: its handlers, and what is empty without them.
fn take_hooks(root: &mut Map<String, Value>) {
    let emptied = take_handlers(root);
    let Some(Value::Object(hooks)) = root.get_mut("hooks") else { return };
    for event in &emptied {
        hooks.shift_remove(event);
    }
    if hooks.is_empty() && !emptied.is_empty() {
        root.shift_remove("hooks");
    }
}

/// Takes out metier's handlers and the groups that held nothing else; gives the events for which
/// nothing is left.
fn take_handlers(root: &mut Map<String, Value>) -> Vec<String> {
    let mut emptied = Vec::new();
    let Some(Value::Object(hooks)) = root.get_mut("hooks") else { return emptied };
    for (event, groups) in hooks.iter_mut() {
        let Value::Array(groups) = groups else { continue };
        let before = groups.len();
        groups.retain_mut(|group| {
            let Some(Value::Array(handlers)) = group.get_mut("hooks") else { return true };
            let count = handlers.len();
            handlers.retain(|handler| !is_ours(handler));
            !handlers.is_empty() || count == 0
        });
        if groups.is_empty() && before > 0 {
            emptied.push(event.clone());
        }
    }
    emptied
}

fn is_ours(handler: &Value) -> bool {
    handler.get("command").and_then(Value::as_str).is_some_and(|command| command.ends_with(MARK))
}

/// A group of one handler, for every tool.
pub(super) fn group(agent: HookAgent, occasion: Occasion, start: &Start) -> Value {
    let seconds = patience(agent, occasion);
    let command = start.command(agent);
    match (agent, occasion) {
        // Its time is in milliseconds, and a hook without a name could be switched off with others.
        (HookAgent::GeminiCli, _) => {
            let handler = json!({"type": "command", "name": NAME, "command": command,
                "timeout": seconds * 1000});
            match occasion {
                Occasion::Call => json!({"matcher": ".*", "hooks": [handler]}),
                _ => json!({"hooks": [handler]}),
            }
        }
        _ => {
            let handler = json!({"type": "command", "command": command, "timeout": seconds});
            json!({"hooks": [handler]})
        }
    }
}

/// The key under which an agent has its MCP servers.
pub(super) fn servers(agent: HookAgent) -> &'static str {
    match agent {
        HookAgent::Opencode => "mcp",
        _ => "mcpServers",
    }
}

fn server(agent: HookAgent, start: &Start) -> Value {
    let (program, arguments) = (&start.program, start.server_arguments());
    match agent {
        HookAgent::Opencode => {
            let words: Vec<&String> = std::iter::once(program).chain(&arguments).collect();
            json!({"type": "local", "command": words, "enabled": true})
        }
        HookAgent::ClaudeCode => {
            json!({"type": "stdio", "command": program, "args": arguments})
        }
        _ => json!({"command": program, "args": arguments}),
    }
}

fn read(file: &Present) -> Result<Map<String, Value>, SetupError> {
    let text = file.text.as_deref().unwrap_or_default();
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let unreadable = |reason: String| SetupError::Unreadable {
        path: file.target.path.display().to_string(),
        format: "plain JSON",
        reason,
    };
    match serde_json::from_str(text) {
        Ok(Value::Object(root)) => Ok(root),
        Ok(_) => Err(unreadable("it is not an object".to_owned())),
        Err(error) => Err(unreadable(error.to_string())),
    }
}

/// The table `key` of the file, made when it is not there.
fn table<'a>(
    root: &'a mut Map<String, Value>,
    key: &str,
    file: &Present,
) -> Result<&'a mut Map<String, Value>, SetupError> {
    match root.entry(key).or_insert_with(|| json!({})) {
        Value::Object(table) => Ok(table),
        _ => Err(shape(file, key, "an object")),
    }
}

fn shape(file: &Present, key: &str, kind: &'static str) -> SetupError {
    let path = file.target.path.display().to_string();
    SetupError::Shape { path, key: key.to_owned(), kind }
}

/// The text, indented as the file was.
fn write(root: &Map<String, Value>, file: &Present) -> String {
    let old = file.text.as_deref().unwrap_or("{}\n");
    let indented = old.lines().find(|line| line.starts_with([' ', '\t']));
    let indent = indented
        .map_or("  ", |line| line.get(..line.len() - line.trim_start().len()).unwrap_or("  "));
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(indent.as_bytes());
    let written = root.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    let mut text = match written {
        Ok(()) => String::from_utf8(bytes).unwrap_or_default(),
        // Values that were read can be written.
        Err(_) => Value::Object(root.clone()).to_string(),
    };
    if old.ends_with('\n') || old.is_empty() {
        text.push('\n');
    }
    text
}
