//! Nothing is left: whatever way a process leaves its parent, it ends when the run ends, is
//! cancelled, takes too long, or when the program that made the run is killed.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use metier_sandbox::{BackendKind, Cancel, Confinement, Invocation, Limits, Outcome, Status};
use serde_json::json;

use crate::world::{Probe, World, compiled, eventually, exercised, runner, users, with_word};

const WAYS: [&str; 8] =
    ["child", "setsid", "double", "setsid-double", "daemon", "stopped", "subreaper", "namespace"];

/// How a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Itself,
    Timeout,
    Cancel,
}

/// Processes of one `tree`: itself and the three that want to stay.
const AT_LEAST: usize = 4;

fn token() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("token-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn run(world: &World, backend: BackendKind, way: &str, end: End) -> (Outcome, String) {
    let token = token();
    let wall_ms = if end == End::Timeout { 3_000 } else { 60_000 };
    let limits = Limits { wall_ms, ..Limits::default() };
    let mark = world.make_directory("marks").join(&token);
    let write = vec![world.at("marks")];
    let confinement = Confinement { limits, write, ..world.confinement() };
    let stay = if end == End::Itself { "leave" } else { "stay" };
    let invocation =
        Invocation::new(compiled("tree")).arg(way).arg(stay).arg(&token).arg(mark.as_os_str());
    let cancel = Cancel::new().unwrap();
    let outcome = std::thread::scope(|scope| {
        if end == End::Cancel {
            let (cancel, mark) = (cancel.clone(), &mark);
            scope.spawn(move || {
                // Made after the line was said, so the line is in the pipe by then.
                assert!(eventually(|| mark.exists()));
                cancel.cancel();
            });
        }
        runner().with_backend(backend).run(&invocation, &confinement, &cancel)
    });
    (outcome.unwrap(), token)
}

fn check(end: End, expect: Status) {
    let world = World::new(None);
    let mut lines = Vec::new();
    std::thread::scope(|scope| {
        let world = &world;
        let mut waiting = Vec::new();
        for backend in exercised(&BackendKind::ALL) {
            for way in WAYS {
                waiting.push(scope.spawn(move || {
                    let (outcome, token) = run(world, backend, way, end);
                    // At once: the run itself waits until nothing is left.
                    let left = with_word(&token).len();
                    (backend, way, outcome, left)
                }));
            }
        }
        for handle in waiting {
            lines.push(handle.join().unwrap());
        }
    });
    for (backend, way, outcome, left) in lines {
        println!("{end:?} {:<16} {way:<14} left {left} {:?}", backend.name(), outcome.duration);
        assert_eq!(outcome.stdout.bytes, b"ready\n", "{way} on {}", backend.name());
        assert_eq!(outcome.status, expect, "{way} on {}", backend.name());
        assert_eq!(left, 0, "{way} on {}", backend.name());
    }
    assert_eq!(world.left_behind(), Vec::<PathBuf>::new());
}

#[test]
fn what_a_child_leaves_behind_ends_with_it() {
    // R4
    check(End::Itself, Status::Exit(0));
}

#[test]
fn a_timeout_ends_the_whole_tree() {
    // R4
    check(End::Timeout, Status::TimedOut);
}

#[test]
fn a_cancellation_ends_the_whole_tree() {
    // R4
    check(End::Cancel, Status::Cancelled);
}

#[test]
fn the_tree_ends_when_the_program_that_made_the_run_is_killed() {
    // R4
    for user in users() {
        for backend in exercised(&BackendKind::ALL) {
            let world = World::new(user);
            let program = world.install(&compiled("tree"), "tree");
            for way in WAYS {
                let token = token();
                let mut probe = Probe::start(&world);
                probe.ask(&json!({
                    "program": program,
                    "args": [way, "stay", token],
                    "read": [world.path()],
                    "level": "prefer",
                    "backend": backend,
                    "scratch": world.scratch(),
                }));
                assert!(eventually(|| with_word(&token).len() >= AT_LEAST), "{way}");
                let killed = Instant::now();
                probe.child.kill().unwrap();
                let gone = eventually(|| with_word(&token).is_empty());
                println!(
                    "killed {:<16} {way:<14} gone after {:?}",
                    backend.name(),
                    killed.elapsed()
                );
                assert!(gone, "{way} on {}", backend.name());
                assert!(eventually(|| world.left_behind().is_empty()), "{way}");
            }
        }
    }
}

#[test]
fn hundreds_of_runs_leave_no_descriptor_zombie_or_directory() {
    // R4
    for backend in exercised(&BackendKind::ALL) {
        let world = World::new(None);
        let mut probe = Probe::start(&world);
        let request = json!({
            "program": "/bin/sh",
            "args": ["-c", "sleep 100 & setsid sleep 100 & echo done"],
            "level": "prefer",
            "backend": backend,
            "scratch": world.scratch(),
        });
        let pid = probe.child.id();
        let descriptors = || std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
        assert_eq!(probe.run(&request)["stdout"], "done\n");
        let before = descriptors();
        for _ in 0..100 {
            assert_eq!(probe.run(&request)["stdout"], "done\n");
        }
        assert_eq!(descriptors(), before, "{}", backend.name());
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
        assert_eq!(children, "", "{}", backend.name());
        assert_eq!(world.left_behind(), Vec::<PathBuf>::new());
    }
}

#[test]
fn no_control_group_is_left_of_a_run_whatever_its_end() {
    // R4
    let Some(groups) = runner().support().control_groups else {
        println!("not exercised: no control group can be made here");
        return;
    };
    let world = World::new(None);
    let mut probe = Probe::start(&world);
    let mine = format!("metier-{}-", probe.child.id());
    let left = || {
        let entries = std::fs::read_dir(&groups.parent).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(&mine)).collect::<Vec<_>>()
    };
    for backend in exercised(&BackendKind::ALL) {
        for script in ["true", "sleep 600 & setsid sleep 600 & exit 3", "sleep 600"] {
            let limits = Limits { wall_ms: 1_000, ..Limits::default() };
            let answer = probe.run(&json!({
                "program": "/bin/sh", "args": ["-c", script], "level": "prefer",
                "backend": backend, "limits": limits, "scratch": world.scratch(),
            }));
            assert!(answer["status"].is_string(), "{answer}");
            assert_eq!(left(), Vec::<String>::new(), "{script} on {}", backend.name());
        }
    }
}

#[test]
fn a_tree_whose_supervisor_is_killed_is_an_error_and_ends_all_the_same() {
    // R4
    for backend in exercised(&BackendKind::ALL) {
        let world = World::new(None);
        let program = world.install(&compiled("tree"), "tree");
        let token = token();
        let mut probe = Probe::start(&world);
        probe.ask(&json!({
            "program": program, "args": ["child", "stay", token], "read": [world.path()],
            "level": "prefer", "backend": backend, "scratch": world.scratch(),
        }));
        assert!(eventually(|| with_word(&token).len() >= AT_LEAST));
        let pid = probe.child.id();
        let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let supervisor = children.unwrap().trim().to_owned();
        let killed = std::process::Command::new("kill").args(["-KILL", &supervisor]).status();
        assert!(killed.unwrap().success());
        let answer = probe.answer();
        assert!(answer["error"].as_str().unwrap().starts_with("the supervisor failed"), "{answer}");
        let groups = runner().support().control_groups.is_some_and(|groups| groups.kill);
        let swept = matches!(backend, BackendKind::LinuxLandlock | BackendKind::None);
        // Without a namespace and without a group nobody is left who knows the tree.
        if !swept || groups {
            assert!(eventually(|| with_word(&token).is_empty()), "{}", backend.name());
        }
        for pid in with_word(&token) {
            let _ = std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status();
        }
    }
}
