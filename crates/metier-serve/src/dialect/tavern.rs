//! TavernKit's spelling: `skills_list`, `skills_load`, `skills_read_file`, answers as
//! `{ok, tool_name, data, warnings, errors}`, and its error codes.

use metier_format::text::visible;
use metier_runtime::capability::{Call, CapabilityError, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::script::ScriptError;
use metier_runtime::session::ResourceError;
use metier_runtime::{ActivationError, Session};
use metier_store::store::ReadError;
use serde_json::{Value, json};

use super::reply::{Part, body_of, enveloped, file_part, first_of, length, part_of, text_of};
use super::{Reply, Tool, effect};
use crate::brief::from_server;
use crate::limits::MAX_RESULT_CHARS;

/// The directories whose files can be read, one level deep.
const DIRECTORIES: [&str; 3] = ["assets", "references", "scripts"];

/// Characters of an answer beside what it was asked for: the envelope, and its warnings.
const MARGIN: usize = 1_000;

/// The code of a warning that something was cut.
const TRUNCATED: &str = "CONTENT_TRUNCATED";

const LIST: &str = "skills_list";
const LOAD: &str = "skills_load";
const READ_FILE: &str = "skills_read_file";
const RUN_SCRIPT: &str = "skills_run_script";

/// The operation that `tool` is.
pub(super) fn operation(tool: &str) -> Option<Operation> {
    match tool {
        LIST => Some(Operation::List),
        LOAD => Some(Operation::Activate),
        READ_FILE => Some(Operation::Read),
        RUN_SCRIPT => Some(Operation::ScriptRun),
        _ => None,
    }
}

pub(super) fn tools() -> Vec<Tool> {
    let text = |description: &str| json!({ "type": "string", "description": description });
    let offset = json!({ "type": "integer", "minimum": 0, "description": "Byte to go on at, to read in parts" });
    let tool = |name: &str, description: &str, input: Value, operation: Operation| Tool {
        name: name.to_owned(),
        title: name.replace('_', " "),
        description: description.to_owned(),
        input,
        output: Some(envelope_schema()),
        effect: effect(operation),
    };
    let object = |properties: Value, required: &[&str]| json!({ "type": "object", "properties": properties, "required": required });
    vec![
        tool(
            LIST,
            "List the skills there are, by name and description, or find some by words.",
            object(
                json!({
                    "query": text("Words the skills fit"),
                    "after": text("Only skills after this name"),
                }),
                &[],
            ),
            Operation::List,
        ),
        tool(
            LOAD,
            "Load a skill: its instructions and the files that come with it.",
            object(json!({ "name": text("The skill's name"), "offset": offset }), &["name"]),
            Operation::Activate,
        ),
        tool(
            READ_FILE,
            "Read a file of a skill, such as `references/forms.md`.",
            object(
                json!({
                    "name": text("The skill's name"),
                    "path": text("A file directly in scripts/, references/ or assets/"),
                    "offset": offset,
                }),
                &["name", "path"],
            ),
            Operation::Read,
        ),
        tool(
            RUN_SCRIPT,
            "Run a script of a skill.",
            object(
                json!({
                    "name": text("The skill's name"),
                    "script": text("The script's name"),
                    "args": { "type": "array", "items": { "type": "string" } },
                }),
                &["name", "script"],
            ),
            Operation::ScriptRun,
        ),
    ]
}

fn envelope_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "ok": { "type": "boolean" }, "tool_name": { "type": "string" } },
        "required": ["ok", "tool_name"],
    })
}

pub(super) fn call(session: &mut Session, tool: &str, arguments: &Value) -> Option<Reply> {
    let answer = match tool {
        LIST => list(session, arguments),
        LOAD => required(arguments, &["name"]).and_then(|()| load(session, arguments)),
        READ_FILE => required(arguments, &["name", "path"]).and_then(|()| read(session, arguments)),
        RUN_SCRIPT => {
            required(arguments, &["name", "script"]).and_then(|()| run(session, arguments))
        }
        _ => return None,
    };
    Some(envelope(tool, answer))
}

/// What was answered, with what is to be said about it.
struct Done {
    data: Value,
    warnings: Vec<Value>,
    /// What went wrong all the same.
    failure: Option<Failed>,
}

impl Done {
    /// The whole answer.
    fn new(data: Value) -> Self {
        Self { data, warnings: Vec::new(), failure: None }
    }

    /// The same with a warning.
    fn warn(mut self, code: &str, message: &str) -> Self {
        self.warnings.push(json!({ "code": code, "message": message }));
        self
    }

    /// The same, `what` of it being cut; it goes on at byte `next`, when there is a byte to go on at.
    fn cut(self, what: &str, next: Option<u64>) -> Self {
        let cut = format!("The {what} is longer than one result and was cut");
        match next {
            Some(next) => self.warn(TRUNCATED, &format!("{cut}; `offset` {next} goes on")),
            None => self.warn(TRUNCATED, &cut),
        }
    }

    /// The same of a skill that is from `origin`, when it is from a server.
    fn from(self, origin: Option<&str>) -> Self {
        match origin {
            Some(origin) => self.warn("SKILL_ORIGIN", &from_server(origin)),
            None => self,
        }
    }
}

/// A code and a message.
struct Failed(&'static str, String);

/// The skills after a name, or those that words fit, as many as one answer has.
fn list(session: &mut Session, arguments: &Value) -> Result<Done, Failed> {
    let (query, after) = (text_of(arguments, "query"), text_of(arguments, "after"));
    let described = |name: &Value, description: &str, origin: Option<&str>| {
        let origin = origin.map(|origin| format!("(from {origin}) ")).unwrap_or_default();
        json!({ "name": name, "description": format!("{origin}{description}") })
    };
    let skills: Vec<Value> = if query.is_empty() {
        let rest = session.catalog().visible().filter(|entry| entry.name().as_str() > after);
        rest.map(|entry| {
            let found = &entry.found;
            let name = entry.name().as_str().into();
            described(&name, &found.description, found.origin.as_deref())
        })
        .collect()
    } else {
        let given = json!({ "query": query });
        let call = Call { operation: Operation::Search, arguments: given, asker: Trigger::Auto };
        let found = invoke(session, call).map_err(|error| explain(&error))?;
        let hits = found.get("hits").and_then(Value::as_array).into_iter().flatten();
        let origin = |hit: &Value| hit.get("source").and_then(Value::as_str).map(str::to_owned);
        hits.map(|hit| {
            let name = hit.get("name").cloned().unwrap_or_default();
            described(&name, text_of(hit, "description"), origin(hit).as_deref())
        })
        .collect()
    };
    let listed = first_of(&skills, MAX_RESULT_CHARS - MARGIN);
    let (kept, total) = (listed.len(), skills.len());
    let last = listed.last().map(|skill| text_of(skill, "name").to_owned()).unwrap_or_default();
    let done = Done::new(json!({ "skills": listed }));
    Ok(match kept < total {
        true if query.is_empty() => done.warn(
            TRUNCATED,
            &format!(
                "{kept} of {total} skills are listed; `after` `{last}` goes on, `query` finds some"
            ),
        ),
        true => done.warn(TRUNCATED, &format!("The best {kept} of {total} are listed")),
        false => done,
    })
}

fn load(session: &mut Session, arguments: &Value) -> Result<Done, Failed> {
    let name = json!({ "name": arguments.get("name") });
    let operate = |session: &mut Session, operation| {
        invoke(session, Call { operation, arguments: name.clone(), asker: Trigger::Auto })
    };
    let activated = operate(session, Operation::Activate).map_err(|error| explain(&error))?;
    let shown = operate(session, Operation::Show).map_err(|error| explain(&error))?;
    let all: Vec<Value> = one_level(&shown).into_iter().map(Value::from).collect();
    let files = first_of(&all, MAX_RESULT_CHARS / 4);
    let fewer = files.len() < all.len();
    let mut data = json!({
        "name": activated.get("name"),
        "description": shown.get("description"),
        "body_markdown": "",
        "files": files,
    });
    if let Some(tools) = activated.get("allowed_tools").filter(|tools| !tools.is_null()) {
        data["allowed_tools"] = tools.clone();
        let raw = shown.pointer("/manifest/allowed-tools").cloned().unwrap_or_default();
        data["allowed_tools_raw"] = raw;
    }
    let body = body_of(&activated);
    let room = MAX_RESULT_CHARS.saturating_sub(length(&data) + MARGIN);
    let Part { text, next } = part_of(&body, offset(arguments), room);
    data["body_markdown"] = text.into();
    let done = Done::new(data);
    let done = match next {
        Some(next) => done.cut("body", Some(next as u64)),
        None => done,
    };
    Ok(if fewer { done.cut("list of files", None) } else { done })
}

/// The byte to go on at.
fn offset(arguments: &Value) -> usize {
    let given = arguments.get("offset").and_then(Value::as_u64).unwrap_or_default();
    usize::try_from(given).unwrap_or(usize::MAX)
}

/// The files a model may read, sorted: one level deep, none that starts with a dot.
fn one_level(shown: &Value) -> Vec<&str> {
    let files = shown.get("resources").and_then(Value::as_array).into_iter().flatten();
    let paths = files.filter_map(|file| file.get("path").and_then(Value::as_str));
    paths.filter(|path| is_one_level(path)).collect()
}

fn is_one_level(path: &str) -> bool {
    path.split_once('/').is_some_and(|(directory, name)| {
        let usual = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        DIRECTORIES.contains(&directory) && usual
    })
}

fn read(session: &mut Session, arguments: &Value) -> Result<Done, Failed> {
    let path = text_of(arguments, "path").replace('\\', "/");
    if !is_one_level(&path) {
        return Err(invalid_path());
    }
    let mut given = json!({ "name": arguments.get("name"), "path": path });
    // Whoever says where to go on reads in parts, and of a larger file than can be had whole.
    if let Some(offset) = arguments.get("offset").filter(|offset| !offset.is_null()) {
        given["offset"] = offset.clone();
        given["limit"] = (MAX_RESULT_CHARS as u64).into();
    }
    let call = Call { operation: Operation::Read, arguments: given, asker: Trigger::Auto };
    let file = invoke(session, call).map_err(|error| explain(&error))?;
    let mut data = json!({ "name": arguments.get("name"), "path": path });
    let file = file_part(file, MAX_RESULT_CHARS.saturating_sub(length(&data) + MARGIN));
    for (theirs, ours) in [("content", "text"), ("content_base64", "base64")] {
        if let Some(content) = file.get(ours) {
            data[theirs] = content.clone();
        }
    }
    let done = Done::new(data).from(file.get("source").and_then(Value::as_str));
    Ok(match file.get("next").and_then(Value::as_u64) {
        Some(next) => done.cut("file", Some(next)),
        None => done,
    })
}

/// What a script printed and how it ended; one that failed is an answer as well.
fn run(session: &mut Session, arguments: &Value) -> Result<Done, Failed> {
    let given = json!({
        "name": arguments.get("name"),
        "script": arguments.get("script"),
        "args": arguments.get("args"),
    });
    let call = Call { operation: Operation::ScriptRun, arguments: given, asker: Trigger::Auto };
    let answer = invoke(session, call).map_err(|error| explain(&error))?;
    let reply = enveloped(answer);
    let answer = reply.data.unwrap_or_default();
    let mut data = json!({ "name": arguments.get("name"), "script": arguments.get("script") });
    let given = if reply.failed { ["stdout", "stderr", "exit_code"] } else { ["result", "", ""] };
    if let Value::Object(data) = &mut data {
        for member in given {
            let name = if member == "result" { "stdout" } else { member };
            data.extend(answer.get(member).map(|value| (name.to_owned(), value.clone())));
        }
        if !reply.failed {
            data.insert("exit_code".to_owned(), 0.into());
        }
    }
    let failed = || Failed("EXECUTION_FAILED", text_of(&answer, "message").to_owned());
    let failure = reply.failed.then(failed);
    let done = Done { failure, ..Done::new(data) };
    Ok(if answer.get("truncated").is_some() { done.cut("output", None) } else { done })
}

fn required(arguments: &Value, names: &[&str]) -> Result<(), Failed> {
    let missing = names.iter().find(|name| text_of(arguments, name).is_empty());
    match missing {
        None => Ok(()),
        Some(name) => Err(Failed("ARGUMENT_ERROR", format!("{name} is required"))),
    }
}

fn explain(error: &CapabilityError) -> Failed {
    let code = match error {
        CapabilityError::Arguments(_) => "ARGUMENT_ERROR",
        CapabilityError::NotFound { .. }
        | CapabilityError::NotTrusted(_)
        | CapabilityError::Resource(
            ResourceError::SkillNotFound { .. } | ResourceError::NotTrusted(_),
        )
        | CapabilityError::Activation(
            ActivationError::NotFound { .. }
            | ActivationError::Hidden { .. }
            | ActivationError::OutOfScope { .. }
            | ActivationError::NotForModels(_)
            | ActivationError::NotTrusted(_),
        ) => "SKILL_NOT_FOUND",
        CapabilityError::Activation(ActivationError::Denied { .. }) => "TOOL_POLICY_DENIED",
        CapabilityError::Resource(ResourceError::Read(
            ReadError::InvalidPath(_) | ReadError::LeavesSkill(_),
        )) => return invalid_path(),
        CapabilityError::Resource(ResourceError::Read(
            ReadError::NotFound(_) | ReadError::NotAFile(_),
        )) => "FILE_NOT_FOUND",
        CapabilityError::Resource(ResourceError::Read(ReadError::TooLarge { .. })) => {
            "FILE_TOO_LARGE"
        }
        CapabilityError::Script(error) => match error.code() {
            "not_found" if matches!(error, ScriptError::Name { .. }) => "FILE_NOT_FOUND",
            "not_found" | "invalid_name" => "SKILL_NOT_FOUND",
            "args_too_large" => "ARGUMENT_ERROR",
            "permission_denied" => "TOOL_POLICY_DENIED",
            _ => "EXECUTION_FAILED",
        },
        _ => "INTERNAL_ERROR",
    };
    Failed(code, error.sentence())
}

fn invalid_path() -> Failed {
    Failed("INVALID_PATH", "Invalid skill file path".to_owned())
}

fn envelope(tool: &str, answer: Result<Done, Failed>) -> Reply {
    let refused = |failure| Done { failure: Some(failure), ..Done::new(json!({})) };
    let Done { data, warnings, failure } = answer.unwrap_or_else(refused);
    let ok = failure.is_none();
    let error = |Failed(code, message)| json!({ "code": code, "message": visible(&message) });
    let errors: Vec<Value> = failure.map(error).into_iter().collect();
    let whole = json!({
        "ok": ok, "tool_name": tool, "data": data, "warnings": warnings, "errors": errors,
    });
    Reply { failed: !ok, ..Reply::data(whole) }
}
