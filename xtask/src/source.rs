//! The project's own files, as git knows them.

use std::path::{Path, PathBuf};

use crate::process;

/// The project's root directory.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Every file git tracks or would track, relative to the root, sorted, `/` between components.
pub(crate) fn files() -> Vec<String> {
    let words = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = process::output("git", &words).unwrap_or_default();
    let mut files: Vec<String> =
        listed.lines().filter(|f| root().join(f).is_file()).map(str::to_owned).collect();
    files.sort();
    files.dedup();
    files
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The text of a file given relative to the root; empty when it is not text.
pub(crate) fn text(relative: &str) -> String {
    std::fs::read_to_string(root().join(relative)).unwrap_or_default()
}

/// The text of every Rust file of the crates, for tests that look a name up in it.
#[cfg(test)]
pub(crate) fn of_crates() -> String {
    let is_code = |file: &&String| file.starts_with("crates/") && file.ends_with(".rs");
    files().iter().filter(is_code).map(|file| text(file)).collect()
}

/// Whether a file holds tests and nothing else.
pub(crate) fn is_test(file: &str) -> bool {
    file.ends_with("_tests.rs") || file.contains("/tests/")
}

/// One test function: where it is, what it is called, which requirement ids its first line names.
pub(crate) struct Test {
    /// The file.
    pub(crate) file: String,
    /// The function.
    pub(crate) name: String,
    /// The ids.
    pub(crate) ids: Vec<String>,
}

/// Every test function of the workspace, in file order.
pub(crate) fn tests() -> Vec<Test> {
    let mut tests = Vec::new();
    for file in files() {
        if file.ends_with(".rs") {
            collect_tests(&file, &text(&file), &mut tests);
            tests.extend(benchmark(&file));
        }
    }
    tests
}

/// A benchmark names its ids in the first line of its documentation.
fn benchmark(file: &str) -> Option<Test> {
    let (_, name) = file.split_once("/benches/")?;
    let text = text(file);
    let ids = ids_of(text.lines().next()?.strip_prefix("//!")?);
    let name = format!("bench {}", name.trim_end_matches(".rs"));
    (!ids.is_empty()).then_some(Test { file: file.to_owned(), name, ids })
}

/// A test is an attribute line `#[test]`, a function, and a first line inside that is a comment of
/// ids. `proptest!` functions look the same.
fn collect_tests(file: &str, text: &str, tests: &mut Vec<Test>) {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| **line == "#[test]") {
        let Some(start) = (at + 1..lines.len()).find(|i| lines[*i].contains("fn ")) else {
            continue;
        };
        let name = lines[start].split("fn ").nth(1).unwrap_or_default();
        let name = name.split(['(', '<']).next().unwrap_or_default().to_owned();
        let Some(open) = (start..lines.len()).find(|i| lines[*i].ends_with('{')) else { continue };
        let first = lines.get(open + 1).copied().unwrap_or_default();
        let ids = first.strip_prefix("//").map(ids_of).unwrap_or_default();
        tests.push(Test { file: file.to_owned(), name, ids });
    }
}

/// The requirement ids at the start of a comment: `D3, F1: more words` gives two.
fn ids_of(comment: &str) -> Vec<String> {
    let words = comment.split([',', ' ', ':', ';', '.']).filter(|word| !word.is_empty());
    words.take_while(|word| is_id(word)).map(str::to_owned).collect()
}

/// One capital letter and a number: `D3`.
pub(crate) fn is_id(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase())
        && !chars.as_str().is_empty()
        && chars.as_str().len() <= 2
        && chars.all(|c| c.is_ascii_digit())
}
