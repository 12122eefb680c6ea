//! What may not be read is reported. The administrator may read everything, so when the tests run
//! as one, these run again as nobody.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use metier_store::store::{LoadError, Location, ReadError, TreeError};
use metier_store::{FileStore, RootId, Store};
use metier_testing::World;

use crate::ground::{notes, paths, root, scan, skills, skipped};

/// The user id everybody agrees has no rights.
const NOBODY: u32 = 65_534;

/// Runs `test` as a user without special rights: here, or else in a copy of this program that
/// runs only the test called `name`.
fn as_nobody(name: &str, test: fn()) {
    let this = std::fs::metadata("/proc/self").unwrap();
    if std::os::unix::fs::MetadataExt::uid(&this) != 0 {
        return test();
    }
    let place = tempfile::TempDir::with_prefix("metier-nobody-").unwrap();
    set_mode(place.path(), 0o755);
    let program = place.path().join("tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut child = Command::new(&program);
    child.args(["--exact", name, "--nocapture"]).current_dir("/").env_clear();
    let output = child.uid(NOBODY).gid(NOBODY).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "as nobody:\n{said}");
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_may_not_be_read_is_reported_and_hides_nothing_else() {
    // D1, D3, F4
    as_nobody("nobody::what_may_not_be_read_is_reported_and_hides_nothing_else", || {
        let world = World::new();
        world.skill("skills", "good", "A good skill.");
        let secret = world.skill("skills", "secret-file", "May not be read.");
        set_mode(&secret.join("SKILL.md"), 0);
        let closed = world.skill("skills", "closed", "Its directory may not be entered.");
        set_mode(&closed, 0);
        world.skill("skills/unlisted", "inner", "Its parent may be entered, not listed.");
        set_mode(&skills(&world).join("unlisted"), 0o311);
        let found = scan(&skills(&world));
        assert_eq!(paths(&found), ["good"]);
        assert_eq!(skipped(&found), ["secret-file/SKILL.md SK305"]);
        let denied = "cannot be read: Permission denied (os error 13)";
        let expected = [
            format!("SK313 closed: `closed` {denied}"),
            format!("SK313 unlisted: `unlisted` {denied}"),
        ];
        assert_eq!(notes(&found), expected);
        set_mode(&closed, 0o755);
        set_mode(&skills(&world).join("unlisted"), 0o755);
    });
}

#[test]
fn a_root_or_file_that_may_not_be_read_says_so() {
    // D1, R1
    as_nobody("nobody::a_root_or_file_that_may_not_be_read_says_so", || {
        let world = World::new();
        let skill = world.skill("skills", "good", "A good skill.");
        let store = FileStore::new(vec![root(skills(&world))]);
        let at = Location { root: RootId(0), path: Path::new("good").into() };
        set_mode(&skill.join("SKILL.md"), 0);
        assert!(matches!(store.load(&at), Err(LoadError::Io { .. })));
        assert!(matches!(store.read(&at, "SKILL.md", 9), Err(ReadError::Io { .. })));
        assert!(matches!(store.tree(&at), Err(TreeError::Io { path, .. }) if path == "SKILL.md"));
        set_mode(&skills(&world), 0);
        assert!(notes(&scan(&skills(&world)))[0].starts_with("SK310"));
        assert!(matches!(store.load(&at), Err(LoadError::Io { .. })));
        assert!(matches!(store.tree(&at), Err(TreeError::Io { .. })));
        set_mode(&skills(&world), 0o755);
    });
}
