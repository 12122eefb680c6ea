#![expect(clippy::disallowed_methods, reason = "tests make the files they watch")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use metier_testing::World;
use rustix::io::Errno;

use super::super::WatchError;
use super::super::tree::Happening::{self, Content, Entry};
use super::{Names, Source, Word};

/// A source, and what it said of paths.
fn source() -> (Source, Receiver<(PathBuf, Happening)>) {
    let (send, heard) = channel();
    let source = Source::new(move |word| {
        if let Word::Happened(path, happening) = word {
            let _ = send.send((path.to_owned(), happening));
        }
    });
    (source.unwrap(), heard)
}

/// Waits until `what` was said of `path`. Whatever else was said before is passed over.
fn hears(heard: &Receiver<(PathBuf, Happening)>, path: &Path, what: Happening) {
    let patience = Duration::from_secs(20);
    while heard.recv_timeout(patience).expect("an event") != (path.to_owned(), what) {}
}

#[test]
fn what_happens_in_a_watched_directory_is_told() {
    // D7
    let world = World::new();
    let (source, heard) = source();
    let (one, two) = (world.path().join("one"), world.path().join("two"));
    source.watch(world.path()).unwrap();
    fs::write(&one, "text").unwrap();
    hears(&heard, &one, Entry);
    hears(&heard, &one, Content);
    fs::rename(&one, &two).unwrap();
    hears(&heard, &one, Entry);
    hears(&heard, &two, Entry);
    fs::remove_file(&two).unwrap();
    hears(&heard, &two, Entry);
}

#[test]
fn opening_and_reading_a_file_is_not_told() {
    // D7
    let world = World::new();
    let read = world.write("read", "text");
    let (source, heard) = source();
    source.watch(world.path()).unwrap();
    for _ in 0..100 {
        fs::read(&read).unwrap();
        fs::read_dir(world.path()).unwrap().for_each(drop);
    }
    let written = world.write("written", "text");
    assert_eq!(heard.recv_timeout(Duration::from_secs(20)).unwrap(), (written, Entry));
}

#[test]
fn a_directory_that_is_no_longer_watched_is_silent() {
    // D7
    let world = World::new();
    let (one, two) = (world.path().join("home"), world.path().join("project"));
    let (source, heard) = source();
    source.watch(&one).unwrap();
    source.watch(&two).unwrap();
    source.unwatch(&one);
    source.unwatch(&one);
    world.write("home/file", "");
    world.write("project/file", "");
    let (first, _) = heard.recv_timeout(Duration::from_secs(20)).unwrap();
    assert_eq!(first, two.join("file"));
}

#[test]
fn a_directory_is_known_by_the_path_it_was_watched_by_last() {
    // D7
    let world = World::new();
    let (old, new) = (world.path().join("home"), world.path().join("moved"));
    let (source, heard) = source();
    source.watch(&old).unwrap();
    fs::rename(&old, &new).unwrap();
    hears(&heard, &old, Entry);
    source.watch(&new).unwrap();
    // The old path no longer names it, so forgetting that changes nothing.
    source.unwatch(&old);
    world.write("moved/file", "");
    hears(&heard, &new.join("file"), Entry);
}

#[test]
fn another_directory_in_the_place_of_one_takes_its_name() {
    // D7
    let world = World::new();
    let (place, away) = (world.path().join("home"), world.path().join("away"));
    let (source, heard) = source();
    source.watch(&place).unwrap();
    fs::rename(&place, &away).unwrap();
    fs::create_dir(&place).unwrap();
    source.watch(&place).unwrap();
    world.write("away/unseen", "");
    world.write("home/seen", "");
    hears(&heard, &place.join("seen"), Entry);
    fs::remove_dir_all(&place).unwrap();
    hears(&heard, &place, Entry);
    assert!(source.watch(&place).is_err());
    assert!(source.watch(&world.write("file", "")).is_err());
}

#[test]
fn numbers_and_paths_are_kept_in_step() {
    // D7
    let mut names = Names::default();
    let (a, b) = (Path::new("/a"), Path::new("/b"));
    assert_eq!(names.add(1, a), None);
    assert_eq!(names.add(1, a), None);
    assert_eq!(names.path(1, Some("x".as_ref())), Some("/a/x".into()));
    // The same directory by another path, then another directory by that path.
    assert_eq!(names.add(1, b), None);
    assert_eq!(names.remove(a), None);
    assert_eq!(names.add(2, b), Some(1));
    assert_eq!(names.path(1, None), None);
    names.forget(2);
    assert_eq!((names.remove(b), names.paths.len(), names.numbers.len()), (None, 0, 0));
}

#[test]
fn the_systems_limit_is_told_from_other_failures() {
    // D7
    let limit = WatchError::from(Errno::NOSPC);
    assert_eq!(limit, WatchError::SystemLimit);
    assert_eq!(limit.to_string(), "the system watches no more directories for this user");
    let other = WatchError::from(Errno::MFILE);
    assert!(other.to_string().starts_with("files cannot be watched: "), "{other}");
}
