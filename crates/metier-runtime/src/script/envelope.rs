//! What came of a call, as others expect to read it: agent-base's envelope and chibi's text. Pure.
//!
//! agent-base's shape is kept to the letter where it has one: `success` with `result` and `message`,
//! or `error` with `message`. On failure it drops what the script printed; here `stdout` (parsed
//! where it is JSON), `stderr` and `exit_code` stand beside the message, so that a script that
//! exits 1 with a perfectly good answer loses nothing.

use metier_format::json::weigh;
use metier_sandbox::{Captured, Status};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Mode, ScriptError, ScriptOutcome, SkillScripts};
use crate::limits::{MAX_SCRIPT_ARG_BYTES, MAX_SCRIPT_ARGS, OUTPUT_HEAD_CHARS, STDERR_TAIL_CHARS};
use crate::session::ActivationError;

/// The answer of agent-base's script tools.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Envelope {
    /// Whether it worked.
    pub success: bool,
    /// What the script gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The code of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'static str>,
    /// In words.
    pub message: String,
    /// The script's exit code, where it failed with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What a failed script printed: parsed where it is JSON, else as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<Value>,
    /// The end of what a failed script complained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// How much the script printed in all, when not all of it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Value>,
    /// What the user should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Envelope {
    fn success(result: Value, message: String) -> Self {
        Self {
            success: true,
            result: Some(result),
            error: None,
            message,
            exit_code: None,
            stdout: None,
            stderr: None,
            truncated: None,
            notes: Vec::new(),
        }
    }

    fn failure(error: &'static str, message: String) -> Self {
        let envelope = Self::success(Value::Null, message);
        Self { success: false, result: None, error: Some(error), ..envelope }
    }

    /// The answer of `script_run`.
    #[must_use]
    pub fn of_run(result: &Result<ScriptOutcome, ScriptError>) -> Self {
        match result {
            Ok(outcome) => Self::of_outcome(outcome),
            Err(error) => Self::of_error(error),
        }
    }

    /// The answer about a run that took place.
    #[must_use]
    pub fn of_outcome(outcome: &ScriptOutcome) -> Self {
        let output = || match &outcome.json {
            Some(value) => value.clone(),
            None => Value::String(lossy(&outcome.stdout.bytes)),
        };
        let mut envelope = match &outcome.failure {
            None => Self::success(output(), format!("Executed {} script", outcome.name)),
            Some((code, message)) => Self {
                exit_code: match outcome.status {
                    Status::Exit(code) => Some(code),
                    _ => None,
                },
                stdout: (!outcome.stdout.bytes.is_empty()).then(output),
                stderr: Some(tail(&outcome.stderr.bytes)).filter(|text| !text.is_empty()),
                ..Self::failure(code, message.clone())
            },
        };
        if outcome.stdout.is_cut() {
            let (kept, total) = (outcome.stdout.bytes.len(), outcome.stdout.total);
            envelope.truncated = Some(json!({ "kept": kept, "total": total }));
        }
        envelope.notes.clone_from(&outcome.notes);
        envelope
    }

    /// The answer about a run that did not take place, in agent-base's words where it has some.
    #[must_use]
    pub fn of_error(error: &ScriptError) -> Self {
        let message = match error {
            ScriptError::Skill(ActivationError::NotFound { name, .. }) => {
                format!("Skill '{name}' not found")
            }
            ScriptError::Name { skill, source } => match source {
                metier_store::scripts::ScriptNameError::NotFound { name, suggestion } => {
                    let near = suggestion.as_ref().map(|near| format!("; did you mean '{near}'?"));
                    let near = near.unwrap_or_default();
                    format!("Script '{name}' not found in skill '{skill}'{near}")
                }
                other => format!("Skill '{skill}': {other}"),
            },
            ScriptError::TooManyArgs(count) => {
                format!("Too many arguments: {count} (max {MAX_SCRIPT_ARGS})")
            }
            ScriptError::ArgsTooLarge(bytes) => {
                format!("Arguments too large: {bytes} bytes (max {MAX_SCRIPT_ARG_BYTES})")
            }
            ScriptError::Interpreter(super::interpreter::InterpreterError::Missing {
                install,
                ..
            }) => format!("{error}\nhint: {install}"),
            ScriptError::Dependencies { hint: Some(hint), .. } => format!("{error}\nhint: {hint}"),
            other => said(other),
        };
        Self::failure(error.code(), message)
    }

    /// The answer of `script_help`.
    #[must_use]
    pub fn of_help(script: &str, result: &Result<super::ScriptHelp, ScriptError>) -> Self {
        match result {
            Err(error) => Self::of_error(error),
            Ok(help) => match &help.failure {
                Some((code, message)) => Self::failure(code, message.clone()),
                None => {
                    let result = json!({ "help_text": help.text, "usage": help.usage() });
                    Self::success(result, format!("Retrieved help for {script}"))
                }
            },
        }
    }

    /// The answer of `script_list`, for one skill or for all.
    #[must_use]
    pub fn of_list(lists: &[SkillScripts], one: Option<&str>) -> Self {
        let count: usize = lists.iter().map(|list| list.scripts.len()).sum();
        let skills = lists.iter().filter(|list| one.is_some() || !list.scripts.is_empty());
        let result: serde_json::Map<String, Value> =
            skills.map(|list| (list.skill.clone(), json!(list.scripts))).collect();
        let message = match one {
            Some(_) => {
                let skill = lists.first().map_or("", |list| list.skill.as_str());
                format!("Found {count} scripts in '{skill}'")
            }
            None => format!("Found {count} scripts across {} skills", result.len()),
        };
        Self::success(Value::Object(result), message)
    }
}

/// What a run gave as chibi's plugin says it: output, complaints, exit code.
#[must_use]
pub fn plain(outcome: &ScriptOutcome) -> String {
    let mut parts = Vec::new();
    let stdout = lossy(&outcome.stdout.bytes);
    if !stdout.is_empty() {
        parts.push(stdout.trim_end_matches('\n').to_owned());
    }
    if outcome.stdout.is_cut() {
        let (kept, total) = (outcome.stdout.bytes.len(), outcome.stdout.total);
        parts.push(format!("[output cut after {kept} of {total} bytes]"));
    }
    let stderr = lossy(&outcome.stderr.bytes);
    if !stderr.is_empty() {
        parts.push(format!("[stderr]\n{}", stderr.trim_end_matches('\n')));
    }
    match outcome.status {
        Status::Exit(0) => {}
        Status::Exit(code) => parts.push(format!("[exit code: {code}]")),
        status => parts.push(format!("[{status}]")),
    }
    if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") }
}

/// What a run's output is, and why it is no success where it is none.
pub(crate) fn judge(
    mode: Mode,
    status: Status,
    (stdout, stderr): (&Captured, &Captured),
    allowed: std::time::Duration,
) -> (Option<Value>, Option<(&'static str, String)>) {
    let json = match mode {
        Mode::Text => None,
        Mode::Json { .. } if stdout.is_cut() => None,
        Mode::Json { .. } => {
            weigh(&stdout.bytes).ok().and_then(|()| serde_json::from_slice(&stdout.bytes).ok())
        }
    };
    let complaint = tail(&stderr.bytes);
    let with_stderr = |message: String| match complaint.is_empty() {
        true => message,
        false => format!("{message}\nstderr: {complaint}"),
    };
    let failure = match status {
        Status::Exit(0) if mode == Mode::Text || json.is_some() => None,
        Status::Exit(0) if stdout.is_cut() => {
            let (kept, total) = (stdout.bytes.len(), stdout.total);
            let message =
                format!("Expected JSON output, got {total} bytes of which {kept} were kept");
            Some(("parse_error", with_stderr(message)))
        }
        Status::Exit(0) => {
            let head: String = lossy(&stdout.bytes).chars().take(OUTPUT_HEAD_CHARS).collect();
            Some(("parse_error", with_stderr(format!("Expected JSON output, got: {head}"))))
        }
        Status::TimedOut => {
            let message = format!("Script timed out after {}s", seconds(allowed));
            Some(("timeout", with_stderr(message)))
        }
        Status::Cancelled => Some(("cancelled", "Script was cancelled".to_owned())),
        Status::Exit(code) => {
            Some(("execution_failed", with_stderr(format!("Script failed with exit code {code}"))))
        }
        Status::Signal(_) | Status::OutOfLimit(_) => {
            Some(("execution_failed", with_stderr(format!("Script was {status}"))))
        }
    };
    (json, failure)
}

/// Seconds without a fraction that is none.
fn seconds(time: std::time::Duration) -> String {
    let text = format!("{:.3}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The error and its causes on one line.
fn said(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// The last characters of what was written.
fn tail(bytes: &[u8]) -> String {
    let text = lossy(bytes);
    let text = text.trim_end();
    let skipped = text.chars().count().saturating_sub(STDERR_TAIL_CHARS);
    text.chars().skip(skipped).collect()
}

/// As text; what is no UTF-8 is shown as such.
fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
