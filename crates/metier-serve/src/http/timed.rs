//! The half of a connection that is written, whose other end has to read what it asked for: a write
//! that waits too long ends it.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::time::{Sleep, sleep};

/// The half that is written.
pub(super) struct Timed<S> {
    inner: S,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    pub(super) fn new(inner: S, patience: Duration) -> Self {
        Self { inner, patience, waiting: None }
    }

    fn after<T>(&mut self, polled: Poll<Result<T>>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::from(ErrorKind::TimedOut))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.after(polled, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let polled = Pin::new(&mut self.inner).poll_write_vectored(context, parts);
        self.after(polled, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_flush(context);
        self.after(polled, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let polled = Pin::new(&mut self.inner).poll_shutdown(context);
        self.after(polled, context)
    }
}

#[cfg(test)]
#[path = "timed_tests.rs"]
mod tests;
