//! Lint takes any body and any file, with and without surroundings, and marks only what is there.

#![no_main]

use libfuzzer_sys::fuzz_target;
use metier_format::lint::{Neighbour, Surroundings, lint};
use metier_format::parse;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    let mut file =
        b"---\nname: a-skill\ndescription: Sorts ledgers. Use when asked.\n---\n".to_vec();
    file.extend_from_slice(bytes);
    check(&file);
});

fn check(bytes: &[u8]) {
    let parsed = parse(bytes, Some("a-skill"));
    let files = [
        Neighbour { path: "SKILL.md".into(), directory: false },
        Neighbour { path: "references".into(), directory: true },
        Neighbour { path: "references/a.md".into(), directory: false },
        Neighbour { path: "scripts".into(), directory: true },
        Neighbour { path: "scripts/run.py".into(), directory: false },
    ];
    let known = Surroundings { files: Some(&files), body_tokens: Some(6000) };
    for around in [Surroundings::default(), known] {
        for finding in lint(bytes, &parsed, &around) {
            let Some(span) = finding.span else { continue };
            assert!(bytes.get(span.range()).is_some(), "{span:?} of {}", bytes.len());
        }
    }
}
