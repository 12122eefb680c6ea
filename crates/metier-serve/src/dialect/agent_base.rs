//! agent-base's spelling: `script_list`, `script_help`, `script_run`, answers as
//! `{success, result, message}` or `{success, error, message}`, and its error codes.

use metier_runtime::Session;
use metier_runtime::capability::{Call, CapabilityError, Operation, invoke, write_out};
use metier_runtime::event::Trigger;
use metier_runtime::script::Envelope;
use serde_json::{Map, Value, json};

use super::reply::{enveloped, listed_scripts};
use super::{Reply, Tool, effect};

/// What a parameter is called here and in the table.
type Names = &'static [(&'static str, &'static str)];

/// Each tool, its operation, and its parameters.
const TOOLS: &[(&str, Operation, Names)] = &[
    ("script_list", Operation::ScriptList, &[("skill_name", "name"), ("after", "after")]),
    ("script_help", Operation::ScriptHelp, &[("skill_name", "name"), ("script_name", "script")]),
    (
        "script_run",
        Operation::ScriptRun,
        &[
            ("skill_name", "name"),
            ("script_name", "script"),
            ("args", "args"),
            ("json", "json"),
            ("json_output", "json"),
        ],
    ),
];

/// The operation that `tool` is.
pub(super) fn operation(tool: &str) -> Option<Operation> {
    TOOLS.iter().find(|(name, ..)| *name == tool).map(|(_, operation, _)| *operation)
}

pub(super) fn tools() -> Vec<Tool> {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let skill = text("Skill name (e.g. 'kalshi-markets')");
    let script = text("Script name (e.g. 'status' or 'status.py')");
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required });
    let tool = |name: &str, description: &str, input: Value, operation: Operation| Tool {
        name: name.to_owned(),
        title: name.replace('_', " "),
        description: description.to_owned(),
        input,
        output: Some(Operation::ScriptRun.capability().result_schema()),
        effect: effect(operation),
    };
    vec![
        tool(
            "script_list",
            "List the scripts of a skill, or of all skills.",
            object(
                json!({
                    "skill_name": text("Skill name; all skills when left out"),
                    "after": text("Only skills after this name"),
                }),
                &[],
            ),
            Operation::ScriptList,
        ),
        tool(
            "script_help",
            "Show how a script is called, by asking it for --help.",
            object(
                json!({ "skill_name": skill, "script_name": script }),
                &["skill_name", "script_name"],
            ),
            Operation::ScriptHelp,
        ),
        tool(
            "script_run",
            "Run a script with arguments.",
            object(
                json!({
                    "skill_name": skill,
                    "script_name": script,
                    "args": { "type": "array", "items": { "type": "string" } },
                    "json": { "type": "boolean", "default": true, "description": "Ask for JSON" },
                }),
                &["skill_name", "script_name"],
            ),
            Operation::ScriptRun,
        ),
    ]
}

pub(super) fn call(session: &mut Session, tool: &str, arguments: &Value) -> Option<Reply> {
    let (_, operation, names) = TOOLS.iter().find(|(name, ..)| *name == tool)?;
    let mut given = Map::new();
    for (theirs, ours) in *names {
        if let Some(value) = arguments.get(theirs).filter(|value| !value.is_null()) {
            given.insert((*ours).to_owned(), value.clone());
        }
    }
    if *operation == Operation::ScriptRun {
        given.entry("json").or_insert(true.into());
    }
    let call = Call { operation: *operation, arguments: given.into(), asker: Trigger::Auto };
    Some(match invoke(session, call) {
        Ok(answer) if *operation == Operation::ScriptList => listed_scripts(answer),
        Ok(answer) => enveloped(answer),
        Err(error) => enveloped(explain(&error)),
    })
}

/// The error in agent-base's words where it has words for it.
fn explain(error: &CapabilityError) -> Value {
    let told = |code: &str| json!({ "success": false, "error": code, "message": error.sentence() });
    let mut answer = match error {
        CapabilityError::Script(error) => {
            serde_json::to_value(Envelope::of_error(error)).unwrap_or_default()
        }
        CapabilityError::Arguments(_) => told("invalid_name"),
        _ => told("execution_failed"),
    };
    write_out(&mut answer);
    answer
}
