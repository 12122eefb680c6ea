#![expect(clippy::disallowed_methods, reason = "tests make directories and links")]

use std::os::unix::fs::symlink;

use metier_policy::Resolve as _;

use super::Disk;

#[test]
fn a_path_is_seen_where_whoever_opens_it_would_write() {
    // S3
    let world = tempfile::tempdir().unwrap();
    let root = world.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("there")).unwrap();
    symlink(root.join("there"), root.join("link")).unwrap();
    symlink("there/new", root.join("dangling")).unwrap();
    symlink(root.join("loop"), root.join("loop")).unwrap();
    let check = |path: &str, expect: Option<&str>| {
        let real = Disk.real(&root.join(path));
        assert_eq!(real, expect.map(|expect| root.join(expect)), "{path}");
    };
    check("there", Some("there"));
    check("link/x", Some("there/x"));
    check("link/x/y", Some("there/x/y"));
    // Two that may come to nothing are left for the reader to take together.
    check("gone/../there/x", Some("gone/../there/x"));
    check("link/gone/../x", Some("there/gone/../x"));
    check("dangling", Some("there/new"));
    check("dangling/x", Some("there/new/x"));
    check("loop", None);
    check("loop/x", None);
}
