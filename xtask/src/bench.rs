//! `cargo xtask bench`: every `benches/*.rs` of the workspace, or those named.

use crate::{process, source};

/// Runs the benchmarks. Arguments that start with `--` are passed on.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (flags, names): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.starts_with("--"));
    let benches = benches();
    if let Some(unknown) = names.iter().find(|n| !benches.iter().any(|(_, b)| b == **n)) {
        let known: Vec<&str> = benches.iter().map(|(_, b)| b.as_str()).collect();
        return Err(format!("there is no benchmark `{unknown}`; there are: {}", known.join(" ")));
    }
    process::run("cargo", &["build", "--release", "--package", "metier"])?;
    for (package, bench) in &benches {
        if !names.is_empty() && !names.contains(&bench) {
            continue;
        }
        let mut words =
            vec!["bench", "--package", package.as_str(), "--bench", bench.as_str(), "--"];
        words.extend(flags.iter().map(|flag| flag.as_str()));
        process::run("cargo", &words)?;
    }
    Ok(())
}

/// Every benchmark as (package, name), sorted.
fn benches() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for file in source::files() {
        let parts: Vec<&str> = file.split('/').collect();
        if let ["crates", package, "benches", name] = parts.as_slice()
            && let Some(name) = name.strip_suffix(".rs")
        {
            found.push(((*package).to_owned(), name.to_owned()));
        }
    }
    found
}
