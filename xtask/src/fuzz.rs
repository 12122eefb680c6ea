//! `cargo xtask fuzz NAME SECONDS`: libFuzzer on stable Rust, without sanitizers, which need a
//! nightly compiler. Crashes land in `fuzz/artifacts/NAME/`.

use crate::{process, source};

/// Runs one target or all of them.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let targets = targets()?;
    let [name, seconds] = arguments else {
        return Err(format!(
            "usage: cargo xtask fuzz NAME|all SECONDS; names: {}",
            targets.join(" ")
        ));
    };
    let seconds: u32 = seconds.parse().map_err(|_| format!("`{seconds}` is not a number"))?;
    if !process::succeeds("cargo", &["fuzz", "--version"]) {
        process::run("cargo", &["install", "cargo-fuzz", "--locked"])?;
    }
    let chosen: Vec<&String> = targets.iter().filter(|t| name == "all" || *t == name).collect();
    if chosen.is_empty() {
        return Err(format!("there is no fuzz target `{name}`; there are: {}", targets.join(" ")));
    }
    chosen.into_iter().try_for_each(|target| one(target, seconds))
}

fn one(target: &str, seconds: u32) -> Result<(), String> {
    let time = format!("-max_total_time={seconds}");
    let corpus = format!("fuzz/corpus/{target}");
    let seeds = format!("fuzz/seeds/{target}");
    std::fs::create_dir_all(source::root().join(&corpus)).map_err(|e| e.to_string())?;
    let mut words = vec!["fuzz", "run", "--sanitizer", "none", target, corpus.as_str()];
    if source::root().join(&seeds).is_dir() {
        words.push(&seeds);
    }
    words.extend(["--", time.as_str(), "-timeout=5", "-rss_limit_mb=256", "-print_final_stats=1"]);
    if ["yaml_readers", "repair", "skill_md"].contains(&target) {
        words.push("-dict=fuzz/yaml.dict");
    }
    process::run("cargo", &words)
}

/// The targets, read from the fuzz crate's manifest.
fn targets() -> Result<Vec<String>, String> {
    let manifest = source::read(&source::root().join("fuzz/Cargo.toml"))?;
    let mut names = Vec::new();
    let mut in_bin = false;
    for line in manifest.lines() {
        in_bin = if line.starts_with('[') { line.trim() == "[[bin]]" } else { in_bin };
        if let (true, Some(rest)) = (in_bin, line.strip_prefix("name = ")) {
            names.push(rest.trim().trim_matches('"').to_owned());
        }
    }
    Ok(names)
}
