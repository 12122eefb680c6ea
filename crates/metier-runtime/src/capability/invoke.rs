//! One operation, carried out: arguments are checked, the session does it, the answer is JSON.

use std::borrow::Cow;
use std::time::Duration;

use metier_format::NameKey;
use metier_format::text::visible;
use metier_policy::ToolCall;
use metier_store::catalog::Visibility;
use metier_store::disclose::{Disclose, disclose};
use metier_store::store::Location;
use metier_store::vouch::Standing;
use metier_store::why::why;
use metier_store::{Entry, Scripts};
use serde::Serialize;
use serde_json::Value;

use super::answer::may_see;
use super::table::style;
use super::{
    Arguments, CapabilityError, Ended, FileAnswer, FrameList, HitShape, Hits, Listing, Operation,
    Prompted, Released, RuledCall, ShownSkill,
};
use crate::event::Trigger;
use crate::limits::{MAX_FILE_BYTES, MAX_LISTED_FRAMES, MAX_READ_BYTES, USUAL_HITS};
use crate::script::{Envelope, Input, ScriptCall};
use crate::session::{ActivationError, Invocation, Session};
use crate::shape::{self, SkillShape};

/// One call of an operation.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which operation.
    pub operation: Operation,
    /// Its arguments, a JSON object.
    pub arguments: Value,
    /// Who asks. A model is not told of what it may not see.
    pub asker: Trigger,
}

type Answer = Result<Value, CapabilityError>;

/// What a model searches skills with, as it is told where some are left out.
const SEARCH_TOOL: &str = "`skill_search`";

/// Carries out `call` in `session`. Whatever the surface, an operation goes through here. A model's
/// answer has nothing in it that nobody would see, except where it [is data](gives_bytes).
pub fn invoke(session: &mut Session, call: Call) -> Answer {
    let shown = call.asker == Trigger::Auto && !gives_bytes(call.operation);
    let mut answer = carry_out(session, call).map_err(|error| told(session, error))?;
    if shown {
        write_out(&mut answer);
    }
    Ok(answer)
}

/// Whether `operation` answers with what is in a file or came out of a script. That is data: whoever
/// asks gets the same, and whoever writes it down for a reader writes it so that the reader sees it.
#[must_use]
pub fn gives_bytes(operation: Operation) -> bool {
    matches!(operation, Operation::Read | Operation::ScriptHelp | Operation::ScriptRun)
}

/// Writes every live character of every text in `value` as `\u{…}`, names of members included.
pub fn write_out(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(seen) = visible(text) {
                *text = seen;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(write_out),
        Value::Object(members) => {
            members.values_mut().for_each(write_out);
            if members.keys().any(|name| matches!(visible(name), Cow::Owned(_))) {
                let seen = std::mem::take(members).into_iter();
                members.extend(seen.map(|(name, value)| (visible(&name).into_owned(), value)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn carry_out(session: &mut Session, call: Call) -> Answer {
    let parameters = call.operation.capability().parameters;
    let arguments = &Arguments::check(parameters, call.arguments)?;
    let asker = call.asker;
    match call.operation {
        Operation::List => Ok(list(session, arguments, asker)),
        Operation::Search => Ok(search(session, arguments, asker)),
        Operation::Show => show(session, arguments, asker),
        Operation::Why => explain(session, arguments, asker),
        Operation::Prompt => Ok(prompt(session, arguments, asker)),
        Operation::Activate => activate(session, arguments, asker),
        Operation::Release => release(session, arguments),
        Operation::End => end(session),
        Operation::Status => Ok(json(&session.status())),
        Operation::Guard => guard(session, arguments),
        Operation::Read => read(session, arguments, asker),
        Operation::Events => events(session, arguments),
        Operation::ScriptList => scripts(session, arguments, asker),
        Operation::ScriptHelp => script_help(session, arguments, asker),
        Operation::ScriptRun => script_run(session, arguments, asker),
    }
}

fn list(session: &Session, arguments: &Arguments, asker: Trigger) -> Value {
    let catalog = session.catalog();
    let listing = match asker {
        Trigger::Manual => {
            Listing::whole(catalog, arguments.flag("all"), |found| session.recorded(found))
        }
        Trigger::Auto => Listing::for_model(catalog, session.catalog_digest()),
    };
    json(&listing.page(arguments.text("after"), arguments.number("limit").map(size)))
}

fn search(session: &Session, arguments: &Arguments, asker: Trigger) -> Value {
    let catalog = session.catalog();
    let query = arguments.text("query").unwrap_or_default();
    let limit = arguments.number("limit").map_or(USUAL_HITS, size);
    let index = session.finder().index(session.shared_catalog(), session.store());
    let hits = index.search(query, catalog.entries.len());
    let shapes = hits.iter().filter_map(|hit| {
        let entry = catalog.entries.get(hit.document).filter(|entry| may_see(entry, asker))?;
        let matched = hit.matched.iter().map(|field| field.as_str()).collect();
        Some(HitShape::of(catalog, entry, hit.score, matched))
    });
    json(&Hits { hits: shapes.take(limit).collect() })
}

fn show(session: &Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let catalog = session.catalog();
    let (found, skill) = match (look_up(session, arguments, asker), asker) {
        (Ok(entry), _) => (&entry.found, SkillShape::entry(catalog, entry)),
        (Err(error), Trigger::Auto) => return Err(error),
        // A person may look at what is switched off.
        (Err(error), Trigger::Manual) => {
            let key = NameKey::of(arguments.text("name").unwrap_or_default());
            let hidden = catalog.hidden.iter().find(|hidden| hidden.found.name.has_key(&key));
            let hidden = hidden.ok_or(error)?;
            (&hidden.found, SkillShape::hidden(catalog, hidden))
        }
    };
    let at = Location { root: found.root, path: found.path.clone() };
    let loaded = session.store().load(&at).map_err(CapabilityError::Load)?;
    let vouched = session.standing(found);
    let mut skill = skill.from(&vouched);
    skill.diagnostics = shape::diagnostics(&loaded.diagnostics);
    let scripts = Scripts::in_store(session.store(), &at, &loaded);
    Ok(json(&ShownSkill::of(skill, &loaded, &scripts, false).with(vouched)))
}

fn explain(session: &Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let name = arguments.text("name").unwrap_or_default();
    let answer = why(session.catalog(), name);
    let hidden = asker == Trigger::Auto && look_up(session, arguments, asker).is_err();
    if answer.candidates.is_empty() || hidden {
        return Err(session.unknown(name, asker));
    }
    Ok(answer.to_json())
}

fn prompt(session: &Session, arguments: &Arguments, asker: Trigger) -> Value {
    let mut usual = session.disclose().clone();
    if asker == Trigger::Auto {
        // A model has a tool where a person has a command.
        usual.search = SEARCH_TOOL.to_owned();
    }
    let style = arguments.text("style").map_or(usual.style, style);
    let budget = arguments.number("budget").map(size).or(usual.budget);
    let disclosure = disclose(session.catalog(), &Disclose { style, budget, ..usual });
    let (text, report) = (disclosure.text.as_str(), &disclosure.report);
    json(&Prompted { style: style.as_str(), text, report })
}

fn activate(session: &mut Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let activation = session.activate(&Invocation {
        name: arguments.text("name").unwrap_or_default(),
        arguments: arguments.text("arguments").unwrap_or_default(),
        trigger: asker,
    })?;
    Ok(json(&activation))
}

fn release(session: &mut Session, arguments: &Arguments) -> Answer {
    let released = session.release(arguments.text("name"))?;
    Ok(json(&Released { released: vec![released], active: session.active_names() }))
}

fn end(session: &mut Session) -> Answer {
    let (id, open) = (session.id().to_owned(), session.state().open);
    let released = if open { session.end()? } else { Vec::new() };
    Ok(json(&Ended { session: id, ended: open, released }))
}

fn guard(session: &mut Session, arguments: &Arguments) -> Answer {
    let tool = arguments.text("tool").unwrap_or_default();
    let guarded = session.guard(&ToolCall::new(tool, arguments.object("arguments")))?;
    Ok(json(&RuledCall::of(&guarded.ruling)))
}

fn read(session: &mut Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let name = arguments.text("name").unwrap_or_default();
    if let Some(entry) = session.catalog().get(&NameKey::of(name))
        && entry.visibility == Visibility::UserOnly
        && asker == Trigger::Auto
        && !session.is_active(entry.name())
    {
        // Its files are for a model from the moment its user has started it.
        return Err(session.unknown(name, asker));
    }
    let path = arguments.text("path").unwrap_or_default();
    let limit = arguments.number("limit");
    // Whoever says how much an answer may have gets that much of any file.
    let most = limit.map_or(MAX_READ_BYTES, |_| MAX_FILE_BYTES);
    let resource = session.read(name, path, most)?;
    let offset = arguments.number("offset").map_or(0, size);
    let part = FileAnswer::part(&resource, offset, limit.map_or(usize::MAX, size));
    let entry = session.catalog().get(&NameKey::of(name));
    Ok(json(&part.from(entry.and_then(|entry| entry.found.origin.as_deref()))))
}

fn events(session: &mut Session, arguments: &Arguments) -> Answer {
    let limit = size(arguments.number("limit").unwrap_or(MAX_LISTED_FRAMES));
    let mut frames = session.frames()?;
    if let Some(after) = arguments.number("after") {
        frames.retain(|frame| frame.seq > after);
    }
    let more = frames.len() > limit;
    frames.truncate(limit);
    let next = frames.last().filter(|_| more).map(|frame| frame.seq);
    Ok(json(&FrameList { frames: frames.iter().map(crate::Frame::to_json).collect(), next }))
}

fn scripts(session: &Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let name = arguments.text("name");
    let mut lists = session.scripts(name, asker)?;
    if let Some(after) = arguments.text("after") {
        lists.retain(|list| list.skill.as_str() > after);
    }
    Ok(json(&Envelope::of_list(&lists, name)))
}

fn script_help(session: &mut Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let name = arguments.text("name").unwrap_or_default();
    let script = arguments.text("script").unwrap_or_default();
    let help = session.script_help(name, script, asker)?;
    Ok(json(&Envelope::of_help(script, &Ok(help))))
}

fn script_run(session: &mut Session, arguments: &Arguments, asker: Trigger) -> Answer {
    let name = arguments.text("name").unwrap_or_default();
    let script = arguments.text("script").unwrap_or_default();
    let call = ScriptCall::new(name, script).args(arguments.texts("args"));
    let mut call = if arguments.flag("json") { call.json() } else { call };
    call.trigger = asker;
    call.timeout = arguments.number("timeout").map(Duration::from_secs);
    if let Some(text) = arguments.text("stdin") {
        call.input = Input::Bytes(text.as_bytes().to_vec());
    }
    Ok(json(&Envelope::of_outcome(&session.run(&call)?)))
}

/// The entry `asker` means, as far as it may know.
fn look_up<'a>(
    session: &'a Session,
    arguments: &Arguments,
    asker: Trigger,
) -> Result<&'a Entry, CapabilityError> {
    let name = arguments.text("name").unwrap_or_default();
    match session.catalog().get(&NameKey::of(name)) {
        Some(entry) if may_see(entry, asker) => Ok(entry),
        Some(entry) if entry.visibility == Visibility::Untrusted => {
            if entry.found.standing == Standing::Changed {
                // Said with what differs, unless it has been put right meanwhile.
                session.vouched(entry).map_err(ActivationError::from)?;
            }
            Err(CapabilityError::NotTrusted(entry.name().to_string()))
        }
        _ => Err(session.unknown(name, asker)),
    }
}

/// What whoever asks is told of `error`, which may be less than what is recorded.
fn told(session: &Session, error: CapabilityError) -> CapabilityError {
    match error {
        CapabilityError::Activation(error) => session.told_of_skill(error).into(),
        CapabilityError::Script(error) => session.told_of_script(error).into(),
        other => other,
    }
}

fn json(answer: &impl Serialize) -> Value {
    // These shapes have text for keys and finite numbers, so there is nothing that could fail.
    serde_json::to_value(answer).unwrap_or_default()
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
