//! Writes the table of bundled skills: every file below the project's `skills/` directory, by path.
//! And the tokenizer's vocabulary as a table that needs no start: see `src/tokens/vocabulary.rs`.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a build script lists files and stops the build when it cannot"
)]

#[path = "src/tokens/slot.rs"]
mod slot;

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn main() {
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let skills = manifest.join("../../skills");
    println!("cargo::rerun-if-changed={}", skills.display());
    println!("cargo::rerun-if-changed=build.rs");
    let mut files = Vec::new();
    if skills.is_dir() {
        collect(&skills, "", &mut files);
    }
    files.sort();
    let mut table = String::from("static EMBEDDED: &[Embedded] = &[\n");
    for (path, executable) in &files {
        let file = skills.join(path).canonicalize().expect("it was just listed");
        writeln!(table, "    ({path:?}, include_bytes!({file:?}), {executable}),")
            .expect("a string");
    }
    table.push_str("];\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("set by cargo"));
    std::fs::write(out.join("bundled.rs"), table).expect("the table is written");
    println!("cargo::rerun-if-changed=src/tokens/slot.rs");
    vocabulary(&out);
}

/// Writes the bytes of all tokens, where each ends, and the numbers of the tokens by hash.
fn vocabulary(out: &Path) {
    let tokenizer = tiktoken::get_encoding("o200k_base").expect("it is compiled in");
    let count = u32::try_from(tokenizer.vocab_size()).expect("there are fewer");
    assert!(count < 1 << slot::NUMBER_BITS, "a number has to fit into a slot");
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let mut slots = vec![slot::EMPTY; slot::SLOTS];
    for number in 0..count {
        let token = tokenizer.decode(&[number]);
        let (start, tag) = slot::place(&token);
        let free = (start..slot::SLOTS).chain(0..start).find(|at| slots[*at] == slot::EMPTY);
        slots[free.expect("there are more slots than tokens")] =
            (tag << slot::NUMBER_BITS) | number;
        bytes.extend(token);
        ends.extend(u32::try_from(bytes.len()).expect("a few megabytes").to_le_bytes());
    }
    let table: Vec<u8> = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    for (name, bytes) in [("bytes", bytes), ("ends", ends), ("table", table)] {
        std::fs::write(out.join(format!("tokens.{name}")), bytes).expect("the table is written");
    }
}

/// Every file below `directory`, but hidden ones and what Python leaves behind.
fn collect(directory: &Path, prefix: &str, files: &mut Vec<(String, bool)>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().into_string().expect("names of bundled files are text");
        if name.starts_with('.') || name == "__pycache__" {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{path}/"), files);
        } else {
            let mode = entry.metadata().expect("it was just listed").permissions().mode();
            files.push((path, mode & 0o111 != 0));
        }
    }
}
