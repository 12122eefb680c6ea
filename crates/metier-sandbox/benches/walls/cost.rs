//! What the walls cost: a plain spawn and a run through each backend, in turn, in one process.

use std::process::Command;
use std::time::{Duration, Instant};

use metier_sandbox::{BackendKind, Cancel, Invocation};

use crate::world::{World, exercised, runner};

const PROGRAM: &str = "/bin/true";

/// How often each is started.
const ROUNDS: usize = 200;

pub(crate) fn table() {
    println!(
        "\ncost of the walls, {ROUNDS} rounds of `{PROGRAM}`, goal at most 5 ms over a plain spawn"
    );
    let world = World::new(None);
    let (runner, confinement) = (runner(), world.confinement());
    let mut plain = Vec::new();
    let mut walled: Vec<(BackendKind, Vec<Duration>)> =
        exercised(&BackendKind::ALL).into_iter().map(|kind| (kind, Vec::new())).collect();
    for _ in 0..ROUNDS {
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
