//! Hooks. `pre_tool` is the guard; the hooks that come right before a command, a write or a fetch
//! see what other plugins made of the call meanwhile and are ruled on once more. chibi cannot ask
//! a person, so that what policy wants to be asked about does not happen.

use metier_format::NameKey;
use metier_format::text::visible_line;
use metier_policy::{Ruling, ToolCall, Verdict};
use metier_runtime::Session;
use metier_store::Catalog;
use metier_store::disclose::{Disclose, Style, disclosed};
use serde_json::{Map, Value, json};

use super::market::LOOKS;
use super::{Backing, COMMAND, inferred};
use crate::dialect::chibi::{MARKET, PREFIX, READ, RELEASE, RUN, USE, has_tool};

/// Tools of metier's own, which no skill's restriction blocks.
const OWN: &[&str] = &[READ, RUN, USE, RELEASE];

/// Skills without a tool that are named. Their names are mistakes, of which a catalog has few.
const MAX_WITHOUT_TOOL: usize = 20;

/// chibi's tools that read files, the usual one first.
const READERS: &[&str] =
    &["file_head", "file_tail", "file_lines", "file_grep", "grep_files", "glob_files", "dir_list"];

/// chibi's tools that write files, the usual one first.
const WRITERS: &[&str] = &["write_file", "file_edit"];

/// Why a model does not get the tool for people.
const FOR_PEOPLE: &str =
    "'agent-skills' is for people on chibi's command line; use skill_marketplace";

/// One hook: what it is called, what no is in it, and what answers it.
struct Hook {
    name: &'static str,
    no: No,
    answer: fn(&Value, &dyn Backing) -> Value,
}

/// How a hook is told no.
#[derive(Clone, Copy)]
enum No {
    /// It asks for no ruling.
    Nothing,
    /// The call is blocked, and the model reads why.
    Block,
    /// What the call is about to do is denied.
    Denied,
}

/// Every hook the plugin answers, of old hosts and new ones. A host skips those it does not know.
/// `pre_system_prompt` injects as well, so that answering it too would say everything twice.
const HOOKS: &[Hook] = &[
    Hook { name: "on_start", no: No::Nothing, answer: on_start },
    Hook { name: "post_system_prompt", no: No::Nothing, answer: system_prompt },
    Hook { name: "pre_tool", no: No::Block, answer: pre_tool },
    Hook { name: "pre_api_tools", no: No::Nothing, answer: api_tools },
    Hook { name: "pre_cache_output", no: No::Nothing, answer: cache_output },
    Hook { name: "pre_file_read", no: No::Denied, answer: |d, b| before(d, READERS, b) },
    Hook { name: "pre_file_write", no: No::Denied, answer: |d, b| before(d, WRITERS, b) },
    Hook { name: "pre_shell_exec", no: No::Denied, answer: |d, b| before(d, &["shell_exec"], b) },
    Hook { name: "pre_fetch_url", no: No::Denied, answer: |d, b| before(d, &["fetch_url"], b) },
];

/// What the hooks are called.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    HOOKS.iter().map(|hook| hook.name)
}

fn named(name: &str) -> Option<&'static Hook> {
    HOOKS.iter().find(|hook| hook.name == name)
}

pub(super) fn answer(hook: &str, data: &Value, backing: &dyn Backing) -> Value {
    named(hook).map_or_else(|| json!({}), |hook| (hook.answer)(data, backing))
}

/// No, in the form `hook` understands; nothing where it asks for no ruling.
pub(super) fn refusal(hook: &str, why: &str) -> Value {
    no(named(hook).map_or(No::Nothing, |hook| hook.no), why)
}

fn no(form: No, why: &str) -> Value {
    match form {
        No::Nothing => json!({}),
        No::Block => json!({ "block": true, "message": format!("Tool not allowed: {why}") }),
        No::Denied => json!({ "denied": true, "reason": format!("Not allowed: {why}") }),
    }
}

fn on_start(_: &Value, backing: &dyn Backing) -> Value {
    backing.close_stale();
    json!({})
}

fn pre_tool(data: &Value, backing: &dyn Backing) -> Value {
    let Some(tool) = data.get("tool_name").and_then(Value::as_str) else {
        return no(No::Block, "the host does not say which tool");
    };
    let arguments = data.get("arguments").cloned().unwrap_or_else(|| json!({}));
    match ruled(tool, arguments, backing) {
        Err(why) => no(No::Block, &why),
        Ok(None) => json!({}),
        Ok(Some(message)) => json!({ "block": true, "message": message }),
    }
}

/// A permission hook: the call without the tool's name is its arguments. Whatever the tool is said to
/// be, the hook tells what is about to happen, so that a tool that does not do that of its own is ruled
/// on as the usual one too.
fn before(data: &Value, usual: &[&str], backing: &dyn Backing) -> Value {
    let mut arguments = data.as_object().cloned().unwrap_or_default();
    let told = arguments.remove("tool_name");
    let told = told.as_ref().and_then(Value::as_str);
    if data.is_null() {
        return no(No::Denied, "what is to be done cannot be read");
    }
    let known = told.is_some_and(|tool| usual.contains(&tool));
    let first = usual.first().copied().filter(|_| !known);
    for tool in told.into_iter().chain(first) {
        match ruled(tool, Value::Object(arguments.clone()), backing) {
            Err(why) => return no(No::Denied, &why),
            Ok(None) => {}
            Ok(Some(message)) => return json!({ "denied": true, "reason": message }),
        }
    }
    json!({})
}

/// Rules on a call: nothing when it may happen, the words for the model when not. An error means
/// that there is no ruling. What is ruled on is what the tool would do: its arguments are read as it
/// reads them, and what a host that names no tool would take for the marketplace is ruled on as that.
fn ruled(tool: &str, arguments: Value, backing: &dyn Backing) -> Result<Option<String>, String> {
    if !is_of_this_plugin(tool, backing) {
        return ruled_as(tool, arguments, backing);
    }
    let market = tool != MARKET && tool != COMMAND && inferred(&arguments) == Some(MARKET);
    let said = ruled_as(tool, super::named(tool, &arguments)?, backing)?;
    match market && said.is_none() {
        true => ruled_as(MARKET, super::named(MARKET, &arguments)?, backing),
        false => Ok(said),
    }
}

/// Rules on a call whose arguments are as its tool reads them.
fn ruled_as(tool: &str, arguments: Value, backing: &dyn Backing) -> Result<Option<String>, String> {
    let mut session = backing.open_to_rule(OWN).map_err(|error| error.to_string())?;
    let active = !session.state().stack.is_empty();
    if active && is_ours(tool, &arguments, backing) {
        let own = [OWN, &[tool]].concat();
        session = backing.open_to_rule(&own).map_err(|error| error.to_string())?;
    }
    let call = ToolCall::new(tool, arguments);
    let guarded = match tool {
        COMMAND => session.refuse(&call, FOR_PEOPLE),
        _ => session.guard(&call),
    };
    let ruling = guarded.map_err(|error| error.to_string())?.ruling;
    Ok(match ruling.verdict {
        Verdict::Allow => None,
        Verdict::Ask => Some(format!(
            "Tool '{tool}' needs a person's yes, and nobody can be asked here: {}",
            ruling.explanation()
        )),
        Verdict::Deny => Some(denial(tool, &ruling, &session)),
    })
}

/// Whether a tool that not every catalog has is metier's own. Another plugin's tool may begin alike.
fn is_ours(tool: &str, arguments: &Value, backing: &dyn Backing) -> bool {
    if tool == MARKET {
        let action = arguments.get("action").and_then(Value::as_str).unwrap_or_default();
        return LOOKS.contains(&action);
    }
    is_of_a_skill(tool, backing)
}

fn is_of_a_skill(tool: &str, backing: &dyn Backing) -> bool {
    let skill = tool.strip_prefix(PREFIX);
    skill.is_some_and(|name| backing.catalog().get(&NameKey::of(name)).is_some())
}

/// Whether a call of `tool` comes back to this plugin, which then reads its arguments.
fn is_of_this_plugin(tool: &str, backing: &dyn Backing) -> bool {
    OWN.contains(&tool) || [MARKET, COMMAND].contains(&tool) || is_of_a_skill(tool, backing)
}

fn denial(tool: &str, ruling: &Ruling, session: &Session) -> String {
    let why = ruling.explanation();
    let Some(skill) = &ruling.skill else { return format!("Tool '{tool}' is not allowed: {why}") };
    let grant = session.status().grant;
    let line = grant.iter().find(|line| line.skill == skill.as_str());
    let tools = line.map(|line| line.tools.join(", ")).unwrap_or_default();
    format!(
        "Tool '{tool}' is not allowed while skill '{skill}' is active. Allowed tools: {tools}\n\
         ({why}; release_skill ends the skill)"
    )
}

fn system_prompt(_: &Value, backing: &dyn Backing) -> Value {
    let catalog = backing.catalog();
    let options = Disclose {
        style: Style::Markdown,
        search: "skill_marketplace with action search".to_owned(),
        ..backing.disclose()
    };
    let text = disclosed(&catalog, &options);
    if text.is_empty() {
        return json!({});
    }
    // The list itself without the heading and the last sentence, which speak of no host's tools.
    let list = text.split_once("\n\n").map_or(text.as_str(), |(_, rest)| rest);
    let list = list.rsplit_once("\n\n").map_or(list, |(list, _)| list);
    let without = without_tools(&catalog);
    json!({
        "inject": format!(
            "## Available Agent Skills\n\n{list}\n\nUse skill_[name] tools, or use_skill, to invoke \
             a skill and receive detailed instructions.{without}"
        )
    })
}

/// A word on the skills that have no tool of their own, so that no model calls one there is not.
fn without_tools(catalog: &Catalog) -> String {
    let names = catalog.visible().filter(|entry| !has_tool(entry));
    let mut names: Vec<String> =
        names.map(|entry| format!("'{}'", visible_line(entry.name().as_str()))).collect();
    if names.is_empty() {
        return String::new();
    }
    let more = names.len().saturating_sub(MAX_WITHOUT_TOOL);
    names.truncate(MAX_WITHOUT_TOOL);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    format!(" These have no tool of their own, only use_skill: {}.", names.join(", "))
}

/// Hides what no call of could pass, and the tool for people.
fn api_tools(data: &Value, backing: &dyn Backing) -> Value {
    let offered = data.get("tools").and_then(Value::as_array).into_iter().flatten();
    let name = |tool: &Value| tool.get("name").unwrap_or(tool).as_str().map(str::to_owned);
    let names: Vec<String> = offered.filter_map(name).collect();
    let ours: Vec<&str> =
        names.iter().map(String::as_str).filter(|n| n.starts_with(PREFIX)).collect();
    let own = [OWN, &ours].concat();
    let session = match backing.is_begun() {
        true => backing.open_to_rule(&own).ok(),
        false => None,
    };
    let hidden = |name: &&String| {
        *name == COMMAND || session.as_ref().is_some_and(|session| !session.exposes(name))
    };
    json!({ "exclude": names.iter().filter(hidden).collect::<Vec<_>>() })
}

/// What metier's own tools give reaches the model whole.
fn cache_output(data: &Value, backing: &dyn Backing) -> Value {
    let tool = data.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let fixed = OWN.contains(&tool) || tool == MARKET;
    match fixed || was_activated(tool, backing) {
        true => json!({ "block": true }),
        false => Value::Object(Map::new()),
    }
}

/// Whether `tool` is that of an active skill, which it is when it has just answered.
fn was_activated(tool: &str, backing: &dyn Backing) -> bool {
    let Some(name) = tool.strip_prefix(PREFIX).filter(|_| backing.is_begun()) else { return false };
    let key = NameKey::of(name);
    let Ok(session) = backing.open_to_rule(OWN) else { return false };
    session.active_names().iter().any(|active| NameKey::of(active) == key)
}
