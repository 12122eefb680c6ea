//! What chibi and agents are told in words, held against what the library says in data: the words
//! are made anew here from the data, and have to be the same.

use metier_runtime::capability::Operation;
use metier_serve::surface::Way;
use serde_json::{Value, json};

use super::Case;
use super::meaning::Pair;
use super::speaker::Told;

/// The library's answer as chibi's words; a failure in words gets its code back.
pub(super) fn undo(case: &Case, way: &Way, pair: &mut Pair) {
    match (&mut pair.expected, &mut pair.told) {
        (Told::Failure(code, sentence), Told::Failure(said, words))
            if words == sentence || seed_words(case, code).contains(words) =>
        {
            *said = code.clone();
        }
        (Told::Answer(answer), told) => {
            if let (Operation::Search, Told::Answer(Value::Array(hits))) =
                (case.operation, &mut *told)
            {
                // What comes first says where was looked; what others offer is not of this session.
                assert!(hits.remove(0)["message"].is_string());
                hits.retain_mut(|hit| {
                    let members = hit.as_object_mut().unwrap();
                    members.remove("installed") == Some(true.into())
                });
            }
            match in_words(case, way, answer) {
                Ok(words) => *answer = words,
                Err(why) => {
                    pair.expected = Told::Failure(String::new(), why.clone());
                    let same = *told == Told::Failure(String::new(), why);
                    assert!(same, "{told:?}");
                }
            }
        }
        _ => {}
    }
}

/// What the earlier plugin said where something failed.
fn seed_words(case: &Case, code: &str) -> Vec<String> {
    let text = |name: &str| case.arguments[name].as_str().unwrap_or_default();
    let skill = format!("Skill '{}' not found", text("name"));
    let traversal = "Path traversal not allowed".to_owned();
    match code {
        "skill_not_found" => vec![skill],
        "invalid_path" => vec![traversal],
        "file_not_found" => vec![format!("File not found: {}", text("path"))],
        "not_found" => vec![skill, format!("Script not found: {}", text("script"))],
        "invalid_name" => vec![skill, traversal],
        _ => Vec::new(),
    }
}

/// What chibi says where the library answers `answer`; an error where it cannot be said in words.
fn in_words(case: &Case, way: &Way, answer: &Value) -> Result<Value, String> {
    let text = |name: &str| answer[name].as_str().unwrap_or_default();
    Ok(match case.operation {
        Operation::List => named(&answer["skills"]),
        Operation::Search => named(&answer["hits"]),
        Operation::Prompt => {
            let list = text("text").split_once("\n\n").unwrap().1.rsplit_once("\n\n").unwrap().0;
            json!({"inject": format!(
                "## Available Agent Skills\n\n{list}\n\nUse skill_[name] tools, or use_skill, to \
                 invoke a skill and receive detailed instructions."
            )})
        }
        Operation::Activate => activated(case, answer).into(),
        Operation::Release => match answer["active"].as_array().unwrap().last() {
            Some(name) => format!("Released. '{}' is active.", name.as_str().unwrap()).into(),
            None => "Released. No skill is active.".into(),
        },
        Operation::Guard => match text("verdict") {
            "allow" => json!({}),
            "deny" => json!({"block": true, "message": answer["reasons"]}),
            _ => answer.clone(),
        },
        Operation::Read => match answer.get("text") {
            Some(text) => text.as_str().unwrap().trim_end_matches('\n').into(),
            None => return Err(format!("Not a text file: {}", text("path"))),
        },
        Operation::ScriptRun => printed(answer).into(),
        other => unreachable!("{other:?} has no words in {}", way.form),
    })
}

fn named(skills: &Value) -> Value {
    let skill = |skill: &Value| json!({"name": skill["name"], "description": skill["description"]});
    skills.as_array().unwrap().iter().map(skill).collect()
}

fn activated(case: &Case, answer: &Value) -> String {
    let body = answer["body"].as_str().unwrap().trim();
    let mut words = format!("# Skill: {}\n\n{body}", answer["name"].as_str().unwrap());
    if let Some(given) = case.arguments.get("arguments").and_then(Value::as_str) {
        words.push_str(&format!("\n\n## Arguments\n{given}"));
    }
    let files = answer["resources"].as_array().unwrap().iter().filter_map(Value::as_str);
    let mut directories: Vec<&str> =
        files.filter_map(|file| Some(file.split_once('/')?.0)).collect();
    directories.dedup();
    if !directories.is_empty() {
        words.push_str(&format!(
            "\n\n## Supporting Files\nThis skill has supporting files in: {}\n\
             - Use `read_skill_file` to read file contents\n\
             - Use `run_skill_script` to execute scripts",
            directories.join(", ")
        ));
    }
    words
}

/// What a script said, its complaints and its exit code.
fn printed(answer: &Value) -> String {
    let said = answer.get("result").or_else(|| answer.get("stdout"));
    let mut parts: Vec<String> = Vec::new();
    parts.extend(said.and_then(Value::as_str).map(|said| said.trim_end_matches('\n').to_owned()));
    parts.extend(answer["stderr"].as_str().map(|stderr| format!("[stderr]\n{stderr}")));
    parts.extend(answer["exit_code"].as_i64().map(|code| format!("[exit code: {code}]")));
    parts.join("\n")
}

/// Nobody can be asked in chibi: a block, with every reason. A denial has its reasons in its words.
pub(super) fn undo_ask(pair: &mut Pair) {
    let (Told::Answer(expected), Told::Answer(told)) = (&mut pair.expected, &pair.told) else {
        return;
    };
    let reasons = match expected["verdict"].as_str() {
        Some("ask") => expected["reasons"].clone(),
        _ => expected["message"].clone(),
    };
    let Some(reasons) = reasons.as_array() else { return };
    if told["block"] == true && says(&told["message"], reasons) {
        *expected = told.clone();
    }
}

/// Whether `message` gives one of these reasons at least, as it was recorded.
fn says(message: &Value, reasons: &[Value]) -> bool {
    let message = message.as_str().unwrap_or_default();
    reasons.iter().filter_map(Value::as_str).any(|reason| message.contains(reason))
}

/// The answer of a hook: nothing where it may happen, else a block or a question with its reason.
pub(super) fn undo_yes_or_no(case: &Case, pair: &mut Pair) {
    let Told::Answer(told) = &pair.told else { return };
    match &mut pair.expected {
        Told::Failure(code, sentence) => {
            let reason = told["reason"].as_str().unwrap_or_default();
            // An agent is told in one line.
            if told["decision"] == "block" && reason.contains(&sentence.replace('\n', " ")) {
                pair.told = Told::Failure(code.clone(), reason.to_owned());
            }
        }
        Told::Answer(answer) if case.operation == Operation::Guard => {
            let reasons = answer["reasons"].as_array().unwrap().clone();
            let asked = &told["hookSpecificOutput"];
            let fits = match answer["verdict"].as_str().unwrap() {
                "allow" => told.is_null(),
                "ask" => {
                    asked["permissionDecision"] == "ask"
                        && says(&asked["permissionDecisionReason"], &reasons)
                }
                _ => told["decision"] == "block" && says(&told["reason"], &reasons),
            };
            if fits {
                *answer = told.clone();
            }
        }
        Told::Answer(answer) => *answer = Value::Null,
    }
}
