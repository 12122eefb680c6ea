//! `docs/requirements.md`: every requirement, its state, and the tests that prove it. People write
//! the first three columns; the fourth is made from the tests' own first lines and checked by tidy.

use std::collections::BTreeMap;

use crate::{process, source};

const PAGE: &str = "docs/requirements.md";

/// Every id a page must list, by group: the letter and how many there are.
const GROUPS: &[(char, u32)] = &[
    ('F', 5),
    ('D', 9),
    ('S', 10),
    ('J', 4),
    ('R', 7),
    ('P', 8),
    ('H', 5),
    ('U', 9),
    ('B', 4),
    ('N', 5),
];

/// Most test names shown in one row; the rest are a count.
const SHOWN: usize = 6;

/// Rewrites the page's last column.
pub(crate) fn write() -> Result<(), String> {
    let path = source::root().join(PAGE);
    let page = render(&source::read(&path)?);
    std::fs::write(&path, page).map_err(|error| format!("cannot write {PAGE}: {error}"))
}

/// Rewrites `docs/surfaces.md`. The test that compares the page with its tables writes it, since it
/// has the tables.
pub(crate) fn write_surfaces() -> Result<(), String> {
    let test = ["test", "-p", "metier", "--test", "it", "parity::page::the_page"];
    let mut command = process::command("cargo", &test);
    command.env("METIER_WRITE_SURFACES", "1");
    process::finish(command)
}

/// What is wrong with the page: a stale column, a missing id, a claim without proof.
pub(crate) fn problems() -> Vec<String> {
    let page = source::text(PAGE);
    let mut problems = Vec::new();
    if render(&page) != page {
        problems.push(format!("{PAGE}: the test column is stale; run `cargo xtask requirements`"));
    }
    let rows: BTreeMap<String, Vec<&str>> = page.lines().filter_map(row).collect();
    for (letter, count) in GROUPS {
        for id in (1..=*count).map(|number| format!("{letter}{number}")) {
            problems.extend(problem_of(&id, rows.get(&id)));
        }
    }
    let known = |id: &String| rows.contains_key(id);
    for test in source::tests() {
        for id in test.ids.iter().filter(|id| !known(id)) {
            problems.push(format!("{}: test `{}` names unknown id {id}", test.file, test.name));
        }
    }
    problems
}

fn problem_of(id: &str, row: Option<&Vec<&str>>) -> Option<String> {
    let Some(cells) = row else { return Some(format!("{PAGE}: {id} is not listed")) };
    let [_, state, tests] = cells.as_slice() else {
        return Some(format!("{PAGE}: the row of {id} does not have four cells"));
    };
    match (*state, tests.is_empty()) {
        ("done" | "partly" | "open", false) | ("partly" | "open", true) => None,
        ("done", true) => Some(format!("{PAGE}: {id} is claimed done and no test names it")),
        _ => Some(format!("{PAGE}: {id} has the state `{state}`; use done, partly or open")),
    }
}

/// The page with its last column made anew.
fn render(page: &str) -> String {
    let mut proofs: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for test in source::tests() {
        for id in test.ids {
            proofs.entry(id).or_default().push(format!("`{}`", test.name));
        }
    }
    let mut out = String::with_capacity(page.len() * 2);
    for line in page.lines() {
        match row(line) {
            Some((id, cells)) if cells.len() == 3 => {
                let tests = summary(proofs.get(&id).map(Vec::as_slice).unwrap_or_default());
                out.push_str(&format!("| {id} | {} | {} | {tests} |\n", cells[0], cells[1]));
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

fn summary(tests: &[String]) -> String {
    let mut text = tests.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if tests.len() > SHOWN {
        text.push_str(&format!(" and {} more", tests.len() - SHOWN));
    }
    text
}

/// A table row that starts with an id: the id and the other cells.
fn row(line: &str) -> Option<(String, Vec<&str>)> {
    let inner = line.strip_prefix('|')?.trim_end().strip_suffix('|')?;
    let mut cells = inner.split('|').map(str::trim);
    let id = cells.next().filter(|cell| source::is_id(cell))?;
    Some((id.to_owned(), cells.collect()))
}
