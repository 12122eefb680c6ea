//! N1: how long `metier hook` takes with 1,000 skills, put there by hand or installed, as an agent sees
//! it: one process a call. `cargo bench -p metier --bench hook`. Beside it, in turns, two floors: a process that does
//! nothing, and metier saying its version, started and waited for in the same way. `-- --quick`
//! makes a fifth of the calls. Time on a processor is the mean of all calls of a kind.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark makes files, starts programs, reads the clock and prints"
)]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use metier_testing::measure::{load, percentile, processor_time_of_children};
use metier_testing::{Layout, World, generate_skills};

const METIER: &str = env!("CARGO_BIN_EXE_metier");

/// Calls of each kind; a hundredth of them is slower than p99.
const CALLS: usize = 1_000;

/// Skills installed.
const SKILLS: usize = 1_000;

struct Kind {
    name: &'static str,
    agent: &'static str,
    event: fn(usize) -> String,
    /// Whether what scans remember is thrown away before each call.
    forgetful: bool,
}

const fn kind(name: &'static str, agent: &'static str, event: fn(usize) -> String) -> Kind {
    Kind { name, agent, event, forgetful: false }
}

const KINDS: &[Kind] = &[
    kind("guard, no skill active", "claude-code", |_| {
        call("plain", "Bash", "{\"command\":\"git status && ls -la src\"}")
    }),
    kind("guard, a skill active", "claude-code", |_| {
        call("active", "Bash", "{\"command\":\"git status && touch x\"}")
    }),
    kind("session start", "claude-code", |number| {
        let session = format!("s{number}");
        event(&session, "SessionStart", "\"source\":\"startup\"")
    }),
    kind("a prompt", "claude-code", |_| event("p", "UserPromptSubmit", "\"prompt\":\"go\"")),
    kind("a prompt with /name", "claude-code", |number| {
        event(&format!("n{number}"), "UserPromptSubmit", "\"prompt\":\"/gitty go\"")
    }),
    kind("a prompt with $name", "codex", |number| {
        event(&format!("d{number}"), "UserPromptSubmit", "\"prompt\":\"use $gitty\"")
    }),
    kind("activation", "claude-code", |number| {
        call(&format!("a{number}"), "Skill", "{\"skill\":\"gitty\"}")
    }),
    kind("activation by reading", "codex", |number| {
        let command = "{\"command\":\"cat SKILLS/gitty/SKILL.md\"}";
        call(&format!("r{number}"), "Bash", command)
    }),
    kind("a search around", "codex", |number| {
        call(&format!("g{number}"), "Bash", "{\"command\":\"grep -rn main src\"}")
    }),
    Kind {
        name: "activation, all forgotten",
        agent: "claude-code",
        event: |number| call(&format!("f{number}"), "Skill", "{\"skill\":\"gitty\"}"),
        forgetful: true,
    },
];

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let calls = if quick { CALLS / 5 } else { CALLS };
    println!("{calls} calls each, {SKILLS} skills; milliseconds; {}", load());
    println!("{:<28} by the clock{:>31} on a", "", "");
    println!("{:<28} {:>7} {:>7} {:>7} {:>7}  ÷ floor  processor", "", "p50", "p90", "p99", "max");
    let world = World::new();
    let floor = series("floor: an empty process", calls, None, |_| {
        spent(&world, "/bin/true", &[], "");
    });
    series("floor: metier --version", calls, Some(floor), |_| {
        spent(&world, METIER, &["--version"], "");
    });
    println!("in the agent's directory, by nobody approved");
    measure(&placed(), calls, floor, "~/.claude/skills");
    println!("installed by metier, and so approved");
    measure(&installed(), calls, floor, "~/.local/share/metier/skills");
    println!("{}", load());
}

/// Makes every kind of call in `world`, whose skills are in `skills`.
fn measure(world: &World, calls: usize, floor: f64, skills: &str) {
    for kind in KINDS {
        series(kind.name, calls, Some(floor), |number| {
            let event = (kind.event)(number).replace("SKILLS", skills);
            spent(world, METIER, &["hook", kind.agent], &event);
            if kind.forgetful {
                let memos = world.home().join(".local/share/metier/memos");
                std::fs::remove_dir_all(memos).expect("memos");
            }
        });
    }
}

/// A world with skills in an agent's directory.
fn placed() -> World {
    let world = World::new();
    generate(&world, "home/.claude/skills");
    warmed(world)
}

/// A world with skills that metier installed.
fn installed() -> World {
    let world = World::new();
    generate(&world, "source");
    let source = world.path().join("source");
    let mut add = world.command(METIER);
    add.arg("add").arg(source).args(["--all", "--yes", "--quiet"]);
    assert!(add.stdout(Stdio::null()).status().expect("start").success());
    warmed(world)
}

fn generate(world: &World, at: &str) {
    let skills = world.path().join(at);
    std::fs::create_dir_all(&skills).expect("a directory");
    generate_skills(&skills, SKILLS, Layout::Flat);
    let gitty =
        "---\nname: gitty\ndescription: Git. Use for git.\nallowed-tools: Bash(git:*)\n---\nGit.\n";
    world.write(format!("{at}/gitty/SKILL.md"), gitty);
}

/// The world once what can be remembered of it is.
fn warmed(world: World) -> World {
    // What was written goes to the disk now, and not while hooks are measured.
    assert!(Command::new("sync").status().expect("start").success());
    // What changed a moment ago is not remembered.
    std::thread::sleep(Duration::from_millis(2_100));
    let launch = call("active", "Skill", "{\"skill\":\"gitty\"}");
    for _ in 0..2 {
        spent(&world, METIER, &["hook", "claude-code"], &launch);
    }
    world
}

fn event(session: &str, name: &str, more: &str) -> String {
    format!("{{\"session_id\":\"{session}\",\"hook_event_name\":\"{name}\",{more}}}")
}

fn call(session: &str, tool: &str, input: &str) -> String {
    let more = format!("\"tool_name\":\"{tool}\",\"tool_input\":{input}");
    event(session, "PreToolUse", &more)
}

/// Starts a program and waits until its whole answer is known.
fn spent(world: &World, program: &str, args: &[&str], event: &str) {
    let mut command: Command = world.command(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("start");
    // The floors do not read it.
    let _ = child.stdin.take().expect("a pipe").write_all(event.as_bytes());
    let output = child.wait_with_output().expect("an answer");
    assert!(output.status.success());
}

/// Makes the calls, prints what they took and gives the median.
fn series(name: &str, calls: usize, floor: Option<f64>, one: impl Fn(usize)) -> f64 {
    let before = processor_time_of_children();
    let mut times: Vec<Duration> = (0..calls)
        .map(|number| {
            let began = Instant::now();
            one(number);
            began.elapsed()
        })
        .collect();
    let processor = (processor_time_of_children() - before).as_secs_f64() * 1000.0;
    times.sort_unstable();
    let [p50, p90, p99, max] = [50, 90, 99, 100].map(|percent| percentile(&times, percent));
    let ratio = floor.map_or(1.0, |floor| p50 / floor);
    #[expect(clippy::cast_precision_loss, reason = "a thousand")]
    let mean = processor / calls as f64;
    println!("{name:<28} {p50:>7.2} {p90:>7.2} {p99:>7.2} {max:>7.2} {ratio:>8.1} {mean:>10.2}");
    p50
}
