//! MCP over standard input and output: one client, one session, until the client closes its end.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, ReadBuf,
};
use tokio::sync::Mutex;

use super::incoming::{self, Refusal, Scan};
use super::sdk::{
    ClientJsonRpcMessage, JsonRpcMessage, RoleServer, RxJsonRpcMessage, ServerInitializeError,
    Transport, TxJsonRpcMessage, serve_server, stdio_pipes,
};
use super::{Guest, Service};
use crate::http::Stop;
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

/// Serves one client on standard input and output until it is gone, or until somebody stops it: then
/// nothing more is read, and everything else goes as if the client had closed its end. Scripts are
/// ended at once, for whoever asked for a stop soon asks no more.
pub fn serve_stdio(service: &Arc<Service>, guest: Guest, stop: &Stop) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    let served = runtime.block_on(async {
        let (read, write) = stdio_pipes();
        serve_until(stop, service, guest, (read, write)).await
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
    serve_until(&Stop::default(), service, guest, (read, write)).await
}

async fn serve_until(
    stop: &Stop,
    service: &Arc<Service>,
    guest: Guest,
    (read, write): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
) -> Result<(), ServeError> {
    let server = Arc::new(service.server(guest));
    let kept = Arc::clone(&server);
    let lines = Lines::new(Until::new(read, stop.clone()), write);
    let served = match serve_server(server, lines).await {
        Ok(running) => {
            service.watch();
            let mut waiting = std::pin::pin!(running.waiting());
            let ended = tokio::select! {
                ended = waiting.as_mut() => ended,
                () = stop.stopping() => {
                    kept.own_runs.end();
                    waiting.await
                }
            };
            ended.map(drop).map_err(ServeError::Stopped)
        }
        // A client that only opens and closes asked for nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Handshake(Box::new(error))),
    };
    let _ = tokio::task::spawn_blocking(move || kept.close()).await;
    served
}

/// What a client writes, which ends when somebody stops the server.
struct Until<R> {
    inner: R,
    /// None when it is over.
    stopping: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<R> Until<R> {
    fn new(inner: R, stop: Stop) -> Self {
        Self { inner, stopping: Some(Box::pin(async move { stop.stopping().await })) }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Until<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Some(stopping) = &mut self.stopping else { return Poll::Ready(Ok(())) };
        if stopping.as_mut().poll(context).is_ready() {
            self.stopping = None;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

/// One client: a line is a message, both ways. What cannot be read as one is answered here, so that
/// nobody waits for ever. What comes before the first request and is none says nothing; it is no
/// reason to hang up.
///
/// Receiving may be given up and begun anew at any time: all that was read is in here.
struct Lines<R, W> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Looks at the rest of a line that is too long.
    skipping: Option<Scan>,
    /// A refusal on its way.
    saying: Option<Saying>,
    begun: bool,
    writer: Arc<Mutex<Option<Writer<W>>>>,
}

type Saying = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Where answers go, with what has not gone yet: who gives up in the middle of a line leaves its rest
/// to the next.
struct Writer<W> {
    inner: W,
    rest: Vec<u8>,
}

impl<W: AsyncWrite + Unpin> Writer<W> {
    async fn write(&mut self, line: &[u8]) -> io::Result<()> {
        self.rest.extend_from_slice(line);
        self.rest.push(b'\n');
        while !self.rest.is_empty() {
            let written = self.inner.write(&self.rest).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.rest.drain(..written);
        }
        self.inner.flush().await
    }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    fn new(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skipping: None,
            saying: None,
            begun: false,
            writer: Arc::new(Mutex::new(Some(Writer { inner: writer, rest: Vec::new() }))),
        }
    }

    fn write(&self, line: Vec<u8>) -> impl Future<Output = io::Result<()>> + Send + use<R, W> {
        let writer = Arc::clone(&self.writer);
        async move {
            match writer.lock().await.as_mut() {
                Some(writer) => writer.write(&line).await,
                None => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    /// The next line as a message, or why it is none; nothing when the client is gone.
    async fn next(&mut self) -> Option<Result<Option<ClientJsonRpcMessage>, Refusal>> {
        loop {
            // What cannot be read any more is over.
            let bytes = self.reader.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let (taken, rest) = (end.map_or(bytes.len(), |end| end + 1), end.is_none());
            let part = bytes.get(..taken).unwrap_or_default();
            match &mut self.skipping {
                Some(scan) => scan.read(part),
                None => self.line.extend_from_slice(part),
            }
            self.reader.consume(taken);
            if self.skipping.is_none() && self.line.len() > MAX_MESSAGE_BYTES {
                let scan = self.skipping.insert(Scan::default());
                scan.read(&std::mem::take(&mut self.line));
            }
            match (rest, self.skipping.take()) {
                (true, skipping) => self.skipping = skipping,
                (false, Some(scan)) => return Some(Err(Refusal::too_long(scan.id()))),
                (false, None) => return Some(incoming::read(&std::mem::take(&mut self.line))),
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_vec(&item);
        let write = |line| self.write(line);
        let written = line.map(write).map_err(io::Error::from);
        async move { written?.await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(saying) = &mut self.saying {
                let said = saying.await;
                self.saying = None;
                said.ok()?;
            }
            match self.next().await? {
                Ok(None) => {}
                Ok(Some(message)) => {
                    self.begun |= matches!(message, JsonRpcMessage::Request(_));
                    if self.begun {
                        return Some(message);
                    }
                }
                Err(refusal) => {
                    let line = refusal.to_json().to_string().into_bytes();
                    self.saying = Some(Box::pin(self.write(line)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.take();
        Ok(())
    }
}

#[cfg(test)]
#[path = "stdio_tests.rs"]
mod tests;
