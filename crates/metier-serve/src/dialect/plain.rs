//! metier's own spelling: one tool an operation, results as the table has them, less what a model
//! has no use for.

use metier_runtime::Session;
use metier_runtime::capability::{
    Call, Capability, CapabilityError, Operation, gives_bytes as gives, invoke,
};
use metier_runtime::event::Trigger;
use serde_json::{Map, Value, json};

use super::reply::{
    enveloped, escaped, file_part, fitting_in, goes_on, length, listed_scripts, text_of,
};
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
const LISTED_MEMBERS: &[&str] =
    &["name", "description", "tags", "version", "layer", "trust", "source"];

/// Characters of an answer that lists skills besides the skills.
const LIST_MARGIN: usize = 200;

/// Bytes of a file one answer has. As JSON quotes and ends of lines are two characters each; where
/// there is more to escape than that, [`part`] has less.
const READ_BYTES: u64 = (MAX_RESULT_CHARS / 2) as u64;

/// Characters of an answer with a part of a file besides the part.
const READ_MARGIN: usize = 400;

/// Characters of the catalog in one answer; what became of each skill has the rest.
const PROMPT_CHARS: usize = MAX_RESULT_CHARS * 3 / 4;

/// How often a catalog that is too long is written anew. Each time it is about as long as it may be,
/// so that the second is mostly the last.
const PROMPT_TRIES: usize = 6;

/// What `operation` is called. Every operation has a tool; a test holds the two together.
pub(crate) fn name(operation: Operation) -> &'static str {
    NAMES.iter().find(|(known, _)| *known == operation).map_or("", |(_, name)| name)
}

/// The operation that is called so.
pub(super) fn operation(tool: &str) -> Option<Operation> {
    NAMES.iter().find(|(_, name)| *name == tool).map(|(operation, _)| *operation)
}

/// Whether `tool` answers with what is in a file or came out of a script.
pub(super) fn gives_bytes(tool: &str) -> bool {
    operation(tool).is_some_and(gives)
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
    let answer = match operation {
        Operation::Prompt => prompt(session, arguments),
        _ => invoke(session, Call { operation, arguments, asker: Trigger::Auto }),
    };
    Some(match answer {
        Ok(answer) if operation == Operation::Activate => activated(session, answer),
        Ok(answer) => spell(operation, answer),
        Err(error) => Reply::error(&error),
    })
}

/// The catalog in as many tokens as fit into one answer, so that it is shortened where it knows how
/// and says what it left out.
fn prompt(session: &mut Session, mut arguments: Value) -> Result<Value, CapabilityError> {
    let mut ask = |arguments: Value| {
        invoke(session, Call { operation: Operation::Prompt, arguments, asker: Trigger::Auto })
    };
    let mut answer = ask(arguments.clone())?;
    if arguments.is_null() {
        arguments = Value::Object(Map::new());
    }
    for _ in 0..PROMPT_TRIES {
        let chars: usize = text_of(&answer, "text").chars().map(escaped).sum();
        if chars <= PROMPT_CHARS {
            break;
        }
        let tokens = answer.get("tokens").and_then(Value::as_u64).unwrap_or_default();
        // Tokens are not all of the same length; a tenth less than their share is mostly enough.
        let share = tokens as u128 * PROMPT_CHARS as u128 * 9 / (chars as u128 * 10);
        if let Value::Object(given) = &mut arguments {
            given.insert("budget".to_owned(), u64::try_from(share).unwrap_or(tokens).into());
        }
        answer = ask(arguments.clone())?;
    }
    Ok(answer)
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
        Operation::Read => Reply::data(part(answer)),
        Operation::Prompt => Reply::data(prompted(answer)),
        Operation::ScriptList => listed_scripts(answer),
        Operation::ScriptHelp | Operation::ScriptRun => enveloped(answer),
        _ => Reply::data(answer),
    }
}

/// As much of a part of a file as fits as JSON, with `next` where it ends.
fn part(answer: Value) -> Value {
    let beside = ["path", "source"].map(|name| text_of(&answer, name)).concat();
    let beside: usize = beside.chars().map(escaped).sum();
    file_part(answer, MAX_RESULT_CHARS.saturating_sub(READ_MARGIN + beside))
}

/// The catalog as it was written, and what became of as many skills as there is room for.
fn prompted(mut answer: Value) -> Value {
    let chars = |value: &Value| length(value);
    let total = chars(&answer);
    let Some(Value::Object(members)) = (total > MAX_RESULT_CHARS).then_some(&mut answer) else {
        return answer;
    };
    let Some(Value::Array(mut skills)) = members.remove("skills") else { return answer };
    let around = chars(&Value::Object(members.clone())) + LIST_MARGIN;
    let (kept, total) =
        (fitting_of(&skills, MAX_RESULT_CHARS.saturating_sub(around)), skills.len());
    skills.truncate(kept);
    members.insert("skills".to_owned(), skills.into());
    members.insert("truncated".to_owned(), json!({ "kept": kept, "total": total }));
    answer
}

fn listed(mut answer: Value) -> Value {
    let skills = answer.get_mut("skills").and_then(Value::as_array_mut);
    for skill in skills.into_iter().flatten().filter_map(Value::as_object_mut) {
        skill.retain(|key, value| {
            let says = !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
            LISTED_MEMBERS.contains(&key.as_str()) && says
        });
    }
    let room = MAX_RESULT_CHARS.saturating_sub(LIST_MARGIN);
    let fits =
        answer.get("skills").and_then(Value::as_array).map_or(0, |skills| fitting_of(skills, room));
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

/// How many of these fit; at least one.
fn fitting_of(skills: &[Value], room: usize) -> usize {
    let mut left = room;
    let mut count = 0;
    for skill in skills {
        let cost = length(skill) + 1;
        if cost > left {
            break;
        }
        left -= cost;
        count += 1;
    }
    count.max(1)
}

/// What is said where the instructions are cut.
fn longer(offset: usize) -> String {
    format!(
        "\n\n(The instructions are longer than one result. The whole file is `SKILL.md`: read it with \
         `skill_read` in parts, from `offset` {offset} on.)"
    )
}

/// Room for the names of the members that are added.
const ACTIVATED_MARGIN: usize = 64;

/// The text is what the model acts on; the data is that text and what a program wants to know.
fn activated(session: &Session, mut answer: Value) -> Reply {
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
    let rest = length(&Value::Object(members.clone()));
    let after = notice.chars().chain(longer(usize::MAX).chars()).map(escaped).sum::<usize>();
    let room = MAX_RESULT_CHARS.saturating_sub(rest + after + ACTIVATED_MARGIN);
    let (part, cut) = fitting_in(&whole, room.max(MAX_RESULT_CHARS / 2));
    let name = members.get("name").and_then(Value::as_str).unwrap_or_default();
    let more = if cut { longer(goes_on(session, name, part)) } else { String::new() };
    let text = [part, &more, &notice].concat();
    members.insert("text".to_owned(), text.clone().into());
    members.insert("complete".to_owned(), (!cut).into());
    Reply { text, data: Some(answer), failed: false }
}
