//! What the walls cost: a plain spawn and a run through each backend, in turn, in one process.
//! `cargo bench -p metier-sandbox --bench spawn -- [ROUNDS]`

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a benchmark starts plain programs to compare with, prints, and stops when that fails"
)]

use std::process::Command;
use std::time::{Duration, Instant};

use metier_sandbox::{BackendKind, Cancel, Confinement, Invocation, Level, Runner, Scratch};

const PROGRAM: &str = "/bin/true";

fn main() {
    let rounds = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(200);
    let runner = Runner::new().with_helper(env!("CARGO_BIN_EXE_metier-sandbox-probe"));
    println!("system: {:?}", runner.support());
    let directory = tempfile::tempdir().unwrap();
    let scratch = Scratch { base: directory.path().to_owned(), ..Scratch::default() };
    let confinement =
        Confinement { level: Level::Prefer, scratch: Some(scratch), ..Confinement::default() };
    let mut plain = Vec::new();
    let mut walled: Vec<(BackendKind, Vec<Duration>)> =
        BackendKind::ALL.iter().map(|kind| (*kind, Vec::new())).collect();
    for _ in 0..rounds {
        plain.push(timed(|| drop(Command::new(PROGRAM).output().unwrap())));
        for (kind, times) in &mut walled {
            let runner = runner.clone().with_backend(*kind);
            times.push(timed(|| {
                let invocation = Invocation::new(PROGRAM);
                let outcome = runner.run(&invocation, &confinement, &Cancel::never());
                assert!(outcome.expect("it runs").status.is_success());
            }));
        }
    }
    let base = median(&mut plain);
    println!("{:<18} median {:>7.2} ms  p95 {:>7.2} ms", "plain spawn", ms(base), ms(p95(&plain)));
    for (kind, mut times) in walled {
        let middle = median(&mut times);
        println!(
            "{:<18} median {:>7.2} ms  p95 {:>7.2} ms  over plain {:>+6.2} ms",
            kind.name(),
            ms(middle),
            ms(p95(&times)),
            ms(middle) - ms(base)
        );
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn p95(sorted: &[Duration]) -> Duration {
    sorted.get(sorted.len() * 95 / 100).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
