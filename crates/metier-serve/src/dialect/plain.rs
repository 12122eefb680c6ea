//! metier's own spelling: one tool an operation, results as the table has them, less what a model
//! has no use for.

use metier_runtime::Session;
use metier_runtime::capability::{Call, Capability, Operation, invoke};
use metier_runtime::event::Trigger;
use serde_json::{Map, Value, json};

use super::reply::{enveloped, escaped, fitting_in};
use super::{Reply, Tool};
use crate::limits::{FRAMES, LISTED, MAX_RESULT_CHARS};

/// What each operation is called.
const NAMES: &[(Operation, &str)] = &[
    (Operation::Search, "skill_search"),
    (Operation::List, "skill_list"),
    (Operation::Show, "skill_show"),
    (Operation::Activate, "skill_activate"),
    (Operation::Read, "skill_read"),
    (Operation::ScriptList, "script_list"),
    (Operation::ScriptHelp, "script_help"),
    (Operation::ScriptRun, "script_run"),
    (Operation::Release, "skill_release"),
    (Operation::Status, "skill_status"),
    (Operation::Guard, "tool_guard"),
    (Operation::Prompt, "skill_prompt"),
    (Operation::Why, "skill_why"),
    (Operation::Events, "session_events"),
    (Operation::End, "session_end"),
];

/// Members of a listed skill that a model can use.
const LISTED_MEMBERS: &[&str] = &["name", "description", "tags", "version", "layer", "trust"];

/// Characters of an answer that lists skills besides the skills.
const LIST_MARGIN: usize = 200;

/// Bytes of a file one answer has: even as JSON, with everything escaped, it fits.
const READ_BYTES: u64 = (MAX_RESULT_CHARS / 2) as u64;

/// What `operation` is called. Every operation has a tool; a test holds the two together.
pub(crate) fn name(operation: Operation) -> &'static str {
    NAMES.iter().find(|(known, _)| *known == operation).map_or("", |(_, name)| name)
}

/// The operation that is called so.
pub(super) fn operation(tool: &str) -> Option<Operation> {
    NAMES.iter().find(|(_, name)| *name == tool).map(|(operation, _)| *operation)
}

pub(super) fn tools() -> Vec<Tool> {
    NAMES.iter().map(|(operation, name)| tool(operation.capability(), name)).collect()
}

fn tool(capability: &Capability, name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        title: capability.title.to_owned(),
        description: capability.description.to_owned(),
        input: capability.parameters_schema(),
        output: Some(capability.result_schema()),
        effect: capability.effect,
    }
}

pub(super) fn call(session: &mut Session, tool: &str, arguments: Value) -> Option<Reply> {
    let operation = operation(tool)?;
    let arguments = with_usual(operation, arguments);
    let call = Call { operation, arguments, asker: Trigger::Auto };
    Some(match invoke(session, call) {
        Ok(answer) => spell(operation, answer),
        Err(error) => Reply::error(&error),
    })
}

/// The arguments, with a bound where a model gave none and the answer could be long.
fn with_usual(operation: Operation, mut arguments: Value) -> Value {
    let limit = match operation {
        Operation::List => LISTED,
        Operation::Read => READ_BYTES,
        Operation::Events => FRAMES,
        _ => return arguments,
    };
    if arguments.is_null() {
        arguments = Value::Object(Map::new());
    }
    if let Value::Object(given) = &mut arguments {
        let asked = given.entry("limit").or_insert_with(|| limit.into());
        // More of a file than fits would be cut where nobody knows how to go on.
        if operation == Operation::Read && asked.as_u64().is_some_and(|asked| asked > limit) {
            *asked = limit.into();
        }
    }
    arguments
}

/// The answer in this dialect.
fn spell(operation: Operation, answer: Value) -> Reply {
    match operation {
        Operation::List => Reply::data(listed(answer)),
        Operation::Activate => activated(answer),
        Operation::ScriptList | Operation::ScriptHelp | Operation::ScriptRun => enveloped(answer),
        _ => Reply::data(answer),
    }
}

fn listed(mut answer: Value) -> Value {
    let skills = answer.get_mut("skills").and_then(Value::as_array_mut);
    for skill in skills.into_iter().flatten().filter_map(Value::as_object_mut) {
        skill.retain(|key, value| {
            let says = !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
            LISTED_MEMBERS.contains(&key.as_str()) && says
        });
    }
    let fits =
        answer.get("skills").and_then(Value::as_array).map_or(0, |skills| fitting_of(skills));
    let mut next = answer.get("next").cloned();
    let skills = answer.get_mut("skills").and_then(Value::as_array_mut);
    if let Some(skills) = skills.filter(|skills| skills.len() > fits) {
        skills.truncate(fits);
        next = skills.last().and_then(|skill| skill.get("name")).cloned();
    }
    let mut listing = json!({ "skills": answer.get("skills") });
    if let (Value::Object(listing), Some(next)) = (&mut listing, next) {
        listing.insert("next".to_owned(), next);
    }
    listing
}

/// How many of these fit into one answer; at least one.
fn fitting_of(skills: &[Value]) -> usize {
    let mut left = MAX_RESULT_CHARS.saturating_sub(LIST_MARGIN);
    let mut count = 0;
    for skill in skills {
        let cost = skill.to_string().chars().count() + 1;
        if cost > left {
            break;
        }
        left -= cost;
        count += 1;
    }
    count.max(1)
}

/// What is said where the instructions are cut.
const LONGER: &str = "\n\n(The instructions are longer than one result. The whole file is `SKILL.md`: \
    read it with `skill_read`, in parts, and go on where this ends.)";

/// Room for the names of the members that are added.
const ACTIVATED_MARGIN: usize = 64;

/// The text is what the model acts on; the data is that text and what a program wants to know.
fn activated(mut answer: Value) -> Reply {
    let Some(members) = answer.as_object_mut() else { return Reply::data(answer) };
    // The text has the body in it already.
    members.remove("body");
    let whole = match members.remove("text") {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let notice = members.get("notice").and_then(Value::as_str);
    let notice = notice.map(|notice| format!("\n\nNote: {notice}")).unwrap_or_default();
    // What is said after the instructions has its room beside them, and so have the other members.
    let rest = Value::Object(members.clone()).to_string().chars().count();
    let after = notice.chars().chain(LONGER.chars()).map(escaped).sum::<usize>();
    let room = MAX_RESULT_CHARS.saturating_sub(rest + after + ACTIVATED_MARGIN);
    let (part, cut) = fitting_in(&whole, room.max(MAX_RESULT_CHARS / 2));
    let text = [part, if cut { LONGER } else { "" }, &notice].concat();
    members.insert("text".to_owned(), text.clone().into());
    members.insert("complete".to_owned(), (!cut).into());
    Reply { text, data: Some(answer), failed: false }
}
