//! The one implementation of the SDK's handler: which question is answered by what.

#![expect(deprecated, reason = "clients of the handshake era still subscribe and set a level")]

use metier_runtime::Session;
use metier_store::Catalog;
use tokio::time::timeout;

use super::log::Called;
use super::resources::Audience;
use super::sdk::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, NotificationContext,
    PaginatedRequestParams, PromptsCapability, ReadResourceRequestParams, ReadResourceResponse,
    RequestContext, ResourcesCapability, RoleServer, ServerCapabilities, ServerConfig,
    ServerHandler, SetLevelRequestParams, SubscribeRequestParams, SubscriptionContext,
    SubscriptionFilter, ToolsCapability, UnsubscribeRequestParams,
};
use super::skills::Asked;
use super::{
    ATTENTION, SKILLS_EXTENSION, Server, Service, complete, instructions, is_stateless, prompts,
    refused, resources, skills, subscriptions, tools,
};
use crate::dialect::Dialect;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let about = Implementation::new("metier", env!("CARGO_PKG_VERSION")).with_title("metier");
        // The instructions name skills, so they are written when it is known who asks.
        ServerConfig::new(capabilities(self.service.dialect)).with_server_info(about)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let hello = self.negotiate_initialize(&request)?;
        Ok(hello.with_instructions(self.instructions(&context).await?))
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let hello = self.get_info().with_instructions(self.instructions(&context).await?);
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, hello))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools =
            self.look(&context, |service, catalog| tools::list(service.dialect, catalog)).await?;
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
        let called = if dialect.runs(&name) {
            self.run(&context, name, arguments).await?
        } else {
            let reads = dialect.reads(&name);
            let work = move |session: &mut Session| Called::of(session, dialect, &name, arguments);
            match reads {
                true => self.act_on_file(&context, work).await?,
                false => self.act(&context, work).await?,
            }
        };
        // Of a client that has closed its end meanwhile nobody says whether it heard; its answer must
        // not wait for that.
        let _ = timeout(ATTENTION, self.log.tell(&context, called.as_ref())).await;
        tools::answer(called.map(|called| called.reply), &request.name).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let audience = Audience::of(&context);
        self.look(&context, move |_, catalog| resources::list(catalog, cursor.as_deref(), audience))
            .await?
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
        let (uri, audience) = (request.uri, Audience::of(&context));
        if uri == skills::INDEX {
            let index = move |service: &Service, catalog: &Catalog| {
                skills::index(service.store(), catalog, audience)
            };
            return self.look_closely(&context, index).await.map(Into::into);
        }
        let read = move |session: &mut Session| resources::read(session, &uri, audience);
        let read = self.act_on_file(&context, read).await?;
        read.map_err(|error| refused(&error))?.map(Into::into)
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        self.look(&context, move |service, catalog| {
            prompts::list(service.store(), catalog, cursor.as_deref())
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
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let audience = Audience::of(&context);
        self.look(&context, move |service, catalog| {
            complete::complete(service.store(), catalog, &request, audience)
        })
        .await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log.set(&request);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let asked = Asked {
            method: request.method,
            params: request.params.unwrap_or_default(),
            stateless: is_stateless(&context),
            audience: Audience::of(&context),
        };
        self.look_closely(&context, move |service, catalog| {
            skills::answer(service.store(), catalog, &asked)
        })
        .await?
        .map(CustomResult::new)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.begin_subscription(request.uri, &context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscriptions.remove(&request.uri);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.tell_of_changes(context.peer);
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        let uris = accepted.resource_subscriptions.as_deref();
        accepted.resource_subscriptions = uris.map(subscriptions::accepted);
        self.accept();
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.tell_listener(context).await
    }
}

impl Server {
    /// What the server says of itself to who asks.
    async fn instructions(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        self.look(context, |service, catalog| instructions::write(service.dialect, catalog)).await
    }
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
    resources.subscribe = Some(true);
    capabilities.resources = Some(resources);
    let mut tools = ToolsCapability::default();
    tools.list_changed = dialect.follows_catalog().then_some(true);
    capabilities.tools = Some(tools);
    let mut settings = JsonObject::new();
    settings.insert("directoryRead".to_owned(), true.into());
    capabilities.extensions = Some([(SKILLS_EXTENSION.to_owned(), settings)].into());
    capabilities
}
