//! chibi's spelling: one tool a skill, called `skill_NAME`, and `read_skill_file`. Everything is
//! words: the host shows a plugin's output to the model as it is, and drops it when the plugin
//! fails, so that errors are words too.

use metier_format::NameKey;
use metier_runtime::capability::{Call, CapabilityError, Effect, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::script::ScriptError;
use metier_runtime::session::ResourceError;
use metier_runtime::{ActivationError, Session};
use metier_store::Catalog;
use metier_store::scripts::ScriptNameError;
use metier_store::store::ReadError;
use serde_json::{Value, json};

use super::reply::text_of;
use super::{Reply, Tool};

/// Providers take no longer names of functions.
const MAX_TOOL_NAME: usize = 64;

const RUN: &str = "run_skill_script";

const PREFIX: &str = "skill_";

pub(super) fn tools(catalog: &Catalog) -> Vec<Tool> {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let skills = catalog.visible().filter_map(|entry| {
        let name = format!("{PREFIX}{}", entry.name());
        (name.len() <= MAX_TOOL_NAME).then(|| Tool {
            title: entry.name().to_string(),
            description: entry.found.description.to_string(),
            input: json!({
                "type": "object",
                "properties": { "arguments": text("Arguments for the skill") },
            }),
            output: None,
            effect: Effect::Changes,
            name,
        })
    });
    let read = Tool {
        name: "read_skill_file".to_owned(),
        title: "Read a file of a skill".to_owned(),
        description: "Read a supporting file of a skill".to_owned(),
        input: json!({
            "type": "object",
            "properties": {
                "skill": text("Name of the skill"),
                "path": text("Path relative to the skill"),
            },
            "required": ["skill", "path"],
        }),
        output: None,
        effect: Effect::Records,
    };
    let run = Tool {
        name: RUN.to_owned(),
        title: "Run a script of a skill".to_owned(),
        description: "Run a script of a skill".to_owned(),
        input: json!({
            "type": "object",
            "properties": {
                "skill": text("Name of the skill"),
                "script": text("Script, such as scripts/run.py"),
                "args": { "type": "array", "items": { "type": "string" } },
                "stdin": text("Standard input"),
            },
            "required": ["skill", "script"],
        }),
        output: None,
        effect: Effect::Runs,
    };
    [read, run].into_iter().chain(skills).collect()
}

pub(super) fn call(session: &mut Session, tool: &str, arguments: &Value) -> Option<Reply> {
    if tool == "read_skill_file" {
        return Some(read(session, text_of(arguments, "skill"), text_of(arguments, "path")));
    }
    if tool == RUN {
        return Some(run(session, arguments));
    }
    let name = tool.strip_prefix(PREFIX)?;
    // A tool of somebody else may begin like ours; only a skill there is makes it one.
    session.catalog().get(&NameKey::of(name))?;
    Some(activate(session, name, text_of(arguments, "arguments")))
}

fn activate(session: &mut Session, name: &str, given: &str) -> Reply {
    let arguments = json!({ "name": name, "arguments": given });
    let call = Call { operation: Operation::Activate, arguments, asker: Trigger::Auto };
    let answer = match invoke(session, call) {
        Ok(answer) => answer,
        Err(error) => return explain(name, "", &error),
    };
    let mut text = format!("# Skill: {}\n\n{}", text_of(&answer, "name"), text_of(&answer, "body"));
    if !given.is_empty() {
        text.push_str("\n\n## Arguments\n");
        text.push_str(given);
    }
    let directories = directories(&answer);
    if !directories.is_empty() {
        text.push_str("\n\n## Supporting Files\nThis skill has supporting files in: ");
        text.push_str(&directories.join(", "));
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
    let given = json!({
        "name": skill,
        "script": script,
        "args": arguments.get("args"),
        "stdin": arguments.get("stdin"),
    });
    let call = Call { operation: Operation::ScriptRun, arguments: given, asker: Trigger::Auto };
    let answer = match invoke(session, call) {
        Ok(answer) => answer,
        Err(error) => return explain(skill, script, &error),
    };
    let output = answer.get("result").or_else(|| answer.get("stdout"));
    let mut parts = Vec::new();
    parts.extend(output.and_then(Value::as_str).map(str::to_owned).filter(|t| !t.is_empty()));
    parts.extend(answer.get("stderr").and_then(Value::as_str).map(|e| format!("[stderr]\n{e}")));
    match answer.get("exit_code").and_then(Value::as_i64) {
        Some(code) => parts.push(format!("[exit code: {code}]")),
        None if answer.get("error").is_some() => {
            parts.push(format!("Error: {}", text_of(&answer, "message")));
        }
        None => {}
    }
    Reply::text(if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") })
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
        CapabilityError::Script(ScriptError::Name {
            source: ScriptNameError::NotFound { .. },
            ..
        }) => format!("Error: Script not found: {path}"),
        _ => format!("Error: {}", error.sentence()),
    };
    Reply { failed: true, ..Reply::text(text) }
}
