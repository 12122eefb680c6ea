//! How runs end: in time, and with everything they started.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::{finished, run, world};
use crate::METIER;

#[test]
fn a_timeout_ends_the_whole_tree() {
    // R4
    let daemon = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        \
        time.sleep(1000 + int(sys.argv[1]))\n    os._exit(0)\ntime.sleep(1000)\n";
    let world = world(&[("daemon.py", daemon)]);
    let mark = unique_mark();
    let answer =
        run(&world, "daemon", &["--timeout", "0.5", "--json", "--text", "--", &mark]).json();
    assert_eq!(answer["error"], "timeout");
    assert_eq!(answer["message"], "Script timed out after 0.5s");
    assert_eq!(processes_with(&mark), 0);
    assert_eq!(finished(&world)["status"], "stopped after the time limit");
}

#[test]
fn nothing_outlives_metier_however_it_ends() {
    // R4
    let sleeper = "import os, sys, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(1000)\n\
        print('up', flush=True)\ntime.sleep(1000)\n";
    let world = world(&[("sleep.py", sleeper)]);
    let root = format!("--root=personal={}", world.path().join("roots/personal").display());
    for signal in ["-KILL", "-INT"] {
        let mark = unique_mark();
        let mut metier = world
            .command(METIER)
            .args(["run", "tool", "sleep", "--no-default-roots", &root, "--", &mark])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("the script and its child run", || processes_with(&mark) >= 3);
        let id = metier.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        let ended = metier.wait().unwrap();
        wait_until("everything is gone", || processes_with(&mark) == 0);
        if signal == "-INT" {
            assert_eq!(ended.code(), Some(130));
            assert_eq!(finished(&world)["error"], "cancelled");
        }
    }
}

/// A word no other process has among its arguments.
fn unique_mark() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{}{:03}", std::process::id(), count)
}

/// How many processes have `mark` as an argument.
fn processes_with(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
        })
        .count()
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
