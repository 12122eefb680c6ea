//! Everything of the official SDK that is used here, and the only file that names it: what another
//! version of it changes shows here first. It speaks the protocol; nothing here decides anything.

#![expect(deprecated, reason = "clients of the handshake era still subscribe and set a level")]

pub(crate) use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientJsonRpcMessage,
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, InitializeRequestParams, InitializeResult, JsonObject,
    JsonRpcMessage, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, LoggingLevel, LoggingMessageNotificationParam, MetaObject,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptArgument, PromptMessage,
    PromptsCapability, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, Resource, ResourceContents, ResourceTemplate,
    ResourceUpdatedNotificationParam, ResourcesCapability, Role, ServerCapabilities, ServerConfig,
    ServerJsonRpcMessage, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    ToolAnnotations, ToolsCapability, UnsubscribeRequestParams,
};
pub(crate) use rmcp::service::{
    NotificationContext, Peer, RequestContext, RxJsonRpcMessage, ServerInitializeError,
    SubscriptionContext, TxJsonRpcMessage,
};
pub(crate) use rmcp::transport::common::http_header::HEADER_SESSION_ID;
pub(crate) use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
pub(crate) use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
pub(crate) use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService,
};
pub(crate) use rmcp::transport::{Transport, stdio_pipes};
pub(crate) use rmcp::{RoleServer, ServerHandler, serve_server};
