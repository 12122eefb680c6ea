//! The half of a connection that is read, with somebody who reads along.

use std::io::Result;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

use super::framing::Framing;

/// The half that is read.
pub(super) struct Seen<R> {
    inner: R,
    framing: Framing,
}

impl<R> Seen<R> {
    pub(super) fn new(inner: R, framing: Framing) -> Self {
        Self { inner, framing }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Seen<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(context, buffer);
        self.framing.see(buffer.filled().get(before..).unwrap_or_default());
        polled
    }
}
