//! chibi's spelling: one tool a skill, called `skill_NAME`, beside `read_skill_file`,
//! `run_skill_script`, and `use_skill` and `release_skill`. Everything is words: the host shows a
//! plugin's output to the model as it is, and drops it when the plugin fails, so that errors are
//! words too.

use std::time::Duration;

use metier_format::NameKey;
use metier_format::text::visible;
use metier_runtime::capability::{Call, CapabilityError, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::limits::MAX_SCRIPT_SECONDS;
use metier_runtime::script::envelope::plain;
use metier_runtime::script::{Input, ScriptCall, ScriptError, Start};
use metier_runtime::session::ResourceError;
use metier_runtime::{ActivationError, Session};
use metier_sandbox::Status;
use metier_store::scripts::ScriptNameError;
use metier_store::store::ReadError;
use metier_store::{Catalog, Entry};
use serde_json::{Value, json};

use super::reply::text_of;
use super::{Reply, Tool, effect};

/// Providers take no longer names of functions.
const MAX_TOOL_NAME: usize = 64;

/// Seconds a script may take where nobody says otherwise, as chibi's plugin has it.
const SCRIPT_SECONDS: u64 = 120;

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
            description: visible(&entry.found.description).into_owned(),
            input: object(json!({ "arguments": text("Arguments for the skill") }), &[]),
            output: None,
            effect: effect(Operation::Activate),
            name,
        })
    });
    own().into_iter().chain(skills).collect()
}

/// Whether a skill has a tool of its own. One name that a provider refuses would have it refuse the
/// whole request, and the host drops tools that say nothing about themselves; [`USE`] reaches the
/// others.
fn is_tool(entry: &Entry, name: &str) -> bool {
    let fits = name.len() <= MAX_TOOL_NAME && name.is_ascii() && name != MARKET;
    fits && entry.name().faults().is_empty() && !entry.found.description.trim().is_empty()
}

/// The tools there are whatever skills there are.
pub(crate) fn own() -> Vec<Tool> {
    let skill = text("Name of the skill");
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
                json!({ "skill": skill, "path": text("Path relative to the skill") }),
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

pub(super) fn call(session: &mut Session, tool: &str, arguments: &Value) -> Option<Reply> {
    let (skill, given) = (text_of(arguments, "skill"), text_of(arguments, "arguments"));
    match tool {
        READ => return Some(read(session, skill, text_of(arguments, "path"))),
        RUN => return Some(run(session, arguments)),
        USE => return Some(activate(session, skill, given)),
        RELEASE => return Some(release(session, skill)),
        _ => {}
    }
    let name = tool.strip_prefix(PREFIX)?;
    // A tool of somebody else may begin like ours; only a skill there is makes it one.
    session.catalog().get(&NameKey::of(name))?;
    Some(activate(session, name, given))
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn activate(session: &mut Session, name: &str, given: &str) -> Reply {
    let arguments = json!({ "name": name, "arguments": given });
    let call = Call { operation: Operation::Activate, arguments, asker: Trigger::Auto };
    let answer = match invoke(session, call) {
        Ok(answer) => answer,
        Err(error) => return explain(name, "", &error),
    };
    let (name, body) = (text_of(&answer, "name"), text_of(&answer, "body").trim());
    let mut text = format!("# Skill: {name}\n\n{body}");
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

fn read(session: &mut Session, skill: &str, path: &str) -> Reply {
    let arguments = json!({ "name": skill, "path": path });
    let call = Call { operation: Operation::Read, arguments, asker: Trigger::Auto };
    match invoke(session, call) {
        Ok(file) if file.get("text").is_some() => Reply::text(text_of(&file, "text")),
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
