#![expect(clippy::disallowed_methods, reason = "tests make the files they read")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use metier_testing::World;
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use rustix::io::Errno;

use super::{ContainedPath, Refusal, Resolve, SkillDirectory, in_one_step, step_by_step};
use crate::store::ReadError;

/// Both ways to resolve a path must agree.
const BOTH: [(&str, Resolve); 2] = [("in one step", in_one_step), ("step by step", step_by_step)];

/// Swaps made under each reader in a race. `METIER_RACE_SWAPS`, which `cargo xtask race` sets, makes
/// more of them.
const SWAPS: usize = 200_000;

fn swaps() -> usize {
    let asked = std::env::var("METIER_RACE_SWAPS").ok().and_then(|text| text.parse().ok());
    asked.unwrap_or(SWAPS)
}

fn open(path: &Path, resolve: Resolve) -> SkillDirectory {
    let directory = SkillDirectory::open(CWD, path.to_str().unwrap().as_bytes()).unwrap();
    SkillDirectory { resolve, ..directory }
}

fn path(text: &str) -> ContainedPath {
    ContainedPath::parse(text).unwrap()
}

fn text(directory: &SkillDirectory, at: &str, max_bytes: u64) -> Result<String, Refusal> {
    directory.read(&path(at), max_bytes).map(|(bytes, _)| String::from_utf8(bytes).unwrap())
}

/// A skill with links of every kind, and something outside that must stay there.
fn world() -> World {
    let world = World::new();
    world.write("outside/secret", "secret");
    world.write("skill/references/guide.md", "guide");
    world.write("skill/SKILL.md", "skill");
    std::fs::create_dir_all(world.path().join("skill/empty")).unwrap();
    let skill = world.path().join("skill");
    for (link, target) in [
        ("inside", "references/guide.md"),
        ("inside-directory", "references"),
        ("inside-directory-slash", "references/"),
        ("inside-by-detour", "empty/../references/./guide.md"),
        ("chain", "inside-directory/../inside"),
        ("here", "."),
        ("loop", "loop"),
        ("nowhere", "missing"),
        ("escape", "../outside/secret"),
        ("escape-directory", "../outside"),
        ("escape-and-return", "../skill/SKILL.md"),
        ("escape-deep", "empty/../../outside/secret"),
        ("absolute", "/etc/passwd"),
        ("through-a-file", "SKILL.md/x"),
        ("references/up", "../SKILL.md"),
        ("references/up-and-out", "../../outside/secret"),
    ] {
        symlink(target, skill.join(link)).unwrap();
    }
    let absolute_inside = skill.join("SKILL.md");
    symlink(absolute_inside, skill.join("absolute-inside")).unwrap();
    symlink("/proc/self/exe", skill.join("magic")).unwrap();
    world
}

#[test]
fn a_path_is_checked_as_text_before_anything_is_opened() {
    // R1
    let good = |text: &str, expect: &str| {
        assert_eq!(ContainedPath::parse(text).unwrap().as_str(), expect);
        assert_eq!(ContainedPath::parse(text).unwrap().to_string(), expect);
    };
    good("SKILL.md", "SKILL.md");
    good("./references/a.md", "references/a.md");
    good("a/./b", "a/b");
    good("..a/b..", "..a/b..");
    good("a b/\u{e9}\n", "a b/\u{e9}\n");
    for bad in [
        "",
        ".",
        "..",
        "/",
        "/etc/passwd",
        "../x",
        "a/..",
        "a/../b",
        "a//b",
        "a/",
        "./",
        "//x",
        "a\\b",
        "..\\x",
        "a\0b",
        "a/../../b",
    ] {
        let refused = ContainedPath::parse(bad);
        assert!(matches!(refused, Err(ReadError::InvalidPath(ref text)) if text == bad), "{bad:?}");
    }
    assert!(ContainedPath::parse(&"x/".repeat(3000)).is_err());
    assert!(ContainedPath::parse(&"x".repeat(4096)).is_err());
}

#[test]
fn links_that_stay_inside_are_followed_and_all_others_refused() {
    // R1 (ruling 13)
    let world = world();
    for (how, resolve) in BOTH {
        let directory = open(&world.path().join("skill"), resolve);
        let check = |at: &str, expect: Result<&str, Refusal>| {
            let got = text(&directory, at, 100);
            assert_eq!(got.as_deref().map_err(|refusal| *refusal), expect, "{at} {how}");
        };
        check("SKILL.md", Ok("skill"));
        check("inside", Ok("guide"));
        check("inside-directory/guide.md", Ok("guide"));
        check("inside-directory-slash/guide.md", Ok("guide"));
        check("inside-by-detour", Ok("guide"));
        check("chain", Ok("guide"));
        check("here/here/SKILL.md", Ok("skill"));
        check("references/up", Ok("skill"));
        check("inside-directory/up", Ok("skill"));
        check("missing", Err(Refusal::Missing));
        check("nowhere", Err(Refusal::Missing));
        check("SKILL.md/x", Err(Refusal::Missing));
        check("through-a-file", Err(Refusal::Missing));
        check("loop", Err(Refusal::System(Errno::LOOP)));
        for leaving in ["escape", "escape-directory/secret", "escape-and-return", "escape-deep"] {
            check(leaving, Err(Refusal::Leaves));
        }
        for leaving in ["absolute", "absolute-inside", "magic", "references/up-and-out"] {
            check(leaving, Err(Refusal::Leaves));
        }
    }
}

#[test]
fn only_regular_files_are_read_and_nothing_is_waited_for() {
    // R1
    let world = world();
    let skill = world.path().join("skill");
    mknodat(CWD, skill.join("fifo"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(skill.join("socket")).unwrap();
    for (how, resolve) in BOTH {
        let directory = open(&skill, resolve);
        let check = |at: &str, kind: FileType| {
            assert_eq!(text(&directory, at, 100), Err(Refusal::Special(kind)), "{at} {how}");
        };
        check("fifo", FileType::Fifo);
        check("socket", FileType::Socket);
        check("references", FileType::Directory);
        check("inside-directory", FileType::Directory);
        check("here", FileType::Directory);
        let devices = open(Path::new("/dev"), resolve);
        let device = Err(Refusal::Special(FileType::CharacterDevice));
        assert_eq!(text(&devices, "zero", 100), device, "{how}");
        assert_eq!(text(&devices, "null", 100), device, "{how}");
    }
}

#[test]
fn a_file_larger_than_the_limit_is_refused_with_its_size() {
    // R1
    let world = world();
    for (how, resolve) in BOTH {
        let directory = open(&world.path().join("skill"), resolve);
        assert_eq!(text(&directory, "SKILL.md", 5).as_deref(), Ok("skill"), "{how}");
        assert_eq!(text(&directory, "SKILL.md", 4), Err(Refusal::TooLarge { size: 5 }), "{how}");
    }
    // What calls itself empty and goes on for ever is read to the limit and no further.
    let processes = open(Path::new("/proc/self"), in_one_step);
    let (status, _) = processes.read(&path("status"), 1 << 20).unwrap();
    assert!(status.len() > 100);
    assert_eq!(processes.read(&path("status"), 9).err(), Some(Refusal::TooLarge { size: 10 }));
}

#[test]
fn every_refusal_is_an_error_a_reader_can_tell_apart() {
    // R1
    let check = |refusal: Refusal, expect: fn(&ReadError) -> bool| {
        let error = refusal.into_read_error(&path("a/b"), 7);
        assert!(expect(&error), "{error:?}");
        assert!(error.to_string().contains("`a/b`"), "{error}");
    };
    check(Refusal::Missing, |e| matches!(e, ReadError::NotFound(_)));
    check(Refusal::Leaves, |e| matches!(e, ReadError::LeavesSkill(_)));
    check(Refusal::Special(FileType::Fifo), |e| matches!(e, ReadError::NotAFile(_)));
    check(Refusal::TooLarge { size: 8 }, |e| {
        matches!(e, ReadError::TooLarge { size: 8, limit: 7, .. })
    });
    check(Refusal::System(Errno::ACCESS), |e| matches!(e, ReadError::Io { .. }));
}

/// What came of a race.
#[derive(Debug, Default)]
struct Raced {
    /// Swaps made while the reader read.
    swaps: usize,
    /// Reads that saw the inside.
    inside: usize,
    /// Reads that were refused.
    refused: usize,
}

/// Swaps `a` and `b` below `skill` again and again while `at` is read, and stops at the first read
/// that saw the outside.
fn race(skill: &Path, (a, b): (&str, &str), at: &str, resolve: Resolve) -> Raced {
    let directory = open(skill, resolve);
    let (a, b, at) = (skill.join(a), skill.join(b), path(at));
    let (reading, over) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let swapper = scope.spawn(|| {
            // Only swaps under a reader count.
            while !reading.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            let mut made = 0;
            while made < swaps() && reading.load(Ordering::Relaxed) {
                renameat_with(CWD, &a, CWD, &b, RenameFlags::EXCHANGE).unwrap();
                made += 1;
            }
            over.store(true, Ordering::Relaxed);
            made
        });
        let mut raced = Raced::default();
        let mut escaped = None;
        while escaped.is_none() && !over.load(Ordering::Relaxed) {
            match directory.read(&at, 100) {
                Ok((bytes, _)) if bytes == b"inside" => raced.inside += 1,
                Ok((bytes, _)) => escaped = Some(bytes),
                Err(_) => raced.refused += 1,
            }
            reading.store(true, Ordering::Relaxed);
        }
        reading.store(escaped.is_none(), Ordering::Relaxed);
        raced.swaps = swapper.join().unwrap();
        assert_eq!(escaped, None, "{raced:?}");
        raced
    })
}

#[test]
fn no_link_swapped_under_the_reader_leads_outside() {
    // R1
    let world = World::new();
    world.write("outside/file", "outside");
    world.write("skill/door/file", "inside");
    let skill = world.path().join("skill");
    symlink("../outside", skill.join("trap")).unwrap();
    for (how, resolve) in BOTH {
        let raced = race(&skill, ("door", "trap"), "door/file", resolve);
        println!("{how}: {raced:?}");
        assert_eq!(raced.swaps, swaps(), "{how}");
        assert!(raced.inside > 0 && raced.refused > 0, "{how}: {raced:?}");
    }
}
