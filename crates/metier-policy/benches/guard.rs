//! N4: what a ruling costs, beside floors of the same run: comparing two strings, and parsing the same
//! command with the grammar crate alone.
//!
//! `cargo bench -p metier-policy --bench guard`, with `-- --quick` for fewer rounds. Prints
//! nanoseconds per ruling, best and median of many rounds, and the ratio to the floor above it.
//! Goals: below 2,000 for a plain tool, below 20,000 for a shell command.
//!
//! With `-- --once` it rules on one shell command and ends: what a process that only does that pays,
//! tables and profile included. Count it with `valgrind --tool=callgrind`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::expect_used,
    reason = "a benchmark measures time, prints it and stops when it cannot"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use metier_format::{AllowedTools, SkillName, ToolPattern};
use metier_policy::{
    ActiveSkill, ActiveStack, HostTable, Lexical, Place, Policy, Profile, ToolCall, decide,
};
use serde_json::json;

/// Measures one piece of work after another and compares each with the last floor.
struct Meter {
    rounds: usize,
    floor: u128,
}

impl Meter {
    fn floor(&mut self, label: &str, work: impl FnMut()) {
        self.floor = self.measure(&format!("floor: {label}"), work, None);
    }

    fn ruling(&self, label: &str, work: impl FnMut()) {
        self.measure(label, work, Some(self.floor));
    }

    fn measure(&self, label: &str, mut work: impl FnMut(), floor: Option<u128>) -> u128 {
        let started = Instant::now();
        let mut once = 0_u32;
        while started.elapsed().as_millis() < 20 {
            work();
            once += 1;
        }
        let repeat = (once / 10).max(1);
        let mut rounds: Vec<u128> = (0..self.rounds)
            .map(|_| {
                let started = Instant::now();
                for _ in 0..repeat {
                    work();
                }
                started.elapsed().as_nanos() / u128::from(repeat)
            })
            .collect();
        rounds.sort_unstable();
        let (best, median) = (rounds[0], rounds[rounds.len() / 2]);
        let ratio = floor.map(|floor| format!("   {}x the floor", best / floor.max(1)));
        let ratio = ratio.unwrap_or_default();
        println!("{label:<52} best {best:>7} ns   median {median:>7} ns{ratio}");
        best
    }
}

fn stack(allowed: &[&str]) -> ActiveStack {
    allowed
        .iter()
        .enumerate()
        .map(|(index, tools)| ActiveSkill {
            allowed: Some(AllowedTools::Only(ToolPattern::tokenize(tools).expect("tools"))),
            ..ActiveSkill::unrestricted(
                SkillName::parse(&format!("skill-{index}")).expect("a name"),
            )
        })
        .collect()
}

/// One ruling, as a hook makes it.
fn once(place: &Place<'_>) {
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::named("claude-code").expect("a host");
    let command = "git status && cargo test -p x | head -n 5";
    let call = ToolCall::new("Bash", json!({ "command": command }));
    black_box(decide(&policy, &ActiveStack::default(), &call, host, place));
}

fn main() {
    let protected = [
        PathBuf::from("/home/user/.local/share/metier"),
        PathBuf::from("/home/user/.config/metier"),
    ];
    let place = Place {
        cwd: Path::new("/project"),
        home: Some(Path::new("/home/user")),
        project: Some(Path::new("/project")),
        protected: &protected,
        resolver: &Lexical,
    };
    if std::env::args().any(|argument| argument == "--once") {
        return once(&place);
    }
    let quick = std::env::args().any(|argument| argument == "--quick");
    let mut meter = Meter { rounds: if quick { 5 } else { 60 }, floor: 1 };
    let policy = Policy::profile(Profile::Default);
    let host = HostTable::plain();
    let one =
        stack(&["Read Grep Glob Bash(git:*) Bash(npm run test:*) WebFetch(domain:example.com)"]);
    let four = stack(&[
        "Read Bash(git:*)",
        "Read Bash",
        "Read Grep Bash(git:*)",
        "Read(./**) Bash(git status)",
    ]);
    let (left, right) = ("run_shell_command".to_owned(), "run_shell_commanx".to_owned());
    meter.floor("comparing two strings", || {
        black_box(black_box(&left) == black_box(&right));
    });
    let calls = [
        ("plain: TodoWrite, a flow tool", ToolCall::new("TodoWrite", json!({}))),
        ("plain: mcp__server__tool", ToolCall::new("mcp__server__tool", json!({}))),
        ("plain: Read of a file", ToolCall::new("Read", json!({"file_path": "src/main.rs"}))),
        ("plain: WebFetch", ToolCall::new("WebFetch", json!({"url": "https://example.com/a"}))),
    ];
    for (label, call) in &calls {
        meter.ruling(&format!("{label}, no skill"), || {
            black_box(decide(&policy, &ActiveStack::default(), call, host, &place));
        });
        meter.ruling(&format!("{label}, one skill"), || {
            black_box(decide(&policy, &one, call, host, &place));
        });
    }
    let commands = [
        ("git status", "git status"),
        ("a list", "git status && git diff --stat | head -n 5; git log --oneline -n 10"),
        ("a commit", "git commit -m \"$(cat <<'EOF'\nfix: the body\n\nof a message\nEOF\n)\""),
        ("a bypass", "git status; for f in $(ls); do rm -rf \"$f\" > /tmp/log; done"),
    ];
    for (label, command) in commands {
        let options = brush_parser::ParserOptions::default();
        meter.floor(&format!("grammar alone, {label}"), || {
            let tokens = brush_parser::uncached_tokenize_str(command, &options.tokenizer_options());
            let tokens = tokens.expect("tokens");
            black_box(brush_parser::parse_tokens(&tokens, &options).is_ok());
        });
        let call = ToolCall::new("Bash", json!({"command": command}));
        meter.ruling(&format!("shell: {label}, one skill"), || {
            black_box(decide(&policy, &one, &call, host, &place));
        });
        meter.ruling(&format!("shell: {label}, four skills"), || {
            black_box(decide(&policy, &four, &call, host, &place));
        });
    }
}
