//! How agents show that somebody wants a skill: a tool of their own, metier's MCP server, a command
//! or a mark in a prompt, or the reading of a `SKILL.md`. Pure.

use std::collections::BTreeSet;
use std::path::Path;

use metier_policy::{HostTable, Kind, ToolCall};
use metier_runtime::event::Trigger;

use super::agent::HookAgent;
use crate::limits::MAX_MARKS;
use crate::mcp::uri;

/// The name metier's MCP server has in agents' settings.
pub(super) const SERVER: &str = "metier";

/// The tool of that server that activates a skill.
const ACTIVATE: &str = "skill_activate";

/// The one that prints a file of a skill.
const READ: &str = "skill_read";

/// Those that run one of its scripts.
const SCRIPTS: [&str; 2] = ["script_run", "script_help"];

/// What agents call the tool that reads a resource of an MCP server.
const RESOURCE_READERS: [&str; 2] = ["read_mcp_resource", "ReadMcpResourceTool"];

/// The file that makes a directory a skill.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// How the text of a skill begins that metier's own MCP server gives out.
const WRAPPER: &str = "<skill_content";

/// Somebody wants a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// The name as the agent spells it.
    pub(super) spelled: String,
    /// The arguments.
    pub(super) arguments: String,
    /// Who wants it.
    pub(super) trigger: Trigger,
    /// Whether nothing but a skill can be meant. Other words may be a command of the agent's own, or
    /// a variable.
    pub(super) certain: bool,
    /// Whether the agent takes it for a skill only where one is called exactly so.
    pub(super) exact: bool,
}

/// Why nobody can tell which skills a prompt asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unclear {
    /// It begins as a skill's text does and goes on otherwise.
    #[error("this begins like the text of a skill, and which one cannot be read")]
    Wrapper,
    /// There are too many names in it.
    #[error(
        "this has more than {MAX_MARKS} different names after a `$`, each of which may be a skill's"
    )]
    Marks,
}

impl Wish {
    fn new(spelled: &str, arguments: &str, trigger: Trigger) -> Self {
        Self {
            spelled: spelled.to_owned(),
            arguments: arguments.to_owned(),
            trigger,
            certain: false,
            exact: false,
        }
    }

    /// The plugin that brings it, where the name says so.
    pub(super) fn plugin(&self) -> Option<&str> {
        self.spelled.rsplit_once(':').map(|(plugin, _)| plugin)
    }

    /// The skill's name, without the plugin's.
    pub(super) fn name(&self) -> &str {
        self.spelled.rsplit(':').next().unwrap_or_default()
    }
}

/// The wish a tool call is.
pub(super) fn in_call(agent: HookAgent, call: &ToolCall) -> Option<Wish> {
    let field = |name: &str| call.arguments.get(name).and_then(serde_json::Value::as_str);
    let wish = |name: &str, arguments: &str| {
        // A call that names no skill is a wish all the same: for one that does not exist.
        Wish::new(
            field(name).unwrap_or_default(),
            field(arguments).unwrap_or_default(),
            Trigger::Auto,
        )
    };
    match (agent, call.tool.as_str()) {
        (HookAgent::ClaudeCode, "Skill") => return Some(wish("skill", "args")),
        (HookAgent::GeminiCli, "activate_skill") => return Some(wish("name", "")),
        (HookAgent::Opencode, "skill") => return Some(wish("name", "")),
        _ => {}
    }
    let is_own = |path: Option<&str>| path.is_none_or(|path| is_skill_file(Path::new(path)));
    match ours(agent, call)? {
        Ours::Tool(tool) if tool == ACTIVATE => Some(wish("name", "arguments")),
        Ours::Tool(tool) if tool == READ && is_own(field("path")) => Some(wish("name", "")),
        Ours::File(name, path) if is_own(Some(&path)) => Some(Wish::new(&name, "", Trigger::Auto)),
        Ours::Tool(_) | Ours::File(..) => None,
    }
}

/// What a call wants from metier's own MCP server.
enum Ours {
    /// To use a tool.
    Tool(String),
    /// To read a file of a skill as a resource: the skill, and the path in it.
    File(String, String),
}

/// Whether the call says exactly what metier's own MCP server is called. Agents tell servers apart by
/// case, so one called almost so is another one: what it is asked for may be a skill all the same, and
/// no restriction makes way for it.
fn is_exact(call: &ToolCall) -> bool {
    let server = call.arguments.get("server").and_then(serde_json::Value::as_str);
    match (&call.mcp, server) {
        (Some(mcp), _) => mcp.server == SERVER,
        (None, Some(server)) if call.kind(HostTable::plain()) == Kind::Other => server == SERVER,
        (None, _) => !call.tool.contains(char::is_uppercase),
    }
}

/// What the call wants from metier's own MCP server, if anything.
fn ours(agent: HookAgent, call: &ToolCall) -> Option<Ours> {
    if let Some((name, path)) = resource(call) {
        return Some(Ours::File(name, path));
    }
    let table = HostTable::named(agent.as_str()).unwrap_or_else(|| HostTable::plain());
    match call.kind(table) {
        Kind::Mcp { server: Some(server), tool: Some(tool) } if server == SERVER => {
            Some(Ours::Tool(tool))
        }
        _ => None,
    }
}

/// The skill and the path in it that a call reads as a resource of metier's MCP server, as the server
/// itself reads the address.
fn resource(call: &ToolCall) -> Option<(String, String)> {
    let field = |name: &str| call.arguments.get(name).and_then(serde_json::Value::as_str);
    let reads = RESOURCE_READERS.iter().any(|tool| call.tool.eq_ignore_ascii_case(tool));
    let ours = field("server").is_some_and(|server| server.eq_ignore_ascii_case(SERVER));
    uri::read(field("uri").filter(|_| reads && ours)?)
}

/// Whether the call reads a skill's file as a resource of metier's MCP server, by a tool that reads
/// those of every server.
pub(super) fn is_resource(call: &ToolCall) -> bool {
    is_exact(call) && resource(call).is_some()
}

/// The skill of which the call has metier's MCP server run a script.
pub(super) fn script_of(agent: HookAgent, call: &ToolCall) -> Option<String> {
    let runs = |tool: &str| SCRIPTS.contains(&tool);
    let name = || call.arguments.get("name").and_then(serde_json::Value::as_str);
    match ours(agent, call)? {
        Ours::Tool(tool) if runs(&tool) && is_exact(call) => {
            Some(name().unwrap_or_default().to_owned())
        }
        Ours::Tool(_) | Ours::File(..) => None,
    }
}

/// How closely a call is looked at for a `SKILL.md` that it reads, which is the sign that the skill is
/// wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// For those that it may read in any way: a command of an agent whose models read skills so.
    Closely,
    /// For those that it names, and for those that it may read near where skills are.
    Nearby,
}

/// How the call is looked at, when it can be such a sign: a command, a tool that prints files, or one
/// of which nobody knows what it prints.
pub(super) fn look(agent: HookAgent, call: &ToolCall) -> Option<Look> {
    let table = HostTable::named(agent.as_str()).unwrap_or_else(|| HostTable::plain());
    match call.kind(table) {
        Kind::Shell { .. } if matches!(agent, HookAgent::Codex | HookAgent::GeminiCli) => {
            Some(Look::Closely)
        }
        Kind::Shell { .. } | Kind::Fetch { .. } => Some(Look::Nearby),
        Kind::Read { paths } => {
            let prints = |tool: &str| ["read", "grep"].contains(&tool);
            let may = paths.is_empty() || paths.iter().any(|path| prints(&path.tool));
            may.then_some(Look::Nearby)
        }
        Kind::Mcp { .. } if ours(agent, call).is_none() => Some(Look::Nearby),
        Kind::Mcp { .. } | Kind::Write { .. } | Kind::Other => None,
    }
}

/// Whether this is a skill's own file.
pub(super) fn is_skill_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
}

/// The wishes in what a user typed: `/name arguments`, or `$name` anywhere.
pub(super) fn in_prompt(agent: HookAgent, prompt: &str) -> Result<Vec<Wish>, Unclear> {
    match agent {
        HookAgent::ClaudeCode => {
            let Some(typed) = prompt.trim_start().strip_prefix('/') else { return Ok(Vec::new()) };
            let (name, arguments) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
            Ok(in_command(name, arguments.trim()).into_iter().collect())
        }
        HookAgent::Codex => marks(prompt),
        HookAgent::GeminiCli => Ok(served(prompt)?.into_iter().collect()),
        HookAgent::Opencode => Ok(Vec::new()),
    }
}

/// The wish a typed command is. Metier's own MCP server offers each skill as a prompt, and nothing
/// else.
pub(super) fn in_command(name: &str, arguments: &str) -> Option<Wish> {
    let name = name.strip_prefix('/').unwrap_or(name);
    let own = ["mcp__metier__", "metier:"].iter().find_map(|own| name.strip_prefix(own));
    let certain = own.is_some();
    let name = own.unwrap_or(name);
    let wish = || Wish { certain, ..Wish::new(name, arguments, Trigger::Manual) };
    (!name.is_empty()).then(wish)
}

/// The wish that is a prompt of metier's own MCP server. Gemini CLI shows what the server answered
/// instead of what was typed, as text or as a JSON string of it.
fn served(prompt: &str) -> Result<Option<Wish>, Unclear> {
    let text = serde_json::from_str(prompt.trim()).unwrap_or_else(|_| prompt.to_owned());
    let start = text.trim_start().trim_start_matches('"').trim_start();
    if !start.starts_with(WRAPPER) {
        return Ok(None);
    }
    let name = wrapped_name(start).ok_or(Unclear::Wrapper)?;
    Ok(Some(Wish { certain: true, ..Wish::new(&name, "", Trigger::Manual) }))
}

/// The name in the first tag of a wrapper, as `metier_runtime::wrapper` writes it: the name, and the
/// origin when there is one, without a quote in either.
fn wrapped_name(text: &str) -> Option<String> {
    let attributes = text.strip_prefix(WRAPPER)?.strip_prefix(" name=\"")?;
    let (name, mut rest) = attributes.split_once('"')?;
    if let Some(origin) = rest.strip_prefix(" origin=\"") {
        rest = origin.split_once('"')?.1;
    }
    let plain = |text: &str| {
        let quoted = text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
        quoted.replace("&amp;", "&")
    };
    (rest.starts_with('>') && !name.is_empty()).then(|| plain(name))
}

/// Every `$name`, once.
fn marks(prompt: &str) -> Result<Vec<Wish>, Unclear> {
    let mut seen = BTreeSet::new();
    let mut wishes = Vec::new();
    for part in prompt.split('$').skip(1) {
        let usual = |c: char| c.is_ascii_alphanumeric() || "-_:".contains(c);
        let end = part.find(|c: char| !usual(c)).unwrap_or(part.len());
        let name = part.get(..end).unwrap_or_default().trim_end_matches(['-', '_', ':']);
        if name.is_empty() || !seen.insert(name) {
            continue;
        }
        if seen.len() > MAX_MARKS {
            return Err(Unclear::Marks);
        }
        wishes.push(Wish { exact: true, ..Wish::new(name, "", Trigger::Manual) });
    }
    Ok(wishes)
}

#[cfg(test)]
#[path = "signal_tests.rs"]
mod tests;
