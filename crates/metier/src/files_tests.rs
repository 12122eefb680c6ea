use std::io::Write as _;
use std::path::Path;

use metier_testing::World;

use super::{BATCH, Lines, text};

fn append(path: &Path, bytes: &[u8]) {
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[test]
fn a_file_is_read_to_one_byte_past_its_limit() {
    // S4
    let world = World::new();
    let path = world.write("policy.toml", "0123456789");
    assert_eq!(text(&path, 100).unwrap(), "0123456789");
    assert_eq!(text(&path, 4).unwrap(), "01234");
    assert!(text(&world.path().join("gone"), 4).is_err());
}

#[test]
fn what_is_no_file_or_no_text_is_not_read() {
    // S4
    let world = World::new();
    assert!(text(world.path(), 100).is_err());
    assert!(text(Path::new("/dev/zero"), 100).is_err());
    let path = world.write("latin", b"\xe9t\xe9");
    assert!(text(&path, 100).is_err());
}

#[test]
fn lines_come_when_they_are_whole() {
    // J1
    let world = World::new();
    let path = world.path().join("journal");
    let mut lines = Lines::of(&path);
    let mut next = || {
        let lines = lines.next().unwrap();
        lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect::<Vec<_>>()
    };
    assert!(next().is_empty(), "nothing is there yet");
    append(&path, b"one\ntwo\nthr");
    assert_eq!(next(), ["one", "two"]);
    assert!(next().is_empty());
    append(&path, b"ee\n");
    assert_eq!(next(), ["three"]);
}

#[test]
fn a_journal_that_shrinks_or_never_breaks_its_line_is_an_error() {
    // J3
    let world = World::new();
    let path = world.write("journal", "one\ntwo\n");
    let mut lines = Lines::of(&path);
    assert_eq!(lines.next().unwrap().len(), 2);
    world.write("journal", "one\n");
    assert_eq!(lines.next().unwrap_err().to_string(), "it became shorter");
    let path = world.write("long", vec![b'x'; BATCH as usize + 1]);
    assert_eq!(Lines::of(&path).next().unwrap_err().to_string(), "a line is too long");
}
