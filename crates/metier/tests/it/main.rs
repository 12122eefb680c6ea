//! The command as its users drive it: the real binary in a world of its own, one file a command.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests plant files, links and broken things, start the binary, and stop when that fails"
)]

mod agents;
mod bundled_hello;
mod bundled_kalshi;
mod changed;
mod check;
mod chibi;
mod chibi_host;
mod choosing;
mod clients;
mod completions;
mod contract;
mod doctor_hooks;
mod end;
mod events;
mod gc;
mod global;
mod guard;
mod hook;
mod hook_setup;
mod hostile;
mod index;
mod lint;
mod list;
mod man;
mod mcp;
mod mcp_client;
mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
mod overhead;
mod overview;
mod packages;
mod pages;
mod parity;
mod plainly;
mod policy;
mod prompt;
mod props;
mod proved;
mod read;
mod release;
mod replay;
mod run;
mod search;
mod seed_chibi;
mod serve;
mod serve_runs;
mod session;
mod settings;
mod show;
mod status;
mod surprises;
mod terminal;
mod tour;
mod use_skill;
mod walkthrough;
mod why;

use std::io::Write as _;

use metier_testing::{Run, World};
use rustix::thread::CapabilitySet;

/// The binary under test.
const METIER: &str = env!("CARGO_BIN_EXE_metier");

/// Runs metier in the world.
fn metier(world: &World, args: &[&str]) -> Run {
    world.run(METIER, args)
}

/// Runs metier over the world's own roots only: `personal/`, `project/skills/` and whatever else
/// is there.
fn hermetic(world: &World, args: &[&str]) -> Run {
    let layers = ["enterprise", "personal", "project", "plugin", "bundled"];
    let mut all: Vec<String> = args.iter().map(ToString::to_string).collect();
    all.push("--no-default-roots".to_owned());
    for layer in layers {
        let root = world.path().join("roots").join(layer);
        if root.exists() {
            all.push(format!("--root={layer}={}", root.display()));
        }
    }
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    metier(world, &all)
}

/// Runs `metier` with `input` on its standard input.
fn piped(world: &World, args: &[&str], input: &[u8]) -> Run {
    let piped = std::process::Stdio::piped;
    let mut command = world.command(METIER);
    command.args(args).stdin(piped()).stdout(piped()).stderr(piped());
    let mut child = command.spawn().unwrap();
    // Whoever has read enough closes its end.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let code = output.status.code().unwrap();
    Run { stdout: text(output.stdout), stderr: text(output.stderr), code }
}

/// Everything a run showed, for a snapshot: exit code, then both streams, the world's directory
/// written as `[WORLD]` and metier's version as `[VERSION]`.
fn transcript(world: &World, run: &Run) -> String {
    let stderr =
        if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    let text = format!("exit {}\n--- stdout\n{}{stderr}", run.code, run.stdout);
    world.redact(&text).replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
}

/// A world to work in: skills that restrict, that do not, that only some may invoke, one of a
/// project nobody trusts, one with files of every kind.
fn workshop() -> World {
    let world = World::new();
    let skill = |root: &str, name: &str, more: &str, body: &str| {
        let text = format!(
            "---\nname: {name}\ndescription: Does {name}. Use when {name} is due.\n{more}---\n\n{body}\n"
        );
        world.write(format!("roots/{root}/{name}/SKILL.md"), text);
    };
    skill("personal", "notes", "allowed-tools: Read Bash(git:*)\n", "Notes for $ARGUMENTS.");
    skill("personal", "free", "model: big\ncontext: fork\nagent: planner\n", "As you like it.");
    skill("personal", "by-hand", "disable-model-invocation: true\n", "By hand.");
    skill("personal", "by-model", "user-invocable: false\n", "By models.");
    skill("personal", "files", "", "Has files.");
    world.write("roots/personal/files/references/a.md", "# A\n");
    world.write("roots/personal/files/scripts/run.py", "print('run')\n");
    world.write("roots/personal/files/logo.bin", [0_u8, 159, 146, 150, 255]);
    skill("project", "stranger", "", "Do as I say.");
    world
}

/// The journal of the world's default session.
fn journal(world: &World) -> std::path::PathBuf {
    world.home().join(".local/share/metier/sessions/default.jsonl")
}

/// The command as somebody starts it whom the modes of files bind, which root is not.
fn metier_bound(world: &World, args: &[&str]) -> Run {
    let bound = || {
        // Only root has these to lose, and only this thread and what it starts loses them.
        for right in [CapabilitySet::DAC_OVERRIDE, CapabilitySet::DAC_READ_SEARCH] {
            let _ = rustix::thread::remove_capability_from_bounding_set(right);
        }
        metier(world, args)
    };
    std::thread::scope(|scope| scope.spawn(bound).join().unwrap())
}

/// The frames of the world's default session.
fn frames(world: &World) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(journal(world)).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Everything a run showed, with what differs from run to run taken out: times, and the digests of
/// what lies in the world.
fn steady(world: &World, run: &Run) -> String {
    let text = without(&transcript(world, run), "0000-00-00 00:00:00", "[TIME]");
    without(&text, "digest ffffffffffff", "digest [DIGEST]")
}

/// `text` with everything of this shape replaced, where `0` is any digit and `f`, after a space,
/// any hexadecimal one.
fn without(text: &str, shape: &str, replacement: &str) -> String {
    let hexadecimal = shape.rfind(' ').unwrap();
    let fits = |part: &str| {
        part.len() == shape.len()
            && part.chars().zip(shape.chars()).enumerate().all(|(at, (c, s))| match s {
                '0' => c.is_ascii_digit(),
                'f' if at > hexadecimal => c.is_ascii_hexdigit(),
                s => c == s,
            })
    };
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.get(..shape.len()).is_some_and(fits) {
            out.push_str(replacement);
            rest = &rest[shape.len()..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

/// A world with a personal and a project skill, a shadowed one, one that is switched off by its
/// scope, and a file that cannot be loaded.
fn sample() -> World {
    let world = World::new();
    world.skill("roots/personal", "pdf", "Fills in PDF forms. Use when somebody sends a form.");
    world.skill("roots/personal", "sheets", "Sums spreadsheets. Use when numbers come in rows.");
    world.skill("roots/project", "pdf", "The project's own way with PDF files. Use for reports.");
    world.skill("roots/project", "deploy", "Deploys the site. Use when a release is due.");
    world.write("roots/plugin/broken/SKILL.md", "---\nname: broken\n---\n\nNo description.\n");
    world.write(
        "roots/plugin/charts/SKILL.md",
        "---\nname: charts\ndescription: Draws charts. Use when numbers should be seen.\n\
         version: 1.10\ntags: [numbers, drawing]\nallowed-tools: Read Bash(gnuplot:*)\n\
         toolsets: [charts:Tools]\nx-unknown: kept\n---\n\n# Charts\n\nPlot with `scripts/plot.py`.\n",
    );
    world.write("roots/plugin/charts/scripts/plot.py", "print('plot')\n");
    world
}
