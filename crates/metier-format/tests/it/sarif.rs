//! SARIF output against the official schema of version 2.1.0.
//!
//! The schema is not part of this project. It lies in the package `serde-sarif`, which the manifest
//! names under a condition that is never true: Cargo pins and fetches it, and nothing compiles it.
//! `cargo fetch` is all this test needs; where that was not done it fetches, and without a network
//! it fails and says so.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "tests ask Cargo where a package lies, read a file of it and stop when that fails"
)]

use std::path::PathBuf;
use std::process::Command;

use boon::{Compiler, Schemas};
use metier_format::lint::{Neighbour, Surroundings, lint};
use metier_format::report::{FileReport, sarif};
use metier_format::{Code, Diagnostic, Edit, Mode, Span, parse};
use serde_json::{Value, json};

/// The schema, from the package Cargo fetched.
fn schema() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("run cargo metadata");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "run `cargo fetch` first: {error}");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("serde-sarif");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    let file = manifest.with_file_name("src").join("schema.json");
    let text = std::fs::read_to_string(&file).expect("the package carries the schema");
    serde_json::from_str(&text).expect("the schema is JSON")
}

/// The violations of the schema in each of `documents`.
fn violations(documents: &[Value]) -> Vec<Option<String>> {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    compiler.enable_format_assertions();
    compiler.add_resource("sarif.json", schema()).expect("a schema");
    let index = compiler.compile("sarif.json", &mut schemas).expect("the schema compiles");
    let violation = |document| schemas.validate(document, index).err().map(|e| format!("{e:#}"));
    documents.iter().map(violation).collect()
}

/// A finding of every code, with and without places, edits and hostile text.
fn every_kind() -> Vec<FileReport> {
    let source = "---\nname: a\u{202e}b\n---\n".as_bytes().to_vec();
    let span = Span::new(10, 15);
    let edit = |span| Edit { span, text: "\"x\"\u{1b}".to_owned() };
    let finding = |(index, code): (usize, &Code)| {
        let plain = Diagnostic::new(*code, "A message with \u{1b}[31m and `ticks`");
        match index % 3 {
            0 => plain,
            1 => plain.at(&source, span),
            _ => plain.at(&source, Span::at(0)).fix(vec![edit(span), edit(Span::at(18))]),
        }
    };
    let diagnostics = Code::ALL.iter().enumerate().map(finding).collect();
    vec![
        FileReport { path: "a b/\u{9b}ü#?.md".to_owned(), source, diagnostics },
        FileReport { path: "/abs/SKILL.md".to_owned(), ..FileReport::default() },
    ]
}

/// What lint says about a skill with many mistakes.
fn linted() -> FileReport {
    let text = "---\nname: a\ndescription: Helps <you>\n---\n[a](gone.md) a\u{200b}b `scripts/gone.py` [c](../x)\n";
    let parsed = parse(text.as_bytes(), None);
    let files = [Neighbour { path: "references/x.md".to_owned(), directory: false }];
    let around = Surroundings { files: Some(&files), body_tokens: Some(9000) };
    let diagnostics = lint(text.as_bytes(), &parsed, &around);
    assert!(diagnostics.len() > 5, "{diagnostics:?}");
    FileReport { path: "SKILL.md".to_owned(), source: text.into(), diagnostics }
}

fn document(files: &[FileReport], mode: Mode) -> Value {
    serde_json::from_str(&sarif(files, mode)).expect("one JSON document")
}

#[test]
fn code_hosts_can_read_what_lint_says() {
    // F3
    let every = every_kind();
    let documents = [
        document(&[], Mode::Strict),
        document(&every, Mode::Strict),
        document(&every, Mode::Lenient),
        document(&[linted()], Mode::Strict),
    ];
    for (index, violation) in violations(&documents).into_iter().enumerate() {
        assert_eq!(violation, None, "document {index}");
    }
}

#[test]
fn the_schema_is_really_asked() {
    // F3: the same document with one mistake each must not pass.
    let sound = document(&every_kind(), Mode::Strict);
    let spoil = |pointer: &str, value: Value| {
        let mut document = sound.clone();
        *document.pointer_mut(pointer).expect(pointer) = value;
        document
    };
    let spoiled = [
        spoil("/version", json!("2.0.0")),
        spoil("/runs/0/results/0/level", json!("advice")),
        spoil("/runs/0/results/1/locations/0/physicalLocation/region/startLine", json!(0)),
        spoil("/runs/0/results/2/fixes/0/artifactChanges/0/replacements", json!([])),
        spoil("/runs/0/tool/driver/rules/0/id", json!(7)),
        spoil("/runs/0/artifacts/0/location/uri", json!("a b")),
        spoil("/runs/0/results/0/message", json!({})),
    ];
    for (index, violation) in violations(&spoiled).into_iter().enumerate() {
        assert!(violation.is_some(), "spoiled document {index} passes");
    }
}
