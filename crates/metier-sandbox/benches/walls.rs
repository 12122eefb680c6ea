//! Everything that has to be shown of the walls, as tables, in one output: what gets out, what is
//! left of a tree and how soon, what a flood costs, what the walls cost, and whether many runs at
//! once leave anything.
//! `cargo bench -p metier-sandbox -- [escapes] [trees] [flood] [cost] [runs] [COUNT]`
//!
//! Without a name all of them; COUNT is how many runs the last table makes of the best backend.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark starts programs, looks at the machine's processes, prints, and stops when \
              something fails"
)]

#[path = "walls/cost.rs"]
mod cost;
#[path = "walls/runs.rs"]
mod runs;
#[path = "../tests/it/suite.rs"]
#[expect(dead_code, reason = "what the tests look at besides")]
mod suite;
#[path = "walls/trees.rs"]
mod trees;
#[path = "../tests/it/world.rs"]
mod world;

use serde_json::json;

use metier_sandbox::{BackendKind, Limits};
use world::{Probe, WALLS, World, compiled, exercised, runner, users};

/// How much the flood writes, in MiB.
const FLOOD: u64 = 10 << 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let count = words.iter().find_map(|word| word.parse().ok());
    let named: Vec<_> = words.iter().filter(|word| word.parse::<usize>().is_err()).collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|word| *word == name);
    println!("system: {}", serde_json::to_string(&runner().support()).unwrap());
    if wanted("escapes") {
        escapes();
    }
    if wanted("trees") {
        trees::table();
    }
    if wanted("flood") {
        flood();
    }
    if wanted("cost") {
        cost::table();
    }
    if wanted("runs") {
        runs::table(count.unwrap_or(10_000));
    }
}

fn escapes() {
    for user in users() {
        for backend in exercised(&WALLS) {
            let who = user.map_or("the current user".to_owned(), |user| format!("user {user}"));
            let (answer, attempts) = suite::Outside::new(user).attempts("walls", backend);
            let title = format!("attempts to get out: {} as {who}", backend.name());
            println!("\n{}{}", suite::table(&title, &attempts), answer["enforced"]);
            let blocked = attempts.iter().filter(|a| a.result == "blocked").count();
            println!("all: {} attempts, {blocked} blocked", attempts.len());
        }
    }
}

fn flood() {
    println!("\nflood of {} GiB on standard output", FLOOD >> 10);
    println!(
        "{:<18} {:>14} {:>9} {:>13} {:>8}",
        "backend", "bytes", "kept", "runner peak", "seconds"
    );
    for backend in exercised(&BackendKind::ALL) {
        let world = World::new(None);
        let program = world.install(&compiled("bombs"), "bombs");
        let mut probe = Probe::start(&world);
        let limits = Limits { wall_ms: 600_000, ..Limits::default() };
        let answer = probe.run(&json!({
            "program": program, "args": ["flood", FLOOD.to_string()], "read": [world.path()],
            "level": "prefer", "backend": backend, "limits": limits, "scratch": world.scratch(),
        }));
        println!(
            "{:<18} {:>14} {:>9} {:>9} KiB {:>8.1}",
            backend.name(),
            answer["stdout_total"].to_string(),
            answer["stdout"].as_str().unwrap().len(),
            probe.peak() / 1024,
            answer["duration_ms"].as_f64().unwrap() / 1000.0,
        );
    }
}
