//! What is where, and what every request goes through first.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, MethodRouter, on};
use metier_package::index::WELL_KNOWN;
use serde_json::json;
use tokio::sync::watch;

use super::body::{Held, Room};
use super::calls::{is_json, is_large};
use super::crowd::Seat;
use super::desks::Desks;
use super::framing::Doubt;
use super::gate::HEALTH;
use super::mcp_sessions::Seats;
use super::metrics::Numbers;
use super::problem::{Problem, answer};
use super::well_known::Shelf;
use super::{HttpSetup, Stop, calls, events, metrics, openapi, page, well_known};
use crate::aside::aside;
use crate::desk::Host;
use crate::limits::{
    MAX_ANSWER_BYTES, MAX_BUFFERED_BYTES, MAX_IDLE, MAX_MCP_SESSIONS, MAX_MESSAGE_BYTES,
    MAX_STREAMS,
};
use crate::mcp::sdk::{LocalSessionManager, StreamableHttpServerConfig, StreamableHttpService};
use crate::mcp::{Guest, Service, incoming};
use crate::shares::{Shares, Taken, Whose};
use crate::who::Who;

/// One address of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// Its path; what varies stands in braces.
    pub path: &'static str,
    /// How it is asked.
    pub verbs: &'static [Verb],
    /// What is there.
    pub behind: Behind,
    /// What for.
    pub what: &'static str,
}

/// A method of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `GET`, and with it `HEAD`.
    Get,
    /// `POST`.
    Post,
    /// `DELETE`.
    Delete,
}

/// What a route leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// The page for people.
    Page,
    /// Whether the server lives.
    Health,
    /// Numbers for collectors.
    Metrics,
    /// The interface, described.
    Description,
    /// The journal of the session that a header names.
    Stream,
    /// The journal of the session in the path.
    StreamInSession,
    /// Any operation, in the session that a header names.
    Operation,
    /// Any operation, in the session in the path.
    OperationInSession,
    /// The skills offered to other machines.
    Index,
    /// One of them as an archive.
    Archive,
    /// MCP.
    Mcp,
}

const STREAM: &str = "the journal as it grows, as server-sent events";
const SERVER: &str = "the server itself";
const OPERATIONS: &str = "the operations";
const OTHERS: &str = "the skills for other machines";

/// Every route there is. The server is built from this, and described from it.
pub const ROUTES: &[Route] = {
    use Behind::*;
    const fn get(path: &'static str, behind: Behind, what: &'static str) -> Route {
        Route { path, verbs: &[Verb::Get], behind, what }
    }
    const fn post(path: &'static str, behind: Behind) -> Route {
        Route { path, verbs: &[Verb::Post], behind, what: OPERATIONS }
    }
    &[
        get("/", Page, "what is here, for a person with a browser"),
        get(HEALTH, Health, SERVER),
        get("/metrics", Metrics, SERVER),
        get("/openapi.json", Description, SERVER),
        get("/v1/events/stream", Stream, STREAM),
        get("/v1/sessions/{session}/events/stream", StreamInSession, STREAM),
        post("/v1/{name}", Operation),
        post("/v1/sessions/{session}/{name}", OperationInSession),
        get(WELL_KNOWN, Index, OTHERS),
        get(well_known::ARCHIVES, Archive, OTHERS),
        Route {
            path: "/mcp",
            verbs: &[Verb::Post, Verb::Get, Verb::Delete],
            behind: Mcp,
            what: "MCP, in the protocol's own words",
        },
    ]
};

impl Verb {
    /// The word in a request.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }

    fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// What all requests share.
pub(super) struct Api {
    pub(super) host: Arc<dyn Host>,
    pub(super) service: Arc<Service>,
    pub(super) setup: HttpSetup,
    pub(super) stop: Stop,
    pub(super) desks: Desks,
    pub(super) numbers: Numbers,
    pub(super) busy: Busy,
    pub(super) shelf: Shelf,
    room: Room,
    /// For what clients have not taken yet.
    pub(super) answers: Room,
    pub(super) streams: Shares,
}

impl Api {
    pub(super) fn new(host: Arc<dyn Host>, setup: HttpSetup, stop: Stop) -> Self {
        let apart = !setup.gate.badges.is_empty();
        let service = Service::shared(Arc::clone(&host), setup.dialect, apart);
        Self {
            desks: Desks::new(Arc::clone(&host), Arc::clone(service.finder())),
            setup,
            stop,
            numbers: Numbers::default(),
            busy: Busy::default(),
            shelf: Shelf::default(),
            room: Room::new(MAX_BUFFERED_BYTES, apart),
            answers: Room::new(MAX_ANSWER_BYTES, apart),
            streams: Shares::new(MAX_STREAMS, apart),
            service,
            host,
        }
    }
}

impl Api {
    /// Whether nothing is done any more that could be recorded: nobody waits for an answer, and nothing
    /// goes on whose client is gone.
    pub(super) fn is_at_rest(&self) -> bool {
        self.busy.is_idle() && self.service.turns().is_idle() && self.service.runs().is_empty()
    }
}

/// Ends the streams of MCP, which have no end of their own.
pub(super) struct McpEnd(StreamableHttpServerConfig);

impl McpEnd {
    pub(super) fn end(&self) {
        self.0.cancellation_token.cancel();
    }
}

/// Every route, and what ends those of MCP.
pub(super) fn routes(api: &Arc<Api>) -> (Router, McpEnd) {
    let (mcp, end) = mcp(api);
    let mcp = Arc::new(mcp);
    let mut router = Router::new();
    for route in ROUTES {
        let wrong = async || Problem::wrong_method(route.verbs);
        let verbs = route.verbs.iter().map(|verb| answered(route.behind, verb.filter(), &mcp));
        let all = verbs.fold(MethodRouter::new(), MethodRouter::merge);
        router = router.route(route.path, all.fallback(wrong));
    }
    let router = router
        .fallback(async || Problem::not_found("there is nothing here; see `/openapi.json`"))
        .with_state(Arc::clone(api))
        .layer(from_fn_with_state(Arc::clone(api), enter));
    (router, end)
}

fn answered(behind: Behind, by: MethodFilter, mcp: &Arc<Mcp>) -> MethodRouter<Arc<Api>> {
    match behind {
        Behind::Page => on(by, page::show),
        Behind::Health => on(by, health),
        Behind::Metrics => on(by, metrics::show),
        Behind::Description => on(by, openapi::show),
        Behind::Stream => on(by, events::stream),
        Behind::StreamInSession => on(by, events::stream_in),
        Behind::Operation => on(by, calls::call),
        Behind::OperationInSession => on(by, calls::call_in),
        Behind::Index => on(by, well_known::index),
        Behind::Archive => on(by, well_known::archive),
        Behind::Mcp => {
            let mcp = Arc::clone(mcp);
            on(by, move |who: Extension<Who>, request: Request| {
                let mcp = Arc::clone(&mcp);
                async move { mcp.answer(&who, request).await }
            })
        }
    }
}

type McpService = StreamableHttpService<crate::mcp::Server, Seats>;

/// MCP for each client that is known by a token, and for everybody else: each has its own table of
/// connections, so that none can speak or listen on another's.
struct Mcp {
    clients: BTreeMap<Whose, McpService>,
    shared: Arc<Service>,
}

impl Mcp {
    async fn answer(&self, who: &Who, request: Request) -> Response {
        let Some(service) = self.clients.get(&who.known) else {
            return Problem::not_found("there is nothing here for this client").into_response();
        };
        let ends = request.method() == Method::DELETE;
        // A turn that it needed is kept until the SDK has read it, too.
        let (request, _turn) = match self.readable(who, request).await {
            Ok(readable) => readable,
            Err(response) => return response,
        };
        let mut response = service.handle(request).await.map(Body::new);
        // A connection that is ended has ended; clients take the SDK's `Accepted` for a failure.
        if ends && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        response
    }

    /// The request when its body, which is in memory, is a message, with the turn that a large one
    /// needs. The SDK would say that it has the wrong type.
    async fn readable(
        &self,
        who: &Who,
        request: Request,
    ) -> Result<(Request, Option<Taken>), Response> {
        if request.method() != Method::POST || !is_json(request.headers()) {
            return Ok((request, None));
        }
        let turn = match is_large(request.body()) {
            true => Some(self.shared.turns().large_read(&who.known).await.map_err(refused)?),
            false => None,
        };
        let (parts, body) = request.into_parts();
        let bytes = to_bytes(body, MAX_MESSAGE_BYTES).await;
        let bytes = bytes.map_err(|_| Problem::too_large(MAX_MESSAGE_BYTES).into_response())?;
        let read = match turn.is_some() {
            true => {
                let bytes = bytes.clone();
                aside(move || incoming::read(&bytes).map(drop)).await.map_err(refused)?
            }
            false => incoming::read(&bytes).map(drop),
        };
        match read {
            Err(refusal) => Err(answer(StatusCode::BAD_REQUEST, &refusal.to_json())),
            Ok(()) => Ok((Request::from_parts(parts, Body::from(bytes)), turn)),
        }
    }
}

fn refused(why: impl Into<Problem>) -> Response {
    why.into().into_response()
}

/// MCP. `Host`, `Origin` and the length of a message have been checked when it is reached.
fn mcp(api: &Arc<Api>) -> (Mcp, McpEnd) {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
    api.service.watch();
    let end = McpEnd(config.clone());
    let for_one = |section: Option<Arc<str>>| {
        let (service, known) = (Arc::clone(&api.service), section.clone());
        let guest = move || Guest { section: known.clone(), session: None };
        let factory = move || Ok(service.server(guest()));
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(MAX_IDLE);
        let streams = Arc::clone(api.service.streams());
        let seats = Seats::new(manager, MAX_MCP_SESSIONS, streams);
        let service = StreamableHttpService::new(factory, Arc::new(seats), config.clone());
        (section, service)
    };
    let badges = api.setup.gate.badges.iter().map(|badge| Some(Arc::clone(&badge.section)));
    let clients = badges.chain([None]).map(for_one).collect();
    (Mcp { clients, shared: Arc::clone(&api.service) }, end)
}

/// Every request comes through here: who asks, how much they bring, and that it is counted.
async fn enter(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    let route = metrics::route(request.uri().path());
    // Those that wait for an answer keep the server; those that listen do not.
    let busy = (request.method() == Method::POST).then(|| api.busy.begin());
    let last =
        is_nobody(&api, &request) || request.headers().contains_key(header::TRANSFER_ENCODING);
    let mut response = match admitted(&api, request).await {
        Ok(request) => next.run(request).await,
        Err(problem) => ending(problem.into_response()),
    };
    if last {
        // Nobody reads along behind a body in chunks either, so that no request may follow it.
        response = ending(response);
    }
    let headers = response.headers_mut();
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    api.numbers.count(route, response.status());
    match busy {
        Some(busy) => response.map(|body| Body::new(Held::new(body, busy))),
        None => response,
    }
}

/// The request with its body in memory and with who asks, when it may come in.
async fn admitted(api: &Api, mut request: Request) -> Result<Request, Problem> {
    if request.extensions().get::<Doubt>().is_some_and(Doubt::is_there) {
        return Err(Problem::bad_request("a request tells its length once"));
    }
    let who = api.setup.gate.check(request.uri(), request.headers())?;
    if request.uri().path() == HEALTH && !request.body().is_end_stream() {
        return Err(Problem::bad_request("who asks for the health brings nothing"));
    }
    // Taken out, for a request may outlive its connection. Who has not shown a token has no lasting one.
    if let Some(seat) = request.extensions_mut().remove::<Arc<Seat>>()
        && !is_nobody(api, &request)
    {
        seat.is_of(&who.known)?;
    }
    request.extensions_mut().insert(who.clone());
    api.room.take(&who, request).await
}

/// Whether who asks has shown nothing where others show a token.
fn is_nobody(api: &Api, request: &Request) -> bool {
    api.setup.gate.asks_for_tokens() && request.uri().path() == HEALTH
}

/// The last answer of its connection. Who was not let in may not have been read to the end.
fn ending(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

async fn health() -> Response {
    answer(StatusCode::OK, &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// How many wait for an answer.
pub(super) struct Busy(Arc<watch::Sender<usize>>);

impl Default for Busy {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

/// One who waits.
pub(super) struct Waiting(Arc<watch::Sender<usize>>);

impl Busy {
    fn begin(&self) -> Waiting {
        self.0.send_modify(|count| *count += 1);
        Waiting(Arc::clone(&self.0))
    }

    /// Whether nobody waits.
    pub(super) fn is_idle(&self) -> bool {
        *self.0.borrow() == 0
    }

    /// Waits until nobody waits.
    pub(super) async fn idle(&self) {
        // The sender is ours, so the wait ends in one way only.
        let _ = self.0.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
