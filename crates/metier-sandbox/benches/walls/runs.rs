//! Many runs at once: nothing may be left. Each run leaves a background process behind.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use metier_sandbox::{BackendKind, Cancel, Invocation};

use crate::world::{World, exercised, runner, with_word};

/// How many at once.
const THREADS: usize = 64;

/// The best backend gets all of the runs, the others one in so many.
const FEWER: usize = 10;

pub(crate) fn table(count: usize) {
    println!("\nmany runs, {THREADS} at once, each leaving a process behind");
    let world = World::new(None);
    let confinement = world.confinement();
    let before = descriptors();
    for (place, kind) in exercised(&BackendKind::ALL).into_iter().enumerate() {
        let count = if place == 0 { count } else { count / FEWER };
        let runner = runner().with_backend(kind);
        let token = format!("{}", 1_000_000 + std::process::id());
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    while next.fetch_add(1, Ordering::Relaxed) < count {
                        let script = format!("setsid sleep {token} & echo ok");
                        let invocation = Invocation::new("/bin/sh").arg("-c").arg(script);
                        let outcome = runner.run(&invocation, &confinement, &Cancel::never());
                        if !outcome.is_ok_and(|outcome| outcome.stdout.bytes == b"ok\n") {
                            failed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{:<18} {count} runs, {THREADS} at once: {seconds:.1} s, {:.0} a second; failed {}, \
             orphans {}, zombies {}, descriptors {:+}, directories {}",
            kind.name(),
            count as f64 / seconds,
            failed.into_inner(),
            with_word(&token).len(),
            children(),
            descriptors() as i64 - before as i64,
            world.left_behind().len(),
        );
    }
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Children of this process that are still there, waited for or not.
fn children() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.map(|list| list.split_whitespace().count()).sum()
}
