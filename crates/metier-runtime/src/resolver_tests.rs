#![expect(clippy::disallowed_methods, reason = "tests make directories and links")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use metier_policy::Resolve as _;

use super::{Disk, Glance, Own, at_first, found, know_program};

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
    for (path, expect) in [("there", true), ("link", true), ("dangling", false), ("gone", false)] {
        assert_eq!(Disk.exists(&root.join(path)), expect, "{path}");
        assert_eq!(glance.exists(&root.join(path)), expect, "{path}");
    }
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

#[test]
fn the_program_that_a_shell_would_run_is_the_one_that_counts() {
    // S3, S4
    let world = tempfile::tempdir().unwrap();
    let at = |name: &str| world.path().join(name);
    for folder in ["first", "second", "third"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    std::fs::write(at("first/mm"), "").unwrap();
    std::fs::create_dir(at("second/mm")).unwrap();
    std::fs::write(at("third/mm"), "").unwrap();
    std::fs::set_permissions(at("third/mm"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let folders = std::env::join_paths([at("first"), at("second"), at("third")]).unwrap();
    assert_eq!(found(Path::new("mm"), &folders), Some(at("third/mm")));
    assert_eq!(found(Path::new("nn"), &folders), None);
}

#[test]
fn this_program_is_known_when_another_took_its_place() {
    // S3, S4
    know_program();
    let world = tempfile::tempdir().unwrap();
    let running = world.path().join("running");
    std::fs::copy(Disk.program().unwrap(), &running).unwrap();
    for running in [running.as_path(), Path::new("/no/such/file")] {
        let own = Own::look(running).unwrap();
        assert_eq!(own.path, std::env::current_exe().unwrap());
        assert!(own.is(running) || !running.exists());
        assert!(own.is(&own.path));
    }
    let gone = world.path().join("metier (deleted)");
    assert_eq!(at_first(gone.clone()), world.path().join("metier"));
    std::fs::write(&gone, "").unwrap();
    assert_eq!(at_first(gone.clone()), gone);
}

#[test]
fn a_long_path_takes_no_more_of_the_stack_than_a_short_one() {
    // S3, F4
    let deep: PathBuf = format!("/no-such-{}", "/a".repeat(100_000)).into();
    assert_eq!(Glance::default().real(&deep), Some(deep));
}

#[test]
fn a_remote_is_one_that_the_repository_knows() {
    // S3
    let world = tempfile::tempdir().unwrap();
    let root = world.path();
    assert!(!Disk.has_remote(&root.join("sub"), "origin"));
    std::fs::create_dir_all(root.join(".git/worktrees/w")).unwrap();
    std::fs::create_dir_all(root.join("tree")).unwrap();
    std::fs::write(root.join(".git/config"), "[core]\n\tbare = false\n[remote \"origin\"]\n")
        .unwrap();
    std::fs::write(root.join(".git/worktrees/w/commondir"), "../..\n").unwrap();
    let tree = format!("gitdir: {}\n", root.join(".git/worktrees/w").display());
    std::fs::write(root.join("tree/.git"), tree).unwrap();
    for directory in ["", "sub/deep", "tree"] {
        let at = root.join(directory);
        assert!(Glance::default().has_remote(&at, "origin"), "{directory}");
        assert!(!Glance::default().has_remote(&at, "evil.git"), "{directory}");
    }
}
