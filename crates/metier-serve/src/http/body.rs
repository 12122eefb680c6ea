//! What a request brings, read whole before anybody looks at it: no more bytes than a message may
//! have, in no more time than a client may take, and all clients together in no more memory than
//! there is for that. Whoever finds it full waits, which slows clients down instead of the machine.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::header;
use http_body::{Frame, SizeHint};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::problem::Problem;
use crate::limits::{BODY_TIME, MAX_BUFFERED_BYTES, MAX_MESSAGE_BYTES};

/// The memory there is for bodies, in pieces of [`PIECE`] bytes.
pub(super) struct Room(Arc<Semaphore>);

const PIECE: usize = 1024;

impl Room {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_BUFFERED_BYTES / PIECE)))
    }

    /// The request with its body in memory.
    pub(super) async fn take(&self, request: Request) -> Result<Request, Problem> {
        let (parts, body) = request.into_parts();
        if body.is_end_stream() {
            return Ok(Request::from_parts(parts, Body::empty()));
        }
        let told = parts.headers.get(header::CONTENT_LENGTH);
        let told = told.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
        if told.is_some_and(|length| length > MAX_MESSAGE_BYTES) {
            return Err(Problem::too_large(MAX_MESSAGE_BYTES));
        }
        let pieces = told.unwrap_or(MAX_MESSAGE_BYTES).div_ceil(PIECE);
        let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
        let room = timeout(BODY_TIME, Arc::clone(&self.0).acquire_many_owned(pieces)).await;
        let Ok(Ok(held)) = room else { return Err(Problem::busy()) };
        let read = timeout(BODY_TIME, to_bytes(body, MAX_MESSAGE_BYTES)).await;
        let bytes = match read {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(error)) => return Err(unread(&error)),
            Err(_) => return Err(Problem::too_slow()),
        };
        Ok(Request::from_parts(parts, Body::new(Held::new(Body::from(bytes), held))))
    }
}

fn unread(error: &axum::Error) -> Problem {
    // The one error that is the limit's says so in its text, and nowhere else.
    match error.to_string().contains("length limit") {
        true => Problem::too_large(MAX_MESSAGE_BYTES),
        false => Problem::bad_request("the body ended before its end"),
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
