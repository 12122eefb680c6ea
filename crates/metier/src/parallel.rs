//! The same work for many things, spread over threads, the results in the order of the things.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Things a thread takes at a time: enough that taking costs nothing, few enough that the threads
/// finish together.
const PIECE: usize = 32;

/// `work` done for each of `things`, by `threads` threads, or as many as the machine has when that
/// is 0. A panic of `work` is a panic here.
pub(crate) fn map<T: Sync, R: Send>(
    things: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let machine = || thread::available_parallelism().map_or(1, NonZero::get);
    let threads = if threads == 0 { machine() } else { threads };
    let threads = threads.min(things.len().div_ceil(PIECE));
    if threads <= 1 {
        return things.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let Some(things) = things.chunks(PIECE).nth(piece) else { return done };
            done.push((piece, things.iter().map(&work).collect::<Vec<R>>()));
        }
    };
    let mut pieces = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        let mut pieces = take();
        for other in others {
            match other.join() {
                Ok(done) => pieces.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        pieces
    });
    pieces.sort_unstable_by_key(|(piece, _)| *piece);
    pieces.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
#[path = "parallel_tests.rs"]
mod tests;
