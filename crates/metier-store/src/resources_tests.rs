#![expect(clippy::disallowed_methods, reason = "tests make the files they list")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use metier_testing::World;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Detail, Links, Listing, list};
use crate::contained::SkillDirectory;
use crate::limits::{MAX_RESOURCE_DEPTH, MAX_RESOURCES};
use crate::store::{ResourceFile, Resources};

fn resources(world: &World) -> Resources {
    let path = world.path().join("skill");
    let skill = SkillDirectory::open(CWD, path.to_str().unwrap().as_bytes()).unwrap();
    list(&skill, "SKILL.md").unwrap()
}

fn paths(resources: &Resources) -> Vec<&str> {
    resources.files.iter().map(|file| &*file.path).collect()
}

#[test]
fn every_file_is_listed_with_its_size_and_whether_it_can_be_run() {
    // R1, R2
    let world = World::new();
    world.write("skill/SKILL.md", "---");
    world.write("skill/references/SKILL.md", "not the skill's own");
    let script = world.write("skill/scripts/run.py", "print()");
    std::fs::set_permissions(script, std::fs::Permissions::from_mode(0o744)).unwrap();
    world.write("skill/.env.example", "KEY=");
    for left_out in [".git/HEAD", "node_modules/x/index.js", "scripts/__pycache__/run.pyc"] {
        world.write(format!("skill/{left_out}"), "");
    }
    let file = |path: &str, size, executable| ResourceFile { path: path.into(), size, executable };
    let expected = [
        file(".env.example", 4, false),
        file("references/SKILL.md", 19, false),
        file("scripts/run.py", 7, true),
    ];
    let listed = resources(&world);
    assert_eq!(listed.files, expected);
    assert_eq!((listed.omitted, listed.refused), (0, Vec::<String>::new()));
}

#[test]
fn links_inside_are_listed_once_without_cycles_and_others_are_named() {
    // R1 (ruling 13)
    let world = World::new();
    world.write("skill/references/guide.md", "guide");
    world.write("skill/references/deep/more.md", "more");
    world.write("outside/secret", "secret");
    let skill = world.path().join("skill");
    for (link, target) in [
        ("docs", "references"),
        ("guide.md", "references/guide.md"),
        ("references/up", ".."),
        ("references/deep/again", "../../references"),
        ("self", "."),
        ("nowhere", "missing"),
        ("out", "../outside"),
        ("secret", "../outside/secret"),
        ("absolute", "/etc/passwd"),
    ] {
        symlink(target, skill.join(link)).unwrap();
    }
    mknodat(CWD, skill.join("fifo"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let listed = resources(&world);
    let expected = [
        "docs/deep/more.md",
        "docs/guide.md",
        "guide.md",
        "references/deep/more.md",
        "references/guide.md",
    ];
    assert_eq!(paths(&listed), expected);
    assert_eq!(listed.refused, ["absolute", "fifo", "nowhere", "out", "secret"]);
}

#[test]
fn names_that_cannot_be_read_are_named_and_not_listed() {
    // R1
    let world = World::new();
    world.write("skill/good.md", "");
    world.write("skill/back\\slash", "");
    let bytes = OsStr::from_bytes(b"not-text-\xff");
    std::fs::write(world.path().join("skill").join(bytes), "").unwrap();
    world.write("skill/line\nbreak", "");
    let listed = resources(&world);
    assert_eq!(paths(&listed), ["good.md", "line\nbreak"]);
    assert_eq!(listed.refused, ["back\\slash", "not-text-\u{fffd}"]);
}

#[test]
fn what_goes_past_a_limit_is_counted() {
    // R1
    let world = World::new();
    let deep = "d/".repeat(MAX_RESOURCE_DEPTH + 1);
    world.write(format!("skill/{deep}too-deep"), "");
    let fits = "d/".repeat(MAX_RESOURCE_DEPTH);
    world.write(format!("skill/{fits}fits"), "");
    let listed = resources(&world);
    assert_eq!(paths(&listed), [format!("{fits}fits")]);
    assert_eq!(listed.omitted, 1);

    let mut many = Resources::default();
    for number in 0..MAX_RESOURCES + 5 {
        many.add(&format!("{number:06}"), 1, false);
    }
    assert_eq!((many.files.len(), many.omitted), (MAX_RESOURCES, 5));
    assert_eq!(many.sorted().files.last().unwrap().path, format!("{:06}", MAX_RESOURCES - 1));
}

#[test]
fn of_more_entries_than_may_be_looked_at_the_first_by_name_are_kept() {
    // R1, D3
    let world = World::new();
    for number in [7, 3, 9, 1, 5] {
        world.write(format!("skill/{number}"), "");
    }
    let path = world.path().join("skill");
    let skill = SkillDirectory::open(CWD, path.to_str().unwrap().as_bytes()).unwrap();
    let mut listing = Listing { entries: 3, ..Listing::new(&skill, "SKILL.md", Detail::Whole) };
    listing.directory(&skill.directory(None).unwrap(), &[], Links::Follow).unwrap();
    assert_eq!(paths(&listing.resources), ["1", "3", "5"]);
    assert_eq!(listing.resources.omitted, 2);
}

#[test]
fn one_level_lists_three_directories_and_no_hidden_files() {
    // R1
    let file = |path: &str| ResourceFile { path: path.into(), size: 0, executable: false };
    let all = [
        "assets/logo.png",
        "references/a.md",
        "references/deep/b.md",
        "references/.hidden",
        "scripts/run.py",
        "other/c.md",
        "top.md",
    ];
    let resources = Resources {
        files: all.into_iter().map(file).collect(),
        omitted: 2,
        refused: vec!["scripts/link".into()],
    };
    let shallow = resources.one_level();
    assert_eq!(paths(&shallow), ["assets/logo.png", "references/a.md", "scripts/run.py"]);
    assert_eq!((shallow.omitted, shallow.refused), (2, vec!["scripts/link".to_owned()]));
}
