#![expect(clippy::disallowed_methods, reason = "tests make the trees they digest")]

use std::os::unix::fs::{PermissionsExt as _, symlink};

use metier_testing::World;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::read;
use crate::contained::SkillDirectory;
use crate::digest::{Tree, TreeKind};
use crate::limits::{MAX_RESOURCE_DEPTH, MAX_TREE_BYTES};
use crate::store::TreeError;

fn tree(world: &World) -> Result<Tree, TreeError> {
    let path = world.path().join("skill");
    read(&SkillDirectory::open(CWD, path.to_str().unwrap().as_bytes()).unwrap())
}

fn world() -> World {
    let world = World::new();
    world.write("skill/SKILL.md", "---");
    world.write("skill/scripts/run.py", "print()");
    world
}

#[test]
fn everything_in_the_directory_takes_part() {
    // P3, P4
    let world = world();
    world.write("skill/.git/HEAD", "ref");
    world.write("skill/node_modules/x.js", "x");
    symlink("/etc/passwd", world.path().join("skill/link")).unwrap();
    std::fs::create_dir(world.path().join("skill/empty")).unwrap();
    let tree = tree(&world).unwrap();
    let listed: Vec<_> = tree.files().iter().map(|f| String::from_utf8_lossy(&f.path)).collect();
    let expected = [".git/HEAD", "SKILL.md", "link", "node_modules/x.js", "scripts/run.py"];
    assert_eq!(listed, expected);
    assert_eq!((tree.files()[2].kind, tree.files()[2].size), (TreeKind::Link, 11));
    assert_eq!(tree.target(b"link"), Some(&b"/etc/passwd"[..]));
}

#[test]
fn the_digest_changes_with_content_mode_name_and_link_and_with_nothing_else() {
    // P3, P4
    let world = world();
    let script = world.path().join("skill/scripts/run.py");
    let digest = || tree(&world).unwrap().digest();
    let mut seen = vec![digest()];
    let mut changed = |what: &str| {
        let now = digest();
        assert!(!seen.contains(&now), "{what} changes the digest");
        seen.push(now);
    };
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    changed("an execute bit");
    world.write("skill/scripts/run.py", "print(1)");
    changed("content");
    std::fs::rename(&script, script.with_file_name("go.py")).unwrap();
    changed("a name");
    symlink("scripts", world.path().join("skill/link")).unwrap();
    changed("a link");
    std::fs::remove_file(world.path().join("skill/link")).unwrap();
    symlink("elsewhere", world.path().join("skill/link")).unwrap();
    changed("a link's target");
    let before = digest();
    let script = script.with_file_name("go.py");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o711)).unwrap();
    std::fs::File::open(&script).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    std::fs::create_dir(world.path().join("skill/empty")).unwrap();
    assert_eq!(digest(), before, "times, owners' bits and empty directories do not count");
}

#[test]
fn a_tree_that_cannot_be_read_whole_has_no_digest() {
    // P3, F4
    let special = world();
    let fifo = special.path().join("skill/fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    assert!(matches!(tree(&special), Err(TreeError::NotAFile(path)) if path == "fifo"));

    let socket = world();
    let path = socket.path().join("skill/socket");
    let _bound = std::os::unix::net::UnixListener::bind(path).unwrap();
    assert!(matches!(tree(&socket), Err(TreeError::NotAFile(path)) if path == "socket"));

    let deep = world();
    deep.write(format!("skill/{}x", "d/".repeat(MAX_RESOURCE_DEPTH + 1)), "");
    assert!(matches!(tree(&deep), Err(TreeError::TooLarge(_))));

    let large = world();
    let file = std::fs::File::create(large.path().join("skill/sparse")).unwrap();
    file.set_len(MAX_TREE_BYTES + 1).unwrap();
    assert!(matches!(tree(&large), Err(TreeError::TooLarge(path)) if path == "sparse"));
}
