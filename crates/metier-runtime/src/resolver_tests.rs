#![expect(clippy::disallowed_methods, reason = "tests make directories and links")]

use std::os::unix::fs::symlink;

use metier_policy::Resolve as _;

use super::{Disk, Siblings};

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

#[test]
fn directories_beside_each_other_are_seen_where_each_of_them_is() {
    // S3, N1
    let world = tempfile::tempdir().unwrap();
    let root = world.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("there/one")).unwrap();
    std::fs::create_dir_all(root.join("there/two")).unwrap();
    symlink(root.join("there"), root.join("link")).unwrap();
    symlink("one", root.join("there/linked")).unwrap();
    symlink("nowhere", root.join("there/dangling")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    let mut siblings = Siblings::default();
    let paths = ["there/one", "link/one", "link/two", "link/linked", "link/dangling", "link/gone"];
    for path in paths.into_iter().chain(["loop", "loop/x", "there/..", "link/../there/one", ""]) {
        let path = root.join(path);
        assert_eq!(siblings.real(&path), Disk.real(&path), "{}", path.display());
    }
    assert_eq!(siblings.real(std::path::Path::new("/")), Disk.real(std::path::Path::new("/")));
    assert_eq!(siblings.real(&root.join("link/two")), Some(root.join("there/two")));
}

#[test]
fn this_program_is_known_by_every_name_and_as_a_copy() {
    // S3, S4
    let world = tempfile::tempdir().unwrap();
    let own = Disk.program().unwrap();
    let at = |name: &str| world.path().join(name);
    symlink(&own, at("link")).unwrap();
    std::fs::copy(&own, at("copy")).unwrap();
    std::fs::write(at("other"), "#!/bin/sh\n").unwrap();
    let mut bytes = std::fs::read(&own).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(at("altered"), bytes).unwrap();
    for (path, expect) in [
        (own, true),
        (at("link"), true),
        (at("copy"), true),
        (at("other"), false),
        (at("altered"), false),
        (at("gone"), false),
        ("sh".into(), false),
        ("no-such-program".into(), false),
    ] {
        assert_eq!(Disk.is_program(&path), expect, "{}", path.display());
    }
}
