use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use metier_testing::World;

use super::super::WatchError;
use super::super::source::Source;
use super::super::tree::{Concern, Happening, Tree};
use super::{Posts, lock, nearest, ways};
use crate::discover::ScanLimits;
use crate::layer::{Layer, Root, RootId};
use crate::store::Location;

/// Posts over one root, `skills`, that hear nothing: the tests ask the tree.
fn posts(world: &World, change: impl FnOnce(&mut Root, &mut ScanLimits)) -> Posts {
    let mut root = Root::given(Layer::Personal, real(world).join("skills"));
    let mut limits = ScanLimits::default();
    change(&mut root, &mut limits);
    let source = Source::new(|_| {}).unwrap();
    Posts::new(source, Arc::new(Mutex::new(Tree::default())), vec![root], limits, 100)
}

fn real(world: &World) -> PathBuf {
    world.path().canonicalize().unwrap()
}

fn at(path: &str) -> Location {
    Location { root: RootId(0), path: Path::new(path).into() }
}

/// What an entry that appears at `path` in the world would concern.
fn concern(posts: &Posts, world: &World, path: &str) -> Concern {
    lock(&posts.tree).concern(&real(world).join(path), Happening::Entry)
}

fn check(posts: &Posts, world: &World, path: &str, expect: &[&str]) {
    let expect: Vec<Location> = expect.iter().map(|path| at(path)).collect();
    assert_eq!(concern(posts, world, path).places, expect, "{path}");
}

fn watched(posts: &Posts, world: &World, path: &str) -> bool {
    lock(&posts.tree).contains(&real(world).join(path))
}

#[test]
fn what_a_scan_looks_at_is_watched_and_nothing_else() {
    // D7
    let world = World::new();
    world.skill("skills", "a", "First.");
    world.skill("skills/group", "b", "Second.");
    world.write("skills/a/scripts/run.sh", "");
    world.skill("skills/node_modules/package", "c", "Never listed.");
    world.skill("skills/.git", "d", "Hidden.");
    let mut posts = posts(&world, |_, _| {});
    posts.sync_all().unwrap();
    for path in ["", "skills", "skills/a", "skills/group", "skills/group/b", "skills/node_modules"]
    {
        assert!(watched(&posts, &world, path), "{path}");
    }
    for path in ["home", "skills/a/scripts", "skills/node_modules/package", "skills/.git"] {
        assert!(!watched(&posts, &world, path), "{path}");
    }
    check(&posts, &world, "skills/new", &["new"]);
    check(&posts, &world, "skills/group/new", &["group/new"]);
    check(&posts, &world, "skills/a/new", &[]);
    check(&posts, &world, "skills/node_modules/new", &[]);
    check(&posts, &world, "skills/node_modules/SKILL.md", &["node_modules"]);
    assert_eq!(concern(&posts, &world, "skills").roots, [RootId(0)]);
}

#[test]
fn a_root_for_immediate_skills_is_watched_one_level_down() {
    // D7
    let world = World::new();
    world.skill("skills/group", "a", "Too deep.");
    world.write("skills/SKILL.md", "not one level down");
    let mut posts = posts(&world, |root, _| root.immediate_only = true);
    posts.sync_all().unwrap();
    assert!(watched(&posts, &world, "skills/group"));
    assert!(!watched(&posts, &world, "skills/group/a"));
    check(&posts, &world, "skills/new", &["new"]);
    check(&posts, &world, "skills/group/new", &[]);
    check(&posts, &world, "skills/group/SKILL.md", &["group"]);
}

#[test]
fn the_deepest_directories_answer_for_what_lies_below_them() {
    // D7
    let world = World::new();
    world.skill("skills/group", "a", "Too deep.");
    let mut posts = posts(&world, |_, limits| limits.max_depth = 1);
    posts.sync_all().unwrap();
    assert!(!watched(&posts, &world, "skills/group/a"));
    check(&posts, &world, "skills/group/new", &["group"]);
}

#[test]
fn directories_that_come_and_go_are_watched_and_forgotten() {
    // D7
    let world = World::new();
    world.skill("skills/group", "a", "First.");
    let mut posts = posts(&world, |_, _| {});
    posts.sync_all().unwrap();
    let before = lock(&posts.tree).len();
    world.skill("skills/group/deeper", "b", "Second.");
    posts.sync(&at("group/deeper")).unwrap();
    assert_eq!(lock(&posts.tree).len(), before + 2);
    fs::remove_dir_all(world.path().join("skills/group")).unwrap();
    posts.sync(&at("group")).unwrap();
    assert_eq!(lock(&posts.tree).len(), 2);
    // A file is no directory to stand at, and neither is nothing.
    world.write("skills/README.md", "");
    posts.sync(&at("README.md")).unwrap();
    posts.sync(&at("nothing/at/all")).unwrap();
    assert_eq!(lock(&posts.tree).len(), 2);
}

#[test]
fn linked_directories_are_watched_where_they_lie_and_loops_end() {
    // D7
    let world = World::new();
    world.skill("store", "a", "First.");
    world.skill("skills/group", "b", "Second.");
    symlink(world.path().join("store/a"), world.path().join("skills/linked")).unwrap();
    symlink(world.path().join("skills"), world.path().join("skills/group/back")).unwrap();
    let mut posts = posts(&world, |_, _| {});
    posts.sync_all().unwrap();
    assert!(posts.overlaps());
    check(&posts, &world, "store/a/SKILL.md", &["linked"]);
    // The root, reached again from inside, is one directory at two places.
    check(&posts, &world, "skills/SKILL.md", &["", "group/back"]);
    fs::remove_file(world.path().join("skills/linked")).unwrap();
    fs::remove_file(world.path().join("skills/group/back")).unwrap();
    posts.sync(&at("")).unwrap();
    assert!(!posts.overlaps() && !watched(&posts, &world, "store/a"));
}

#[test]
fn more_directories_than_allowed_are_an_error() {
    // D7
    let world = World::new();
    for name in ["a", "b", "c"] {
        world.skill("skills", name, "One of three.");
    }
    let mut posts = posts(&world, |_, _| {});
    posts.max_watches = 4;
    assert_eq!(posts.sync_all(), Err(WatchError::TooMany { limit: 4 }));
    posts.max_watches = 5;
    assert_eq!(posts.sync_all(), Ok(()));
}

#[test]
fn the_way_to_what_is_not_there_is_the_nearest_that_is() {
    // D7
    let world = World::new();
    let base = real(&world);
    let way = |path: &str, name: &str| (base.join(path), OsString::from(name));
    assert_eq!(nearest(&base.join("home/x")), Some(way("home", "x")));
    assert_eq!(nearest(&base.join("home/x/y/z")), Some(way("home", "x")));
    assert_eq!(nearest(&base.join("home/x/../y")), Some(way("home", "x")));
    assert_eq!(nearest(Path::new("/")), None);
    assert_eq!(ways(&base.join("home")), [way("", "home")]);
}

#[test]
fn the_way_through_links_to_nowhere_goes_on_where_they_point() {
    // D7
    let world = World::new();
    let base = real(&world);
    let way = |path: &str, name: &str| (base.join(path), OsString::from(name));
    symlink("../project/second", base.join("home/first")).unwrap();
    symlink(base.join("home/third/fourth"), base.join("project/second")).unwrap();
    let steps = [way("home", "first"), way("project", "second"), way("home", "third")];
    assert_eq!(ways(&base.join("home/first")), steps);
    assert_eq!(ways(&base.join("home/first/skills")), steps);
    // Links in a circle are followed for a while and no longer.
    symlink(base.join("home/circle"), base.join("home/circle")).unwrap();
    assert!(ways(&base.join("home/circle")).len() <= crate::limits::MAX_LINKS + 1);
}
