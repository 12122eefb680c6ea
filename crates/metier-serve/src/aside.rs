//! Work that may wait for a disk or a lock, where it holds up nobody: on a thread of its own.

/// The work broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is a bug in metier")]
pub(crate) struct Broke;

/// Does `work` aside and waits for it. Whoever stops waiting does not stop the work.
pub(crate) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Broke> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Broke)
}

#[cfg(test)]
#[path = "aside_tests.rs"]
mod tests;
