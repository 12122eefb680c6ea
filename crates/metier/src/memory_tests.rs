#![expect(clippy::disallowed_methods, reason = "tests look at files and change them")]

use std::os::unix::fs::PermissionsExt as _;

use metier_testing::{Layout, World, generate_skills};

use super::*;
use crate::args::Global;
use crate::env::Environment;
use crate::view::View;

/// A world with enough skills to be remembered.
fn world() -> (World, Settings) {
    let world = World::new();
    generate_skills(&world.home().join(".claude/skills"), 40, Layout::Flat);
    let environment = Environment {
        home: Some(world.home()),
        directory: world.project(),
        ..Environment::default()
    };
    let settings = Settings::load(&Global::default(), &environment).unwrap();
    (world, settings)
}

#[test]
fn a_look_at_skills_makes_no_home() {
    // D2
    let (_world, settings) = world();
    View::open(&settings);
    assert!(!settings.home.unwrap().exists());
}

#[test]
fn memos_are_kept_for_this_very_program_and_nobody_else_may_write_them() {
    // D7, N1
    let (world, settings) = world();
    let home = settings.home.clone().unwrap();
    std::fs::create_dir_all(&home).unwrap();
    let memos = Memos::of(&settings).unwrap();
    let root = world.home().join(".claude/skills");
    assert_eq!(memos.recall(&root, Part::Marks), None);
    memos.keep(&root, Part::Marks, b"memo");
    assert_eq!(memos.recall(&root, Part::Marks).as_deref(), Some(&b"memo"[..]));
    memos.keep(&root, Part::Marks, b"another");
    assert_eq!(memos.recall(&root, Part::Texts), None);
    assert_eq!(memos.recall(&root, Part::Marks).as_deref(), Some(&b"another"[..]));
    assert_eq!(memos.recall(Path::new("/elsewhere"), Part::Marks), None);
    let folder = home.join(FOLDER);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    assert_eq!(mode(&file), 0o600);
    for others in [0o620, 0o602] {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(others)).unwrap();
        assert_eq!(memos.recall(&root, Part::Marks), None, "others may have written it");
    }
    assert!(memos.maker().starts_with(env!("CARGO_PKG_VERSION")));
    assert_eq!(files::build_of(Path::new("/nowhere")), None);
}

#[test]
fn a_memo_that_somebody_made_up_changes_nothing() {
    // D3, D7
    let (_world, settings) = world();
    let home = settings.home.clone().unwrap();
    std::fs::create_dir_all(&home).unwrap();
    let before = View::open(&settings).catalog;
    let memos = Memos::of(&settings).unwrap();
    for root in view_roots(&settings) {
        memos.keep(&root, Part::Marks, b"metier-memo-3\nwhatever");
    }
    assert_eq!(View::open(&settings).catalog, before);
}

fn view_roots(settings: &Settings) -> Vec<PathBuf> {
    use metier_store::Store as _;
    crate::view::files(settings).roots().iter().map(|root| root.path.clone()).collect()
}
