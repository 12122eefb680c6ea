//! N1: how long `metier hook` takes with 1,000 skills installed, as an agent sees it: one process a
//! call. `cargo bench -p metier --bench hook`. Beside it, in turns, the floor: a process that does
//! nothing, started and waited for in the same way. `-- --quick` makes a fifth of the calls.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark makes files, starts programs, reads the clock and prints"
)]

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
}

const KINDS: &[Kind] = &[
    Kind {
        name: "guard, no skill active",
        agent: "claude-code",
        event: |_| call("plain", "Bash", "{\"command\":\"git status && ls -la src\"}"),
    },
    Kind {
        name: "guard, a skill active",
        agent: "claude-code",
        event: |_| call("active", "Bash", "{\"command\":\"git status && touch x\"}"),
    },
    Kind {
        name: "a prompt",
        agent: "claude-code",
        event: |_| {
            "{\"session_id\":\"p\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"go\"}"
                .to_owned()
        },
    },
    Kind {
        name: "activation",
        agent: "claude-code",
        event: |number| call(&format!("a{number}"), "Skill", "{\"skill\":\"gitty\"}"),
    },
    Kind {
        name: "activation by reading",
        agent: "codex",
        event: |number| {
            let command = "{\"command\":\"cat ~/.claude/skills/gitty/SKILL.md\"}";
            call(&format!("r{number}"), "Bash", command)
        },
    },
];

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let calls = if quick { CALLS / 5 } else { CALLS };
    let world = World::new();
    let skills = world.home().join(".claude/skills");
    std::fs::create_dir_all(&skills).expect("a directory");
    generate_skills(&skills, SKILLS, Layout::Flat);
    let gitty =
        "---\nname: gitty\ndescription: Git. Use for git.\nallowed-tools: Bash(git:*)\n---\nGit.\n";
    world.write("home/.claude/skills/gitty/SKILL.md", gitty);
    let launch = call("active", "Skill", "{\"skill\":\"gitty\"}");
    spent(&world, METIER, &["hook", "claude-code"], &launch);
    println!("{calls} calls each, {SKILLS} skills installed; milliseconds by the clock");
    println!("{:<26} {:>7} {:>7} {:>7} {:>7}   p50 ÷ floor", "", "p50", "p90", "p99", "max");
    for kind in KINDS {
        let mut floor = Vec::with_capacity(calls);
        let mut ours = Vec::with_capacity(calls);
        for number in 0..calls {
            let event = (kind.event)(number);
            floor.push(spent(&world, "/bin/true", &[], &event));
            ours.push(spent(&world, METIER, &["hook", kind.agent], &event));
        }
        let floor = print("  floor: an empty process", floor, None);
        print(kind.name, ours, Some(floor));
    }
}

fn call(session: &str, tool: &str, input: &str) -> String {
    format!(
        "{{\"session_id\":\"{session}\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"{tool}\",\
         \"tool_input\":{input}}}"
    )
}

/// From starting a program to knowing its whole answer.
fn spent(world: &World, program: &str, args: &[&str], event: &str) -> Duration {
    let mut command: Command = world.command(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let began = Instant::now();
    let mut child = command.spawn().expect("start");
    // The floor does not read it.
    let _ = child.stdin.take().expect("a pipe").write_all(event.as_bytes());
    let output = child.wait_with_output().expect("an answer");
    let spent = began.elapsed();
    assert!(output.status.success());
    spent
}

/// Prints the percentiles and gives the median.
fn print(name: &str, mut times: Vec<Duration>, floor: Option<f64>) -> f64 {
    times.sort();
    let at = |percent: usize| {
        let index = (times.len() * percent / 100).min(times.len() - 1);
        times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    };
    let ratio = floor.map(|floor| format!("   {:.1}", at(50) / floor)).unwrap_or_default();
    println!("{name:<26} {:>7.2} {:>7.2} {:>7.2} {:>7.2}{ratio}", at(50), at(90), at(99), at(100));
    at(50)
}
