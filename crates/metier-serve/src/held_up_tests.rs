//! A runtime whose only thread for what waits is taken: what goes on there is done on the thread that
//! serves, which it should not hold up.

use std::sync::mpsc::{Sender, channel};

/// Runs `work`, which lets the thread go by dropping what it is given.
pub(crate) fn held_up(work: impl AsyncFnOnce(Sender<()>)) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (free, taken) = channel();
        tokio::task::spawn_blocking(move || taken.recv());
        work(free).await;
    });
}
