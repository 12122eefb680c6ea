//! U2: prints how long `metier mcp` takes from its start to the answer of `tools/list` over 1,000
//! skills, and what a call costs once it runs; beside it the same for a process that does nothing.
//! Run with `cargo bench -p metier --bench mcp`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark starts the binary, measures time and prints it"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use metier_testing::{Layout, World, generate_skills};
use serde_json::{Value, json};

const METIER: &str = env!("CARGO_BIN_EXE_metier");
const SKILLS: usize = 1_000;
const STARTS: usize = 30;
const CALLS: usize = 1_000;

struct Wire {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Wire {
    fn start(world: &World) -> Self {
        let root = format!("--root=personal={}", world.path().join("skills").display());
        let mut command = world.command(METIER);
        command.args(["--no-default-roots", &root, "mcp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut wire = Self { child, stdin, stdout, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        });
        wire.ask("initialize", &hello);
        writeln!(
            wire.stdin,
            "{}",
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
        )
        .unwrap();
        wire
    }

    fn ask(&mut self, method: &str, params: &Value) -> String {
        self.next += 1;
        let id = self.next;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.stdin, "{request}").unwrap();
        let wanted = format!("\"id\":{id}");
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the server is gone");
            if line.contains(&wanted) {
                assert!(!line.contains("\"error\":{"), "{line}");
                return line;
            }
        }
    }

    fn close(mut self) {
        drop(self.stdin);
        self.child.wait().unwrap();
    }
}

fn main() {
    let world = World::new();
    generate_skills(&world.path().join("skills"), SKILLS, Layout::Flat);
    starts(&world);
    calls(&world);
}

fn starts(world: &World) {
    let mut floor = Vec::new();
    let mut whole = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        world.run(METIER, &["--version"]);
        floor.push(start.elapsed());
        let start = Instant::now();
        let mut wire = Wire::start(world);
        wire.ask("tools/list", &json!({}));
        whole.push(start.elapsed());
        wire.close();
    }
    println!("{SKILLS} skills, best / median of {STARTS}");
    print("  process that only says its version", floor);
    print("  start to tools/list", whole);
}

fn calls(world: &World) {
    let mut wire = Wire::start(world);
    // The first of each pays for the session and for the index.
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let cases = [
        ("tools/list", json!({})),
        ("tools/call", call("skill_search", json!({"query": "merge an atlas"}))),
        ("tools/call", call("skill_list", json!({}))),
        ("tools/call", call("skill_activate", json!({"name": "sort-ledger-00000"}))),
        (
            "tools/call",
            call("skill_read", json!({"name": "sort-ledger-00000", "path": "SKILL.md"})),
        ),
        (
            "tools/call",
            call("tool_guard", json!({"tool": "Read", "arguments": {"file_path": "x"}})),
        ),
        ("resources/list", json!({})),
        ("skills/list", json!({})),
    ];
    for (method, params) in &cases {
        let start = Instant::now();
        wire.ask(method, params);
        let first = start.elapsed();
        let mut times = Vec::new();
        for _ in 0..CALLS {
            let start = Instant::now();
            wire.ask(method, params);
            times.push(start.elapsed());
        }
        let name = params["name"].as_str().unwrap_or(method);
        times.sort_unstable();
        let (p50, p99) = (times[CALLS / 2], times[CALLS * 99 / 100]);
        println!("  {name:<16} first {first:>9.1?}  p50 {p50:>9.1?}  p99 {p99:>9.1?}");
    }
    wire.close();
}

fn print(label: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    println!("{label:<40} {:>9.1?} {:>9.1?}", times[0], times[times.len() / 2]);
}
