use std::path::Path;

use metier_format::Code;
use metier_testing::World;

use crate::store::{LoadError, Location, Store as _};
use crate::{FileStore, Layer, Root, RootId};

fn at(path: &str) -> Location {
    Location { root: RootId(0), path: Path::new(path).into() }
}

fn store(world: &World) -> FileStore {
    FileStore::new(vec![Root::given(Layer::Personal, world.path())])
}

#[test]
fn a_draft_has_the_bytes_and_the_files_of_the_loaded_skill() {
    // F5, R1
    let world = World::new();
    world.skill("skills", "pdf", "Fills forms. Use it.");
    world.write("skills/pdf/scripts/deep/fill.py", "x");
    world.write("skills/pdf/node_modules/x.js", "x");
    world.write("skills/pdf/z.md", "x");
    std::os::unix::fs::symlink("/etc/passwd", world.path().join("skills/pdf/out")).unwrap();
    std::os::unix::fs::symlink("scripts", world.path().join("skills/pdf/in")).unwrap();
    let (store, at) = (store(&world), at("skills/pdf"));
    let skill = store.load(&at).unwrap();
    let draft = store.draft(&at).unwrap();
    assert_eq!(draft.bytes, skill.source);
    assert_eq!(draft.file, "SKILL.md");
    assert!(draft.misnamed().is_none());
    let around = store.neighbourhood(&at, &draft).unwrap();
    assert_eq!(
        around.paths,
        ["in/deep/fill.py", "out", "scripts/deep/fill.py", "z.md"].map(str::to_owned)
    );
    let mut loaded: Vec<String> = skill.resources.files.into_iter().map(|file| file.path).collect();
    loaded.extend(skill.resources.refused);
    loaded.sort();
    assert_eq!(around.paths, loaded);
    assert_eq!(around.omitted, skill.resources.omitted);
}

#[test]
fn a_draft_may_be_anything_that_can_be_read() {
    // F4, F5: FileName
    let world = World::new();
    world.write("broken/skill.md", "no frontmatter \u{0}");
    let store = store(&world);
    let draft = store.draft(&at("broken")).unwrap();
    assert_eq!(draft.file, "skill.md");
    assert_eq!(draft.misnamed().map(|fault| fault.code), Some(Code::FileName));
    assert!(matches!(store.load(&at("broken")), Err(LoadError::Invalid { .. })));
    assert!(matches!(store.draft(&at("gone")), Err(LoadError::NotFound(_))));
    assert!(matches!(store.draft(&at("../x")), Err(LoadError::NotFound(_))));
    world.write("linked/x", "");
    std::os::unix::fs::symlink("/etc/passwd", world.path().join("linked/SKILL.md")).unwrap();
    assert!(matches!(store.draft(&at("linked")), Err(LoadError::Invalid { .. })));
}
