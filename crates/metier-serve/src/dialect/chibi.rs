//! chibi's spelling: one tool a skill, called `skill_NAME`, beside `read_skill_file`,
//! `run_skill_script`, and `use_skill` and `release_skill`. Everything is words: the host shows a
//! plugin's output to the model as it is, and drops it when the plugin fails, so that errors are
//! words too.

use std::time::Duration;

use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::arguments::without_arguments;
use metier_runtime::capability::{Call, CapabilityError, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::limits::{MAX_READ_BYTES, MAX_SCRIPT_SECONDS};
use metier_runtime::script::envelope::plain;
use metier_runtime::script::{Input, ScriptCall, ScriptError, Start};
use metier_runtime::session::ResourceError;
use metier_runtime::{ActivationError, Session};
use metier_sandbox::Status;
use metier_store::scripts::ScriptNameError;
use metier_store::store::ReadError;
use metier_store::{Catalog, Entry};
use serde_json::{Value, json};

use super::reply::{escaped, file_part, goes_on, origin_of, part_of, text_of};
use super::{Reply, Tool, effect};
use crate::brief::{described, from_server};

/// Providers take no longer names of functions.
const MAX_TOOL_NAME: usize = 64;

/// Seconds a script may take where nobody says otherwise, as chibi's plugin has it.
const SCRIPT_SECONDS: u64 = 120;

/// Characters of an answer beside what it was asked for: files it names, and where it goes on.
const MARGIN: usize = 1_000;

/// Skills that are named when no skill has the name that was asked for.
const LIKE_IT: u64 = 5;

/// Reads a file of a skill.
pub(crate) const READ: &str = "read_skill_file";

/// Runs a script of a skill.
pub(crate) const RUN: &str = "run_skill_script";

/// Activates a skill by its name: one that has no tool of its own, too.
pub(crate) const USE: &str = "use_skill";

/// Releases the skill activated last.
pub(crate) const RELEASE: &str = "release_skill";

/// Installs, removes and finds skills; the plugin has it, and no skill's tool may be called so.
pub(crate) const MARKET: &str = "skill_marketplace";

/// What the name of a skill's own tool begins with.
pub(crate) const PREFIX: &str = "skill_";

/// The operation that `tool` is; what begins like a skill's own takes the skill up.
pub(super) fn operation(tool: &str) -> Option<Operation> {
    match tool {
        READ => Some(Operation::Read),
        RUN => Some(Operation::ScriptRun),
        USE => Some(Operation::Activate),
        RELEASE => Some(Operation::Release),
        other => other.starts_with(PREFIX).then_some(Operation::Activate),
    }
}

pub(crate) fn tools(catalog: &Catalog) -> Vec<Tool> {
    let skills = catalog.visible().filter_map(|entry| {
        let name = format!("{PREFIX}{}", entry.name());
        is_tool(entry, &name).then(|| Tool {
            title: entry.name().to_string(),
            description: described(entry).into_owned(),
            input: object(json!({ "arguments": text("Arguments for the skill") }), &[]),
            output: None,
            effect: effect(Operation::Activate),
            name,
        })
    });
    own().into_iter().chain(skills).collect()
}

/// Whether a skill has a tool of its own.
pub(crate) fn has_tool(entry: &Entry) -> bool {
    is_tool(entry, &format!("{PREFIX}{}", entry.name()))
}

/// Whether a skill has a tool of this name. One name that a provider refuses would have it refuse the
/// whole request, and the host drops tools that say nothing about themselves; [`USE`] reaches the
/// others.
fn is_tool(entry: &Entry, name: &str) -> bool {
    let fits = name.len() <= MAX_TOOL_NAME && name.is_ascii() && name != MARKET;
    fits && entry.name().faults().is_empty() && !entry.found.description.trim().is_empty()
}

/// The tools there are whatever skills there are.
pub(crate) fn own() -> Vec<Tool> {
    let skill = text("Name of the skill");
    let offset = json!({ "type": "integer", "description": "Byte to go on at" });
    let tool = |name: &str, description: &str, input: Value, operation: Operation| Tool {
        name: name.to_owned(),
        title: name.replace('_', " "),
        description: description.to_owned(),
        input,
        output: None,
        effect: effect(operation),
    };
    vec![
        tool(
            READ,
            "Read a supporting file of a skill",
            object(
                json!({
                    "skill": skill,
                    "path": text("Path relative to the skill"),
                    "offset": offset,
                }),
                &["skill", "path"],
            ),
            Operation::Read,
        ),
        tool(
            RUN,
            "Run a script of a skill",
            object(
                json!({
                    "skill": skill,
                    "script": text("Script, such as scripts/run.py"),
                    "args": {
                        "type": "array",
                        "items": { "type": "string" },
                        "description": "Arguments for the script: a list of texts",
                    },
                    "stdin": text("What the script reads from standard input"),
                }),
                &["skill", "script"],
            ),
            Operation::ScriptRun,
        ),
        tool(
            USE,
            "Activate a skill by its name and get its instructions",
            object(
                json!({ "skill": skill, "arguments": text("Arguments for the skill") }),
                &["skill"],
            ),
            Operation::Activate,
        ),
        tool(
            RELEASE,
            "Release the skill activated last, when its task is done",
            object(json!({ "skill": text("The skill it has to be") }), &[]),
            Operation::Release,
        ),
    ]
}

/// The same for a host that takes answers whole, however long they are.
pub(crate) fn call_whole(session: &mut Session, tool: &str, arguments: &Value) -> Option<Reply> {
    let reply = call(session, tool, arguments, usize::MAX);
    reply.map(|reply| reply.written_out(false))
}

/// Calls `tool`; what is longer than `room` characters is given in parts.
pub(super) fn call(
    session: &mut Session,
    tool: &str,
    arguments: &Value,
    room: usize,
) -> Option<Reply> {
    let (skill, given) = (text_of(arguments, "skill"), text_of(arguments, "arguments"));
    match tool {
        READ => return Some(read(session, arguments, room)),
        RUN => return Some(run(session, arguments)),
        USE => return Some(activate(session, skill, given, room)),
        RELEASE => return Some(release(session, skill)),
        _ => {}
    }
    let name = tool.strip_prefix(PREFIX)?;
    // A tool of somebody else may begin like ours; only a skill there is makes it one.
    session.catalog().get(&NameKey::of(name))?;
    Some(activate(session, name, given, room))
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn activate(session: &mut Session, name: &str, given: &str, room: usize) -> Reply {
    let asked = json!({ "name": name, "arguments": given });
    let call = Call { operation: Operation::Activate, arguments: asked, asker: Trigger::Auto };
    let answer = match invoke(session, call) {
        Ok(answer) => answer,
        // The plugin has another tool that searches, and the words of the earlier one.
        Err(error) if room == usize::MAX => return explain(name, "", &error),
        Err(error) => return like_it(session, name, explain(name, "", &error), &error),
    };
    let (name, body) = (text_of(&answer, "name"), text_of(&answer, "body").trim());
    // They have a heading of their own here.
    let body = without_arguments(body, &visible(given));
    let origin = origin_of(&answer).map(|origin| format!("{}\n\n", from_server(origin)));
    let mut text = format!("# Skill: {name}\n\n{}", origin.unwrap_or_default());
    let beside = text.chars().chain(given.chars()).map(escaped).sum::<usize>();
    let part = part_of(body, 0, room.saturating_sub(beside + MARGIN));
    text.push_str(part.text);
    if let Some(next) = part.next {
        let more = body.len() - next;
        let offset = goes_on(session, name, part.text);
        text.push_str(&format!(
            "\n\n… ({more} more bytes: `{READ}` with `path` `SKILL.md` and `offset` {offset} goes on)"
        ));
    }
    if !given.is_empty() {
        text.push_str("\n\n## Arguments\n");
        text.push_str(given);
    }
    let directories = directories(&answer);
    if !directories.is_empty() {
        text.push_str("\n\n## Supporting Files\nThis skill has supporting files in: ");
        text.push_str(&directories.join(", "));
        text.push_str(
            "\n- Use `read_skill_file` to read file contents\n\
             - Use `run_skill_script` to execute scripts",
        );
    }
    Reply::text(text)
}

/// The directories the skill's files lie in, each once, in order.
fn directories(answer: &Value) -> Vec<&str> {
    let files = answer.get("resources").and_then(Value::as_array).into_iter().flatten();
    let tops = files.filter_map(|file| Some(file.as_str()?.split_once('/')?.0));
    let mut directories: Vec<&str> = tops.collect();
    directories.dedup();
    directories
}

/// The byte to go on at.
fn offset(arguments: &Value) -> usize {
    let given = arguments.get("offset").and_then(Value::as_u64).unwrap_or_default();
    usize::try_from(given).unwrap_or(usize::MAX)
}

/// The failure, and behind it the skills whose words are like the name that none has.
fn like_it(session: &mut Session, name: &str, failed: Reply, error: &CapabilityError) -> Reply {
    if !matches!(error, CapabilityError::Activation(ActivationError::NotFound { .. })) {
        return failed;
    }
    let arguments = json!({ "query": name, "limit": LIKE_IT });
    let call = Call { operation: Operation::Search, arguments, asker: Trigger::Auto };
    let found = invoke(session, call).unwrap_or_default();
    let hits = found.get("hits").and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> = hits.map(|hit| text_of(hit, "name")).collect();
    match names.is_empty() {
        true => failed,
        false => {
            Reply { text: format!("{}. Like it: {}", failed.text, names.join(", ")), ..failed }
        }
    }
}

/// A file, or a part of it where it is longer than `room` or the caller says where to go on.
fn read(session: &mut Session, arguments: &Value, room: usize) -> Reply {
    let (skill, path) = (text_of(arguments, "skill"), text_of(arguments, "path"));
    let room = room.saturating_sub(MARGIN);
    let mut given = json!({ "name": skill, "path": path });
    if room < usize::MAX - MARGIN || arguments.get("offset").is_some() {
        given["offset"] = offset(arguments).into();
        given["limit"] = (room as u64).min(MAX_READ_BYTES).into();
    }
    let call = Call { operation: Operation::Read, arguments: given, asker: Trigger::Auto };
    match invoke(session, call).map(|file| file_part(file, room)) {
        Ok(file) if file.get("text").is_some() => {
            let mut text = text_of(&file, "text").to_owned();
            if let (Some(next), Some(size)) =
                (file.get("next").and_then(Value::as_u64), file.get("size").and_then(Value::as_u64))
            {
                let more = size.saturating_sub(next);
                text.push_str(&format!("\n… ({more} more bytes: `offset` {next} goes on)"));
            }
            Reply::text(text)
        }
        Ok(_) => Reply { failed: true, ..Reply::text(format!("Error: Not a text file: {path}")) },
        Err(error) => explain(skill, path, &error),
    }
}

fn run(session: &mut Session, arguments: &Value) -> Reply {
    let (skill, script) = (text_of(arguments, "skill"), text_of(arguments, "script"));
    let args: Option<Vec<&str>> = match arguments.get("args") {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(Value::as_str).collect(),
        // The host loses the schema of a list, so that a model may well send its only item.
        Some(Value::String(text)) => Some(vec![text]),
        Some(_) => None,
    };
    let Some(args) = args else {
        return failed("Error: `args` has to be a list of texts".to_owned());
    };
    let seconds = arguments.get("timeout").and_then(Value::as_u64).unwrap_or(SCRIPT_SECONDS);
    let mut call = ScriptCall::new(skill, script).args(args);
    call.start = Start::Skill;
    call.trigger = Trigger::Auto;
    call.timeout = Some(Duration::from_secs(seconds.min(MAX_SCRIPT_SECONDS)));
    if let Some(text) = arguments.get("stdin").and_then(Value::as_str) {
        call.input = Input::Bytes(text.as_bytes().to_vec());
    }
    match session.run(&call) {
        Ok(outcome) if outcome.status == Status::TimedOut => {
            let seconds = outcome.allowed.as_secs();
            let words = plain(&outcome);
            failed(format!("Error: Script execution timed out ({seconds}s limit)\n{words}"))
        }
        Ok(outcome) => Reply { failed: outcome.failure.is_some(), ..Reply::text(plain(&outcome)) },
        Err(error) => {
            explain(skill, script, &CapabilityError::Script(session.told_of_script(error)))
        }
    }
}

fn release(session: &mut Session, skill: &str) -> Reply {
    let arguments = if skill.is_empty() { json!({}) } else { json!({ "name": skill }) };
    let call = Call { operation: Operation::Release, arguments, asker: Trigger::Auto };
    match invoke(session, call) {
        Ok(_) => match session.active_names().last() {
            None => Reply::text("Released. No skill is active."),
            Some(name) => Reply::text(format!("Released. '{name}' is active.")),
        },
        Err(error) => explain(skill, "", &error),
    }
}

fn failed(text: String) -> Reply {
    Reply { failed: true, ..Reply::text(text) }
}

fn explain(name: &str, path: &str, error: &CapabilityError) -> Reply {
    let text = match error {
        CapabilityError::Activation(ActivationError::NotFound { .. })
        | CapabilityError::Resource(ResourceError::SkillNotFound { .. }) => {
            format!("Error: Skill '{name}' not found")
        }
        CapabilityError::Resource(ResourceError::Read(
            ReadError::InvalidPath(_) | ReadError::LeavesSkill(_),
        )) => "Error: Path traversal not allowed".to_owned(),
        CapabilityError::Resource(ResourceError::Read(ReadError::NotFound(_))) => {
            format!("Error: File not found: {path}")
        }
        CapabilityError::Script(ScriptError::Skill(ActivationError::NotFound { .. }))
        | CapabilityError::Script(ScriptError::InvalidSkill(_)) => {
            format!("Error: Skill '{name}' not found")
        }
        CapabilityError::Script(ScriptError::Name { source, .. }) => match source {
            ScriptNameError::NotFound { .. } => format!("Error: Script not found: {path}"),
            ScriptNameError::Invalid(_) => "Error: Path traversal not allowed".to_owned(),
            _ => format!("Error: {}", error.sentence()),
        },
        _ => format!("Error: {}", error.sentence()),
    };
    failed(text)
}

#[cfg(test)]
#[path = "chibi_tests.rs"]
mod tests;
