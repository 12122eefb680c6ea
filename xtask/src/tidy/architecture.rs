//! ARCHITECTURE.md tells the truth: the dependency table is Cargo's, the doors are the ones in the
//! code.

use std::collections::{BTreeMap, BTreeSet};

use crate::{process, source};

const PAGE: &str = "ARCHITECTURE.md";

pub(super) fn problems() -> Vec<String> {
    let mut problems = dependency_problems();
    problems.extend(door_problems());
    problems
}

type Table = BTreeMap<String, BTreeSet<String>>;

fn dependency_problems() -> Vec<String> {
    let real = match real_dependencies() {
        Ok(real) => real,
        Err(error) => return vec![error],
    };
    let written = written_dependencies();
    let mut problems = Vec::new();
    for name in real.keys().chain(written.keys()).collect::<BTreeSet<_>>() {
        match (real.get(name), written.get(name)) {
            (Some(real), Some(written)) if real.is_subset(written) => {}
            (Some(real), Some(written)) => problems.push(format!(
                "{PAGE}: `{name}` depends on {:?}, which its row does not allow",
                real.difference(written).collect::<Vec<_>>()
            )),
            (Some(_), None) => problems.push(format!("{PAGE}: `{name}` has no row in the table")),
            (None, _) => problems.push(format!("{PAGE}: there is no crate `{name}`")),
        }
    }
    problems
}

/// Our crates and which of our crates each depends on, as Cargo has it. Dev-dependencies are free.
fn real_dependencies() -> Result<Table, String> {
    let words = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let text = process::output("cargo", &words)?;
    let metadata: serde_json::Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let ours = |name: &str| name.starts_with("metier") || name == "xtask";
    let mut table = Table::new();
    for package in &packages {
        let dependencies = package["dependencies"].as_array().cloned().unwrap_or_default();
        let names = dependencies
            .iter()
            .filter(|d| d["kind"].as_str() != Some("dev"))
            .filter_map(|d| d["name"].as_str())
            .filter(|name| ours(name))
            .map(str::to_owned)
            .collect();
        table.insert(package["name"].as_str().unwrap_or_default().to_owned(), names);
    }
    Ok(table)
}

/// The rows of the table under "May depend on". A crate that does not exist yet is marked `(later)`.
fn written_dependencies() -> Table {
    let page = source::text(PAGE);
    let section = page.split("## May depend on").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut table = Table::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, allowed, ..] = cells.as_slice() else { continue };
        if !name.ends_with("(later)") {
            table.insert(ticked(name).into_iter().next().unwrap_or_default(), ticked(allowed));
        }
    }
    table
}

/// The words in backticks.
fn ticked(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Files that may touch the outside, as the page lists them, against the `expect`s in the code.
fn door_problems() -> Vec<String> {
    let page = source::text(PAGE);
    let section = page.split("## Doors to the outside").nth(1).unwrap_or_default();
    let section = section.split("\n## ").next().unwrap_or_default();
    let written: BTreeSet<String> = section
        .lines()
        .filter(|l| l.starts_with("| `"))
        .flat_map(|l| ticked(first_cell(l)))
        .collect();
    let real: BTreeSet<String> = source::files().into_iter().filter(|file| is_door(file)).collect();
    let mut problems = Vec::new();
    for file in real.difference(&written) {
        problems.push(format!("{PAGE}: the door `{file}` is not in the table of doors"));
    }
    for file in written.difference(&real) {
        problems.push(format!("{PAGE}: `{file}` is listed as a door and is none"));
    }
    problems
}

fn first_cell(line: &str) -> &str {
    line.trim_start_matches('|').split('|').next().unwrap_or_default()
}

fn is_door(file: &str) -> bool {
    let in_product = file.starts_with("crates/") && file.contains("/src/");
    let testing = file.starts_with("crates/metier-testing/");
    if !in_product || testing || source::is_test(file) || !file.ends_with(".rs") {
        return false;
    }
    let text = source::text(file);
    let squeezed: String = text.split_whitespace().collect();
    squeezed.contains("expect(clippy::disallowed_methods")
        || (squeezed.contains("#![expect(") && text.contains("clippy::disallowed_methods"))
}
