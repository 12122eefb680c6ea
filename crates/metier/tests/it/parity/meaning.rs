//! What an answer means, and what a surface says differently on purpose. Each difference named in
//! the table of surfaces is a step here that undoes it; [`agree`] says which steps had something to
//! undo, so that no difference is named that is none.

use std::collections::BTreeSet;

use metier_runtime::Session;
use metier_runtime::capability::{Call, CapabilityError, Operation};
use metier_serve::surface::{Difference, Form, Way};
use serde_json::{Value, json};

use super::Case;
use super::ground::{self, Ground, Place};
use super::speaker::{Question, Told, chibi_call};
use super::words;

/// What the library and a surface said and left.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) expected: Told,
    pub(super) told: Told,
    pub(super) expected_frames: Vec<Value>,
    pub(super) frames: Vec<Value>,
}

/// Whether a case can be put into the words of `way`, whatever its parameters are called. Arguments
/// of the wrong kind can only be given where arguments are JSON.
pub(super) fn can_be_said(case: &Case, way: &Way) -> bool {
    let as_json = match way.form {
        Form::Invoke(_) | Form::Tool(_) | Form::Route(_) | Form::RouteInSession(_) => true,
        Form::Command("guard") => case.arguments.get("tool").is_some(),
        _ => false,
    };
    as_json || case.outcome != "invalid_arguments"
}

/// What the library says to the case, asked as `way` asks.
pub(super) fn reference(session: &mut Session, case: &Case, way: &Way, asked: &Question) -> Told {
    let differs = |difference| way.differs.contains(&difference);
    let mut arguments = asked.arguments.clone();
    match way.form {
        Form::ChibiHook("pre_tool") => {
            let (tool, given) = chibi_call(&arguments);
            arguments = json!({"tool": tool, "arguments": given});
        }
        // As the host has always had it.
        Form::ChibiHook(_) => arguments = json!({"style": "markdown", "budget": 8_000}),
        _ => {}
    }
    let usual = match case.operation {
        Operation::List => Some(50),
        Operation::Read => Some(18_000),
        Operation::Events => Some(20),
        _ => None,
    };
    if let (true, Some(usual), Some(given)) =
        (differs(Difference::Bounded), usual, arguments.as_object_mut())
    {
        given.entry("limit").or_insert(usual.into());
    }
    let mut ask = |operation, arguments| {
        ground::call(session, Call { operation, arguments, asker: asked.asker })
    };
    if differs(Difference::ReleasesAll) {
        let told_already = case.outcome == "once more" && differs(Difference::Repeats);
        while !told_already && ask(Operation::Release, json!({})).is_ok() {}
        if case.operation == Operation::Release {
            return Told::Answer(json!({"active": []}));
        }
    }
    match ask(case.operation, arguments) {
        Ok(answer) => Told::Answer(answer),
        Err(error) => failure(&error),
    }
}

fn failure(error: &CapabilityError) -> Told {
    Told::Failure(error.code().to_owned(), error.sentence())
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

/// Whether the pair agrees once what differs on purpose is undone; gives what was undone.
pub(super) fn agree(
    case: &Case,
    way: &Way,
    mut pair: Pair,
) -> Result<BTreeSet<Difference>, String> {
    let outcome = match &pair.expected {
        Told::Failure(code, _) => code.clone(),
        Told::Answer(_) => "ok".to_owned(),
    };
    let as_told = match (case.outcome, way.differs.contains(&Difference::ReleasesAll)) {
        ("once more", true) => true,
        ("once more", _) => {
            let repeats = way.differs.contains(&Difference::Repeats);
            outcome == if repeats { "ok" } else { "skill_already_active" }
        }
        (_, true) if case.operation == Operation::Release => true,
        (expected, _) => outcome == expected,
    };
    let mut why = String::new();
    if !as_told {
        why.push_str(&format!(
            "  the library does not say `{}`: {:?}\n",
            case.outcome, pair.expected
        ));
    }
    let mut undone = BTreeSet::new();
    for difference in way.differs {
        let before = pair.clone();
        if undo(*difference, case, way, &mut pair) || before != pair {
            undone.insert(*difference);
        }
    }
    if !same(&pair.expected, &pair.told) {
        why.push_str(&format!("  library {:?}\n  here    {:?}\n", pair.expected, pair.told));
    }
    if pair.frames != pair.expected_frames {
        let (library, here) = (json!(pair.expected_frames), json!(pair.frames));
        why.push_str(&format!("  library {library}\n  here    {here}\n"));
    }
    if why.is_empty() { Ok(undone) } else { Err(why) }
}

/// Answers are the same when they are equal, failures when their codes are.
fn same(one: &Told, other: &Told) -> bool {
    match (one, other) {
        (Told::Failure(one, _), Told::Failure(other, _)) => one == other,
        _ => one == other,
    }
}

/// Undoes one difference. True where it was at work and left nothing to undo.
fn undo(difference: Difference, case: &Case, way: &Way, pair: &mut Pair) -> bool {
    match difference {
        Difference::Trimmed => trim(&mut pair.expected),
        Difference::WithoutBody => without_body(&mut pair.expected),
        Difference::Bounded => return bounded(case, pair),
        Difference::AlsoWhere => {
            for member in ["journal", "frames", "policy"] {
                let Told::Answer(Value::Object(members)) = &mut pair.told else { return false };
                assert!(members.remove(member).is_some(), "{member}");
            }
        }
        Difference::Lines => gather(pair),
        Difference::Enveloped => {
            if let (Told::Failure(..), Told::Answer(envelope)) = (&pair.expected, &pair.told)
                && envelope["success"] == false
            {
                let text = |name: &str| envelope[name].as_str().unwrap().to_owned();
                pair.told = Told::Failure(text("error"), text("message"));
            }
        }
        Difference::OnlyText => {
            if let Told::Answer(answer) = &mut pair.expected {
                let part = answer.get("text").or_else(|| answer.get("base64"));
                *answer = part.unwrap().clone();
            }
        }
        Difference::Words => words::undo(case, way, pair),
        Difference::AskIsNo => words::undo_ask(pair),
        Difference::HostsLimits => hosts_limits(pair),
        Difference::RuledFirst => {
            let own = |frame: &Value| {
                frame["type"] == "tool_execution_in_skill" && frame["payload"]["tool"] == "Skill"
            };
            if let Some(at) = pair.frames.iter().position(own) {
                pair.frames.remove(at);
            }
        }
        Difference::YesOrNo => words::undo_yes_or_no(case, pair),
        // The library was asked in the same manner.
        Difference::ReleasesAll => {
            return case.before.as_ref().is_some_and(|before| !before.is_empty());
        }
        Difference::Repeats => return case.outcome == "once more",
        Difference::UnknownIsTheirs => {
            if case.outcome == "skill_not_found" && pair.told == Told::Answer(Value::Null) {
                pair.told = pair.expected.clone();
                pair.expected_frames.retain(|frame| frame["type"] != "skill_refused");
            }
        }
        Difference::TellsWhoseItIs => {
            let told = format!("{:?}", pair.told);
            if case.outcome == "skill_not_found" && told.contains("only be invoked by a user") {
                pair.told = pair.expected.clone();
                return true;
            }
        }
        Difference::LooksAtItsOwn => as_approved(pair),
        Difference::NoCatalog => without_catalog(case, pair),
        Difference::DeniesUnreadable => denied(case, pair),
        Difference::NamesTheCommand => by_command(pair),
    }
    false
}

/// A list out of lines.
fn gather(pair: &mut Pair) {
    if let Told::Answer(lines) = &mut pair.told {
        *lines = json!({ "frames": lines.take() });
    }
    // The number to go on after is that of the last line.
    if let Told::Answer(Value::Object(expected)) = &mut pair.expected
        && let Some(next) = expected.remove("next")
    {
        let last = expected["frames"].as_array().and_then(|frames| frames.last());
        assert_eq!(Some(&next), last.map(|frame| &frame["seq"]));
    }
}

/// A catalog in which more are as they were approved, by what is written down.
fn as_approved(pair: &mut Pair) {
    let of_catalog = |frame: &&mut Value| frame["type"] == "skill_catalog_updated";
    let frames = pair.frames.iter_mut().filter(of_catalog);
    for (frame, expected) in frames.zip(pair.expected_frames.iter_mut().filter(of_catalog)) {
        let (count, looked) = (&frame["payload"]["count"], &expected["payload"]["count"]);
        if count.as_u64() > looked.as_u64() {
            for member in ["count", "digest"] {
                frame["payload"][member] = expected["payload"][member].clone();
            }
        }
    }
}

/// A session that began without a catalog.
fn without_catalog(case: &Case, pair: &mut Pair) {
    let of_catalog = |frame: &Value| {
        frame["type"] == "skill_catalog_updated"
            || frame["type"] == "skill_warning" && frame["payload"]["kind"] == "collision"
    };
    if case.before.is_none() && !pair.frames.iter().any(of_catalog) {
        pair.expected_frames.retain(|frame| !of_catalog(frame));
    }
}

/// A denial in place of wrong usage.
fn denied(case: &Case, pair: &mut Pair) {
    let denied = |frame: &Value| frame["type"] == "tool_restriction_violated";
    if let Told::Answer(ruling) = &pair.told
        && case.outcome == "invalid_arguments"
        && ruling["verdict"] == "deny"
        && pair.frames.len() == 1
        && pair.frames.iter().all(denied)
    {
        pair.told = pair.expected.clone();
        pair.frames.clear();
    }
}

/// A listing as a model gets it.
fn trim(told: &mut Told) {
    let Told::Answer(Value::Object(members)) = told else { return };
    members.retain(|name, _| name == "skills" || name == "next");
    let skills = members.get_mut("skills").and_then(Value::as_array_mut);
    for skill in skills.into_iter().flatten().filter_map(Value::as_object_mut) {
        let useful = ["name", "description", "tags", "version", "layer", "trust"];
        skill.retain(|name, value| {
            useful.contains(&name.as_str()) && !value.is_null() && *value != json!([])
        });
    }
}

fn without_body(told: &mut Told) {
    let Told::Answer(Value::Object(members)) = told else { return };
    members.remove("body");
    members.insert("complete".to_owned(), true.into());
    if let Some(Value::String(notice)) = members.get("notice").cloned()
        && let Some(Value::String(text)) = members.get_mut("text")
    {
        text.push_str(&format!("\n\nNote: {notice}"));
    }
}

/// An answer is as long as agents take whole: a page, or the beginning of what a script said.
fn bounded(case: &Case, pair: &mut Pair) -> bool {
    let (Told::Answer(expected), Told::Answer(told)) = (&mut pair.expected, &pair.told) else {
        return false;
    };
    if case.operation != Operation::ScriptRun {
        return expected.get("next").is_some() && case.arguments.get("limit").is_none();
    }
    let (Some(whole), Some(part)) = (expected["result"].as_str(), told["result"].as_str()) else {
        return false;
    };
    if whole.len() == part.len() {
        return false;
    }
    assert!(whole.starts_with(part) && part.len() > 10_000, "the beginning of it");
    expected["truncated"] = json!({"kept": part.len(), "total": whole.len()});
    expected["result"] = part.into();
    true
}

/// The command stands for the tool, and takes as many tokens as it takes.
fn by_command(pair: &mut Pair) {
    let (Told::Answer(expected), Told::Answer(told)) = (&mut pair.expected, &pair.told) else {
        return;
    };
    let Some(text) = expected["text"].as_str().filter(|text| text.contains("`skill_search`"))
    else {
        return;
    };
    expected["text"] = text.replace("`skill_search`", "`metier search`").into();
    expected["tokens"] = told["tokens"].clone();
}

/// Where a script starts and how long it may take is the host's business there.
fn hosts_limits(pair: &mut Pair) {
    for frame in pair.frames.iter_mut().chain(&mut pair.expected_frames) {
        if let Some(limits) = frame.pointer_mut("/payload/confinement/limits") {
            limits["wall_ms"] = Value::Null;
        }
    }
}
