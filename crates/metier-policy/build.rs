//! Writes the built-in tables as JSON: people write them in TOML, with comments, and every run that
//! guards a call reads them, which takes a fraction of the time in JSON.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script reads and writes files and stops the build when it cannot"
)]

use std::path::PathBuf;

fn main() {
    let variable = |name: &str| PathBuf::from(std::env::var_os(name).expect("set by cargo"));
    println!("cargo::rerun-if-changed=build.rs");
    for table in ["hosts", "programs"] {
        let file = variable("CARGO_MANIFEST_DIR").join(format!("src/data/{table}.toml"));
        println!("cargo::rerun-if-changed={}", file.display());
        let text = std::fs::read_to_string(&file).expect("the table");
        let read: toml::Table = text.parse().expect("TOML");
        let json = serde_json::to_string(&read).expect("JSON");
        std::fs::write(variable("OUT_DIR").join(format!("{table}.json")), json).expect("written");
    }
}
