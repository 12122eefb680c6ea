//! What a request brings, read whole before anybody looks at it: no more bytes than a message may
//! have, in no more time than a client may take, and all clients together in no more memory than
//! there is for that. Whoever finds it full waits, which slows clients down instead of the machine.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use http_body::{Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use super::problem::Problem;
use crate::limits::{BODY_TIME, CALL_PATIENCE, LARGE_MESSAGE, MAX_MESSAGE_BYTES};
use crate::shares::{Shares, Taken};
use crate::who::Who;

/// The memory there is for bodies that are large, those that come or those that go, in pieces of
/// [`PIECE`] bytes. What is small needs none of it: no more of that comes at once than there are
/// connections.
pub(super) struct Room(Shares);

const PIECE: usize = 1024;

impl Room {
    /// Room for as many `bytes`; `apart` says whether there are clients that are known apart.
    pub(super) fn new(bytes: usize, apart: bool) -> Self {
        Self(Shares::new(bytes / PIECE, apart))
    }

    /// These bytes, which have room for as long as they are in memory: until whoever they are sent to
    /// has taken them. What is larger than a client's share has all of that.
    pub(super) async fn keep(&self, who: &Who, bytes: Vec<u8>) -> Result<Bytes, Problem> {
        let end = Instant::now() + CALL_PATIENCE;
        let taken = self.0.take(&who.known, bytes.len().div_ceil(PIECE), end).await?;
        Ok(Bytes::from_owner(Kept { bytes, _taken: taken }))
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
        let (bytes, taken) = self.read(who, body, told.unwrap_or(MAX_MESSAGE_BYTES)).await?;
        Ok(Request::from_parts(parts, Body::new(Held::new(Body::from(bytes), taken))))
    }

    /// The bytes of a body that has `told` of them at most. Its room is taken once, for all that may
    /// come: who had a part of it and waited for the rest could wait for another who does the same. It
    /// is taken when more has come than what is small: to say that much will come gets nothing.
    async fn read(
        &self,
        who: &Who,
        mut body: Body,
        told: usize,
    ) -> Result<(Vec<u8>, Option<Taken>), Problem> {
        let end = Instant::now() + BODY_TIME;
        let (mut bytes, mut taken) = (Vec::new(), None::<Taken>);
        loop {
            let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
            let frame = match timeout_at(end, frame).await {
                Ok(None) => break,
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) => return Err(Problem::bad_request(UNFINISHED)),
                Err(_) => return Err(Problem::too_slow()),
            };
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > MAX_MESSAGE_BYTES {
                return Err(Problem::too_large(MAX_MESSAGE_BYTES));
            }
            if taken.is_none() && bytes.len() + data.len() > LARGE_MESSAGE {
                taken = Some(self.0.take(&who.known, told.div_ceil(PIECE), end).await?);
            }
            bytes.extend_from_slice(&data);
        }
        if let Some(taken) = &mut taken {
            taken.keep(bytes.len().div_ceil(PIECE));
        }
        Ok((bytes, taken))
    }
}

/// Bytes with the room they have.
struct Kept {
    bytes: Vec<u8>,
    _taken: Taken,
}

impl AsRef<[u8]> for Kept {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why a body is not taken that stops arriving.
const UNFINISHED: &str = "the body ended before its end";

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
