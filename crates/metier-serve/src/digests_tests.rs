use metier_store::discover::ScanLimits;
use metier_store::store::Location;
use metier_store::{Layer, MemoryStore, Store as _};

use super::manifest;

const SKILL: &[u8] = b"---\nname: a\ndescription: d\n---\nBody\n";

fn location(store: &MemoryStore) -> Location {
    let found = store.discover(&ScanLimits::default()).found;
    Location { root: found[0].root, path: found[0].path.clone() }
}

#[test]
fn every_file_is_there_once_with_what_it_holds() {
    // U2
    let store = MemoryStore::new(Layer::Personal)
        .file("a/SKILL.md", SKILL)
        .file("a/z.txt", &b"zz"[..])
        .file("a/deep/er/b.bin", &b"\x00\xff"[..]);
    let manifest = manifest(&store, &location(&store)).unwrap();
    assert_eq!(manifest.source, SKILL);
    let files = manifest.files.unwrap();
    let named: Vec<(&str, u64)> = files.iter().map(|f| (f.path.as_str(), f.size)).collect();
    assert_eq!(named, [("SKILL.md", SKILL.len() as u64), ("deep/er/b.bin", 2), ("z.txt", 2)]);
    assert!(files.iter().all(|file| file.digest.len() == 64));
}

#[test]
fn more_than_a_host_must_accept_is_said_to_be_too_much() {
    // U2
    let mut many = MemoryStore::new(Layer::Personal).file("a/SKILL.md", SKILL);
    for number in 0..511 {
        many = many.file(&format!("a/{number}.txt"), &b"x"[..]);
    }
    let most = manifest(&many, &location(&many)).unwrap().files.unwrap();
    assert_eq!(most.len(), 512, "as many as there may be");
    let many = many.file("a/one-more.txt", &b"x"[..]);
    assert_eq!(manifest(&many, &location(&many)).unwrap().files, None);
    let heavy = MemoryStore::new(Layer::Personal)
        .file("a/SKILL.md", SKILL)
        .file("a/big.bin", vec![0; 16 * 1024 * 1024]);
    assert_eq!(manifest(&heavy, &location(&heavy)).unwrap().files, None);
}

#[test]
fn a_skill_that_is_gone_has_none() {
    // U2
    let store = MemoryStore::new(Layer::Personal).file("a/SKILL.md", SKILL);
    let mut at = location(&store);
    at.path = std::path::Path::new("elsewhere").into();
    assert_eq!(manifest(&store, &at), None);
}
