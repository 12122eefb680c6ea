#![expect(clippy::disallowed_methods, reason = "tests write the files that are searched")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use metier_store::discover::ScanLimits;
use metier_store::{Catalog, FileStore, Layer, Precedence, Root, Selection, Store as _};

use super::Finder;
use crate::limits::MAX_KEPT_INDEXES;

fn write(directory: &Path, name: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: Does {name}.\n---\n\n{body}\n");
    fs::create_dir_all(directory.join(name)).unwrap();
    fs::write(directory.join(name).join("SKILL.md"), text).unwrap();
}

fn catalog(store: &FileStore) -> Arc<Catalog> {
    let discovery = store.discover(&ScanLimits::default());
    Arc::new(Catalog::build(discovery, &Precedence::DEFAULT, &Selection::default()))
}

#[test]
fn an_edited_body_is_found_and_what_stayed_is_not_read_again() {
    // D7, D8
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "one", "Peel apples.");
    write(directory.path(), "two", "Peel pears.");
    let store = FileStore::new(vec![Root::given(Layer::Personal, directory.path())]);
    let finder = Finder::default();
    let first = catalog(&store);
    let index = finder.index(&first, &store);
    assert_eq!(index.search("apples", 9).len(), 1);
    assert!(Arc::ptr_eq(&index, &finder.index(&first, &store)), "the same catalog costs nothing");
    let again = catalog(&store);
    assert!(Arc::ptr_eq(&index, &finder.index(&again, &store)), "nor does one made anew");
    write(directory.path(), "one", "Peel quinces instead.");
    let edited = finder.index(&catalog(&store), &store);
    assert_eq!((edited.search("apples", 9).len(), edited.search("quinces", 9).len()), (0, 1));
}

#[test]
fn catalogs_that_take_turns_keep_their_indexes_and_only_so_many_are_kept() {
    // D7, D8
    let directory = tempfile::tempdir().unwrap();
    write(directory.path(), "one", "Peel apples.");
    let store = FileStore::new(vec![Root::given(Layer::Personal, directory.path())]);
    let finder = Finder::default();
    let (full, empty) = (catalog(&store), Arc::new(Catalog::default()));
    let index = finder.index(&full, &store);
    assert_eq!(finder.index(&empty, &store).len(), 0);
    assert!(Arc::ptr_eq(&index, &finder.index(&full, &store)));
    for number in 0..MAX_KEPT_INDEXES {
        write(directory.path(), "one", &format!("Number {number}."));
        finder.index(&catalog(&store), &store);
    }
    assert_eq!(finder.kept.lock().unwrap().len(), MAX_KEPT_INDEXES);
    assert!(!Arc::ptr_eq(&index, &finder.index(&full, &store)), "the oldest gave way");
}
