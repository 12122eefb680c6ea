//! Real skills. Those beside the checkout are read when they are there; a few written here are read
//! always.

use std::path::Path;

use metier_format::Code;
use metier_format::parse::Parsed;
use serde::Deserialize;
use sha2::{Digest, Sha256};

/// What is known about one file of the corpus.
#[derive(Deserialize)]
struct Expected {
    path: String,
    yaml_ok: bool,
    name: Option<String>,
    description_sha256: Option<String>,
    keys: Option<Vec<String>>,
}

/// How many files went which way.
#[derive(Debug, Default)]
struct Tally {
    loaded: usize,
    repaired: usize,
    refused: usize,
}

impl Tally {
    fn count(&mut self, parsed: &Parsed) {
        let repaired = parsed.diagnostics.iter().any(|d| d.code == Code::Repaired);
        match (&parsed.manifest, repaired) {
            (None, _) => self.refused += 1,
            (Some(_), true) => self.repaired += 1,
            (Some(_), false) => self.loaded += 1,
        }
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses one file and compares it with what is known about it.
fn read(corpus: &Path, expected: &Expected) -> Result<Parsed, String> {
    let path = corpus.join(&expected.path);
    let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", expected.path))?;
    let directory = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let parsed = metier_format::parse(&bytes, directory);
    if expected.yaml_ok {
        let Some(manifest) = &parsed.manifest else {
            return Err(format!("{} is refused: {:?}", expected.path, parsed.diagnostics));
        };
        let name = manifest.name.to_string();
        let keys: Vec<String> = manifest.keys.iter().map(|key| key.value.to_string()).collect();
        let seen = (Some(name), Some(sha256(&manifest.description)), Some(keys));
        let known =
            (expected.name.clone(), expected.description_sha256.clone(), expected.keys.clone());
        if seen != known {
            return Err(format!("{}: {seen:?} is not {known:?}", expected.path));
        }
    }
    Ok(parsed)
}

#[test]
fn every_real_skill_loads_with_its_name_and_description() {
    // F1, F2
    let Some(corpus) = metier_testing::shared().map(|shared| shared.join("corpus")) else {
        println!("no corpus beside this checkout; the files written here stand for it");
        return ours_load();
    };
    let list = std::fs::read_to_string(corpus.join("expected.jsonl")).expect("expected.jsonl");
    let mut tally = Tally::default();
    let mut faults = Vec::new();
    for line in list.lines() {
        let expected: Expected = serde_json::from_str(line).expect("a line of expected.jsonl");
        match read(&corpus, &expected) {
            Ok(parsed) => tally.count(&parsed),
            Err(fault) => faults.push(fault),
        }
    }
    println!("corpus: {tally:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    ours_load();
}

/// Shapes that real files have: the text of the frontmatter, the name, the description.
const OURS: &[(&str, &str, &str)] = &[
    ("name: tidy-notes\ndescription: Sorts notes by date.", "tidy-notes", "Sorts notes by date."),
    (
        "name: \"tidy-notes\"\ndescription: 'Sorts Ada''s notes: all of them.'\nlicense: MIT",
        "tidy-notes",
        "Sorts Ada's notes: all of them.",
    ),
    (
        "name: tidy-notes\ndescription: >\n  Sorts notes\n  by date.\n\n  Slowly.\nversion: 1.10",
        "tidy-notes",
        "Sorts notes by date.\nSlowly.",
    ),
    (
        "name: Tidy Notes Automation\ndescription: \"Sorts notes\"\nrequires:\n  mcp: [notes]",
        "Tidy Notes Automation",
        "Sorts notes",
    ),
    (
        "name: -2tidy\r\ndescription: Sorts notes\r\nmetadata:\r\n  a: b\r\n",
        "-2tidy",
        "Sorts notes",
    ),
    (
        "# written by hand\nname: tidy-notes # short\ndescription: |-\n  Sorts:\n    - notes\n\
         allowed-tools: [Read, Bash(sort:*)]\ndisable-model-invocation: true",
        "tidy-notes",
        "Sorts:\n  - notes",
    ),
];

fn ours_load() {
    for (frontmatter, name, description) in OURS {
        let parsed = crate::support::parse(crate::support::file(frontmatter));
        let manifest = parsed.manifest.expect(frontmatter);
        assert_eq!(manifest.name.as_str(), *name);
        assert_eq!(manifest.description.value, *description);
    }
}
