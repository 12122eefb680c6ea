//! MCP over standard input and output: one client, one session, until the client closes its end.

use std::sync::Arc;

use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, serve_server};

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Guest, Service};
use crate::limits::MAX_MESSAGE_BYTES;

/// Why serving ended before the client did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system gave no thread or no way to wait.
    #[error("cannot serve")]
    Runtime(#[source] std::io::Error),
    /// The client never said what a client says first.
    #[error("the client did not begin as MCP asks it to")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The server stopped by itself.
    #[error("the server stopped")]
    Stopped(#[source] tokio::task::JoinError),
}

/// Serves one client on standard input and output until it is gone.
pub fn serve_stdio(service: &Arc<Service>, guest: Guest) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let served = runtime.block_on(async {
        let (read, write) = rmcp::transport::stdio_pipes();
        serve_streams(service, guest, read, write).await
    });
    // A read of standard input cannot be taken back; it must not keep the process.
    runtime.shutdown_background();
    served
}

/// Serves one client that writes to `read` and reads from `write`, until it is gone.
pub async fn serve_streams(
    service: &Arc<Service>,
    guest: Guest,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServeError> {
    let server = Arc::new(service.server(guest));
    let kept = Arc::clone(&server);
    let transport = AsyncRwTransport::new_server(read, write);
    let transport = Patient::new(transport.with_max_line_length(MAX_MESSAGE_BYTES));
    let served = match serve_server(server, transport).await {
        Ok(running) => {
            service.watch();
            running.waiting().await.map(drop).map_err(ServeError::Stopped)
        }
        // A client that only opens and closes asked for nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Handshake(Box::new(error))),
    };
    let _ = tokio::task::spawn_blocking(move || kept.close()).await;
    served
}

/// A transport that waits for the first request. What comes before it and is none says nothing; it
/// is no reason to hang up.
struct Patient<T> {
    inner: T,
    begun: bool,
}

impl<T> Patient<T> {
    fn new(inner: T) -> Self {
        Self { inner, begun: false }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message: ClientJsonRpcMessage = self.inner.receive().await?;
            self.begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
