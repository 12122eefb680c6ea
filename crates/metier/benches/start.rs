//! N1: how long a command takes from start to end, beside a process that does nothing: saying the
//! version, listing and linting 1,000 skills. `cargo bench -p metier --bench start`. `-- --quick`
//! makes a fifth of the runs. Page faults are the mean of all runs of a kind; on a machine where one
//! costs microseconds they are most of a short command.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark makes files, starts programs, reads the clock and prints"
)]

use std::process::Stdio;
use std::time::{Duration, Instant};

use metier_testing::measure::{faults_of_children, load, percentile, processor_time_of_children};
use metier_testing::{Layout, World, generate_skills};

const METIER: &str = env!("CARGO_BIN_EXE_metier");

/// Runs of each kind.
const RUNS: usize = 500;

/// Skills there are.
const SKILLS: usize = 1_000;

const KINDS: &[(&str, &str, &[&str])] = &[
    ("an empty process", "/bin/true", &[]),
    ("metier --version", METIER, &["--version"]),
    ("metier list --help", METIER, &["list", "--help"]),
    ("metier agents", METIER, &["agents"]),
    ("metier list", METIER, &["list"]),
    ("metier lint .claude/skills", METIER, &["lint", ".claude/skills"]),
];

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let runs = if quick { RUNS / 5 } else { RUNS };
    let world = World::new();
    let skills = world.home().join(".claude/skills");
    std::fs::create_dir_all(&skills).expect("a directory");
    generate_skills(&skills, SKILLS, Layout::Flat);
    // What changed a moment ago is not remembered.
    std::thread::sleep(Duration::from_millis(2_100));
    println!("{runs} runs each, {SKILLS} skills; milliseconds; {}", load());
    println!("{:<28} by the clock{:>16} on a      page", "", "");
    println!("{:<28} {:>7} {:>7} {:>7}  processor  faults", "", "best", "p50", "p99");
    for (name, program, args) in KINDS {
        series(&world, name, runs, (program, args));
    }
    println!("{}", load());
}

/// Runs a program so many times, the first not counted, and prints what that took.
fn series(world: &World, name: &str, runs: usize, (program, args): (&str, &[&str])) {
    let run = || {
        let mut command = world.command(program);
        command.args(args).current_dir(world.home());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let began = Instant::now();
        assert!(command.status().expect("start").success());
        began.elapsed()
    };
    run();
    let (processor, faults) = (processor_time_of_children(), faults_of_children());
    let mut times: Vec<Duration> = (0..runs).map(|_| run()).collect();
    times.sort_unstable();
    let count = u32::try_from(runs).unwrap_or(u32::MAX);
    let processor = (processor_time_of_children() - processor).as_secs_f64() / f64::from(count);
    let faults = (faults_of_children() - faults) / u64::from(count);
    let [best, p50, p99] = [1, 50, 99].map(|percent| percentile(&times, percent));
    println!("{name:<28} {best:>7.2} {p50:>7.2} {p99:>7.2} {:>10.2} {faults:>7}", processor * 1e3);
}
