//! A child that takes all it can get of one thing is stopped or gets no more, and the machine and
//! the program that runs it stay well.

use metier_sandbox::{BackendKind, Limit, Limits, Overflow};
use serde_json::{Value, json};

use crate::world::{NOBODY, Probe, World, compiled, exercised, is_superuser, users, with_word};

const MIB: u64 = 1 << 20;

/// Small enough that reaching each limit takes no time.
fn small() -> Limits {
    Limits {
        processes: 40,
        memory: 256 * MIB,
        file_size: 16 * MIB,
        open_files: 100,
        wall_ms: 60_000,
        ..Limits::default()
    }
}

struct Bomb<'a> {
    user: Option<u32>,
    backend: BackendKind,
    what: &'a [&'a str],
    limits: Limits,
}

/// Runs one bomb in a world of its own, and sees that nothing is left on disk.
fn explode(bomb: &Bomb<'_>) -> Value {
    let world = World::new(bomb.user);
    let program = world.install(&compiled("bombs"), "bombs");
    let mut scratch = world.scratch();
    scratch.bytes = 64 * MIB;
    scratch.entries = 5_000;
    let answer = Probe::start(&world).run(&json!({
        "program": program,
        "args": bomb.what,
        "read": [world.path()],
        "level": "prefer",
        "backend": bomb.backend,
        "limits": bomb.limits,
        "scratch": scratch,
    }));
    assert_eq!(world.left_behind(), Vec::<std::path::PathBuf>::new(), "{:?}", bomb.what);
    assert_eq!(with_word(program.to_str().unwrap()), Vec::<u32>::new(), "{:?}", bomb.what);
    println!(
        "{:<16} {:<8} {:?}: {}{} {}",
        bomb.backend.name(),
        bomb.user.map_or("current".to_owned(), |user| user.to_string()),
        bomb.what,
        answer["status"],
        answer["error"],
        answer["stdout"].as_str().unwrap_or_default().chars().take(20).collect::<String>().trim(),
    );
    answer
}

fn number(answer: &Value) -> u64 {
    answer["stdout"].as_str().unwrap().trim().parse().unwrap_or_else(|_| panic!("{answer}"))
}

fn everywhere(what: &[&str], see: impl Fn(&Bomb<'_>, Value)) {
    for user in users() {
        for backend in exercised(&BackendKind::ALL) {
            let bomb = Bomb { user, backend, what, limits: small() };
            let answer = explode(&bomb);
            see(&bomb, answer);
        }
    }
}

/// Whether this user is bound by the count of processes on this backend.
fn counts_processes(bomb: &Bomb<'_>) -> bool {
    bomb.backend == BackendKind::LinuxNamespaces || bomb.user == Some(NOBODY) || !is_superuser()
}

#[test]
fn a_child_gets_no_more_processes_or_threads_than_allowed() {
    // R4
    for what in ["forks", "threads"] {
        for user in users() {
            for backend in exercised(&BackendKind::ALL) {
                let bomb = Bomb { user, backend, what: &[what], limits: small() };
                // The superuser is not counted outside a namespace; that is said, and not tried here.
                if counts_processes(&bomb) {
                    let got = number(&explode(&bomb));
                    assert!(got > 10 && got <= 40 + 300, "{got}");
                    let exact =
                        bomb.user == Some(NOBODY) && backend == BackendKind::LinuxNamespaces;
                    assert!(!exact || got <= 40, "{got}");
                }
            }
        }
    }
}

#[test]
fn a_fork_bomb_ends_with_its_time() {
    // R4
    for user in users() {
        for backend in exercised(&BackendKind::ALL) {
            let limits = Limits { wall_ms: 1_500, ..small() };
            let bomb = Bomb { user, backend, what: &["bomb"], limits };
            if counts_processes(&bomb) {
                assert_eq!(explode(&bomb)["status"], "stopped after the time limit");
            }
        }
    }
}

#[test]
fn a_child_gets_no_more_memory_than_allowed() {
    // R4
    everywhere(&["memory"], |_, answer| {
        let stopped = answer["status"] == "stopped at the limit on memory";
        assert!(stopped || number(&answer) <= 256, "{answer}");
    });
    everywhere(&["shared"], |_, answer| {
        assert_eq!(answer["status"], format!("stopped at the limit on {}", Limit::Memory));
    });
    for what in ["tree", "churn"] {
        everywhere(&[what], |_, answer| {
            assert_eq!(answer["status"], "stopped at the limit on memory", "{answer}");
        });
    }
}

#[test]
fn a_child_fills_no_more_of_the_disk_than_allowed() {
    // R4
    for what in ["file", "nameless", "hidden"] {
        everywhere(&[what], |bomb, answer| {
            let stopped = answer["status"] == "stopped at the limit on private directory size";
            assert!(stopped || number(&answer) <= 64, "{answer}");
            assert!(!stopped || bomb.backend != BackendKind::LinuxNamespaces);
        });
    }
    everywhere(&["files"], |_, answer| {
        let stopped = answer["status"] == "stopped at the limit on private directory size";
        assert!(stopped || number(&answer) <= 5_000, "{answer}");
    });
    everywhere(&["one-file"], |_, answer| {
        assert_eq!(answer["status"], format!("stopped at the limit on {}", Limit::FileSize));
    });
}

#[test]
fn a_tree_of_directories_too_deep_to_name_is_removed() {
    // R4
    everywhere(&["deep"], |_, answer| {
        let over = answer["status"] == "stopped at the limit on private directory size";
        assert!(over || number(&answer) > 1_000, "{answer}");
    });
}

#[test]
fn a_child_gets_no_more_descriptors_than_allowed() {
    // R4
    everywhere(&["descriptors"], |_, answer| assert_eq!(number(&answer), 97));
}

#[test]
fn a_busy_child_ends_with_its_cpu_time() {
    // R4
    let ends = [("cpu", "stopped at the limit on CPU time"), ("cpu-ignoring", "ended by signal 9")];
    for (what, status) in ends {
        for backend in exercised(&BackendKind::ALL) {
            let limits = Limits { cpu_seconds: 1, ..small() };
            let answer = explode(&Bomb { user: None, backend, what: &[what], limits });
            assert_eq!(answer["status"], status);
        }
    }
}

/// Runs the flood and gives the answer with the most memory the runner ever had.
fn flood(backend: BackendKind, amount: &str, limits: Limits) -> (Value, u64) {
    let world = World::new(None);
    let program = world.install(&compiled("bombs"), "bombs");
    let mut probe = Probe::start(&world);
    let answer = probe.run(&json!({
        "program": program, "args": ["flood", amount], "read": [world.path()],
        "level": "prefer", "backend": backend, "limits": limits, "scratch": world.scratch(),
    }));
    (answer, probe.peak())
}

#[test]
fn a_gibibyte_of_output_is_counted_cut_and_costs_no_memory() {
    // R4
    let limits = small();
    let (answer, peak) = flood(BackendKind::LinuxNamespaces, "1024", limits);
    println!("1 GiB: {} in {} ms, runner peak {peak}", answer["status"], answer["duration_ms"]);
    assert_eq!(answer["status"], "exit code 0");
    assert_eq!(answer["stdout_total"], 1024 * MIB);
    assert_eq!(answer["stdout"].as_str().unwrap().len() as u64, MIB);
    assert!(peak < 64 * MIB, "{peak}");
}

#[test]
fn endless_output_stops_the_child_when_asked_to() {
    // R4
    for backend in exercised(&BackendKind::ALL) {
        let limits = Limits { overflow: Overflow::Stop, ..small() };
        let (answer, peak) = flood(backend, "0", limits);
        assert_eq!(answer["status"], "stopped at the limit on standard output");
        assert!(peak < 64 * MIB, "{peak}");
    }
}

#[test]
fn more_output_than_is_kept_is_drained_or_ends_the_run_by_setting() {
    // R4
    let world = World::new(None);
    let mut probe = Probe::start(&world);
    let cases = [
        ("seq 50000; echo end >&2", Overflow::Drain, "exit code 0"),
        ("seq 50000; sleep 600", Overflow::Stop, "stopped at the limit on standard output"),
        ("seq 50000 >&2; echo end", Overflow::Drain, "exit code 0"),
        ("seq 50000 >&2; sleep 600", Overflow::Stop, "stopped at the limit on standard error"),
    ];
    for backend in exercised(&BackendKind::ALL) {
        for (script, overflow, status) in cases {
            let limits = Limits { stdout: 1000, stderr: 1000, overflow, ..small() };
            let answer = probe.run(&json!({
                "program": "/bin/sh", "args": ["-c", script], "level": "prefer",
                "backend": backend, "limits": limits, "scratch": world.scratch(),
            }));
            assert_eq!(answer["status"], status, "{script} on {}", backend.name());
            for stream in ["stdout", "stderr"] {
                assert!(answer[stream].as_str().unwrap().len() <= 1000, "{script}");
            }
            let finished = overflow == Overflow::Drain;
            let ends = [&answer["stdout"], &answer["stderr"]].contains(&&json!("end\n"));
            assert_eq!(ends, finished, "{script} on {}", backend.name());
        }
    }
}

#[test]
fn a_limit_is_never_more_than_the_caller_has_itself() {
    // R4
    let world = World::new(None);
    let probe = world.install(crate::world::helper(), "probe");
    let mut command = world.command("/bin/sh");
    command.args(["-c", "ulimit -n 64; exec \"$0\""]).arg(probe);
    let mut probe = Probe::from_command(command);
    for backend in exercised(&BackendKind::ALL) {
        let answer = probe.run(&json!({
            "program": "/bin/sh", "args": ["-c", "ulimit -n"], "level": "prefer",
            "backend": backend, "limits": small(), "scratch": world.scratch(),
        }));
        assert_eq!(number(&answer), 64, "{}", backend.name());
    }
}
