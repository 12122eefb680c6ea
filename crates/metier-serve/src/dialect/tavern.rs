//! TavernKit's spelling: `skills_list`, `skills_load`, `skills_read_file`, answers as
//! `{ok, tool_name, data, warnings, errors}`, and its error codes.

use metier_runtime::capability::{Call, CapabilityError, Operation, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::script::ScriptError;
use metier_runtime::session::ResourceError;
use metier_runtime::{ActivationError, Session};
use metier_store::store::ReadError;
use serde_json::{Value, json};

use super::reply::{enveloped, fitting, text_of};
use super::{Reply, Tool, effect};

/// The directories whose files can be read, one level deep.
const DIRECTORIES: [&str; 3] = ["assets", "references", "scripts"];

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
            "List the skills there are, by name and description.",
            object(json!({}), &[]),
            Operation::List,
        ),
        tool(
            LOAD,
            "Load a skill: its instructions and the files that come with it.",
            object(json!({ "name": text("The skill's name") }), &["name"]),
            Operation::Activate,
        ),
        tool(
            READ_FILE,
            "Read a file of a skill, such as `references/forms.md`.",
            object(
                json!({
                    "name": text("The skill's name"),
                    "path": text("A file directly in scripts/, references/ or assets/"),
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
        LIST => Ok(list(session)),
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
}

/// A code and a message.
struct Failed(&'static str, String);

fn list(session: &mut Session) -> Done {
    let pairs = session.catalog().visible().map(
        |entry| json!({ "name": entry.name().as_str(), "description": entry.found.description }),
    );
    Done { data: json!({ "skills": pairs.collect::<Vec<_>>() }), warnings: Vec::new() }
}

fn load(session: &mut Session, arguments: &Value) -> Result<Done, Failed> {
    let name = json!({ "name": arguments.get("name") });
    let operate = |session: &mut Session, operation| {
        invoke(session, Call { operation, arguments: name.clone(), asker: Trigger::Auto })
    };
    let activated = operate(session, Operation::Activate).map_err(|error| explain(&error))?;
    let shown = operate(session, Operation::Show).map_err(|error| explain(&error))?;
    let (body, cut) = fitting(text_of(&activated, "body"));
    let mut data = json!({
        "name": activated.get("name"),
        "description": shown.get("description"),
        "body_markdown": body,
        "files": one_level(&shown),
    });
    if let (Value::Object(data), Some(tools)) =
        (&mut data, activated.get("allowed_tools").filter(|tools| !tools.is_null()))
    {
        data.insert("allowed_tools".to_owned(), tools.clone());
        let raw = shown.pointer("/manifest/allowed-tools").cloned().unwrap_or_default();
        data.insert("allowed_tools_raw".to_owned(), raw);
    }
    Ok(Done { data, warnings: if cut { vec![truncated("body")] } else { Vec::new() } })
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
    let given = json!({ "name": arguments.get("name"), "path": path });
    let call = Call { operation: Operation::Read, arguments: given, asker: Trigger::Auto };
    let file = invoke(session, call).map_err(|error| explain(&error))?;
    let mut data = json!({ "name": arguments.get("name"), "path": path });
    let key = if file.get("text").is_some() { "text" } else { "base64" };
    let (content, cut) = fitting(text_of(&file, key));
    if let Value::Object(data) = &mut data {
        data.insert(
            if key == "text" { "content" } else { "content_base64" }.to_owned(),
            content.into(),
        );
    }
    Ok(Done { data, warnings: if cut { vec![truncated("file")] } else { Vec::new() } })
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
    if reply.failed {
        return Err(Failed("EXECUTION_FAILED", text_of(&answer, "message").to_owned()));
    }
    let data = json!({
        "name": arguments.get("name"),
        "script": arguments.get("script"),
        "stdout": answer.get("result"),
        "exit_code": 0,
    });
    let cut = answer.get("truncated").is_some();
    Ok(Done { data, warnings: if cut { vec![truncated("output")] } else { Vec::new() } })
}

fn truncated(what: &str) -> Value {
    json!({
        "code": "CONTENT_TRUNCATED",
        "message": format!("The {what} is longer than one result and was cut"),
    })
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
    let (ok, data, warnings, errors) = match answer {
        Ok(done) => (true, done.data, done.warnings, Vec::new()),
        Err(Failed(code, message)) => {
            (false, json!({}), Vec::new(), vec![json!({ "code": code, "message": message })])
        }
    };
    let whole = json!({
        "ok": ok, "tool_name": tool, "data": data, "warnings": warnings, "errors": errors,
    });
    Reply { failed: !ok, ..Reply::data(whole) }
}
