use std::path::{Path, PathBuf};

use super::LayeredStore;
use crate::discover::ScanLimits;
use crate::layer::{Layer, Root, RootId};
use crate::memory_store::MemoryStore;
use crate::store::{LoadError, Location, ReadError, Store, TreeError};

fn store(layer: Layer, name: &str) -> Box<dyn Store> {
    let text = format!("---\nname: {name}\ndescription: In {}.\n---\nBody\n", layer.as_str());
    Box::new(MemoryStore::new(layer).file(&format!("{name}/SKILL.md"), text.into_bytes()))
}

fn at(root: u16, path: &str) -> Location {
    Location { root: RootId(root), path: Path::new(path).into() }
}

#[test]
fn each_skill_is_found_and_loaded_from_the_store_it_is_in() {
    // D9
    let layered = LayeredStore::new(vec![
        store(Layer::Personal, "one"),
        Box::new(crate::FileStore::new(Vec::new())),
        store(Layer::Bundled, "one"),
    ]);
    let found = layered.discover(&ScanLimits::default());
    assert_eq!(found.roots, layered.roots());
    let roots: Vec<RootId> = found.found.iter().map(|found| found.root).collect();
    assert_eq!(roots, [RootId(0), RootId(1)]);
    assert_eq!(found.stats.files, 2);
    let loaded = layered.load(&at(1, "one")).unwrap();
    assert_eq!(loaded.manifest.description.value, "In bundled.");
    assert_eq!(loaded.directory, PathBuf::from("bundled/one"));
    assert_eq!(layered.read(&at(0, "one"), "SKILL.md", 100).unwrap().bytes[..3], *b"---");
    assert_eq!(layered.tree(&at(0, "one")).unwrap().files().len(), 1);
}

#[test]
fn a_location_in_no_store_is_not_found() {
    // D9
    let layered = LayeredStore::new(vec![store(Layer::Personal, "one")]);
    let empty = LayeredStore::new(Vec::new());
    for (layered, at) in
        [(&layered, at(1, "one")), (&layered, at(0, "two")), (&empty, at(0, "one"))]
    {
        assert!(matches!(layered.load(&at), Err(LoadError::NotFound(_))));
        assert!(matches!(layered.read(&at, "SKILL.md", 9), Err(ReadError::NotFound(_))));
        assert!(matches!(layered.tree(&at), Err(TreeError::NotFound(_))));
    }
}

#[test]
fn stores_with_more_roots_than_can_be_numbered_are_left_out_aloud() {
    // D9
    let root = MemoryStore::new(Layer::Plugin).roots()[0].clone();
    let many: Vec<Root> = vec![Root { optional: true, ..root }; 65_530];
    let layered = LayeredStore::new(vec![
        store(Layer::Personal, "one"),
        Box::new(crate::FileStore::new(many.clone())),
        Box::new(crate::FileStore::new(many)),
        store(Layer::Bundled, "two"),
    ]);
    let found = layered.discover(&ScanLimits::default());
    let names: Vec<&str> = found.found.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    let said: Vec<&str> = found.notes.iter().map(|note| &*note.diagnostic.message).collect();
    assert!(said.iter().any(|message| message.contains("too many roots")), "{said:?}");
    assert!(said.iter().any(|message| message.contains("at most 1024 roots")), "{said:?}");
    assert_eq!(layered.load(&at(65_531, "two")).unwrap().manifest.name.as_str(), "two");
}
