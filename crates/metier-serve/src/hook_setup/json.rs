//! Settings in JSON: hooks and MCP servers put in and taken out where they are in the text, so that
//! everything else keeps its order, its layout and its comments.

use serde_json::{Value, json};

use super::jsonc::{Cuts, Document, Item, Node};
use super::{MARK, NAME, Part, Present, SetupError, Start, patience};
use crate::agent_hook::{HookAgent, Occasion};

/// The file with metier in it.
pub(super) fn join(
    agent: HookAgent,
    part: Part,
    file: &Present,
    start: &Start,
) -> Result<String, SetupError> {
    let mut document = read(agent, file)?;
    if part != Part::Server {
        document = document_of(file, &without_hooks(&document, None))?;
        for (event, occasion) in agent.needed() {
            let group = group(agent, occasion, start);
            let hooks = table(&document, "hooks", file)?;
            let text = match hooks.map(|hooks| (hooks, hooks.get(event))) {
                None => document.append(document.root(), "hooks", &json!({event: [group]})),
                Some((hooks, None)) => document.append(hooks, event, &json!([group])),
                Some((_, Some(groups))) if groups.values().is_some() => {
                    document.append(groups, "", &group)
                }
                Some(_) => return Err(shape(file, &format!("hooks.{event}"), "a list")),
            };
            document = document_of(file, &text)?;
        }
    }
    if part != Part::Hooks {
        let starts = std::slice::from_ref(start);
        document = document_of(file, &without_server(agent, &document, starts, None))?;
        let server = server(agent, start);
        let key = servers(agent);
        match table(&document, key, file)? {
            None => return Ok(document.append(document.root(), key, &json!({NAME: server}))),
            Some(servers) if servers.get(NAME).is_none() => {
                return Ok(document.append(servers, NAME, &server));
            }
            // Somebody else's server of that name is somebody else's.
            Some(_) => {}
        }
    }
    Ok(document.text().to_owned())
}

/// The file without metier, which came into a file with the text `before`, if that is known; none when
/// nothing else is in it.
pub(super) fn part(
    (agent, part): (HookAgent, Part),
    file: &Present,
    starts: &[Start],
    before: Option<&str>,
) -> Result<Option<String>, SetupError> {
    let document = read(agent, file)?;
    let before = before.and_then(|text| Document::read(text).ok());
    let before = before.as_ref().map(Document::root);
    let mut text = document.text().to_owned();
    if part != Part::Server {
        text = without_hooks(&document, before);
    }
    if part != Part::Hooks {
        let rest = document_of(file, &text)?;
        text = without_server(agent, &rest, starts, before);
    }
    if text == document.text() {
        return Ok(file.text.clone());
    }
    let rest = document_of(file, &text)?;
    Ok((!rest.is_empty()).then(|| rest.text().to_owned()))
}

/// The text without metier's handlers, and without what is empty when they are gone, unless it was
/// there `before`, or somebody left a remark in it.
fn without_hooks(document: &Document, before: Option<&Node>) -> String {
    let was = before.and_then(|root| root.get("hooks"));
    let is_ours = |item: &Item| is_ours(document, &item.value);
    let is_all = |of: &Item, items: &[Item], goes: &dyn Fn(&Item) -> bool| {
        !items.is_empty() && items.iter().all(goes) && !document.is_remarked(of, items)
    };
    let is_emptied = |group: &Item| handlers(group).is_some_and(|all| is_all(group, all, &is_ours));
    let is_done = |event: &Item| {
        let is_made = was.is_none_or(|was| was.get(event.key()).is_none());
        is_made && event.value.values().is_some_and(|all| is_all(event, all, &is_emptied))
    };
    let is_over = |member: &Item| {
        let events = member.value.members().filter(|_| member.key() == "hooks");
        was.is_none() && events.is_some_and(|all| is_all(member, all, &is_done))
    };
    let (text, mut cuts) = (document.text(), Cuts::default());
    let root = document.root().members().unwrap_or_default();
    cuts.items(text, root, is_over);
    for hooks in root.iter().filter(|member| member.key() == "hooks" && !is_over(member)) {
        let events = hooks.value.members().unwrap_or_default();
        cuts.items(text, events, is_done);
        for event in events.iter().filter(|event| !is_done(event)) {
            let groups = event.value.values().unwrap_or_default();
            cuts.items(text, groups, is_emptied);
            for group in groups.iter().filter(|group| !is_emptied(group)) {
                cuts.items(text, handlers(group).unwrap_or_default(), is_ours);
            }
        }
    }
    document.without(cuts)
}

/// The text without metier's MCP server, and without the table when that held nothing else, was not
/// there `before`, and nobody left a remark in it.
fn without_server(
    agent: HookAgent,
    document: &Document,
    starts: &[Start],
    before: Option<&Node>,
) -> String {
    let was = before.and_then(|root| root.get(servers(agent)));
    let ours: Vec<Value> = starts.iter().map(|start| server(agent, start)).collect();
    let is_ours = |item: &Item| item.key() == NAME && ours.contains(&document.value(&item.value));
    let is_over = |member: &Item| {
        let all = member.value.members().filter(|_| member.key() == servers(agent));
        let is_all = |all: &[Item]| {
            !all.is_empty() && all.iter().all(is_ours) && !document.is_remarked(member, all)
        };
        was.is_none() && all.is_some_and(is_all)
    };
    let (text, mut cuts) = (document.text(), Cuts::default());
    let root = document.root().members().unwrap_or_default();
    cuts.items(text, root, is_over);
    for member in root.iter().filter(|member| member.key() == servers(agent) && !is_over(member)) {
        cuts.items(text, member.value.members().unwrap_or_default(), is_ours);
    }
    document.without(cuts)
}

fn handlers(group: &Item) -> Option<&[Item]> {
    group.value.get("hooks").and_then(Node::values)
}

fn is_ours(document: &Document, handler: &Node) -> bool {
    command(document, handler).is_some_and(|words| words.ends_with(MARK))
}

fn command(document: &Document, handler: &Node) -> Option<String> {
    match document.value(handler.get("command")?) {
        Value::String(words) => Some(words),
        _ => None,
    }
}

/// The commands in a text that have metier's mark, in their order.
pub(super) fn marked(agent: HookAgent, text: &str) -> Vec<String> {
    let Some(document) = as_read(agent, text) else { return Vec::new() };
    let root = document.root().members().unwrap_or_default();
    let hooks = root.iter().filter(|member| member.key() == "hooks");
    let events = hooks.flat_map(|hooks| hooks.value.members().unwrap_or_default());
    let groups = events.flat_map(|event| event.value.values().unwrap_or_default());
    let all = groups.flat_map(|group| handlers(group).unwrap_or_default());
    let commands = all.filter_map(|handler| command(&document, &handler.value));
    commands.filter(|words| words.ends_with(MARK)).collect()
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

/// What settings say, as far as their agent understands them.
pub(super) fn said(agent: HookAgent, text: &str) -> Option<Value> {
    as_read(agent, text).map(|document| document.value(document.root()))
}

/// The text, when its agent can read it.
fn as_read(agent: HookAgent, text: &str) -> Option<Document> {
    let is_plain = || serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    (agent != HookAgent::Codex || is_plain()).then(|| Document::read(text).ok()).flatten()
}

/// The file, as its agent reads it: Codex knows no comments.
fn read(agent: HookAgent, file: &Present) -> Result<Document, SetupError> {
    let text = file.text.as_deref().unwrap_or_default();
    if agent == HookAgent::Codex && !text.trim().is_empty() {
        let plain = serde_json::from_str::<serde::de::IgnoredAny>(text);
        plain.map_err(|error| unreadable(file, "plain JSON", error.to_string()))?;
    }
    let document = document_of(file, text)?;
    match document.root().members() {
        Some(_) => Ok(document),
        None => Err(unreadable(file, "an object in JSON", "it is something else".to_owned())),
    }
}

/// The document with this text, which is or was in the file.
fn document_of(file: &Present, text: &str) -> Result<Document, SetupError> {
    Document::read(text).map_err(|fault| unreadable(file, "JSON", Document::told(text, &fault)))
}

fn unreadable(file: &Present, format: &'static str, reason: String) -> SetupError {
    SetupError::Unreadable { path: file.target.path.display().to_string(), format, reason }
}

/// The object `key` of the file; none when it is not there.
fn table<'a>(
    document: &'a Document,
    key: &str,
    file: &Present,
) -> Result<Option<&'a Node>, SetupError> {
    match document.root().get(key) {
        Some(table) if table.members().is_none() => Err(shape(file, key, "an object")),
        found => Ok(found),
    }
}

fn shape(file: &Present, key: &str, kind: &'static str) -> SetupError {
    let path = file.target.path.display().to_string();
    SetupError::Shape { path, key: key.to_owned(), kind }
}
