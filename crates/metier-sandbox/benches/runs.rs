//! Many runs at once: nothing may be left. Each run leaves a background process behind.
//! `cargo bench -p metier-sandbox --bench runs -- [COUNT] [THREADS] [BACKEND…]`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark looks at its own process, prints, and stops when something fails"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use metier_sandbox::{BackendKind, Cancel, Confinement, Invocation, Level, Runner, Scratch};

fn main() {
    let mut numbers = std::env::args().filter_map(|arg| arg.parse::<usize>().ok());
    let count = numbers.next().unwrap_or(500);
    let threads = numbers.next().unwrap_or(64);
    let directory = tempfile::tempdir().unwrap();
    let scratch = Scratch { base: directory.path().to_owned(), ..Scratch::default() };
    let confinement =
        Confinement { level: Level::Prefer, scratch: Some(scratch), ..Confinement::default() };
    let runner = Runner::new().with_helper(env!("CARGO_BIN_EXE_metier-sandbox-probe"));
    println!("system: {:?}", runner.support());
    let before = descriptors();
    let named = |kind: &BackendKind| std::env::args().any(|arg| arg == kind.name());
    let some = BackendKind::ALL.iter().any(named);
    for kind in BackendKind::ALL.into_iter().filter(|kind| !some || named(kind)) {
        let runner = runner.clone().with_backend(kind);
        let token = format!("{}", 1_000_000 + std::process::id());
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
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
            "{:<18} {count} runs, {threads} at once: {seconds:.1} s, {:.0} a second; failed {}, \
             orphans {}, zombies {}, descriptors {:+}, directories {}",
            kind.name(),
            count as f64 / seconds,
            failed.into_inner(),
            orphans(&token),
            children(),
            descriptors() as i64 - before as i64,
            std::fs::read_dir(directory.path()).unwrap().count(),
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

fn orphans(token: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|word| word == token.as_bytes())).count()
}
