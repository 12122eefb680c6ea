use std::path::Path;

use metier_format::Code;

use super::MemoryStore;
use crate::discover::ScanLimits;
use crate::layer::{Layer, RootId};
use crate::store::{LoadError, Location, ReadError, Store, TreeError};

const TEXT: &[u8] = b"---\nname: one\ndescription: A skill in memory.\n---\n# One\n";

fn at(path: &str) -> Location {
    Location { root: RootId(0), path: Path::new(path).into() }
}

fn store() -> MemoryStore {
    MemoryStore::new(Layer::Bundled)
        .file("one/SKILL.md", TEXT)
        .executable("one/scripts/run.py", &b"print()"[..])
        .file("one/assets/logo", &b"\x00\xff"[..])
        .file("one-more/readme", &b""[..])
}

#[test]
fn bytes_are_found_loaded_and_read_like_files() {
    // D9
    let store = store();
    let found = store.discover(&ScanLimits::default());
    assert_eq!(found.found.len(), 1);
    assert_eq!(found.found[0].path.to_str(), Some("one"));
    assert_eq!(found.found[0].identity, (0, 0));
    assert_eq!(found.roots, store.roots());
    let skill = store.load(&at("one")).unwrap();
    assert_eq!(skill.body, "# One\n");
    assert_eq!(skill.source, TEXT);
    assert_eq!(skill.directory, Path::new("bundled/one"));
    let listed: Vec<_> = skill.resources.files.iter().map(|f| (&*f.path, f.executable)).collect();
    assert_eq!(listed, [("assets/logo", false), ("scripts/run.py", true)]);
    assert!(store.read(&at("one"), "assets/logo", 9).unwrap().binary);
    assert!(!store.read(&at("one"), "./scripts/run.py", 9).unwrap().binary);
    assert_eq!(store.tree(&at("one")).unwrap().files().len(), 3);
    assert_eq!(store.files().count(), 4);
}

#[test]
fn what_is_not_there_is_told_apart() {
    // D9, R1
    let store = store();
    let read = |path: &str, max| store.read(&at("one"), path, max);
    assert!(matches!(read("../one-more/readme", 9), Err(ReadError::InvalidPath(_))));
    assert!(matches!(read("scripts", 9), Err(ReadError::NotAFile(_))));
    assert!(matches!(read("scripts/x", 9), Err(ReadError::NotFound(_))));
    assert!(matches!(
        read("scripts/run.py", 3),
        Err(ReadError::TooLarge { size: 7, limit: 3, .. })
    ));
    for missing in ["two", "one/../one", "one-more"] {
        assert!(matches!(store.load(&at(missing)), Err(LoadError::NotFound(_))), "{missing}");
    }
    assert!(matches!(store.tree(&at("two")), Err(TreeError::NotFound(_))));
    let elsewhere = Location { root: RootId(1), ..at("one") };
    assert!(matches!(store.load(&elsewhere), Err(LoadError::NotFound(_))));
}

#[test]
fn a_path_that_cannot_be_one_is_reported_at_discovery() {
    // D9
    let store = store().file("../out/SKILL.md", TEXT).file("/x", TEXT);
    let found = store.discover(&ScanLimits::default());
    assert_eq!(found.found.len(), 1);
    let said: Vec<_> =
        found.notes.iter().map(|n| (n.diagnostic.code, &*n.diagnostic.message)).collect();
    let message = "`../out/SKILL.md` is not a path inside the store";
    assert_eq!(said[0], (Code::DirectoryUnreadable, message));
    assert_eq!(said.len(), 2);
}
