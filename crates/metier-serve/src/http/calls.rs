//! One operation over HTTP: the body is its arguments, the answer is its result.

use std::sync::Arc;

use axum::body::{Body, Bytes, HttpBody as _, to_bytes};
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use metier_runtime::capability::{Call, Capability, Effect, invoke};
use metier_runtime::event::Trigger;
use metier_runtime::unambiguous;
use metier_sandbox::Cancel;
use serde_json::Value;

use super::desks::Place;
use super::problem::{Problem, answer};
use super::routes::Api;
use super::{ASKER_HEADER, SESSION_HEADER};
use crate::aside::aside;
use crate::limits::{LARGE_MESSAGE, MAX_MESSAGE_BYTES};
use crate::runs::Ends;
use crate::shares::{Taken, Whose};
use crate::who::Who;

/// `POST /v1/NAME`.
pub(super) async fn call(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let place = place(&who, request.headers(), &api)?;
    carried(&api, place, &name, request).await
}

/// `POST /v1/sessions/SESSION/NAME`.
pub(super) async fn call_in(
    State(api): State<Arc<Api>>,
    Extension(who): Extension<Who>,
    Path((session, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, Problem> {
    let place = Place::of(&*api.host, &who, &session)?;
    carried(&api, place, &name, request).await
}

/// The session a request means: the one its header names, else the usual one.
pub(super) fn place(who: &Who, headers: &HeaderMap, api: &Api) -> Result<Place, Problem> {
    match headers.get(SESSION_HEADER) {
        Some(value) => Place::of(&*api.host, who, value.to_str().unwrap_or_default()),
        // Whoever started the server chose it.
        None => Place::of(&*api.host, &Who { anybody: false, ..who.clone() }, &api.setup.session),
    }
}

async fn carried(
    api: &Arc<Api>,
    place: Place,
    name: &str,
    request: Request,
) -> Result<Response, Problem> {
    let capability = Capability::named(name)
        .ok_or_else(|| Problem::not_found("there is no such operation; see `/openapi.json`"))?;
    let asker = asker(request.headers())?;
    let (arguments, read) = brought(api, &place.who.known, request).await?;
    let call = Call { operation: capability.operation, arguments, asker };
    let result = match runs(capability) {
        true => {
            // A script may take its time, and is counted among the scripts.
            drop(read);
            run(api, place, call).await?
        }
        false => act(api, place, (call, read)).await?,
    };
    Ok(answer(StatusCode::OK, &result))
}

/// The arguments that a request brings. Large ones wait for a turn before they leave the room they have,
/// and are read where that holds up nobody; the turn comes with them.
async fn brought(
    api: &Api,
    whose: &Whose,
    request: Request,
) -> Result<(Value, Option<Taken>), Problem> {
    let typed = is_json(request.headers());
    let turn = match is_large(request.body()) {
        true => Some(api.service.turns().large_read(whose).await?),
        false => None,
    };
    let body = to_bytes(request.into_body(), MAX_MESSAGE_BYTES).await;
    let body = body.map_err(|_| Problem::bad_request("the body ended before its end"))?;
    match turn {
        None => Ok((arguments(&body, typed)?, None)),
        Some(turn) => {
            let (read, turn) = aside(move || (arguments(&body, typed), turn)).await?;
            Ok((read?, Some(turn)))
        }
    }
}

/// Whether a body, which is in memory, is of a large message.
pub(super) fn is_large(body: &Body) -> bool {
    body.size_hint().lower() > LARGE_MESSAGE as u64
}

/// Whether the operation runs a script, which takes as long as it takes.
fn runs(capability: &Capability) -> bool {
    capability.effect == Effect::Runs
}

async fn act(
    api: &Arc<Api>,
    place: Place,
    (call, read): (Call, Option<Taken>),
) -> Result<Value, Problem> {
    let turn = api.service.turns().call(&place.who.known).await?;
    let api = Arc::clone(api);
    aside(move || {
        let _turns = (turn, read);
        api.desks.act(&place, |session| invoke(session, call))
    })
    .await??
    .map_err(|error| Problem::from(&error))
}

async fn run(api: &Arc<Api>, place: Place, call: Call) -> Result<Value, Problem> {
    // A script that nobody could end is not begun.
    let cancel = Cancel::new().map_err(|error| Problem::of("busy", error.to_string()))?;
    // Those of a known client count together, else those of a session.
    let client = match &place.who.known {
        Some(section) => format!("client {section}"),
        None => format!("session {}", place.session),
    };
    let run = api.service.runs().begin(&client, &cancel);
    let run = run.map_err(|full| Problem::of("busy", full.to_string()))?;
    // The server drops this when the client is gone, or when the server has to stop.
    let _ends = Ends(cancel.clone());
    let api = Arc::clone(api);
    let running = aside(move || {
        let _run = run;
        api.desks.act_apart(&place, |session| {
            session.set_cancel(cancel);
            invoke(session, call)
        })
    });
    running.await??.map_err(|error| Problem::from(&error))
}

fn asker(headers: &HeaderMap) -> Result<Trigger, Problem> {
    match headers.get(ASKER_HEADER).map(|value| value.as_bytes()) {
        // Whoever does not say is treated as who may do less.
        None | Some(b"model") => Ok(Trigger::Auto),
        Some(b"user") => Ok(Trigger::Manual),
        Some(_) => Err(Problem::bad_request("`Metier-Asker` is `model` or `user`")),
    }
}

pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// The arguments in a body; none in an empty one.
fn arguments(body: &Bytes, typed: bool) -> Result<Value, Problem> {
    if body.is_empty() {
        return Ok(Value::Null);
    }
    if !typed {
        return Err(Problem::wrong_type());
    }
    match unambiguous::parse(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Problem::of("invalid_arguments", "the arguments have to be a JSON object")),
        Err(why) => Err(Problem::of("invalid_arguments", why)),
    }
}

#[cfg(test)]
#[path = "calls_tests.rs"]
mod tests;
