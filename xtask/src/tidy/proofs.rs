//! Every diagnostic code and every error variant is named by a test.

use crate::source;

pub(super) fn problems() -> Vec<String> {
    let files = source::files();
    let tests: Vec<String> = files
        .iter()
        .filter(|f| source::is_test(f) || f.ends_with(".snap"))
        .map(|f| source::text(f))
        .collect();
    let named = |words: &[&str]| tests.iter().any(|t| words.iter().all(|word| t.contains(word)));
    let mut problems = Vec::new();
    for (variant, code) in codes() {
        if !named(&[&format!("Code::{variant}")]) && !named(&[&code]) {
            problems.push(format!("diagnostic {code} ({variant}) is named by no test"));
        }
    }
    for file in files.iter().filter(|f| f.starts_with("crates/") && f.contains("/src/")) {
        if source::is_test(file) || file.starts_with("crates/metier-testing/") {
            continue;
        }
        for (name, variant) in error_variants(&source::text(file)) {
            if !named(&[&name, &variant]) {
                problems.push(format!("{file}: `{name}::{variant}` is named by no test"));
            }
        }
    }
    problems
}

/// The rows of the code table: variant and code.
fn codes() -> Vec<(String, String)> {
    let text = source::text("crates/metier-format/src/diagnostic.rs");
    let rows = text.lines().filter_map(|line| line.trim().split_once(" = \"SK"));
    rows.map(|(variant, rest)| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        (variant.to_owned(), format!("SK{digits}"))
    })
    .collect()
}

/// The variants of every enum that derives `thiserror::Error`.
fn error_variants(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut name: Option<String> = None;
    let mut derives = false;
    for line in text.lines() {
        if line.starts_with("#[derive(") {
            derives = line.contains("Error");
        }
        if let Some(rest) = line.strip_prefix("pub enum ").or(line.strip_prefix("enum ")) {
            name = derives.then(|| rest.trim_end_matches(" {").to_owned());
        }
        if line == "}" {
            (name, derives) = (None, false);
        }
        let variant = line.strip_prefix("    ").filter(|l| l.starts_with(char::is_uppercase));
        if let (Some(name), Some(variant)) = (&name, variant) {
            let word = variant.split(['(', ' ', ',', '{']).next().unwrap_or_default();
            found.push((name.clone(), word.to_owned()));
        }
    }
    found
}
