#![expect(clippy::disallowed_methods, reason = "tests damage files")]

use tempfile::TempDir;

use super::{add, cached, list, remove, save};
use crate::home::Home;
use crate::index::{Contents, Index, IndexError, Kind, Listed};
use crate::limits::MAX_INDEXES;

fn index(name: &str) -> Index {
    Index {
        name: name.to_owned(),
        source: "https://skills.example".to_owned(),
        command: Vec::new(),
    }
}

#[test]
fn what_was_added_and_what_it_listed_is_known_again() {
    // P6
    let directory = TempDir::new().unwrap();
    let home = Home::new(directory.path().join("home"));
    assert_eq!(list(&home).unwrap(), []);
    add(&home, &index("b")).unwrap();
    add(&home, &index("a")).unwrap();
    assert_eq!(list(&home).unwrap(), [index("a"), index("b")]);
    assert!(matches!(add(&home, &index("a")), Err(IndexError::Exists(_))));
    assert_eq!(cached(&home, &index("a")).unwrap(), None);
    let skill = Listed {
        name: "pdf".to_owned(),
        description: "Does it.".to_owned(),
        reference: "https://skills.example/pdf.zip".to_owned(),
        digest: Some("00".to_owned()),
        kind: Kind::Archive,
    };
    let version = Some("\"v1\"".to_owned());
    let contents = Contents { skills: vec![skill], problems: Vec::new(), version, asked: 7 };
    save(&home, &index("a"), &contents).unwrap();
    assert_eq!(cached(&home, &index("a")).unwrap(), Some(contents));
    assert_eq!(remove(&home, "a").unwrap(), index("a"));
    assert_eq!(cached(&home, &index("a")).unwrap(), None);
    assert!(matches!(remove(&home, "a"), Err(IndexError::Missing(_))));
}

#[test]
fn a_damaged_list_is_said_and_a_damaged_cache_is_none() {
    // P6, F4
    let directory = TempDir::new().unwrap();
    let home = Home::new(directory.path());
    add(&home, &index("a")).unwrap();
    save(&home, &index("a"), &Contents::default()).unwrap();
    std::fs::write(home.path().join("cache/indexes/a.json"), "{").unwrap();
    assert_eq!(cached(&home, &index("a")).unwrap(), None);
    for text in ["{", "[]", "{\"v\": 9, \"indexes\": []}"] {
        std::fs::write(home.path().join("indexes.json"), text).unwrap();
        assert!(matches!(list(&home), Err(IndexError::Damaged(_))), "{text}");
    }
    std::fs::remove_file(home.path().join("indexes.json")).unwrap();
    std::fs::create_dir(home.path().join("indexes.json")).unwrap();
    assert!(matches!(list(&home), Err(IndexError::Disk(_))));
}

#[test]
fn there_are_only_so_many() {
    // P6
    let directory = TempDir::new().unwrap();
    let home = Home::new(directory.path());
    for number in 0..MAX_INDEXES {
        add(&home, &index(&format!("i{number}"))).unwrap();
    }
    assert!(matches!(add(&home, &index("more")), Err(IndexError::TooMany)));
}

#[test]
fn indexes_added_at_once_are_all_there() {
    // P6, P5
    let directory = TempDir::new().unwrap();
    let home = Home::new(directory.path());
    std::thread::scope(|scope| {
        for number in 0..20 {
            let home = &home;
            scope.spawn(move || add(home, &index(&format!("index-{number:02}"))).unwrap());
        }
    });
    let names: Vec<String> = list(&home).unwrap().into_iter().map(|index| index.name).collect();
    assert_eq!(names, (0..20).map(|number| format!("index-{number:02}")).collect::<Vec<_>>());
    std::thread::scope(|scope| {
        for number in 0..10 {
            let home = &home;
            scope.spawn(move || remove(home, &format!("index-{number:02}")).unwrap());
        }
    });
    assert_eq!(list(&home).unwrap().len(), 10);
}

#[test]
fn without_a_turn_nothing_is_added() {
    // P6, P5
    let directory = TempDir::new().unwrap();
    std::fs::write(directory.path().join("home"), "a file").unwrap();
    let home = Home::new(directory.path().join("home"));
    assert!(matches!(add(&home, &index("a")), Err(IndexError::Turn(_))));
}
