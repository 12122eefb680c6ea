use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{End, Happening, Kind, Tree, cover};
use crate::layer::RootId;
use crate::store::Location;

fn at(root: u16, path: &str) -> Location {
    Location { root: RootId(root), path: Path::new(path).into() }
}

/// `/r` is root 0 with the skill `x` and the open directory `g`; `/p` leads to root 1, `q`, which is
/// not there; `x` is also root 2's `linked`.
fn tree() -> Tree {
    let mut tree = Tree::default();
    let mut add = |real: &str, place: Location, kind: Kind, linked: bool| {
        tree.insert(Path::new(real), &place, linked);
        tree.set_kind(&place, kind);
    };
    add("/r", at(0, ""), Kind::Open, false);
    add("/r/x", at(0, "x"), Kind::Closed, false);
    add("/r/g", at(0, "g"), Kind::Open, false);
    add("/r/g/deep", at(0, "g/deep"), Kind::Deepest, false);
    add("/r/x", at(2, "linked"), Kind::Closed, true);
    tree.anchor(Path::new("/p"), "q".as_ref(), &End::Root(RootId(1)));
    tree
}

fn check(path: &str, happening: Happening, expect: &[Location]) {
    let concern = tree().concern(Path::new(path), happening);
    assert_eq!(concern.places, expect, "{path}");
    assert!(concern.roots.is_empty(), "{path}");
}

#[test]
fn a_skills_file_concerns_its_directory_by_every_way_there() {
    // D7
    use Happening::{Content, Entry};
    let both = [at(0, "x"), at(2, "linked")];
    check("/r/x/SKILL.md", Content, &both);
    check("/r/x/SKILL.md", Entry, &both);
    check("/r/x/Skill.md", Entry, &both);
    check("/r/g/SKILL.md", Content, &[at(0, "g")]);
    check("/r/SKILL.md", Entry, &[at(0, "")]);
}

#[test]
fn what_lies_in_a_skill_concerns_nobody() {
    // D7
    use Happening::{Content, Entry};
    for path in ["/r/x/scripts", "/r/x/reference.md", "/r/x/.SKILL.md.swp", "/r/x/scripts/run.py"] {
        check(path, Content, &[]);
        check(path, Entry, &[]);
    }
}

#[test]
fn an_entry_of_an_open_directory_concerns_itself_and_its_content_nobody() {
    // D7
    use Happening::{Content, Entry};
    check("/r/new", Entry, &[at(0, "new")]);
    check("/r/g/new", Entry, &[at(0, "g/new")]);
    check("/r/README.md", Content, &[]);
    check("/r/.git", Entry, &[]);
    check("/r/g/.hidden", Entry, &[]);
    check("/r/g/deep/new", Entry, &[at(0, "g/deep")]);
    check("/r/g/deep/.new", Entry, &[]);
    check("/elsewhere/new", Entry, &[]);
    check("/", Entry, &[]);
}

#[test]
fn a_watched_directory_that_comes_or_goes_concerns_every_place_it_is() {
    // D7
    check("/r/g", Happening::Entry, &[at(0, "g")]);
    check("/r/x", Happening::Entry, &[at(0, "x"), at(2, "linked")]);
    check("/r", Happening::Entry, &[at(0, "")]);
}

#[test]
fn the_way_to_a_root_concerns_the_root() {
    // D7
    let roots = |path: &str| tree().concern(Path::new(path), Happening::Entry).roots;
    assert_eq!(roots("/p/q"), [RootId(1)]);
    assert_eq!(roots("/p"), [RootId(1)]);
    assert_eq!(roots("/p/other"), []);
    assert!(tree().concern(Path::new("/p/other"), Happening::Entry).is_empty());
}

#[test]
fn what_a_link_to_nowhere_waits_for_concerns_the_link() {
    // D7
    let mut tree = tree();
    let end = End::Place(at(0, "g/link"));
    assert!(tree.anchor(Path::new("/p"), "q".as_ref(), &end));
    assert!(!tree.anchor(Path::new("/p"), "q".as_ref(), &end));
    assert!(tree.anchor(Path::new("/far"), "away".as_ref(), &end));
    let concern = tree.concern(Path::new("/p/q"), Happening::Entry);
    assert_eq!((concern.places, concern.roots), (vec![at(0, "g/link")], vec![RootId(1)]));
    let unneeded = tree.remove_below(&at(0, "g"));
    assert!(unneeded.contains(Path::new("/far")) && !unneeded.contains(Path::new("/p")));
    assert!(tree.concern(Path::new("/far/away"), Happening::Entry).is_empty());
    assert_eq!(tree.concern(Path::new("/p/q"), Happening::Entry).roots, [RootId(1)]);
}

#[test]
fn forgetting_a_place_forgets_what_lies_below_it() {
    // D7
    let mut tree = tree();
    let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<BTreeSet<_>>();
    assert_eq!(tree.len(), 5);
    assert_eq!(tree.remove_below(&at(0, "g")), paths(&["/r/g", "/r/g/deep"]));
    // Root 2 still needs the directory of `x`.
    assert_eq!(tree.remove_below(&at(0, "")), paths(&["/r"]));
    assert!(tree.contains(Path::new("/r/x")));
    assert_eq!(tree.remove_anchors(RootId(1)), paths(&["/p"]));
    assert_eq!(tree.remove_anchors(RootId(1)), paths(&[]));
    assert_eq!(tree.remove(&at(2, "linked")), paths(&["/r/x"]));
    assert_eq!(tree.remove(&at(2, "linked")), paths(&[]));
    assert_eq!(tree.len(), 0);
}

#[test]
fn directories_reached_by_two_ways_are_known() {
    // D7
    let mut tree = tree();
    assert!(tree.overlaps());
    tree.remove(&at(2, "linked"));
    assert!(!tree.overlaps());
    assert!(!tree.insert(Path::new("/r/x"), &at(0, "again"), false));
    assert!(tree.overlaps());
    tree.remove(&at(0, "again"));
    // The same place again is no second way, and moving it leaves no trace.
    assert!(tree.insert(Path::new("/r/x"), &at(0, "x"), false));
    assert!(tree.insert(Path::new("/other"), &at(0, "x"), false));
    assert!(!tree.overlaps() && !tree.contains(Path::new("/r/x")));
}

#[test]
fn nested_places_are_covered_by_the_outermost_and_many_by_the_root() {
    // D7
    let check = |places: &[Location], expect: &[Location]| {
        assert_eq!(cover(places.iter().cloned().collect(), 2), expect);
    };
    check(&[], &[]);
    check(
        &[at(0, "a/b"), at(0, "a"), at(0, "a-b"), at(1, "a")],
        &[at(0, "a"), at(0, "a-b"), at(1, "a")],
    );
    check(&[at(0, "a"), at(0, "b"), at(0, "c"), at(1, "a")], &[at(0, ""), at(1, "a")]);
    check(&[at(0, ""), at(0, "b"), at(1, "")], &[at(0, ""), at(1, "")]);
}
