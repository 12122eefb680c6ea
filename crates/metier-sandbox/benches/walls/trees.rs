//! How soon a tree is gone: after the caller cancels, and after the caller itself is killed.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use metier_sandbox::{BackendKind, Cancel, Confinement, Invocation, Limits};
use serde_json::json;

use crate::world::{Probe, World, compiled, eventually, exercised, runner, with_word};

/// Ways to leave a parent, and what a reader calls them.
const CLASSES: [(&str, &str); 9] = [
    ("child", "plain child, deaf to signals"),
    ("double", "double fork"),
    ("setsid", "new session"),
    ("setsid-double", "new session, double fork"),
    ("daemon", "daemonised"),
    ("stopped", "stopped by SIGSTOP"),
    ("subreaper", "adopts its own orphans"),
    ("namespace", "tries namespaces of its own"),
    ("many", "thousands of children"),
];

struct Killed {
    processes: usize,
    left: usize,
    after: Duration,
}

pub(crate) fn table() {
    println!("\nend of a tree: processes, how many are left, milliseconds");
    println!("{:<18} {:<30} {:>24} {:>24}", "backend", "class", "cancelled", "caller killed");
    for backend in exercised(&BackendKind::ALL) {
        for (way, class) in CLASSES {
            let (by_cancel, by_kill) = (cancelled(backend, way), caller_killed(backend, way));
            let (a, b) = (shown(&by_cancel), shown(&by_kill));
            println!("{:<18} {class:<30} {a:>24} {b:>24}", backend.name());
        }
    }
}

fn shown(killed: &Killed) -> String {
    format!("{} {} {:>7.1}", killed.processes, killed.left, killed.after.as_secs_f64() * 1000.0)
}

fn limits() -> Limits {
    Limits { processes: 3000, ..Limits::default() }
}

/// Waits for the tree to be complete: the program says so by making a file.
fn ready(world: &World, token: &str) -> usize {
    assert!(eventually(|| world.at("marks").join(token).exists()), "the tree does not come up");
    with_word(token).len()
}

fn cancelled(backend: BackendKind, way: &str) -> Killed {
    let world = World::new(None);
    let write = vec![world.make_directory("marks")];
    let mark = world.at("marks").join("token-bench");
    let confinement = Confinement { limits: limits(), write, ..world.confinement() };
    let invocation = Invocation::new(compiled("tree")).arg(way).arg("stay");
    let invocation = invocation.arg("token-bench").arg(mark.as_os_str());
    let cancel = Cancel::new().unwrap();
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        let (switch, world) = (cancel.clone(), &world);
        scope.spawn(move || {
            let processes = ready(world, "token-bench");
            let start = Instant::now();
            switch.cancel();
            send.send((processes, start)).unwrap();
        });
        runner().with_backend(backend).run(&invocation, &confinement, &cancel).unwrap();
    });
    let end = Instant::now();
    let (processes, start) = receive.recv().unwrap();
    Killed { processes, left: with_word("token-bench").len(), after: end - start }
}

fn caller_killed(backend: BackendKind, way: &str) -> Killed {
    let world = World::new(None);
    let marks = world.make_directory("marks");
    let program = world.install(&compiled("tree"), "tree");
    let mut probe = Probe::start(&world);
    probe.ask(&json!({
        "program": program, "args": [way, "stay", "token-bench", marks.join("token-bench")],
        "read": [world.path()], "write": [marks], "level": "prefer", "backend": backend,
        "limits": limits(), "scratch": world.scratch(),
    }));
    let processes = ready(&world, "token-bench");
    let start = Instant::now();
    probe.child.kill().unwrap();
    eventually(|| with_word("token-bench").is_empty());
    let after = start.elapsed();
    Killed { processes, left: with_word("token-bench").len(), after }
}
