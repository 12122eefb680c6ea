//! U2: prints how long `metier mcp` takes from its start to the answer of `tools/list` over 1,000
//! skills, and what a call costs once it runs; beside it, in turns, an empty process and metier
//! saying its version. Run with `cargo bench -p metier --bench mcp`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark starts the binary, measures time and prints it"
)]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use metier_testing::measure::{load, percentile};
use metier_testing::{Layout, World, generate_skills};
use serde_json::{Value, json};

const METIER: &str = env!("CARGO_BIN_EXE_metier");
const SKILLS: usize = 1_000;
const STARTS: usize = 100;
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
    // What changed a moment ago is not remembered.
    std::thread::sleep(Duration::from_millis(2_100));
    println!("{SKILLS} skills; milliseconds by the clock; {}", load());
    starts(&world);
    calls(&world);
    println!("{}", load());
}

fn starts(world: &World) {
    let (mut empty, mut version, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let start = Instant::now();
        world.run("/bin/true", &[]);
        empty.push(start.elapsed());
        let start = Instant::now();
        world.run(METIER, &["--version"]);
        version.push(start.elapsed());
        let start = Instant::now();
        let mut wire = Wire::start(world);
        wire.ask("tools/list", &json!({}));
        whole.push(start.elapsed());
        wire.close();
    }
    println!("{:<26} {:>8} {:>8} {:>8} {:>8}", "", "best", "p50", "p99", "÷ floor");
    let floor = print("floor: an empty process", empty, None);
    print("floor: metier --version", version, Some(floor));
    print("start to tools/list", whole, Some(floor));
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
    println!("{:<26} {:>8} {:>8} {:>8}", "a call", "first", "p50", "p99");
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
        let [p50, p99] = [50, 99].map(|percent| percentile(&times, percent));
        let first = first.as_secs_f64() * 1000.0;
        println!("{name:<26} {first:>8.2} {p50:>8.2} {p99:>8.2}");
    }
    wire.close();
}

/// Prints the percentiles and gives the median.
fn print(label: &str, mut times: Vec<Duration>, floor: Option<f64>) -> f64 {
    times.sort_unstable();
    let [best, p50, p99] = [0, 50, 99].map(|percent| percentile(&times, percent));
    let ratio = p50 / floor.unwrap_or(p50);
    println!("{label:<26} {best:>8.2} {p50:>8.2} {p99:>8.2} {ratio:>8.1}");
    p50
}
