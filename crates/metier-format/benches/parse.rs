//! F4, N1: what parsing one file costs: the ordinary one, which discovery does a thousand times, and hostile
//! ones, each of which must be refused within five milliseconds and sixteen megabytes.
//!
//! Run with `cargo bench -p metier-format --bench parse`. Best time of many rounds; the last column
//! of the second table is the most memory the process has held so far, its own start included.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and its own memory, and prints what it measured"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use metier_format::frontmatter::{self, Extent};
use metier_format::{parse, parse_frontmatter, yaml};

fn main() {
    ordinary();
    println!();
    hostile();
}

fn ordinary() {
    let file = ordinary_file();
    let bytes = file.as_bytes();
    let end = file.find("\n---\n").unwrap_or_default();
    let yaml = file.get(4..=end).unwrap_or_default();
    println!("ordinary file, {} bytes of frontmatter, {} in all", yaml.len(), bytes.len());
    let row = |what: &str, time: Duration| println!("  {what:<18} {:>6} ns", time.as_nanos());
    row("fences", best(500, || frontmatter::find(black_box(bytes), Extent::Prefix)));
    row("yaml", best(500, || yaml::read(black_box(yaml), 4).is_ok()));
    row(
        "parse_frontmatter",
        best(500, || parse_frontmatter(black_box(bytes), Some("sort-ledger"))),
    );
    row("parse", best(500, || parse(black_box(bytes), Some("sort-ledger"))));
}

fn hostile() {
    println!(
        "{:<24} {:>9} {:>10} {:>9} {:>10}",
        "hostile file", "bytes", "time", "findings", "peak"
    );
    for (what, file) in hostile_files() {
        let parsed = parse(file.as_bytes(), Some("my-skill"));
        let first = parsed.diagnostics.iter().find(|d| d.code.prevents_loading());
        let code = first.map_or("loads", |diagnostic| diagnostic.code.as_str());
        let time = best(1, || parse(black_box(file.as_bytes()), Some("my-skill")));
        let (bytes, count) = (file.len(), parsed.diagnostics.len());
        let micros = time.as_micros();
        println!("{what:<24} {bytes:>9} {micros:>7} µs {code:>5} {count:>3} {:>10}", peak());
    }
}

fn ordinary_file() -> String {
    let body = "Look at the ledger once more before you sort it.\n".repeat(50);
    format!(
        "---\nname: sort-ledger\ndescription: How to sort a ledger the way this set wants it, with the \
         checks that belong to it. Use when somebody asks to sort a ledger or hands one over that \
         nobody has looked at yet.\nlicense: MIT\nallowed-tools: Read Bash(git:*)\nmetadata:\n  author: \
         generated\n  version: \"1.2\"\n---\n\n{body}"
    )
}

fn hostile_files() -> Vec<(&'static str, String)> {
    let file = |lines: &str| format!("---\nname: my-skill\ndescription: d\n{lines}\n---\n");
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    vec![
        ("deep lists", file(&format!("a: {}", "[".repeat(60_000)))),
        ("deep maps", file(&format!("a: {}", "{a: ".repeat(15_000)))),
        ("aliases", file(&lines(2000, &|i| format!("a{i}: &a{i} [*a, *a]\n")))),
        ("20,000 items", file(&format!("a: [{}]", "x,".repeat(20_000)))),
        ("5,000 keys", file(&lines(5000, &|i| format!("k{i}: v\n")))),
        ("2,000 unknown keys", file(&lines(2000, &|i| format!("k{i}: v\n")))),
        ("2,000 equal keys", file(&"k: v\n".repeat(2000))),
        ("2,000 scope keys", file(&format!("scope:\n{}", "  agent: v\n".repeat(2000)))),
        ("2,000 broken values", file(&lines(2000, &|i| format!("k{i}: a: b\n")))),
        ("6,000 broken values", file(&"k: a: b\n".repeat(6000))),
        ("open quote", file(&format!("a: \"{}", "x\n ".repeat(20_000)))),
        ("one long line", file(&format!("a: {}", "x: ".repeat(20_000)))),
        ("many tools", file(&format!("allowed-tools: {}", "a ".repeat(30_000)))),
        ("open parentheses", file(&format!("allowed-tools: {}", "a(".repeat(30_000)))),
        ("long name", format!("---\nname: {}\ndescription: d\n---\n", "\u{fdfa}".repeat(20_000))),
        ("blank lines", file(&"\n".repeat(60_000))),
        ("comments", file(&"#\n".repeat(30_000))),
        ("4 MB of frontmatter", file(&"x".repeat(4 << 20))),
        ("control characters", file(&"\u{7}".repeat(60_000))),
        ("almost fences", file(&"----\n".repeat(12_000))),
    ]
}

/// The best time of one call, over many rounds of `calls`.
fn best<T>(calls: u32, mut run: impl FnMut() -> T) -> Duration {
    let round = |_| {
        let start = Instant::now();
        for _ in 0..calls {
            black_box(run());
        }
        start.elapsed()
    };
    (0..20).map(round).min().unwrap_or_default() / calls
}

/// The most memory this process has held, as the system counts it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or("unknown".to_owned(), |value| value.trim().to_owned())
}
