//! The interface described, from the table of operations: what is added there is here.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use axum::response::Response;
use metier_runtime::Capability;
use metier_runtime::SessionName;
use metier_runtime::limits::MAX_SESSION_NAME_BYTES;
use serde_json::{Map, Value, json};

use super::problem::{answer, status};
use super::routes::{Behind, ROUTES, Route};

/// What every request can be refused with, whatever it asks for.
const ALWAYS: &[(u16, &[&str])] = &[
    (400, &["bad_request", "invalid_arguments"]),
    (401, &["unauthorized"]),
    (403, &["not_yours", "wrong_host", "wrong_origin"]),
    (408, &["too_slow"]),
    (413, &["too_large"]),
    (415, &["wrong_type"]),
    (503, &["busy", "journal_refused"]),
];

/// `GET /openapi.json`.
pub(super) async fn show() -> Response {
    answer(StatusCode::OK, &document())
}

/// The interface as an OpenAPI 3.1 document.
#[must_use]
pub fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        paths.extend(described(route));
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "metier",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Sessions with Agent Skills. A request means the session that its \
                            path or its header `Metier-Session` names, else the usual one.",
        },
        "paths": paths,
        "components": {
            "schemas": { "Problem": problem(None), "Frame": frame() },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "security": [{ "token": [] }, {}],
    })
}

fn operation(capability: &Capability, inside: bool) -> Value {
    let mut responses = Map::new();
    let result = json!({ "application/json": { "schema": capability.result_schema() } });
    responses.insert("200".to_owned(), json!({ "description": "The result", "content": result }));
    for (status, codes) in failures(capability) {
        let content = json!({ "application/json": { "schema": problem(Some(&codes)) } });
        let description = codes.join(", ");
        let response = json!({ "description": description, "content": content });
        responses.insert(status.to_string(), response);
    }
    let suffix = if inside { "_in_session" } else { "" };
    let body = json!({ "application/json": { "schema": parameters(capability) } });
    let needed = capability.parameters.iter().any(|parameter| parameter.required);
    json!({
        "operationId": format!("{}{suffix}", capability.name),
        "summary": capability.title,
        "description": capability.description,
        "parameters": [session(inside), asker()],
        "requestBody": { "required": needed, "content": body },
        "responses": responses,
    })
}

/// The schema of the arguments. Null stands for an argument that is not given.
fn parameters(capability: &Capability) -> Value {
    let mut schema = capability.parameters_schema();
    for parameter in capability.parameters.iter().filter(|parameter| !parameter.required) {
        let property = schema.pointer_mut(&format!("/properties/{}", parameter.name));
        let Some(Value::Object(property)) = property else { continue };
        if let Some(kind) = property.get("type").cloned() {
            property.insert("type".to_owned(), json!([kind, "null"]));
        }
        if let Some(Value::Array(words)) = property.get_mut("enum") {
            words.push(Value::Null);
        }
    }
    if let Value::Object(schema) = &mut schema {
        schema.insert("additionalProperties".to_owned(), false.into());
    }
    schema
}

/// The codes an operation can fail with, by status.
fn failures(capability: &Capability) -> BTreeMap<u16, Vec<&'static str>> {
    let mut by_status: BTreeMap<u16, Vec<&'static str>> = BTreeMap::new();
    let own = capability.errors.iter().map(|code| (status(code).as_u16(), *code));
    let always =
        ALWAYS.iter().flat_map(|(status, codes)| codes.iter().map(|code| (*status, *code)));
    for (status, code) in always.chain(own) {
        let codes = by_status.entry(status).or_default();
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    by_status
}

fn stream(inside: bool) -> Value {
    let id = json!({
        "name": "Last-Event-ID", "in": "header", "required": false,
        "description": "The number of the last frame the client has",
        "schema": { "type": "integer", "minimum": 0 },
    });
    // What one event is: the data is a frame, as text.
    let text = json!({ "type": "string" });
    let data = json!({
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": { "$ref": "#/components/schemas/Frame" },
    });
    let event = json!({
        "type": "object",
        "properties": { "id": text, "event": text, "data": data },
    });
    let content = json!({ "text/event-stream": { "schema": event } });
    let refused = refused();
    json!({
        "operationId": if inside { "stream_in_session" } else { "stream" },
        "summary": "Follow the journal",
        "description": "Every frame of the session once, in order, as server-sent events called \
                        `frame`, and on as it grows.",
        "parameters": [session(inside), id],
        "responses": {
            "200": { "description": "Frames", "content": content },
            "400": refused, "401": refused, "403": refused, "503": refused,
        },
    })
}

/// The paths of a route, each with what is said of it. MCP has a protocol of its own, which this
/// language has no words for.
fn described(route: &Route) -> Vec<(String, Value)> {
    let about = match route.behind {
        Behind::Operation => return each_operation(route, false),
        Behind::OperationInSession => return each_operation(route, true),
        Behind::Mcp => return Vec::new(),
        Behind::Stream => stream(false),
        Behind::StreamInSession => stream(true),
        Behind::Page => page("page", "What is here, for a person", "text/html"),
        Behind::Health => page("health", "Whether the server lives", "application/json"),
        Behind::Metrics => page("metrics", "Numbers for collectors", "text/plain"),
        Behind::Description => page("openapi", "This document", "application/json"),
        Behind::Index => offered("index", "The skills for other machines", "application/json"),
        Behind::Archive => archive(),
    };
    vec![(route.path.to_owned(), json!({ "get": about }))]
}

fn each_operation(route: &Route, inside: bool) -> Vec<(String, Value)> {
    let one = |capability: &Capability| {
        let path = route.path.replace("{name}", capability.name);
        (path, json!({ "post": operation(capability, inside) }))
    };
    Capability::ALL.iter().map(one).collect()
}

fn page(id: &str, summary: &str, kind: &str) -> Value {
    let content = json!({ kind: { "schema": {} } });
    json!({
        "operationId": id,
        "summary": summary,
        "responses": { "200": { "description": summary, "content": content } },
    })
}

/// What is not sent again to who has it.
fn offered(id: &str, summary: &str, kind: &str) -> Value {
    let mut about = page(id, summary, kind);
    if let Some(Value::Object(responses)) = about.get_mut("responses") {
        let same = json!({ "description": "The client has it, by `If-None-Match`" });
        responses.insert("304".to_owned(), same);
        for status in ["401", "403", "503"] {
            responses.insert(status.to_owned(), refused());
        }
    }
    about
}

fn archive() -> Value {
    let mut about = offered("archive", "A skill as an archive", "application/gzip");
    let file = json!({
        "name": "file", "in": "path", "required": true, "schema": { "type": "string" },
        "description": "What the list has as `url`",
    });
    if let Value::Object(members) = &mut about {
        members.insert("parameters".to_owned(), json!([file]));
    }
    if let Some(Value::Object(responses)) = about.get_mut("responses") {
        responses.insert("404".to_owned(), refused());
    }
    about
}

fn refused() -> Value {
    json!({
        "description": "Refused",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
    })
}

fn session(inside: bool) -> Value {
    let pattern = SessionName::PATTERN;
    let schema =
        json!({ "type": "string", "pattern": pattern, "maxLength": MAX_SESSION_NAME_BYTES });
    let (name, place) = if inside { ("session", "path") } else { ("Metier-Session", "header") };
    json!({ "name": name, "in": place, "required": inside, "schema": schema,
            "description": "The session this is about" })
}

fn asker() -> Value {
    json!({ "name": "Metier-Asker", "in": "header", "required": false,
            "schema": { "type": "string", "enum": ["model", "user"], "default": "model" },
            "description": "Who asks. A model is not told of what it may not see" })
}

/// What a refusal looks like, with the codes it can have.
fn problem(codes: Option<&[&str]>) -> Value {
    let code = match codes {
        Some(codes) => json!({ "type": "string", "enum": codes }),
        None => json!({ "type": "string" }),
    };
    let error = json!({
        "type": "object",
        "properties": { "code": code, "message": { "type": "string" } },
        "required": ["code", "message"],
    });
    json!({ "type": "object", "properties": { "error": error }, "required": ["error"] })
}

fn frame() -> Value {
    let text = json!({ "type": "string" });
    let number = json!({ "type": "integer", "minimum": 0 });
    json!({
        "type": "object",
        "properties": {
            "v": number, "id": text, "session_id": text, "seq": number, "timestamp_ms": number,
            "type": text, "payload": { "type": "object" }, "prev": text, "digest": text,
        },
        "required": ["v", "id", "session_id", "seq", "timestamp_ms", "type", "payload", "prev",
                     "digest"],
    })
}

#[cfg(test)]
#[path = "openapi_tests.rs"]
mod tests;
