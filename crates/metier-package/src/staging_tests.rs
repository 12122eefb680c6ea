#![expect(clippy::disallowed_methods, reason = "tests look at what was written")]

use super::*;

#[test]
fn what_is_not_kept_is_gone() {
    // P2
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a/b/skill");
    let mut area = Area::new(path.clone()).unwrap();
    area.write("x/y", false, b"one").unwrap();
    assert!(path.join("x/y").is_file());
    drop(area);
    assert!(!path.exists());
    assert!(Area::new(place.path().to_owned()).is_err());
}

#[test]
fn what_is_kept_has_two_modes_and_a_digest() {
    // P2
    let place = tempfile::tempdir().unwrap();
    let mut area = Area::new(place.path().join("skill")).unwrap();
    area.write("run", true, b"one").unwrap();
    area.write("a", false, b"two").unwrap();
    assert_eq!(area.write("a", false, b"again").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    let (path, tree) = area.keep();
    let mode = |name: &str| fs::metadata(path.join(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("run"), mode("a")), (0o755, 0o644));
    let kinds: Vec<_> = tree.files().iter().map(|f| (&*f.path, f.kind, f.size)).collect();
    let expect: [(&[u8], TreeKind, u64); 2] =
        [(b"a", TreeKind::File, 3), (b"run", TreeKind::Executable, 3)];
    assert_eq!(kinds, expect);
    assert_eq!(tree.files()[0].digest, sha256(b"two"));
}

#[test]
fn a_disk_that_is_too_small_is_known_before() {
    // P2
    let place = tempfile::tempdir().unwrap();
    assert_eq!(missing_space(place.path(), 0), None);
    assert!(missing_space(&place.path().join("not/there/yet"), u64::MAX / 2).is_some());
}

#[test]
fn removing_what_is_not_there_is_fine() {
    // P2
    let place = tempfile::tempdir().unwrap();
    assert!(remove(&place.path().join("nothing")).is_ok());
    let full = place.path().join("full");
    fs::create_dir(&full).unwrap();
    fs::write(full.join("x"), "").unwrap();
    remove_if_empty(&full);
    assert!(is_there(&full) && !is_there(&full.join("nothing")));
    assert!(remove(&full).is_ok() && !full.exists());
}
