//! MCP, both eras: with a handshake (up to 2025-11-25) and without (2026-07-28). The SDK speaks the
//! protocol; `handler` is the only file that implements its handler. What is offered is in `tools`,
//! `resources`, `prompts`, `skills` and `complete`; `news` tells of changes, `subscriptions` of which
//! resources; `stdio` is a transport, and `crate::http` mounts the other on `/mcp`.
//!
//! A client that misbehaves hurts itself: each has its own [`Desk`], messages are
//! bounded, and work happens on threads of its own. Whatever a client is shown comes out of the
//! catalog of that client (`Server::look`, `Server::act`), never out of the server's.

mod complete;
mod fit;
mod handler;
pub(crate) mod incoming;
mod instructions;
mod log;
mod news;
mod page;
mod progress;
mod prompts;
mod resources;
pub(crate) mod sdk;
mod skills;
mod stdio;
mod streams;
mod subscriptions;
mod tools;
pub(crate) mod uri;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::request::Parts;
use metier_format::text::visible;
use metier_runtime::finder::Finder;
use metier_runtime::{JournalError, Session};
use metier_sandbox::Cancel;
use metier_store::{Catalog, Store};
use tokio::sync::watch;

use crate::aside::{Broke, aside};
use crate::desk::{Client, Desk, Host};
use crate::dialect::{Dialect, Reply};
use crate::limits::{ENDING_PATIENCE, MAX_LISTENERS, MAX_SHOWN_CHARS};
use crate::runs::Runs;
use crate::shares::Shares;
use crate::turns::{Busy, Turn, Turns};
use crate::who::{NotYours, Who};
use log::{Called, Log};
use sdk::{ErrorData, ProtocolVersion, RequestContext, RoleServer};
use subscriptions::{IndexStamps, Subscriptions};

pub use stdio::{ServeError, serve_stdio, serve_streams};
pub(crate) use streams::{Open, Streams};

/// The name of the skills extension.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// Where a client of the stateless era names the session it means, in `_meta`.
pub const SESSION_KEY: &str = "metier/session";

/// Where an answer says in `_meta` which MCP server a skill is from.
pub const ORIGIN_KEY: &str = "metier/origin";

/// How often whoever waits for changes looks whether anybody is left to be told.
const ATTENTION: Duration = Duration::from_secs(1);

/// Whoever says nothing of themselves counts as one client, under this name.
const ANONYMOUS: &str = "anonymous";

/// What all clients of one server share.
pub struct Service {
    host: Arc<dyn Host>,
    dialect: Dialect,
    finder: Arc<Finder>,
    runs: Arc<Runs>,
    /// Counts changes of the catalog.
    changes: watch::Sender<u64>,
    watching: AtomicBool,
    /// How many clients there have been.
    clients: AtomicU64,
    listeners: Shares,
    /// Which clients over HTTP listen.
    streams: Arc<Streams>,
    index_stamps: IndexStamps,
    turns: Turns,
}

/// Who a server is for: what is known of the client before it says anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guest {
    /// The section of the settings that holds for it.
    pub section: Option<Arc<str>>,
    /// The session it has; without, it has one of its own.
    pub session: Option<String>,
}

/// The server one client talks to.
pub(crate) struct Server {
    service: Arc<Service>,
    guest: Guest,
    /// The number of this client, different from that of every other.
    number: u64,
    /// One desk for each section the client says it is; most say one thing or nothing.
    desks: Mutex<BTreeMap<Who, Arc<Desk>>>,
    log: Arc<Log>,
    subscriptions: Arc<Subscriptions>,
    /// Streams that were promised and have not begun.
    accepted: Mutex<VecDeque<news::Accepted>>,
    /// Whether the client hears when its lists change.
    hears: AtomicBool,
    /// The scripts that run for this client, all of them also among the service's.
    own_runs: Arc<Runs>,
}

impl Service {
    /// Serves the skills of `host` in `dialect`.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, dialect: Dialect) -> Arc<Self> {
        Self::shared(host, dialect, false)
    }

    /// The same; `apart` says whether clients are known apart, of whom each has a share then.
    pub(crate) fn shared(host: Arc<dyn Host>, dialect: Dialect, apart: bool) -> Arc<Self> {
        let (changes, _) = watch::channel(0);
        Arc::new(Self {
            host,
            dialect,
            finder: Arc::default(),
            runs: Arc::default(),
            changes,
            watching: AtomicBool::new(false),
            clients: AtomicU64::new(0),
            listeners: Shares::new(MAX_LISTENERS, apart),
            streams: Arc::default(),
            index_stamps: IndexStamps::default(),
            turns: Turns::new(apart),
        })
    }

    /// Watches the files behind the catalog on threads of its own, and tells every client of
    /// changes; asking twice is asking once. Without it a change is seen when the catalog's time is over.
    pub fn watch(self: &Arc<Self>) {
        if self.watching.swap(true, Ordering::Relaxed) {
            return;
        }
        let service = Arc::downgrade(self);
        let mut updates = self.host.index().subscribe();
        let host = Arc::clone(&self.host);
        let _ = std::thread::Builder::new().name("metier-changes".to_owned()).spawn(move || {
            // Where the files cannot be watched, the catalog's time still runs out.
            let _watch = host.watch().ok().flatten();
            while let Ok(update) = updates.recv_timeout(ATTENTION) {
                let Some(service) = service.upgrade() else { return };
                if update.is_some() {
                    service.changes.send_modify(|count| *count += 1);
                }
            }
        });
    }

    /// The scripts that run for clients of this server.
    pub(crate) fn runs(&self) -> &Arc<Runs> {
        &self.runs
    }

    /// How much is done at once for clients of this server.
    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }

    /// Which clients over HTTP listen.
    pub(crate) fn streams(&self) -> &Arc<Streams> {
        &self.streams
    }

    /// What searches the catalogs of this server.
    pub(crate) fn finder(&self) -> &Arc<Finder> {
        &self.finder
    }

    fn store(&self) -> &dyn Store {
        &**self.host.index().store()
    }

    pub(crate) fn server(self: &Arc<Self>, guest: Guest) -> Server {
        Server {
            service: Arc::clone(self),
            guest,
            number: self.clients.fetch_add(1, Ordering::Relaxed),
            desks: Mutex::default(),
            log: Arc::default(),
            subscriptions: Arc::default(),
            accepted: Mutex::default(),
            hears: AtomicBool::new(false),
            own_runs: Arc::default(),
        }
    }

    fn desk(&self, who: Who, session: Option<String>) -> Arc<Desk> {
        let client = Client { who, session, again: self.dialect.again() };
        Arc::new(Desk::new(Arc::clone(&self.host), client, Arc::clone(&self.finder)))
    }
}

impl Server {
    /// Who asks: what is known of the client, and what it says of itself, by its name.
    fn who(&self, name: Option<&str>) -> Who {
        let said = name.and_then(|name| self.service.host.section(name));
        Who { known: self.guest.section.clone(), said, anybody: false }
    }

    fn asker(&self, context: &RequestContext<RoleServer>) -> Who {
        self.who(context.client_info().map(|info| info.name).as_deref())
    }

    /// The desk this request belongs to: this connection's, or that of the session it names. A
    /// client with a handshake has one session and names none.
    fn desk(&self, context: &RequestContext<RoleServer>) -> Result<Arc<Desk>, ErrorData> {
        let who = self.asker(context);
        if let Some(name) = named_session(context) {
            // A model speaks here, whoever let it in, so that it could be anybody.
            let asker = Who { anybody: true, ..who.clone() };
            let session = asker.may_name(name, &*self.service.host).map_err(|why| unnamed(&why))?;
            return Ok(self.service.desk(who, Some(session)));
        }
        // A panic elsewhere left a desk in the table or not.
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        let session = || self.guest.session.as_deref().map(|name| who.session(name));
        let desk =
            desks.entry(who.clone()).or_insert_with(|| self.service.desk(who.clone(), session()));
        Ok(Arc::clone(desk))
    }

    /// The client is gone: its scripts are ended, and then its sessions, unless they belong to others
    /// too. What became of a script is recorded before the end of its session is.
    fn close(&self) {
        self.own_runs.end();
        self.own_runs.settle(ENDING_PATIENCE);
        let desks = std::mem::take(&mut *self.desks.lock().unwrap_or_else(PoisonError::into_inner));
        for desk in desks.into_values() {
            // Nobody is left to be told; the journal says that the session never ended.
            let _ = desk.close();
        }
    }

    /// Does `work` in the session of this request, on a thread that may wait.
    async fn act<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut Session) -> T + Send + 'static,
    ) -> Result<Result<T, JournalError>, ErrorData> {
        let turn = self.service.turns.call(&self.guest.section).await?;
        self.acted(turn, context, work).await
    }

    /// The same for what reads one file of a skill, however large.
    async fn act_on_file<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut Session) -> T + Send + 'static,
    ) -> Result<Result<T, JournalError>, ErrorData> {
        let turn = self.service.turns.file(&self.guest.section).await?;
        self.acted(turn, context, work).await
    }

    async fn acted<T: Send + 'static>(
        &self,
        turn: Turn,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut Session) -> T + Send + 'static,
    ) -> Result<Result<T, JournalError>, ErrorData> {
        let desk = self.desk(context)?;
        let acted = aside(move || {
            let _turn = turn;
            desk.act(work)
        });
        Ok(acted.await?)
    }

    /// Calls a tool that runs a script: the client hears that it goes on, and can stop it.
    async fn run(
        &self,
        context: &RequestContext<RoleServer>,
        tool: String,
        arguments: serde_json::Value,
    ) -> Result<Result<Called, JournalError>, ErrorData> {
        let busy = |why: &dyn std::fmt::Display| {
            Ok(Ok(Called::unheard(Reply::failure("busy", &why.to_string()))))
        };
        // A script that nobody could end is not begun.
        let cancel = match Cancel::new() {
            Ok(cancel) => cancel,
            Err(error) => return busy(&error),
        };
        let runner = self.runner(context);
        let begun = self.service.runs.begin(&runner, &cancel);
        let begun = begun.and_then(|run| Ok((run, self.own_runs.begin(&runner, &cancel)?)));
        let run = match begun {
            Ok(run) => run,
            Err(full) => return busy(&full),
        };
        let desk = self.desk(context)?;
        let dialect = self.service.dialect;
        let switch = cancel.clone();
        let running = aside(move || {
            let _run = run;
            desk.act_apart(|session| {
                session.set_cancel(cancel);
                Called::of(session, dialect, &tool, arguments)
            })
        });
        Ok(progress::accompany(context, switch, running).await?)
    }

    /// Whose scripts count together: those of a known client, of one connection, of one session.
    fn runner(&self, context: &RequestContext<RoleServer>) -> String {
        // Over HTTP without a handshake every request is a connection of its own.
        let alone = context.extensions.get::<Parts>().is_some() && is_stateless(context);
        match (&self.guest.section, named_session(context)) {
            (Some(section), _) => format!("client {section}"),
            (None, Some(session)) => format!("session {session}"),
            (None, None) if alone => ANONYMOUS.to_owned(),
            (None, None) => format!("connection {}", self.number),
        }
    }

    /// Does `work` with the catalog of who asks, on a thread that may wait.
    async fn look<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service, &Catalog) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let turn = self.service.turns.call(&self.guest.section).await?;
        self.looked(turn, context, work).await
    }

    /// The same for what reads every file of a skill.
    async fn look_closely<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service, &Catalog) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let turn = self.service.turns.close_look(&self.guest.section).await?;
        self.looked(turn, context, work).await
    }

    async fn looked<T: Send + 'static>(
        &self,
        turn: Turn,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service, &Catalog) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let (service, who) = (Arc::clone(&self.service), self.asker(context));
        let looked = aside(move || {
            let _turn = turn;
            work(&service, &service.host.catalog(&who))
        });
        Ok(looked.await?)
    }
}

fn unnamed(why: &NotYours) -> ErrorData {
    let data = serde_json::json!({ "code": why.code() });
    ErrorData::invalid_params(why.to_string(), Some(data))
}

/// The session a request of the stateless era names.
fn named_session(context: &RequestContext<RoleServer>) -> Option<&str> {
    let named = context.meta.0.get(SESSION_KEY).and_then(serde_json::Value::as_str);
    named.filter(|_| is_stateless(context))
}

fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

impl From<Broke> for ErrorData {
    fn from(broke: Broke) -> Self {
        Self::internal_error(broke.to_string(), None)
    }
}

impl From<Busy> for ErrorData {
    fn from(busy: Busy) -> Self {
        Self::internal_error(busy.to_string(), Some(serde_json::json!({ "code": "busy" })))
    }
}

/// The journal refused, so that nothing was done.
fn refused(error: &JournalError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

/// What a client said, as it is told back to it: the beginning, and nothing that nobody would see.
fn shown(said: &str) -> String {
    let end = said.char_indices().nth(MAX_SHOWN_CHARS).map_or(said.len(), |(end, _)| end);
    visible(said.get(..end).unwrap_or_default()).into_owned()
}
