//! OmniForge's spelling: one tool `skill` whose description lists the skills, results as
//! `{success, result, error}`, and its error codes.

use metier_runtime::capability::{Call, CapabilityError, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::session::ReleaseError;
use metier_runtime::{ActivationError, Session};
use metier_store::Catalog;
use serde_json::{Value, json};

use crate::brief::brief;

use super::reply::{Part, body_of, file_part, first_of, goes_on, length, part_of, text_of};
use super::{Reply, Tool, effect};
use crate::limits::MAX_RESULT_CHARS;

/// Most characters of the list of skills, which is in every prompt.
const LIST_CHARS: usize = 3500;

/// The one tool there is.
const SKILL: &str = "skill";

/// What finds the skills that are not listed.
pub(super) const FINDER: &str = "`skill` with `action` `search`";

/// Skills that one search names.
const HITS: u64 = 20;

/// Bytes of a file one answer has.
const READ_BYTES: u64 = (MAX_RESULT_CHARS / 2) as u64;

/// Characters of an answer beside what it was asked for: the envelope, and where it goes on.
const MARGIN: usize = 400;

/// The operation that `tool` is; releasing a skill does no more to the world than activating it.
pub(super) fn operation(tool: &str) -> Option<Operation> {
    (tool == SKILL).then_some(Operation::Activate)
}

pub(super) fn tools(catalog: &Catalog) -> Vec<Tool> {
    let listed = brief(catalog, LIST_CHARS, "`action` `search`");
    let mut description = String::from(
        "Take up a skill: its instructions come back, and from then on only the tools it allows \
         may be used. Call this first when a task fits a skill. `action` `deactivate` ends it, \
         `search` finds skills by words in `skill_name`, `read` gives the file of the skill that \
         `args` names (`SKILL.md` when left out) from byte `offset` on.",
    );
    if listed.is_empty() {
        description.push_str("\n\nThere are no skills now.");
    } else {
        description.push_str("\n\n");
        description.push_str(&listed);
    }
    vec![Tool {
        name: SKILL.to_owned(),
        title: "Skill".to_owned(),
        description,
        input: json!({
            "type": "object",
            "properties": {
                "skill_name": { "type": "string", "description": "One of the skills listed" },
                "args": { "type": "string", "description": "Arguments for the skill" },
                "action": {
                    "type": "string",
                    "enum": ["activate", "deactivate", "search", "read"],
                },
                "offset": { "type": "integer", "minimum": 0 },
            },
            "required": ["skill_name"],
        }),
        output: Some(json!({
            "type": "object",
            "properties": { "success": { "type": "boolean" } },
            "required": ["success"],
        })),
        effect: effect(Operation::Activate),
    }]
}

pub(super) fn call(session: &mut Session, tool: &str, arguments: &Value) -> Option<Reply> {
    operation(tool)?;
    let name = text_of(arguments, "skill_name").trim();
    if name.is_empty() {
        return Some(failure("skill_validation_error", "skill_name is required"));
    }
    let action = arguments.get("action").and_then(Value::as_str).unwrap_or("activate");
    Some(match action {
        "activate" => activate(session, name, text_of(arguments, "args")),
        "deactivate" => deactivate(session, name),
        "search" => search(session, name),
        "read" => read(session, name, arguments),
        _ => {
            let shown: String = action.chars().take(40).collect();
            let message = format!(
                "Unknown action '{shown}'. Use 'activate', 'deactivate', 'search' or 'read'."
            );
            failure("skill_validation_error", &message)
        }
    })
}

fn activate(session: &mut Session, name: &str, args: &str) -> Reply {
    let arguments = json!({ "name": name, "arguments": args });
    let call = Call { operation: Operation::Activate, arguments, asker: Trigger::Auto };
    let answer = match invoke(session, call) {
        Ok(answer) => answer,
        Err(error) => return explain(name, "activate", &error),
    };
    let mut result = json!({
        "skill_name": answer.get("name"),
        "base_path": answer.get("base_path"),
        "content": "",
        "status": "activated",
    });
    if let Value::Object(result) = &mut result {
        if let Some(tools) = answer.get("allowed_tools").filter(|tools| !tools.is_null()) {
            result.insert("allowed_tools".to_owned(), tools.clone());
        }
        if !args.is_empty() {
            result.insert("args".to_owned(), args.into());
        }
    }
    let body = body_of(&answer);
    let room = MAX_RESULT_CHARS.saturating_sub(length(&result) + MARGIN);
    let Part { text, next } = part_of(&body, 0, room);
    let mut content = text.to_owned();
    if next.is_some() {
        let offset = goes_on(session, text_of(&answer, "name"), text);
        content.push_str(&format!(
            "\n\n(The instructions are longer than one result: `action` `read` with `offset` \
             {offset} goes on.)"
        ));
        result["truncated"] = json!({ "kept": text.len(), "total": body.len() });
    }
    result["content"] = content.into();
    Reply::data(json!({ "success": true, "result": result }))
}

/// The skills that words fit, as far as they fit one answer.
fn search(session: &mut Session, words: &str) -> Reply {
    let arguments = json!({ "query": words, "limit": HITS });
    let call = Call { operation: Operation::Search, arguments, asker: Trigger::Auto };
    let answer = match invoke(session, call) {
        Ok(answer) => answer,
        Err(error) => return explain(words, "search", &error),
    };
    let hits = answer.get("hits").and_then(Value::as_array).into_iter().flatten();
    let skills: Vec<Value> = hits.map(named).collect();
    let skills = first_of(&skills, MAX_RESULT_CHARS - MARGIN);
    Reply::data(json!({ "success": true, "result": { "skills": skills, "status": "found" } }))
}

fn named(hit: &Value) -> Value {
    let description = text_of(hit, "description");
    let description = match hit.get("source").and_then(Value::as_str) {
        Some(origin) => format!("(from {origin}) {description}"),
        None => description.to_owned(),
    };
    json!({ "name": hit.get("name"), "description": description })
}

/// A part of a file of a skill.
fn read(session: &mut Session, name: &str, arguments: &Value) -> Reply {
    let path = Some(text_of(arguments, "args").trim()).filter(|path| !path.is_empty());
    let offset = arguments.get("offset").cloned().unwrap_or_default();
    let given = json!({
        "name": name, "path": path.unwrap_or("SKILL.md"), "offset": offset, "limit": READ_BYTES,
    });
    let call = Call { operation: Operation::Read, arguments: given, asker: Trigger::Auto };
    let file = match invoke(session, call) {
        Ok(file) => file,
        Err(error) => return explain(name, "read", &error),
    };
    let mut result = json!({ "skill_name": name, "path": file.get("path"), "status": "read" });
    let file = file_part(file, MAX_RESULT_CHARS.saturating_sub(length(&result) + MARGIN));
    for (theirs, ours) in
        [("content", "text"), ("content_base64", "base64"), ("next", "next"), ("origin", "source")]
    {
        if let Some(value) = file.get(ours) {
            result[theirs] = value.clone();
        }
    }
    Reply::data(json!({ "success": true, "result": result }))
}

fn deactivate(session: &mut Session, name: &str) -> Reply {
    let arguments = json!({ "name": name });
    let call = Call { operation: Operation::Release, arguments, asker: Trigger::Auto };
    match invoke(session, call) {
        Ok(answer) => {
            let released = answer.pointer("/released/0").cloned().unwrap_or_default();
            let result = json!({ "skill_name": released, "status": "deactivated" });
            Reply::data(json!({ "success": true, "result": result }))
        }
        Err(error) => explain(name, "deactivate", &error),
    }
}

/// The error in its words where it has words for it.
fn explain(name: &str, action: &str, error: &CapabilityError) -> Reply {
    let (code, message) = match error {
        CapabilityError::Activation(ActivationError::NotFound { suggestion, .. }) => {
            let hint = suggestion.as_ref().map(|near| format!(" Did you mean '{near}'?"));
            ("skill_not_found", format!("Skill '{name}' not found.{}", hint.unwrap_or_default()))
        }
        CapabilityError::Activation(ActivationError::Invalid { .. }) => {
            ("skill_parse_error", format!("Failed to load skill: {}", error.sentence()))
        }
        CapabilityError::Release(ReleaseError::NotActive(_) | ReleaseError::NothingActive) => {
            ("skill_not_active", format!("Skill '{name}' is not active."))
        }
        CapabilityError::Release(ReleaseError::NotOnTop { top, .. }) => {
            let message = format!("Skill '{name}' is not the last one activated; '{top}' is.");
            ("skill_stack_violation", message)
        }
        CapabilityError::Activation(_) => {
            ("skill_activation_error", format!("Skill {action} failed: {}", error.sentence()))
        }
        _ => ("skill_error", format!("Skill {action} failed: {}", error.sentence())),
    };
    failure(code, &message)
}

fn failure(code: &str, message: &str) -> Reply {
    let data = json!({ "success": false, "error": message, "error_code": code });
    Reply { failed: true, ..Reply::data(data) }
}
