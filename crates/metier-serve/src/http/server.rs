//! Accepting, answering and stopping. Connections are few enough to be counted, give their request in
//! a bounded time, and are told when the server stops: nobody is let in any more, everybody inside is
//! answered, and what was begun is recorded before the process ends.

use std::net::{SocketAddr, TcpListener as Listener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::HttpSetup;
use super::crowd::{Crowd, Seat};
use super::framing::Framing;
use super::neighbour::is_strangers;
use super::presence::gone;
use super::routes::{Api, routes};
use super::seen::Seen;
use super::timed::Timed;
use crate::aside::aside;
use crate::desk::Host;
use crate::limits::{
    LAST_GRACE, MAX_HEADER_BYTES, MAX_HEADERS, MAX_THREADS, STOP_GRACE, WRITE_TIME,
};

/// How long accepting waits when the system has no more sockets.
const PAUSE: Duration = Duration::from_millis(50);

/// Why nothing could be served.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The system gave no thread or no way to wait.
    #[error("cannot serve")]
    Runtime(#[source] std::io::Error),
    /// The socket cannot be used.
    #[error("cannot listen")]
    Listen(#[source] std::io::Error),
}

/// The switch that stops a server. Clones are the same switch.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Stops: nobody is let in, everybody inside is answered.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.0.borrow()
    }

    pub(crate) async fn stopping(&self) {
        // The sender is ours, so the wait ends in one way only.
        let _ = self.0.subscribe().wait_for(|stopping| *stopping).await;
    }
}

/// Serves what comes to `listener` until somebody stops it. When this returns, everything that was
/// begun has been recorded.
pub fn serve(
    listener: Listener,
    host: Arc<dyn Host>,
    setup: HttpSetup,
    stop: &Stop,
) -> Result<(), HttpError> {
    listener.set_nonblocking(true).map_err(HttpError::Listen)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_THREADS)
        .build()
        .map_err(HttpError::Runtime)?;
    let api = Arc::new(Api::new(host, setup, stop.clone()));
    // Dropping the runtime waits for every act that has begun.
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener).map_err(HttpError::Listen)?;
        accept(listener, &api).await;
        Ok(())
    })
}

async fn accept(listener: TcpListener, api: &Arc<Api>) {
    let stop = &api.stop;
    let (routes, mcp) = routes(api);
    let crowd = Crowd::new(!api.setup.gate.badges.is_empty());
    let mut open = JoinSet::new();
    while !stop.is_stopping() {
        let accepted = tokio::select! {
            () = stop.stopping() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, client)) = accepted else {
            sleep(PAUSE).await;
            continue;
        };
        // Those who come while somebody waits for a seat wait outside, in the system's queue.
        let seat = tokio::select! {
            () = stop.stopping() => break,
            seat = crowd.sit() => Arc::new(seat),
        };
        let (routes, api) = (routes.clone(), Arc::clone(api));
        open.spawn(async move {
            tokio::select! {
                () = served((stream, client), routes, &api, &seat) => {}
                () = seat.wanted() => {}
            }
        });
        while open.try_join_next().is_some() {}
    }
    drop(listener);
    // First everybody who waits for an answer, then those who would listen for ever.
    let answered = timeout(STOP_GRACE, api.busy.idle()).await;
    if answered.is_err() {
        api.service.runs().end();
        let _ = timeout(LAST_GRACE, api.busy.idle()).await;
    }
    mcp.end();
    let gone = async { while open.join_next().await.is_some() {} };
    let _ = timeout(LAST_GRACE, gone).await;
}

/// Serves a connection, unless whoever it is has no business here, and is told nothing.
async fn served(
    (stream, client): (TcpStream, SocketAddr),
    routes: Router,
    api: &Api,
    seat: &Arc<Seat>,
) {
    if api.setup.gate.asks_for_tokens() || !is_a_strangers(&stream, client).await {
        connection(stream, routes, api, seat).await;
    }
}

/// Whether a connection certainly belongs to another user of this machine. With many sockets the list
/// that says so is long, and everybody else is served while it is read.
async fn is_a_strangers(stream: &TcpStream, client: SocketAddr) -> bool {
    let Ok(server) = stream.local_addr() else { return false };
    // Where looking breaks off, nobody knows whose it is.
    aside(move || is_strangers(client, server)).await.unwrap_or(true)
}

async fn connection(stream: TcpStream, routes: Router, api: &Api, seat: &Arc<Seat>) {
    let _open = api.numbers.connection();
    // Without it small answers wait for an acknowledgement; with it failing they only come later.
    let _ = stream.set_nodelay(true);
    // A socket that cannot be watched is one that is broken.
    let Ok((stream, watched)) = doubled(stream) else { return };
    let framing = Framing::default();
    let doubt = framing.doubt();
    let (read, write) = stream.into_split();
    let io = tokio::io::join(Seen::new(read, framing), Timed::new(write, WRITE_TIME));
    let routes = TowerToHyperService::new(routes);
    let seat = Arc::clone(seat);
    let service = service_fn(move |mut request: hyper::Request<_>| {
        request.extensions_mut().insert(doubt.clone());
        request.extensions_mut().insert(Arc::clone(&seat));
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(api.setup.header_time)
        .max_header_size(MAX_HEADER_BYTES)
        .max_headers(MAX_HEADERS)
        // Who has asked everything may say so and wait for the answer; `gone` tells them apart.
        .half_close(true)
        .serve_connection(TokioIo::new(io), service);
    let gone = gone(watched);
    tokio::pin!(connection, gone);
    tokio::select! {
        // A client that breaks its connection is told nothing.
        _ = connection.as_mut() => return,
        () = gone.as_mut() => return,
        () = api.stop.stopping() => connection.as_mut().graceful_shutdown(),
    }
    tokio::select! {
        _ = connection => {}
        () = gone => {}
    }
}

/// The same socket twice, each with a way of its own to wait for it.
fn doubled(stream: TcpStream) -> std::io::Result<(TcpStream, TcpStream)> {
    let stream = stream.into_std()?;
    let other = stream.try_clone()?;
    Ok((TcpStream::from_std(stream)?, TcpStream::from_std(other)?))
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
