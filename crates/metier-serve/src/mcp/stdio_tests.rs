use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{ServeError, serve_stdio, serve_streams};
use crate::Dialect;
use crate::http::Stop;
use crate::mcp::{Guest, Service};
use crate::starved::starved;
use crate::unopened::Unopened;

const HELLO: &[u8] = br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// A client that says these bytes, and then this happens.
struct Says(&'static [u8], fn() -> Poll<std::io::Result<()>>);

impl AsyncRead for Says {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.0.is_empty() {
            return self.1();
        }
        let (now, later) = self.0.split_at(self.0.len().min(buffer.remaining()));
        buffer.put_slice(now);
        self.0 = later;
        Poll::Ready(Ok(()))
    }
}

/// A client that takes what it is told, or does not.
struct Hears(bool);

impl AsyncWrite for Hears {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        match self.0 {
            true => Poll::Ready(Ok(bytes.len())),
            false => Poll::Ready(Err(std::io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn service() -> Arc<Service> {
    Service::new(Unopened::empty(), Dialect::Plain)
}

fn served(says: Says, hears: Hears) -> Result<(), ServeError> {
    let service = service();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(serve_streams(&service, Guest::default(), says, hears))
}

#[test]
fn each_end_of_serving_says_what_happened() {
    // U2
    let ends: fn() -> Poll<std::io::Result<()>> = || Poll::Ready(Ok(()));
    assert!(
        served(Says(b"", ends), Hears(true)).is_ok(),
        "who only opens and closes asked nothing"
    );
    assert!(
        served(Says(b"{}\nno message\n", ends), Hears(true)).is_ok(),
        "nor did who says nothing"
    );
    assert!(served(Says(HELLO, ends), Hears(true)).is_ok(), "a client leaves when it likes");
    let deaf = served(Says(HELLO, ends), Hears(false)).unwrap_err();
    assert!(matches!(deaf, ServeError::Handshake(_)), "{deaf:?}");
    let broken = served(Says(HELLO, || panic!("as bugs do")), Hears(true)).unwrap_err();
    assert!(matches!(broken, ServeError::Stopped(_)), "{broken:?}");
}

#[test]
fn where_the_system_gives_nothing_to_wait_with_nothing_is_served() {
    // U2
    let test = "mcp::stdio::tests::where_the_system_gives_nothing_to_wait_with_nothing_is_served";
    starved(test, service, |service| {
        let error = serve_stdio(&service, Guest::default(), &Stop::default()).unwrap_err();
        assert!(matches!(error, ServeError::Runtime(_)), "{error:?}");
    });
}
