//! The sessions of MCP over HTTP, of which there are only so many. Agents mostly do not say goodbye,
//! so that each session stays for hours; whoever begins one when all seats are taken gets that of the
//! client that has been silent for longest, which has to begin anew when it comes back.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::mcp::sdk::{
    ClientJsonRpcMessage, LocalSessionManager, ServerJsonRpcMessage, ServerSseMessage, SessionId,
    SessionManager,
};
use crate::mcp::{Open, Streams};

/// The seats.
pub(super) struct Seats {
    inner: LocalSessionManager,
    most: usize,
    used: Mutex<Used>,
    /// Who listens.
    streams: Arc<Streams>,
}

/// A stream that counts as open for as long as somebody has it.
struct Listened<S> {
    inner: Pin<Box<S>>,
    _open: Open,
}

impl<S: Stream> Stream for Listened<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<S::Item>> {
        self.inner.as_mut().poll_next(context)
    }
}

/// When each session was last asked for, counted in requests.
#[derive(Default)]
struct Used {
    now: u64,
    last: BTreeMap<SessionId, u64>,
}

impl Seats {
    pub(super) fn new(inner: LocalSessionManager, most: usize, streams: Arc<Streams>) -> Self {
        Self { inner, most, used: Mutex::default(), streams }
    }

    fn listened<S: Stream>(&self, id: &SessionId, inner: S) -> Listened<S> {
        Listened { inner: Box::pin(inner), _open: self.streams.open(id) }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        // A panic elsewhere leaves the table as it was.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session silent for longest, taken off the table, when there is no seat left.
    fn make_room(&self) -> Option<SessionId> {
        let mut used = self.used();
        if used.last.len() < self.most {
            return None;
        }
        let (oldest, _) = used.last.iter().min_by_key(|(_, last)| **last)?;
        let oldest = oldest.clone();
        used.last.remove(&oldest);
        Some(oldest)
    }
}

impl Used {
    fn sit(&mut self, id: &SessionId) {
        self.now += 1;
        self.last.insert(id.clone(), self.now);
    }

    fn touch(&mut self, id: &SessionId) {
        self.now += 1;
        let now = self.now;
        if let Some(last) = self.last.get_mut(id) {
            *last = now;
        }
    }
}

impl SessionManager for Seats {
    type Error = <LocalSessionManager as SessionManager>::Error;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        while let Some(oldest) = self.make_room() {
            self.inner.close_session(&oldest).await?;
        }
        let (id, transport) = self.inner.create_session().await?;
        self.used().sit(&id);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.used().touch(id);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.used().last.remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.listened(id, self.inner.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.listened(id, self.inner.resume(id, last_event_id).await?))
    }
}

#[cfg(test)]
#[path = "mcp_sessions_tests.rs"]
mod tests;
