use std::path::Path;

use metier_format::Code;

use super::{Patch, apply_all};
use crate::discover::{Discovery, ScanStats};
use crate::fixture::Fixture;
use crate::layer::{Layer, RootId};
use crate::store::Location;

fn at(root: u16, path: &str) -> Location {
    Location { root: RootId(root), path: Path::new(path).into() }
}

/// Two roots; names that only differ in what follows a shared beginning.
fn before() -> Discovery {
    Fixture::new()
        .root(Layer::Personal, "/one")
        .skill_at("a", "a", "One.")
        .skill_at("group/x", "x", "One.")
        .skill_at("group/y", "y", "One.")
        .skill_at("group-b/z", "z", "One.")
        .broken("group/bad/SKILL.md", Code::NoFrontmatter, "bad")
        .root(Layer::Project, "/two")
        .skill_at("group/x", "x", "Two.")
        .discovery
}

fn listed(discovery: &Discovery) -> Vec<String> {
    let found = discovery.found.iter().map(|f| (f.root, f.path.to_path_buf(), &*f.description));
    let skipped = discovery.skipped.iter().map(|s| (s.root, s.path.clone(), "skipped"));
    let all = found.chain(skipped);
    all.map(|(root, path, what)| format!("{} {} {what}", root.0, path.display())).collect()
}

fn check(place: Location, part: Discovery, expect: &[&str]) {
    let mut discovery = before();
    apply_all(&mut discovery, vec![Patch { at: place, part }]);
    assert_eq!(listed(&discovery), expect);
}

#[test]
fn a_part_takes_the_place_of_what_was_at_and_below_its_directory() {
    // D7
    let part = Fixture::new()
        .root(Layer::Personal, "/one")
        .skill_at("group/new", "new", "New.")
        .skill_at("group/y", "y", "New.")
        .discovery;
    check(
        at(0, "group"),
        part,
        &["0 a One.", "0 group/new New.", "0 group/y New.", "0 group-b/z One.", "1 group/x Two."],
    );
}

#[test]
fn an_empty_part_removes_and_touches_nothing_beside_it() {
    // D7
    let rest = ["0 a One.", "0 group/y One.", "0 group-b/z One.", "1 group/x Two."];
    let bad = "0 group/bad/SKILL.md skipped";
    check(at(0, "group/x"), Discovery::default(), &[&rest[..], &[bad]].concat());
    check(
        at(1, ""),
        Discovery::default(),
        &["0 a One.", "0 group/x One.", "0 group/y One.", "0 group-b/z One.", bad],
    );
    check(at(0, ""), Discovery::default(), &["1 group/x Two."]);
    check(
        at(0, "nowhere"),
        Discovery::default(),
        &listed(&before()).iter().map(String::as_str).collect::<Vec<_>>(),
    );
}

#[test]
fn a_file_that_cannot_be_loaded_becomes_a_skill_and_back() {
    // D7
    let part = Fixture::new().root(Layer::Personal, "/one").skill_at("group/bad", "bad", "Now.");
    let expect = [
        "0 a One.",
        "0 group/bad Now.",
        "0 group/x One.",
        "0 group/y One.",
        "0 group-b/z One.",
        "1 group/x Two.",
    ];
    check(at(0, "group/bad"), part.discovery, &expect);
}

#[test]
fn the_statistics_are_those_of_the_patches() {
    // D7
    let mut discovery = before();
    discovery.stats = ScanStats { directories: 9, files: 9, bytes_read: 9, links: 9 };
    let stats = ScanStats { directories: 1, files: 2, bytes_read: 3, links: 1 };
    let part = Discovery { stats, ..Discovery::default() };
    let patches =
        vec![Patch { at: at(0, "a"), part: part.clone() }, Patch { at: at(0, "b"), part }];
    apply_all(&mut discovery, patches);
    assert_eq!(discovery.stats, ScanStats { directories: 2, files: 4, bytes_read: 6, links: 11 });
}
