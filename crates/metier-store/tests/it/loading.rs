//! Loading a skill whole and reading its files, on disk.

use std::os::unix::fs::symlink;
use std::path::Path;

use metier_format::Code;
use metier_store::store::{LoadError, Location, ReadError, TreeError};
use metier_store::{FileStore, RootId, Store, digest};
use metier_testing::World;

use crate::ground::{root, skills};

const TEXT: &str = "---\nname: one\ndescription: The one.\n---\n# One\n\nSee scripts/run.py.\n";

fn store(world: &World) -> FileStore {
    FileStore::new(vec![root(skills(world))])
}

fn at(path: &str) -> Location {
    Location { root: RootId(0), path: Path::new(path).into() }
}

fn code_of(store: &FileStore, path: &str) -> Option<Code> {
    match store.load(&at(path)) {
        Err(LoadError::Invalid { diagnostics, .. }) => diagnostics.first().map(|d| d.code),
        _ => None,
    }
}

#[test]
fn a_loaded_skill_has_body_digest_source_and_files() {
    // R1, J2
    let world = World::new();
    world.write("skills/one/SKILL.md", TEXT);
    world.write("skills/one/scripts/run.py", "print()");
    let skill = store(&world).load(&at("one")).unwrap();
    assert_eq!(skill.manifest.name.as_str(), "one");
    assert_eq!(skill.body, "# One\n\nSee scripts/run.py.\n");
    assert_eq!(skill.digest, digest::hex(&digest::sha256(TEXT.as_bytes())));
    assert_eq!(skill.source, TEXT.as_bytes());
    assert_eq!(skill.directory, skills(&world).join("one"));
    assert_eq!(skill.resources.files[0].path, "scripts/run.py");
}

#[test]
fn a_skill_that_went_away_or_never_was_is_not_found() {
    // D9
    let world = World::new();
    world.write("skills/one/SKILL.md", TEXT);
    world.write("skills/empty/readme", "");
    world.write("elsewhere/SKILL.md", TEXT);
    let store = store(&world);
    for path in ["two", "empty", "../elsewhere", "one/SKILL.md", "/etc"] {
        assert!(matches!(store.load(&at(path)), Err(LoadError::NotFound(_))), "{path}");
    }
    assert!(matches!(store.tree(&at("two")), Err(TreeError::NotFound(_))));
    let other_root = Location { root: RootId(1), ..at("one") };
    assert!(matches!(store.load(&other_root), Err(LoadError::NotFound(_))));
    assert!(matches!(store.read(&other_root, "SKILL.md", 9), Err(ReadError::NotFound(_))));
}

#[test]
fn what_cannot_be_loaded_says_what_is_wrong_with_it() {
    // F3, F4
    let world = World::new();
    world.write("skills/text/SKILL.md", "nothing");
    world.write("skills/directory/SKILL.md/x", "");
    world.write("elsewhere.md", TEXT);
    std::fs::create_dir(skills(&world).join("link")).unwrap();
    symlink("../../elsewhere.md", skills(&world).join("link/SKILL.md")).unwrap();
    let large = world.write("skills/large/SKILL.md", TEXT);
    std::fs::File::options().write(true).open(large).unwrap().set_len(1 << 30).unwrap();
    let store = store(&world);
    assert_eq!(code_of(&store, "text"), Some(Code::NoFrontmatter));
    assert_eq!(code_of(&store, "directory"), Some(Code::IsDirectory));
    assert_eq!(code_of(&store, "link"), Some(Code::LinkLeavesSkill));
    assert_eq!(code_of(&store, "large"), Some(Code::FileTooLarge));
}

#[test]
fn another_spelling_of_the_file_is_loaded_with_the_same_warning_as_found() {
    // F1
    let world = World::new();
    world.write("skills/one/skill.md", TEXT);
    let skill = store(&world).load(&at("one")).unwrap();
    assert_eq!(skill.diagnostics[0].code, Code::FileName);
    assert_eq!(skill.resources.files, []);
}

#[test]
fn files_are_read_within_the_skill_and_within_the_limit() {
    // R1
    let world = World::new();
    world.write("skills/one/SKILL.md", TEXT);
    world.write("skills/one/assets/logo", [0, 159, 146, 150]);
    world.write("skills/one/assets/latin1", b"caf\xe9");
    world.write("skills/two/secret", "secret");
    let skill = skills(&world).join("one");
    symlink("../two/secret", skill.join("link")).unwrap();
    symlink("../two", skill.join("door")).unwrap();
    let store = store(&world);
    let read = |path: &str| store.read(&at("one"), path, 100);
    let text = read("./SKILL.md").unwrap();
    assert_eq!((&*text.path, &*text.bytes, text.binary), ("SKILL.md", TEXT.as_bytes(), false));
    assert!(read("assets/logo").unwrap().binary);
    assert!(read("assets/latin1").unwrap().binary);
    for path in ["../two/secret", "/etc/passwd", "assets/../../two/secret", "a\\b", ""] {
        assert!(matches!(read(path), Err(ReadError::InvalidPath(_))), "{path}");
    }
    for path in ["link", "door/secret"] {
        assert!(matches!(read(path), Err(ReadError::LeavesSkill(_))), "{path}");
    }
    assert!(matches!(read("assets"), Err(ReadError::NotAFile(_))));
    assert!(matches!(read("missing"), Err(ReadError::NotFound(_))));
    let small = store.read(&at("one"), "SKILL.md", 10);
    assert!(matches!(small, Err(ReadError::TooLarge { limit: 10, .. })), "{small:?}");
}

#[test]
fn a_skill_linked_into_the_root_is_loaded_where_it_really_is() {
    // R1, D1
    let world = World::new();
    world.write("elsewhere/one/SKILL.md", TEXT);
    world.write("elsewhere/one/notes.md", "notes");
    std::fs::create_dir(skills(&world)).unwrap();
    symlink(world.path().join("elsewhere/one"), skills(&world).join("one")).unwrap();
    let store = store(&world);
    assert_eq!(store.load(&at("one")).unwrap().resources.files.len(), 1);
    assert_eq!(store.read(&at("one"), "notes.md", 100).unwrap().bytes, b"notes");
}
