use super::{Packed, pack};
use crate::archive::list;

fn file(path: &str, bytes: &[u8]) -> Packed {
    Packed { path: path.to_owned(), executable: path.ends_with(".sh"), bytes: bytes.to_vec() }
}

#[test]
fn what_is_packed_is_read_back_by_the_strict_reader() {
    // P6
    let long = format!("references/{}/deep.md", "x".repeat(90));
    let just = "y".repeat(100);
    let files = [
        file("SKILL.md", b"---\nname: a\n---\n"),
        file("assets/empty", b""),
        file(&long, b"deep"),
        file("scripts/run.sh", &[7; 512]),
        file(&just, &[9; 513]),
    ];
    let mut expect: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    expect.sort_unstable();
    assert_eq!(list(&pack(&files)).unwrap(), expect);
}

#[test]
fn the_same_files_are_the_same_bytes() {
    // P6
    let files = [file("SKILL.md", b"text"), file("a.sh", b"echo")];
    assert_eq!(pack(&files), pack(&files));
    assert_ne!(pack(&files), pack(&files[..1]));
    assert!(list(&pack(&[])).unwrap().is_empty());
}
