use super::*;
use crate::fixture::Ground;
use crate::keep::read_tree;

const PLAIN: Making = Making { read_only: false, flush: true };

fn goal(ground: &Ground) -> Folder {
    Folder::make_all(&ground.path().join("goal")).unwrap()
}

#[test]
fn a_copy_is_the_same_tree() {
    // P2
    let ground = Ground::new();
    let staged = ground.staged("pdf", 1);
    rustix::fs::symlink("SKILL.md", staged.directory.join("link")).unwrap();
    let tree = read_tree(&staged.directory).unwrap();
    for read_only in [false, true] {
        let goal = goal(&ground);
        copy(&tree, &staged.directory, &goal, Making { read_only, flush: !read_only }).unwrap();
        let copied = read_tree(goal.path()).unwrap();
        assert_eq!(copied.digest(), tree.digest());
        Folder::open(ground.path()).unwrap().remove("goal").unwrap();
    }
}

#[test]
fn whatever_changed_meanwhile_is_not_copied() {
    // P2
    let check = |spoil: fn(&std::path::Path)| {
        let ground = Ground::new();
        let staged = ground.staged("pdf", 1);
        rustix::fs::symlink("SKILL.md", staged.directory.join("link")).unwrap();
        let tree = read_tree(&staged.directory).unwrap();
        spoil(&staged.directory);
        let error = copy(&tree, &staged.directory, &goal(&ground), PLAIN).unwrap_err();
        assert!(matches!(error, CopyError::Changed(_)), "{error}");
    };
    check(|path| Folder::open(path).unwrap().replace("SKILL.md", b"x", 0o644).unwrap());
    check(|path| Folder::open(path).unwrap().replace("SKILL.md", &[b'x'; 4096], 0o644).unwrap());
    check(|path| Folder::open(path).unwrap().remove("SKILL.md").unwrap());
    check(|path| Folder::open(path).unwrap().point("SKILL.md", "/etc/passwd").unwrap());
    check(|path| Folder::open(path).unwrap().point("link", "elsewhere").unwrap());
    check(|path| {
        let folder = Folder::open(path).unwrap();
        folder.remove("scripts").unwrap();
        folder.point("scripts", "references").unwrap();
    });
}

#[test]
fn a_name_that_is_not_text_and_a_full_folder_are_said() {
    // P2
    let ground = Ground::new();
    let staged = ground.staged("pdf", 1);
    let goal = goal(&ground);
    copy(&staged.tree, &staged.directory, &goal, PLAIN).unwrap();
    let again = copy(&staged.tree, &staged.directory, &goal, PLAIN).unwrap_err();
    assert!(matches!(again, CopyError::Disk(_)), "{again}");
    use std::os::unix::ffi::OsStrExt as _;
    let odd = staged.directory.join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    rustix::fs::symlink("x", odd).unwrap();
    let tree = read_tree(&staged.directory).unwrap();
    let error = copy(&tree, &staged.directory, &goal, PLAIN).unwrap_err();
    assert!(matches!(error, CopyError::Disk(_) | CopyError::NotText(_)), "{error}");
    let error = crate::pinned::files_of(&tree).unwrap_err();
    assert!(matches!(error, CopyError::NotText(_)), "{error}");
}
