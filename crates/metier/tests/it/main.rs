//! The command as its users drive it: the real binary in a world of its own, one file a command.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests plant files, links and broken things, start the binary, and stop when that fails"
)]

mod check;
mod choosing;
mod completions;
mod contract;
mod global;
mod hostile;
mod lint;
mod list;
mod man;
mod overview;
mod prompt;
mod props;
mod search;
mod settings;
mod show;
mod terminal;
mod tour;
mod why;

use metier_testing::{Run, World};

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

/// Everything a run showed, for a snapshot: exit code, then both streams, the world's directory
/// written as `[WORLD]` and metier's version as `[VERSION]`.
fn transcript(world: &World, run: &Run) -> String {
    let stderr =
        if run.stderr.is_empty() { String::new() } else { format!("--- stderr\n{}", run.stderr) };
    let text = format!("exit {}\n--- stdout\n{}{stderr}", run.code, run.stdout);
    world.redact(&text).replace(env!("CARGO_PKG_VERSION"), "[VERSION]")
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
