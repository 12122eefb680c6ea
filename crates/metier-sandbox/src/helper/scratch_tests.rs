#![expect(clippy::disallowed_methods, reason = "tests make files and start programs")]

use super::*;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> (Self, PathBuf) {
        let place = Self(tempfile::tempdir().unwrap());
        let path = place.0.path().join("private");
        make(&path).unwrap();
        (place, path)
    }
}

#[test]
fn a_private_directory_is_for_its_user_only_and_never_an_old_one() {
    // R4
    let (_place, path) = Place::new();
    assert_eq!(rustix::fs::stat(&path).unwrap().st_mode & 0o7777, 0o700);
    assert_eq!(make(&path), Err(Errno::EXIST));
}

#[test]
fn everything_in_it_is_removed_and_nothing_outside() {
    // R4
    let (place, path) = Place::new();
    let outside = place.0.path().join("outside");
    std::fs::write(&outside, "text").unwrap();
    std::fs::create_dir_all(path.join("a/b/c")).unwrap();
    std::fs::write(path.join("a/b/c/file"), "text").unwrap();
    std::os::unix::fs::symlink(&outside, path.join("a/link")).unwrap();
    std::os::unix::fs::symlink(place.0.path(), path.join("a/b/up")).unwrap();
    // Names that the removal itself would choose.
    std::fs::create_dir_all(path.join(".1/.2")).unwrap();
    std::fs::create_dir_all(path.join(".2/.1")).unwrap();
    rustix::fs::mkdir(path.join("closed"), Mode::empty()).unwrap();
    remove(&path).unwrap();
    assert!(!path.exists());
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "text");
    assert_eq!(remove(&path), Ok(()));
}

#[test]
fn a_tree_deeper_than_any_path_is_removed() {
    // R4
    let (_place, path) = Place::new();
    let mut directory = open_directory(CWD.as_fd(), &path).unwrap();
    for _ in 0..3000 {
        rustix::fs::mkdirat(&directory, "d", Mode::RWXU).unwrap();
        directory = open_directory(directory.as_fd(), "d").unwrap();
    }
    assert_eq!(measure(&path, u64::MAX, u64::MAX).0, u64::MAX);
    drop(directory);
    remove(&path).unwrap();
    assert!(!path.exists());
}

#[test]
fn what_it_holds_is_measured_through_closed_doors_and_not_through_links() {
    // R4
    let (place, path) = Place::new();
    std::fs::write(place.0.path().join("big"), vec![1; 1 << 20]).unwrap();
    std::os::unix::fs::symlink("..", path.join("up")).unwrap();
    rustix::fs::mkdir(path.join("hidden"), Mode::WUSR | Mode::XUSR).unwrap();
    let mut file = std::fs::File::create(path.join("hidden/file")).unwrap();
    std::io::Write::write_all(&mut file, &vec![1; 100_000]).unwrap();
    file.sync_all().unwrap();
    let (used, seen) = measure(&path, u64::MAX, u64::MAX);
    assert!((100_000..1 << 20).contains(&used), "{used}");
    assert_eq!(seen, 3);
    assert!(measure(&path, 1, u64::MAX).0 > 1);
    assert!(measure(&path, u64::MAX, 1).1 > 1);
    assert_eq!(measure(&place.0.path().join("none"), 1, 1), (0, 0));
}
