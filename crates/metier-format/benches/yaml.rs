//! How much the fast YAML reader saves over the full one, on frontmatter of about 300 bytes.
//!
//! Run with `cargo bench -p metier-format --bench yaml`. Prints, per shape of frontmatter, the best
//! time of each reader and the ratio; the ratio is the number that holds on another machine.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads the clock and prints what it measured"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use metier_format::yaml;

/// Rounds of which the best counts, and readings of the text in one round.
const ROUNDS: usize = 300;
const READINGS: usize = 200;

const DESCRIPTION: &str = "How to trim a ledger the way this set wants it, with the checks that \
    belong to it. Use when somebody asks to trim a ledger or hands one over unread.";

fn main() {
    println!("{:<16} {:>6} {:>9} {:>9} {:>7}", "shape", "bytes", "fast", "full", "ratio");
    let (mut all_fast, mut all_full, mut shapes) = (Duration::ZERO, Duration::ZERO, 0);
    for (shape, text) in shapes_of_frontmatter() {
        assert!(yaml::read_fast(&text, 0).is_some(), "{shape} takes the fast path");
        let fast = best(|| black_box(yaml::read_fast(black_box(&text), 0)).is_some());
        let full = best(|| black_box(yaml::read_full(black_box(&text), 0)).is_ok());
        print_row(shape, text.len(), fast, full);
        all_fast += fast;
        all_full += full;
        shapes += 1;
    }
    print_row("mean", 0, all_fast / shapes, all_full / shapes);
}

fn print_row(shape: &str, bytes: usize, fast: Duration, full: Duration) {
    let ratio = full.as_secs_f64() / fast.as_secs_f64();
    let (fast, full) = (fast.as_nanos(), full.as_nanos());
    println!("{shape:<16} {bytes:>6} {fast:>6} ns {full:>6} ns {ratio:>6.1}x");
}

/// The best time of one reading.
fn best(mut read: impl FnMut() -> bool) -> Duration {
    let round = |_| {
        let start = Instant::now();
        for _ in 0..READINGS {
            assert!(read());
        }
        start.elapsed()
    };
    let best = (0..ROUNDS).map(round).min().unwrap_or_default();
    best / u32::try_from(READINGS).unwrap_or(1)
}

fn shapes_of_frontmatter() -> Vec<(&'static str, String)> {
    let folded = DESCRIPTION.replace(". ", ".\n  ");
    let tail = "license: MIT\nallowed-tools: Read Write Bash(git:*)\n";
    let map = "metadata:\n  author: generated\n  version: \"1.2\"\n";
    vec![
        ("plain", format!("name: trim-ledger\ndescription: {DESCRIPTION}\n{tail}{map}")),
        (
            "double quotes",
            format!("name: trim-ledger\ndescription: \"{DESCRIPTION}\"\n{tail}{map}"),
        ),
        ("folded", format!("name: trim-ledger\ndescription: >-\n  {folded}\n{tail}{map}")),
        ("literal", format!("name: trim-ledger\ndescription: |\n  {folded}\n{tail}{map}")),
        (
            "lists",
            format!(
                "name: trim-ledger\ndescription: {DESCRIPTION}\nallowed-tools:\n  - Read\n  - \
                 Bash(git:*)\ntags: [ledger, trim, \"year end\"]\n{map}"
            ),
        ),
        ("two keys", format!("name: trim-ledger\ndescription: {DESCRIPTION}\n")),
        (
            "windows",
            format!("name: trim-ledger\n# a note\n\ndescription: {DESCRIPTION}\n{tail}{map}")
                .replace('\n', "\r\n"),
        ),
    ]
}
