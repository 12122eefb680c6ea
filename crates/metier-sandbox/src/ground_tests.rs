#![expect(clippy::disallowed_methods, reason = "tests make files and start programs")]

use super::*;

fn outer(paths: &[&str], covering: &[&str]) -> Vec<String> {
    let list = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
    let kept = outermost(list(paths), &list(covering));
    kept.iter().map(|path| path.display().to_string()).collect()
}

#[test]
fn a_path_inside_another_is_left_out() {
    // R6
    assert_eq!(outer(&["/a/b", "/a", "/a/b/c"], &[]), ["/a"]);
    assert_eq!(outer(&["/ab", "/a"], &[]), ["/a", "/ab"]);
    assert_eq!(outer(&["/a-b", "/a", "/a/x"], &[]), ["/a", "/a-b"]);
    assert_eq!(outer(&["/a", "/b/c"], &["/b"]), ["/a"]);
    assert_eq!(outer(&["/a", "/a"], &[]), ["/a"]);
}

#[test]
fn links_are_resolved_and_remembered() {
    // R6
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("real")).unwrap();
    std::os::unix::fs::symlink("real", base.join("link")).unwrap();
    let confinement = Confinement { read: vec![base.join("link")], ..Confinement::default() };
    let ground = resolve(&confinement).unwrap();
    assert!(ground.read.contains(&base.join("real")));
    assert!(ground.links.contains(&(base.join("link"), base.join("real"))));
}

#[test]
fn what_may_be_written_need_not_be_granted_to_read() {
    // R6
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    std::fs::create_dir(base.join("inner")).unwrap();
    let read = vec![base.join("inner")];
    let confinement = Confinement { read, write: vec![base.clone()], ..Confinement::default() };
    let ground = resolve(&confinement).unwrap();
    assert_eq!(ground.write, std::slice::from_ref(&base));
    assert!(!ground.read.contains(&base.join("inner")));
}

#[test]
fn doors_to_the_kernel_cannot_be_granted_even_through_a_link() {
    // R6
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("innocent");
    std::os::unix::fs::symlink("/proc/self", &link).unwrap();
    for path in [link.as_path(), Path::new("/"), Path::new("/dev/null"), Path::new("/sys")] {
        let confinement = Confinement { write: vec![path.to_owned()], ..Confinement::default() };
        let error = resolve(&confinement).unwrap_err();
        assert!(matches!(&error, RunError::Path { path: named, .. } if named == path), "{error}");
    }
}

#[test]
fn a_path_with_dots_in_it_is_not_granted() {
    // R6
    let directory = tempfile::tempdir().unwrap();
    let base = directory.path().canonicalize().unwrap();
    for name in ["deep/er", "other"] {
        std::fs::create_dir_all(base.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(base.join("deep/er"), base.join("link")).unwrap();
    for path in [base.join("link/../../other"), base.join("deep/../other")] {
        assert!(path.canonicalize().is_ok(), "it would lead somewhere");
        let confinement = Confinement { read: vec![path.clone()], ..Confinement::default() };
        let error = resolve(&confinement).unwrap_err();
        assert!(matches!(&error, RunError::Path { path: named, .. } if *named == path), "{error}");
    }
}
