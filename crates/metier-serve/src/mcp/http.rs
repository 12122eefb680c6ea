//! MCP over streamable HTTP: a service to be mounted on `/mcp`. Clients with a handshake have a
//! session for as long as they keep theirs; a request of the stateless era has one of its own,
//! unless it names one in `_meta`.

use std::sync::Arc;

use axum::Router;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::{Guest, Service};
use crate::limits::{MAX_IDLE, MAX_MESSAGE_BYTES};

/// Who may talk to the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpSettings {
    /// Values of `Host` that are answered; without any, those of this machine's loopback.
    pub hosts: Vec<String>,
    /// Values of `Origin` that are answered; a page of any other is refused.
    pub origins: Vec<String>,
}

/// The routes of MCP, all below `/mcp`.
pub fn http_service(service: &Arc<Service>, settings: &HttpSettings) -> Router {
    let mut config = StreamableHttpServerConfig::default()
        .with_allowed_origins(settings.origins.clone())
        .enforce_origin_validation()
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
    if !settings.hosts.is_empty() {
        config = config.with_allowed_hosts(settings.hosts.clone());
    }
    let service = Arc::clone(service);
    let factory = move || Ok(service.server(Guest::default()));
    let mut manager = LocalSessionManager::default();
    manager.session_config.keep_alive = Some(MAX_IDLE);
    let mcp = StreamableHttpService::new(factory, Arc::new(manager), config);
    Router::new().route_service("/mcp", mcp)
}
