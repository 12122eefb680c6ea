//! MCP, both eras: with a handshake (up to 2025-11-25) and without (2026-07-28). The SDK speaks the
//! protocol; this file is the only one that implements its handler. What is offered is in `tools`,
//! `resources`, `prompts`, `skills` and `complete`; `stdio` and `http` are the transports.
//!
//! A client that misbehaves hurts itself: each has its own [`Desk`](crate::Desk), messages are
//! bounded, and work happens on threads of its own.

mod complete;
mod http;
mod instructions;
mod log;
mod page;
mod progress;
mod prompts;
mod resources;
mod skills;
mod stdio;
mod tools;
mod uri;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use metier_runtime::finder::Finder;
use metier_runtime::{JournalError, Session};
use metier_sandbox::Cancel;
use metier_store::Catalog;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, PromptsCapability, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ResourcesCapability, ServerCapabilities, ServerConfig,
    SubscriptionFilter, ToolsCapability,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler};
use tokio::sync::watch;

use crate::desk::{Client, Desk, Host};
use crate::dialect::{Dialect, Reply};
use log::Log;

pub use http::{HttpSettings, http_service};
pub use stdio::{ServeError, serve_stdio, serve_streams};

/// The name of the skills extension.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// Where a client of the stateless era names the session it means, in `_meta`.
pub const SESSION_KEY: &str = "metier/session";

/// How often the thread that waits for changes looks whether anybody is left to be told.
const ATTENTION: Duration = Duration::from_secs(1);

/// What all clients of one server share.
pub struct Service {
    host: Arc<dyn Host>,
    dialect: Dialect,
    finder: Arc<Finder>,
    /// Counts changes of the catalog.
    changes: watch::Sender<u64>,
    watching: AtomicBool,
}

/// The server one client talks to.
pub(crate) struct Server {
    service: Arc<Service>,
    desk: Arc<Desk>,
    log: Arc<Log>,
}

impl Service {
    /// Serves the skills of `host` in `dialect`.
    #[must_use]
    pub fn new(host: Arc<dyn Host>, dialect: Dialect) -> Arc<Self> {
        let (changes, _) = watch::channel(0);
        let watching = AtomicBool::new(false);
        Arc::new(Self { host, dialect, finder: Arc::default(), changes, watching })
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

    fn catalog(&self) -> Arc<Catalog> {
        self.host.index().get(self.host.now())
    }

    pub(crate) fn server(self: &Arc<Self>, session: Option<String>) -> Server {
        let client = Client { session, again: self.dialect.again() };
        let desk = Desk::new(Arc::clone(&self.host), client, Arc::clone(&self.finder));
        Server { service: Arc::clone(self), desk: Arc::new(desk), log: Arc::default() }
    }
}

impl Server {
    /// The desk this request belongs to: this connection's, or that of the session it names. A
    /// client with a handshake has one session and names none.
    fn desk(&self, context: &RequestContext<RoleServer>) -> Arc<Desk> {
        let version = context.protocol_version();
        let stateless = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let named = context.meta.0.get(SESSION_KEY).and_then(serde_json::Value::as_str);
        match named.filter(|_| stateless) {
            Some(name) => self.service.server(Some(name.to_owned())).desk,
            None => Arc::clone(&self.desk),
        }
    }

    /// Does `work` in the session of this request, on a thread that may wait.
    async fn act<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&mut Session) -> T + Send + 'static,
    ) -> Result<Result<T, JournalError>, ErrorData> {
        let desk = self.desk(context);
        aside(move || desk.act(work)).await
    }

    /// Calls a tool that runs a script: the client hears that it goes on, and can stop it.
    async fn run(
        &self,
        context: &RequestContext<RoleServer>,
        tool: String,
        arguments: serde_json::Value,
    ) -> Result<Result<Option<Reply>, JournalError>, ErrorData> {
        let desk = self.desk(context);
        let dialect = self.service.dialect;
        let cancel = Cancel::new().unwrap_or_else(|_| Cancel::never());
        let switch = cancel.clone();
        let running = aside(move || {
            desk.act_apart(|session| {
                session.set_cancel(cancel);
                dialect.call(session, &tool, arguments)
            })
        });
        progress::accompany(context, switch, running).await
    }

    /// Does `work` with the catalog, on a thread that may wait.
    async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Service, &Catalog) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let service = Arc::clone(&self.service);
        aside(move || work(&service, &service.catalog())).await
    }
}

/// Runs what may wait for a disk or a lock where it holds up nobody.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    let failed = |_| ErrorData::internal_error("this is a bug in metier", None);
    tokio::task::spawn_blocking(work).await.map_err(failed)
}

fn capabilities(dialect: Dialect) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    capabilities.logging = Some(JsonObject::new());
    capabilities.completions = Some(JsonObject::new());
    let mut prompts = PromptsCapability::default();
    prompts.list_changed = Some(true);
    capabilities.prompts = Some(prompts);
    let mut resources = ResourcesCapability::default();
    resources.list_changed = Some(true);
    capabilities.resources = Some(resources);
    let mut tools = ToolsCapability::default();
    tools.list_changed = dialect.follows_catalog().then_some(true);
    capabilities.tools = Some(tools);
    let mut settings = JsonObject::new();
    settings.insert("directoryRead".to_owned(), true.into());
    capabilities.extensions = Some([(SKILLS_EXTENSION.to_owned(), settings)].into());
    capabilities
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let service = &self.service;
        let about = Implementation::new("metier", env!("CARGO_PKG_VERSION")).with_title("metier");
        ServerConfig::new(capabilities(service.dialect))
            .with_server_info(about)
            .with_instructions(instructions::write(service.dialect, &service.catalog()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.look(|service, catalog| tools::list(service.dialect, catalog)).await?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let dialect = self.service.dialect;
        let name = request.name.to_string();
        let arguments = request.arguments.unwrap_or_default().into();
        let reply = match dialect.runs(&name) {
            false => {
                let work = move |session: &mut Session| dialect.call(session, &name, arguments);
                self.act(&context, work).await?
            }
            true => self.run(&context, name, arguments).await?,
        };
        if let Err(error) = &reply {
            self.log.error(&context.peer, &error.to_string()).await;
        }
        tools::answer(reply, &request.name).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.look(move |_, catalog| resources::list(catalog, cursor.as_deref())).await?
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        if uri == skills::INDEX {
            let index = |service: &Service, catalog: &Catalog| {
                skills::index(&**service.host.index().store(), catalog)
            };
            return self.look(index).await.map(Into::into);
        }
        let read = self.act(&context, move |session| resources::read(session, &uri)).await?;
        read.map_err(|error| refused(&error))?.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.look(move |service, catalog| {
            prompts::list(&**service.host.index().store(), catalog, cursor.as_deref())
        })
        .await?
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = request.arguments.unwrap_or_default();
        let name = request.name;
        let got = self.act(&context, move |session| prompts::get(session, &name, &given)).await?;
        got.map_err(|error| refused(&error))?.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.look(move |service, catalog| {
            complete::complete(&**service.host.index().store(), catalog, &request)
        })
        .await
    }

    #[expect(deprecated, reason = "clients of the handshake era still ask for it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log.set(&request);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let params = request.params.unwrap_or_default();
        let method = request.method;
        self.look(move |service, catalog| {
            skills::answer(&**service.host.index().store(), catalog, &method, &params)
        })
        .await?
        .map(CustomResult::new)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.service.changes.subscribe();
        let follows = self.service.dialect.follows_catalog();
        let log = Arc::clone(&self.log);
        tokio::spawn(async move {
            let peer = context.peer;
            while changes.changed().await.is_ok() && !peer.is_transport_closed() {
                log.info(&peer, "the skills have changed").await;
                if follows {
                    let _ = peer.notify_tool_list_changed().await;
                }
                let _ = peer.notify_prompt_list_changed().await;
                let _ = peer.notify_resource_list_changed().await;
            }
        });
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.service.changes.subscribe();
        let sink = context.sink();
        let wants = |wanted: Option<bool>| wanted.unwrap_or(false);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => if changed.is_err() { return Ok(()) },
            }
            let accepted = context.accepted();
            // A client that does not read any more cancels sooner or later.
            if wants(accepted.tools_list_changed) {
                let _ = sink.notify_tool_list_changed().await;
            }
            if wants(accepted.prompts_list_changed) {
                let _ = sink.notify_prompt_list_changed().await;
            }
            if wants(accepted.resources_list_changed) {
                let _ = sink.notify_resource_list_changed().await;
            }
        }
    }
}

/// The journal refused, so that nothing was done.
fn refused(error: &JournalError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
