#![expect(clippy::disallowed_methods, reason = "the table is compared with the files on disk")]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use metier_testing::project_root;

use super::bundled;
use crate::discover::ScanLimits;
use crate::store::Store;

/// Every file below `skills/` as (path, bytes, execute bit), sorted.
fn on_disk(directory: &Path, prefix: &str, files: &mut Vec<(String, Vec<u8>, bool)>) {
    let entries = std::fs::read_dir(directory).expect("the project has bundled skills");
    for entry in entries.map(|entry| entry.expect("an entry")) {
        let path = format!("{prefix}{}", entry.file_name().into_string().expect("text"));
        if entry.path().is_dir() {
            on_disk(&entry.path(), &format!("{path}/"), files);
        } else {
            let mode = entry.metadata().expect("metadata").permissions().mode();
            files.push((path, std::fs::read(entry.path()).expect("bytes"), mode & 0o111 != 0));
        }
    }
    files.sort();
}

#[test]
fn the_embedded_skills_are_those_in_the_project() {
    // B1, D9
    let mut expected = Vec::new();
    on_disk(&project_root().join("skills"), "", &mut expected);
    expected.retain(|(path, _, _)| !path.contains("__pycache__"));
    let store = bundled();
    let embedded: Vec<_> =
        store.files().map(|(path, bytes, bit)| (path.to_owned(), bytes.to_vec(), bit)).collect();
    let names = |files: &[(String, Vec<u8>, bool)]| {
        files
            .iter()
            .map(|(path, bytes, bit)| format!("{path} {} {bit}", bytes.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&embedded), names(&expected));
    assert!(embedded == expected, "the bytes differ");
}

#[test]
fn every_bundled_skill_loads_without_a_word() {
    // B1
    let store = bundled();
    let found = store.discover(&ScanLimits::default());
    let names: Vec<String> = found.found.iter().map(|skill| skill.name.to_string()).collect();
    assert_eq!(names, ["hello-extended", "kalshi-markets", "skill-author"]);
    assert_eq!((found.skipped.len(), found.notes.len()), (0, 0));
    for skill in &found.found {
        assert_eq!(skill.diagnostics.len(), 0, "{}: {:?}", skill.name, skill.diagnostics);
    }
}

#[test]
fn the_parts_of_a_bundled_skill_are_embedded() {
    // B1
    let store = bundled();
    let executable = |path: &str| {
        let (_, _, bit) = store.files().find(|(file, ..)| *file == path).expect(path);
        bit
    };
    let scripts = "event events market markets orderbook search series series_list status trades";
    for name in scripts.split(' ') {
        assert!(executable(&format!("kalshi-markets/scripts/{name}.py")), "{name}");
    }
    assert!(executable("hello-extended/scripts/advanced_greeting.py"));
    assert!(!executable("hello-extended/toolsets/hello.py"));
    assert!(!executable("kalshi-markets/references/answers.md"));
}
