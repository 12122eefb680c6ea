#![expect(clippy::disallowed_methods, reason = "tests make directories and links")]

use std::os::unix::fs::symlink;

use metier_policy::Resolve as _;

use super::{Disk, Glance};

#[test]
fn a_path_is_seen_where_whoever_opens_it_would_write() {
    // S3
    let world = tempfile::tempdir().unwrap();
    let root = world.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("there")).unwrap();
    symlink(root.join("there"), root.join("link")).unwrap();
    symlink("there/new", root.join("dangling")).unwrap();
    symlink(root.join("loop"), root.join("loop")).unwrap();
    let glance = Glance::default();
    let check = |path: &str, expect: Option<&str>| {
        let real = Disk.real(&root.join(path));
        assert_eq!(real, expect.map(|expect| root.join(expect)), "{path}");
        // One that looks once and one that looks again say the same.
        assert_eq!(real, Glance::default().real(&root.join(path)), "{path}");
        assert_eq!(real, glance.real(&root.join(path)), "{path}");
        assert_eq!(real, glance.real(&root.join(path)), "{path}");
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
    std::fs::write(root.join("file"), "").unwrap();
    symlink("link", root.join("twice")).unwrap();
    check("file/x", Some("file/x"));
    check("file/x/y", Some("file/x/y"));
    check("twice/x", Some("there/x"));
    check("twice", Some("there"));
    check("link/../there", Some("there"));
    check(".", Some(""));
    check("there/./x", Some("there/x"));
}

#[test]
fn a_glance_at_the_disk_says_what_looking_says() {
    // S3
    for path in
        ["/", "/proc/self/root/etc", "/proc/self/cwd", "/proc/1/root/x", "/dev/fd/0", "/etc/passwd"]
    {
        let path = std::path::Path::new(path);
        assert_eq!(Disk.real(path), Glance::default().real(path), "{}", path.display());
    }
}

#[test]
fn the_next_ruling_sees_a_link_that_was_made_meanwhile() {
    // S3
    let world = tempfile::tempdir().unwrap();
    let root = world.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("there")).unwrap();
    assert_eq!(Glance::default().real(&root.join("x/a")), Some(root.join("x/a")));
    symlink("there", root.join("x")).unwrap();
    assert_eq!(Glance::default().real(&root.join("x/a")), Some(root.join("there/a")));
}

#[test]
fn this_program_is_known_by_every_name_and_as_a_copy() {
    // S3, S4
    let world = tempfile::tempdir().unwrap();
    let own = Glance::default().program().unwrap();
    assert_eq!(Disk.program(), Some(own.clone()));
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
        assert_eq!(Glance::default().is_program(&path), expect, "{}", path.display());
    }
}
