#![expect(clippy::disallowed_methods, reason = "tests plant odd files")]

use std::ffi::OsString;
use std::path::PathBuf;

use metier_store::Neighbourhood;
use metier_testing::World;

use super::{Targets, neighbours};
use crate::args::Global;
use crate::env::Environment;
use crate::error::{CommandError, Kind};
use crate::settings::Settings;

fn settings(world: &World) -> Settings {
    let home = world.home().into_os_string();
    let lookup = |name: &str| (name == "HOME").then(|| OsString::from(&home));
    let environment = Environment::from_lookup(lookup, world.project());
    Settings::load(&Global::default(), &environment).unwrap()
}

fn find(world: &World, paths: &[&str]) -> Result<Targets, CommandError> {
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    Targets::find(&paths, &settings(world))
}

fn shown(world: &World, paths: &[&str]) -> Vec<String> {
    let targets = find(world, paths).unwrap();
    targets.list().iter().map(|target| target.shown.clone()).collect()
}

fn codes(world: &World, path: &str) -> Vec<&'static str> {
    let targets = find(world, &[path]).unwrap();
    let reading = targets.read(&targets.list()[0]);
    reading.faults.iter().map(|fault| fault.code.as_str()).collect()
}

#[test]
fn files_are_named_as_the_user_named_their_place() {
    // F5
    let world = World::new();
    world.skill("project/one", "pdf", "Fills forms. Use it.");
    world.skill("project/two/deep", "sheets", "Sums. Use it.");
    assert_eq!(shown(&world, &[]), ["one/pdf/SKILL.md", "two/deep/sheets/SKILL.md"]);
    assert_eq!(shown(&world, &["."]), ["one/pdf/SKILL.md", "two/deep/sheets/SKILL.md"]);
    assert_eq!(shown(&world, &["one"]), ["one/pdf/SKILL.md"]);
    assert_eq!(shown(&world, &["one/pdf"]), ["one/pdf/SKILL.md"]);
    assert_eq!(shown(&world, &["one/pdf/SKILL.md"]), ["one/pdf/SKILL.md"]);
    assert_eq!(shown(&world, &["../project/one"]), ["../project/one/pdf/SKILL.md"]);
    let absolute = world.project().join("one").display().to_string();
    assert_eq!(shown(&world, &[&absolute]), [format!("{absolute}/pdf/SKILL.md")]);
}

#[test]
fn a_file_reached_twice_is_linted_once() {
    // F5
    let world = World::new();
    world.skill("project/one", "pdf", "Fills forms. Use it.");
    std::os::unix::fs::symlink("one", world.project().join("link")).unwrap();
    assert_eq!(shown(&world, &["one", "one/pdf", "./one/pdf/SKILL.md", "link"]).len(), 1);
}

#[test]
fn the_directory_is_known_by_its_real_name() {
    // F5
    let world = World::new();
    world.write("project/SKILL.md", "---\nname: project\ndescription: X.\n---\n");
    std::os::unix::fs::symlink(world.project(), world.path().join("other")).unwrap();
    for path in [".", "SKILL.md", "../other", "../other/SKILL.md"] {
        let targets = find(&world, &[path]).unwrap();
        assert_eq!(targets.list()[0].directory.as_deref(), Some("project"), "{path}");
    }
}

#[test]
fn a_path_that_is_not_there_is_a_failure() {
    // F5, U1
    let world = World::new();
    let error = find(&world, &["here", "gone"]).unwrap_err();
    assert_eq!(error.kind, Kind::Failed);
    assert_eq!(error.message(), "`here` does not exist");
}

#[test]
fn what_cannot_be_read_has_a_code_of_its_own() {
    // F4, F5
    let world = World::new();
    std::fs::create_dir_all(world.project().join("empty")).unwrap();
    assert_eq!(codes(&world, "empty"), ["SK308"]);
    std::fs::create_dir_all(world.project().join("directory/SKILL.md")).unwrap();
    assert_eq!(codes(&world, "directory"), ["SK301"]);
    world.write("project/huge/SKILL.md", vec![b'x'; 17 * 1024 * 1024]);
    assert_eq!(codes(&world, "huge"), ["SK005"]);
    world.write("project/huge/other.md", vec![b'x'; 17 * 1024 * 1024]);
    assert_eq!(codes(&world, "huge/other.md"), ["SK005"]);
    std::fs::create_dir_all(world.project().join("link")).unwrap();
    let outside = world.write("outside.md", "x");
    std::os::unix::fs::symlink(&outside, world.project().join("link/SKILL.md")).unwrap();
    assert_eq!(codes(&world, "link"), ["SK306"]);
    std::os::unix::fs::symlink(&outside, world.project().join("link/other.md")).unwrap();
    assert_eq!(codes(&world, "link/other.md"), ["SK306"]);
    std::os::unix::fs::symlink("nowhere", world.project().join("link/dangling.md")).unwrap();
    assert!(find(&world, &["link/dangling.md"]).is_err());
    let made = std::process::Command::new("mkfifo").arg(world.project().join("pipe.md")).status();
    assert!(made.unwrap().success());
    assert_eq!(codes(&world, "pipe.md"), ["SK305"]);
}

#[test]
fn a_file_that_cannot_be_loaded_still_shows_its_text() {
    // F5
    let world = World::new();
    world.write("project/odd/SKILL.md", "no frontmatter");
    let targets = find(&world, &["odd"]).unwrap();
    let reading = targets.read(&targets.list()[0]);
    let source = reading.source.map(|(bytes, _)| bytes);
    assert_eq!(source.as_deref(), Some(&b"no frontmatter"[..]));
    assert!(reading.files.is_none(), "nothing is said about the files around it");
    assert!(reading.faults.is_empty(), "{:?}", reading.faults);
}

#[test]
fn neighbours_are_known_when_all_of_them_are() {
    // F5
    let paths = ["a.md", "out", "scripts/lib/x.py"].map(str::to_owned).to_vec();
    let listed = |omitted: usize| {
        let all = neighbours(Neighbourhood { paths: paths.clone(), omitted })?;
        Some(all.into_iter().map(|n| (n.path, n.directory)).collect::<Vec<_>>())
    };
    let expect: Vec<_> = paths.iter().map(|path| (path.clone(), false)).collect();
    assert_eq!(listed(0), Some(expect));
    assert_eq!(listed(1), None, "an incomplete list would call files missing");
}

#[test]
fn two_names_of_one_file_are_two_files() {
    // F5
    let world = World::new();
    world.skill("project/one", "pdf", "Fills forms. Use it.");
    std::fs::create_dir_all(world.project().join("two/pdf")).unwrap();
    let (from, to) = ("one/pdf/SKILL.md", "two/pdf/SKILL.md");
    std::fs::hard_link(world.project().join(from), world.project().join(to)).unwrap();
    assert_eq!(shown(&world, &[]), [from, to]);
    std::os::unix::fs::symlink("one", world.project().join("three")).unwrap();
    assert_eq!(shown(&world, &["three", "."]), ["three/pdf/SKILL.md", to]);
}
