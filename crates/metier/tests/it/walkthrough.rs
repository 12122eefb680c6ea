//! The walkthroughs in `docs/`: every command in a block marked `console` is typed, in order, into
//! one shell in a world of its own, and prints what the page says it prints.
//!
//! `$ ` begins a command and `> ` continues it; what follows up to the next command is its output,
//! standard error included. `…` alone on a line stands for any lines, inside a line for any text;
//! `[exit 3]` after the output is the exit code when it is not 0. `[WORLD]` is the world's
//! directory, `/home/you` the home in it and `/work/project` the project, where the shell starts. A
//! command without any lines of output may print what it likes; `[no output]` says that it prints
//! nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use metier_testing::{World, project_root};

use crate::METIER;

/// One command of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    line: usize,
    pub(crate) command: String,
    output: Vec<String>,
}

#[test]
fn every_command_of_every_walkthrough_does_what_the_page_says() {
    // U1, U5
    let mut pages: Vec<_> = fs::read_dir(project_root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    // Each page is a world of its own, and much of its time is waiting.
    std::thread::scope(|scope| {
        for page in pages {
            scope.spawn(move || {
                let text = fs::read_to_string(&page).unwrap();
                let steps = steps(&text);
                assert_eq!(steps.is_empty(), !text.contains("```console"), "{}", page.display());
                walk(&page, &steps);
            });
        }
    });
}

#[test]
fn a_page_that_is_wrong_is_noticed() {
    // U1
    let page = "```console\n$ echo a\nb\n```\n\n```text\n$ rm x\n```\n";
    let found = steps(page);
    assert_eq!(
        found,
        [Step { line: 2, command: "echo a".to_owned(), output: vec!["b".to_owned()] }]
    );
    let check = |expected: &[&str], printed: &str, fits: bool| {
        let expected: Vec<String> = expected.iter().map(|line| readable(line)).collect();
        let printed: Vec<&str> = printed.lines().collect();
        assert_eq!(matches(&expected, &printed), fits, "{expected:?} {printed:?}");
    };
    check(&["a"], "a", true);
    check(&["a"], "a\nb", false);
    check(&["a", "…"], "a\nb\nc", true);
    check(&["…", "c"], "a\nb\nc", true);
    check(&["…", "d"], "a\nb\nc", false);
    check(&["a … c"], "a b b c", true);
    check(&["a … c"], "a b b d", false);
    check(&["[no output]"], "", true);
    check(&["[no output]"], "a", false);
    check(&["[WORLD]/home/x", "/work/project"], "/home/you/x\n/work/project", true);
    let continued = steps("```console\n$ cat <<E\n> x\n> E\nx\n```\n");
    assert_eq!(continued[0].command, "cat <<E\nx\nE");
}

/// The commands of a page.
pub(crate) fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for (index, line) in page.lines().enumerate() {
        if let Some(mark) = line.strip_prefix("```") {
            inside = !inside && mark.trim() == "console";
        } else if !inside {
        } else if let Some(command) = line.strip_prefix("$ ") {
            let command = command.to_owned();
            steps.push(Step { line: index + 1, command, output: Vec::new() });
        } else if let Some(step) = steps.last_mut() {
            let more = if line == ">" { Some("") } else { line.strip_prefix("> ") };
            match more.filter(|_| step.output.is_empty()) {
                Some(more) => {
                    let _ = write!(step.command, "\n{more}");
                }
                None => step.output.push(readable(line)),
            }
        }
    }
    steps
}

/// Types the commands, all into one shell, and compares.
fn walk(page: &Path, steps: &[Step]) {
    if steps.is_empty() {
        return;
    }
    let world = World::new();
    let programs = world.path().join("bin");
    fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(METIER, programs.join("metier")).unwrap();
    let mut script = format!("PATH={}:/usr/bin:/bin\nexport PATH\n", programs.display());
    for (number, step) in steps.iter().enumerate() {
        let output = world.path().join(format!("step-{number}"));
        let _ = writeln!(script, "{{ {}\n}} > {} 2>&1", step.command, output.display());
        let _ = writeln!(script, "echo $? > {}.code", output.display());
    }
    let script = world.write("walk.sh", script);
    let run = world.run("/bin/sh", &[script.to_str().unwrap()]);
    for (number, step) in steps.iter().enumerate() {
        let read = |name: String| {
            fs::read_to_string(world.path().join(name)).unwrap_or_else(|_| run.stderr.clone())
        };
        let code = read(format!("step-{number}.code")).trim().to_owned();
        let mut printed = readable(&world.redact(&read(format!("step-{number}"))));
        if code != "0" {
            let _ = write!(printed, "[exit {code}]");
        }
        let lines: Vec<&str> = printed.lines().collect();
        let fits = match step.output.is_empty() {
            true => code == "0",
            false => matches(&step.output, &lines),
        };
        let place = format!("{}:{}", page.display(), step.line);
        assert!(fits, "{place}: `{}` printed\n{printed}", step.command);
    }
}

/// The text as pages have it: with places that people may have.
fn readable(text: &str) -> String {
    text.replace("[WORLD]/home", "/home/you").replace("[WORLD]/project", "/work/project")
}

/// Whether the lines printed are those expected.
fn matches(expected: &[String], printed: &[&str]) -> bool {
    if expected == ["[no output]"] {
        return printed.is_empty();
    }
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((any, rest)), _) if any.trim() == "…" => {
            (0..=printed.len()).any(|from| matches(rest, &printed[from..]))
        }
        (Some((line, rest)), Some((found, more))) => line_fits(line, found) && matches(rest, more),
        _ => false,
    }
}

fn line_fits(expected: &str, found: &str) -> bool {
    let mut parts = expected.split('…');
    let Some(mut rest) = found.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
