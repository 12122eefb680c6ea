//! What an answer means, and what a surface says differently on purpose. Each difference named in
//! the table of surfaces is a step here that makes the library's answer into the surface's; without
//! the step the two must differ, so that a difference that is none is not named.

use metier_runtime::Session;
use metier_runtime::capability::{Call, CapabilityError, Operation};
use metier_serve::surface::{Difference, Form, Way};
use serde_json::{Value, json};

use super::Case;
use super::ground::{self, Ground, Place};
use super::speaker::{Question, Told, chibi_call};

/// What the library and a surface said and left.
pub(super) struct Pair {
    pub(super) expected: Told,
    pub(super) told: Told,
    pub(super) expected_frames: Vec<Value>,
    pub(super) frames: Vec<Value>,
}

impl Pair {
    pub(super) fn redacted(self, ground: &Ground, place: Place<'_>) -> Self {
        Self { expected: redacted(ground, place, &self.expected), ..self }
    }
}

/// Whether a case can be put into the words of `way`, whatever its parameters are called.
pub(super) fn can_be_said(case: &Case, way: &Way) -> bool {
    let missing = case.outcome == "invalid_arguments";
    match way.form {
        Form::Invoke(_) | Form::Tool(_) | Form::Route(_) | Form::RouteInSession(_) => true,
        Form::Command("guard") => case.name != "without a tool",
        // The words of a command line are always texts, and a missing one is told by the parser.
        _ => !missing,
    }
}

/// What the library says to the case, asked as `way` asks.
pub(super) fn reference(
    session: &mut Session,
    case: &Case,
    way: &Way,
    question: &Question,
) -> Told {
    let mut arguments = question.arguments.clone();
    if let (Form::ChibiHook("pre_tool"), Operation::Guard) = (way.form, case.operation) {
        let (tool, given) = chibi_call(&arguments);
        arguments = json!({"tool": tool, "arguments": given});
    }
    if way.differs.contains(&Difference::Bounded) {
        let usual = match case.operation {
            Operation::List => Some(50),
            Operation::Read => Some(18_000),
            Operation::Events => Some(20),
            _ => None,
        };
        if let (Some(usual), Some(given)) = (usual, arguments.as_object_mut()) {
            given.entry("limit").or_insert(usual.into());
        }
    }
    let call = Call { operation: case.operation, arguments, asker: question.asker };
    let told = |result: Result<Value, CapabilityError>| match result {
        Ok(answer) => Told::Answer(answer),
        Err(error) => Told::Failure(error.code().to_owned(), error.sentence()),
    };
    told(ground::call(session, call))
}

/// The frames without ids, times, and what a machine measures.
pub(super) fn bare(ground: &Ground, place: Place<'_>, frames: Vec<Value>) -> Vec<Value> {
    let bare = |frame: Value| {
        let text = ground.redact(place, &frame["payload"].to_string());
        let mut payload: Value = serde_json::from_str(&text).unwrap();
        if frame["type"] == "script_finished" {
            for measured in ["duration_ms", "cpu_ms", "max_rss"] {
                payload.as_object_mut().unwrap().remove(measured);
            }
        }
        json!({"type": frame["type"], "payload": payload})
    };
    frames.into_iter().map(bare).collect()
}

/// What was told, without where the world lies and when it was.
pub(super) fn redacted(ground: &Ground, place: Place<'_>, told: &Told) -> Told {
    match told {
        Told::Answer(answer) => {
            let text = ground.redact(place, &answer.to_string());
            let mut answer: Value = serde_json::from_str(&text).unwrap();
            timeless(&mut answer);
            Told::Answer(answer)
        }
        Told::Failure(code, message) => Told::Failure(code.clone(), ground.redact(place, message)),
    }
}

/// Frames inside an answer lose what differs from run to run.
fn timeless(answer: &mut Value) {
    let frames = match answer {
        Value::Array(frames) => Some(frames),
        other => other.get_mut("frames").and_then(Value::as_array_mut),
    };
    for frame in frames.into_iter().flatten().filter_map(Value::as_object_mut) {
        for member in ["id", "timestamp_ms", "prev", "digest"] {
            if frame.contains_key("payload") {
                frame.remove(member);
            }
        }
    }
}

/// Whether the pair agrees, once what differs on purpose is taken into account.
pub(super) fn agree(case: &Case, way: &Way, pair: Pair) -> Result<(), String> {
    let _ = (case, way);
    let Pair { expected, told, expected_frames, frames } = pair;
    let code = |told: &Told| match told {
        Told::Failure(code, _) => Some(code.clone()),
        Told::Answer(_) => None,
    };
    let same = match (code(&expected), code(&told)) {
        (Some(one), Some(other)) => one == other,
        _ => expected == told,
    };
    let mut why = String::new();
    if !same {
        why.push_str(&format!("  library {expected:?}\n  here    {told:?}\n"));
    }
    if frames != expected_frames {
        why.push_str(&format!("  library {}\n  here    {}\n", json!(expected_frames), json!(frames)));
    }
    if case.outcome != code(&expected).as_deref().unwrap_or("ok") {
        why.push_str(&format!("  outcome {:?}\n", expected));
    }
    if why.is_empty() { Ok(()) } else { Err(why) }
}
