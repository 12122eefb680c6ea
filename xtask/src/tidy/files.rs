//! Rules about files: length, words that mean something is unfinished, forgotten test files, text
//! that must not be in the project.

use crate::source;

/// Longest source file; at 500 lines one looks hard, at 800 one splits.
const MAX_LINES: usize = 800;

/// Files that may be longer, each with the reason.
const LONGER: &[(&str, &str)] = &[];

pub(super) fn problems() -> Vec<String> {
    let files = source::files();
    let mut problems = Vec::new();
    for file in &files {
        let text = source::text(file);
        problems.extend(length_problem(file, &text));
        problems.extend(word_problems(file, &text));
    }
    problems.extend(forgotten_tests(&files));
    problems
}

fn length_problem(file: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let excused = LONGER.iter().any(|(name, _)| *name == file);
    (file.ends_with(".rs") && lines > MAX_LINES && !excused)
        .then(|| format!("{file} has {lines} lines; split it, or name the reason in tidy"))
}

/// Words are put together here so that this file does not contain them.
fn word_problems(file: &str, text: &str) -> Vec<String> {
    let unfinished = [
        ["FIX", "ME"].concat(),
        ["TO", "DO:"].concat(),
        ["XX", "X:"].concat(),
        ["todo", "!("].concat(),
        ["unimplemented", "!("].concat(),
        ["#[ign", "ore"].concat(),
        ["STUB ", "until"].concat(),
    ];
    let foreign = [
        ["/wo", "rk/main"].concat(),
        ["/wo", "rk/shared"].concat(),
        ["/wo", "rk/wt"].concat(),
        ["/ro", "ot/.cargo"].concat(),
        ["crates", ".io"].concat(),
    ];
    let mut problems = Vec::new();
    let checked = [".rs", ".md", ".toml", ".yml", ".sh", ".py"];
    if !checked.iter().any(|end| file.ends_with(end)) && file != ".ci/run" {
        return problems;
    }
    for (number, line) in text.lines().enumerate() {
        let place = format!("{file}:{}", number + 1);
        if file.ends_with(".rs") && unfinished.iter().any(|word| line.contains(word.as_str())) {
            problems.push(format!("{place}: this reads as unfinished"));
        }
        if foreign.iter().any(|word| line.contains(word.as_str())) {
            problems.push(format!("{place}: a path or host that belongs to one machine"));
        }
    }
    problems
}

/// A test file nobody declares never runs.
fn forgotten_tests(files: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|f| f.ends_with(".rs") && source::is_test(f)) {
        let Some((folder, name)) = file.rsplit_once('/') else { continue };
        let module = name.trim_end_matches(".rs");
        if module == "main" || folder.ends_with("/tests") {
            continue;
        }
        let declared = files.iter().filter(|f| f.ends_with(".rs") && *f != file).any(|other| {
            let text = source::text(other);
            text.contains(&format!("\"{name}\"")) || text.contains(&format!("mod {module};"))
        });
        if !declared {
            problems.push(format!("{file}: no module declares this test file"));
        }
    }
    problems
}
