//! What a request brings, read whole before anybody looks at it: no more bytes than a message may
//! have, in no more time than a client may take, and all clients together in no more memory than
//! there is for that. Whoever finds it full waits, which slows clients down instead of the machine.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::problem::Problem;
use crate::limits::{BODY_TIME, CALL_PATIENCE, MAX_MESSAGE_BYTES};
use crate::who::Who;

/// The memory there is for bodies, those that come or those that go, in pieces of [`PIECE`] bytes. It
/// is taken as bytes arrive: to say that much will come costs nothing, so that it gets nothing.
pub(super) struct Room {
    all: Arc<Semaphore>,
    /// Pieces one client may have.
    share: usize,
    /// What one client may have of it. Only those of the settings are here.
    shares: Mutex<BTreeMap<Option<Arc<str>>, Arc<Semaphore>>>,
}

const PIECE: usize = 1024;

/// The part of the room that one client may have.
const SHARE: usize = 4;

/// Room that is taken: of all there is, and of a client's share.
#[derive(Default)]
struct Taken(Option<(OwnedSemaphorePermit, OwnedSemaphorePermit)>);

impl Room {
    /// Room for as many `bytes`.
    pub(super) fn new(bytes: usize) -> Self {
        let all = Arc::new(Semaphore::new(bytes / PIECE));
        Self { all, share: bytes / SHARE / PIECE, shares: Mutex::default() }
    }

    /// These bytes, which have room for as long as they are in memory: until whoever they are sent to
    /// has taken them. What is larger than a client's share has all of that.
    pub(super) async fn keep(&self, who: &Who, bytes: Vec<u8>) -> Result<Bytes, Problem> {
        let end = Instant::now() + CALL_PATIENCE;
        let pieces = bytes.len().div_ceil(PIECE).min(self.share);
        let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
        let taken = self.room_for(pieces, &self.share(who), end).await?;
        Ok(Bytes::from_owner(Kept { bytes, _taken: taken }))
    }

    async fn room_for(
        &self,
        pieces: u32,
        share: &Arc<Semaphore>,
        end: Instant,
    ) -> Result<(OwnedSemaphorePermit, OwnedSemaphorePermit), Problem> {
        let mine = timeout_at(end, Arc::clone(share).acquire_many_owned(pieces)).await;
        let Ok(Ok(mine)) = mine else { return Err(Problem::busy()) };
        let ours = timeout_at(end, Arc::clone(&self.all).acquire_many_owned(pieces)).await;
        let Ok(Ok(ours)) = ours else { return Err(Problem::busy()) };
        Ok((mine, ours))
    }

    /// The request with its body in memory.
    pub(super) async fn take(&self, who: &Who, request: Request) -> Result<Request, Problem> {
        let (parts, body) = request.into_parts();
        if body.is_end_stream() {
            return Ok(Request::from_parts(parts, Body::empty()));
        }
        let told = parts.headers.get(header::CONTENT_LENGTH);
        let told = told.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if told.is_some_and(|length| length > MAX_MESSAGE_BYTES) {
            return Err(Problem::too_large(MAX_MESSAGE_BYTES));
        }
        let (bytes, taken) = self.read(body, &self.share(who)).await?;
        Ok(Request::from_parts(parts, Body::new(Held::new(Body::from(bytes), taken))))
    }

    async fn read(
        &self,
        mut body: Body,
        share: &Arc<Semaphore>,
    ) -> Result<(Vec<u8>, Taken), Problem> {
        let end = Instant::now() + BODY_TIME;
        let (mut bytes, mut taken) = (Vec::new(), Taken::default());
        loop {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            let frame = match timeout_at(end, frame).await {
                Ok(None) => return Ok((bytes, taken)),
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(Problem::bad_request(UNFINISHED)),
                Err(_) => return Err(Problem::too_slow()),
            };
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > MAX_MESSAGE_BYTES {
                return Err(Problem::too_large(MAX_MESSAGE_BYTES));
            }
            let pieces = (bytes.len() + data.len()).div_ceil(PIECE) - bytes.len().div_ceil(PIECE);
            let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
            let (mine, ours) = self.room_for(pieces, share, end).await?;
            taken.add(mine, ours);
            bytes.extend_from_slice(&data);
        }
    }

    /// What the client may have of the room.
    fn share(&self, who: &Who) -> Arc<Semaphore> {
        let mut shares = self.shares.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Semaphore::new(self.share));
        Arc::clone(shares.entry(who.known.clone()).or_insert_with(new))
    }
}

/// Bytes with the room they have.
struct Kept {
    bytes: Vec<u8>,
    _taken: (OwnedSemaphorePermit, OwnedSemaphorePermit),
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why a body is not taken that stops arriving.
const UNFINISHED: &str = "the body ended before its end";

impl Taken {
    fn add(&mut self, mine: OwnedSemaphorePermit, ours: OwnedSemaphorePermit) {
        match &mut self.0 {
            Some((all_mine, all_ours)) => {
                all_mine.merge(mine);
                all_ours.merge(ours);
            }
            None => self.0 = Some((mine, ours)),
        }
    }
}

/// A body that holds something for as long as it is not read to its end.
pub(super) struct Held<T> {
    inner: Body,
    held: Option<T>,
}

impl<T> Held<T> {
    pub(super) fn new(inner: Body, held: T) -> Self {
        Self { inner, held: Some(held) }
    }
}

impl<T: Unpin> HttpBody for Held<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.held = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
