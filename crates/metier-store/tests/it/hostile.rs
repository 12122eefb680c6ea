//! Trees made to hurt: files that are not files, links that lead away, names that are not text.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use metier_format::Code;
use metier_store::discover::ScanLimits;
use metier_store::limits::MAX_NOTES;
use metier_store::{FileStore, Layer, Root, Store as _};
use metier_testing::World;
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::ground::{notes, paths, root, scan, skills, skipped};

const KERNELS: &str = "the kernel makes up what lies there";

const TEXT: &str = "---\nname: good\ndescription: A good skill.\n---\nBody\n";

#[test]
fn a_skill_file_that_is_no_file_is_named_and_never_waited_for() {
    // F4, D2
    let world = World::new();
    world.skill("skills", "good", "A good skill.");
    world.write("skills/directory/SKILL.md/inner", "");
    for kind in ["fifo", "socket", "device"] {
        std::fs::create_dir(skills(&world).join(kind)).unwrap();
    }
    let at = |name: &str| skills(&world).join(name).join("SKILL.md");
    let mode = Mode::from_raw_mode(0o666);
    mknodat(CWD, at("fifo"), FileType::Fifo, mode, 0).unwrap();
    let _socket = UnixListener::bind(at("socket")).unwrap();
    let mut expected =
        vec!["directory/SKILL.md SK301", "fifo/SKILL.md SK302", "socket/SKILL.md SK303"];
    // Making a device needs a right that not everybody who runs the tests has; `disk_tests` proves
    // the same on devices every machine has.
    let zero = rustix::fs::makedev(1, 5);
    if mknodat(CWD, at("device"), FileType::CharacterDevice, mode, zero).is_ok() {
        expected.insert(0, "device/SKILL.md SK304");
    }
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["good"]);
    assert_eq!(skipped(&found), expected);
    assert_eq!(Code::IsDevice.as_str(), "SK304");
}

#[test]
fn a_linked_skill_file_counts_only_when_it_stays_in_its_directory() {
    // R1 (ruling 13)
    let world = World::new();
    world.write("outside.md", TEXT);
    world.write("skills/good/docs/real.md", TEXT);
    symlink("docs/real.md", skills(&world).join("good/SKILL.md")).unwrap();
    for (name, target) in [
        ("leaves", "../../outside.md"),
        ("absolute", "/etc/hostname"),
        ("device", "/dev/zero"),
        ("dangling", "missing.md"),
        ("loop", "SKILL.md"),
        ("directory", "."),
    ] {
        std::fs::create_dir(skills(&world).join(name)).unwrap();
        symlink(target, skills(&world).join(name).join("SKILL.md")).unwrap();
    }
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["good"]);
    let expected = [
        "absolute/SKILL.md SK306",
        "dangling/SKILL.md SK305",
        "device/SKILL.md SK306",
        "directory/SKILL.md SK301",
        "leaves/SKILL.md SK306",
        "loop/SKILL.md SK305",
    ];
    assert_eq!(skipped(&found), expected);
}

#[test]
fn another_spelling_of_the_file_loads_with_a_warning() {
    // F1, F3
    let world = World::new();
    world.write("skills/good/skill.md", TEXT);
    world.write("skills/good/deeper/SKILL.md", TEXT);
    world.write("skills/both/Skill.md", "nothing");
    world.write("skills/both/SKILL.md", TEXT);
    world.write("skills/two/skill.md", "nothing");
    world.write("skills/two/Skill.md", TEXT);
    world.write("skills/group/skill.md/good/SKILL.md", TEXT);
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["both", "good", "group/skill.md/good", "two"]);
    let warned = |index: usize| {
        let codes: Vec<Code> = found.found[index].diagnostics.iter().map(|d| d.code).collect();
        codes.contains(&Code::FileName)
    };
    assert_eq!([warned(0), warned(1), warned(2), warned(3)], [false, true, false, true]);
}

#[test]
fn links_that_lead_nowhere_or_in_circles_are_noted() {
    // D1, D3
    let world = World::new();
    world.skill("skills", "good", "A good skill.");
    symlink("missing", skills(&world).join("dangling")).unwrap();
    symlink("circle", skills(&world).join("circle")).unwrap();
    symlink("good/SKILL.md", skills(&world).join("file")).unwrap();
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["good"]);
    let expected = [
        "SK313 circle: `circle` cannot be read: it is a link that leads back to itself",
        "SK313 dangling: `dangling` cannot be read: it is a link that points nowhere",
    ];
    assert_eq!(notes(&found), expected);
    assert_eq!(Code::DirectoryUnreadable.as_str(), "SK313");
}

#[test]
fn what_only_the_kernel_has_is_named_and_not_walked_through() {
    // D1, D2
    let world = World::new();
    world.skill("skills", "good", "A good skill.");
    symlink("/proc", skills(&world).join("processes")).unwrap();
    symlink("/sys", skills(&world).join("devices")).unwrap();
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["good"]);
    let line = |name: &str| format!("SK313 {name}: `{name}` cannot be read: {KERNELS}");
    assert_eq!(notes(&found), [line("devices"), line("processes")]);
    assert_eq!(found.stats.directories, 4);

    // A root that is one, and one that lies below a link to everything.
    let whole = scan("/proc".as_ref());
    assert_eq!((whole.found.len(), whole.stats.directories), (0, 1));
    assert!(notes(&whole)[0].ends_with(KERNELS), "{:?}", notes(&whole));
    symlink("/", world.path().join("machine")).unwrap();
    let limits = ScanLimits { max_depth: 2, ..ScanLimits::default() };
    let machine = FileStore::new(vec![root(world.path().join("machine"))]).discover(&limits);
    assert!(notes(&machine).contains(&line("proc")), "{:?}", notes(&machine));
}

#[test]
fn very_many_directories_that_cannot_be_read_are_counted() {
    // D1, D3
    let world = World::new();
    world.skill("skills", "good", "A good skill.");
    for number in 0..MAX_NOTES + 5 {
        symlink("missing", skills(&world).join(format!("link-{number:04}"))).unwrap();
    }
    let found = scan(&skills(&world));
    assert_eq!(paths(&found), ["good"]);
    assert_eq!(found.notes.len(), MAX_NOTES + 1);
    assert_eq!(found.notes[0].diagnostic.message, "5 more directories cannot be read");
    assert!(found.notes[1].path.ends_with("link-0000"), "{:?}", found.notes[1]);
    assert!(found.notes[MAX_NOTES].path.ends_with("link-0999"), "{:?}", found.notes.last());
}

#[test]
fn names_that_are_not_text_or_not_harmless_are_found_and_shown_safely() {
    // D3, F4
    let world = World::new();
    let names: [&[u8]; 4] =
        [b"line\nbreak", b"esc\x1b[2J", "rev\u{202e}erse".as_bytes(), b"not-text-\xff\xfe"];
    for name in names {
        let directory = skills(&world).join(OsStr::from_bytes(name));
        std::fs::create_dir_all(directory.join("good")).unwrap();
        std::fs::write(directory.join("good/SKILL.md"), TEXT).unwrap();
        std::fs::create_dir_all(directory.join("bad/SKILL.md")).unwrap();
        std::fs::create_dir_all(directory.join("self")).unwrap();
        std::fs::write(directory.join("self").join("SKILL.md"), "nothing").unwrap();
        symlink("missing", directory.join("dangling")).unwrap();
    }
    let found = scan(&skills(&world));
    assert_eq!(found.found.len(), 4);
    assert_eq!(found.skipped.len(), 8);
    for found in &found.found {
        let directory = found.path.parent().unwrap().as_os_str().as_bytes();
        assert!(names.contains(&directory), "{directory:?}");
    }
    let messages = found
        .notes
        .iter()
        .map(|note| &note.diagnostic)
        .chain(found.skipped.iter().flat_map(|file| &file.diagnostics));
    for diagnostic in messages {
        let live = |c: char| c == '\n' || metier_format::text::is_live(c);
        assert!(!diagnostic.message.contains(live), "{:?}", diagnostic.message);
    }
}

#[test]
fn a_skill_in_a_directory_with_such_a_name_is_found_too() {
    // D3
    let world = World::new();
    let directory = skills(&world).join(OsStr::from_bytes(b"\xff\xfe"));
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("SKILL.md"), TEXT).unwrap();
    let found = scan(&skills(&world));
    assert_eq!(found.found.len(), 1);
    assert_eq!(found.directory(&found.found[0]), directory);
    assert_eq!(found.found[0].name.as_str(), "good");
}

#[test]
fn a_link_in_a_project_nobody_trusts_leads_to_one_skill_or_nowhere() {
    // D4, D1
    let world = World::new();
    world.skill("skills", "good", "A good skill.");
    let linked = world.skill("elsewhere", "linked", "A skill on its own.");
    world.skill("machine/home", "private", "Nothing to do with the project.");
    symlink(&linked, skills(&world).join("linked")).unwrap();
    symlink(world.path().join("machine"), skills(&world).join("out")).unwrap();
    let trusted = root(skills(&world));
    let project = Root { layer: Layer::Project, trusted: false, ..trusted.clone() };
    let discover = |root: Root| FileStore::new(vec![root]).discover(&ScanLimits::default());
    assert_eq!(paths(&discover(trusted)), ["good", "linked", "out/home/private"]);
    let found = discover(project);
    assert_eq!(paths(&found), ["good", "linked"]);
    let expected = "SK313 out: `out` cannot be read: it is a link to a directory that is no skill, \
                    in a project that is not trusted";
    assert_eq!(notes(&found), [expected]);
}

#[test]
fn a_project_nobody_trusts_cannot_take_a_skill_by_a_link_to_it() {
    // D3, D4
    let world = World::new();
    world.skill("home", "mine", "The user's own.");
    world.skill("skills", "theirs", "The project's.");
    symlink(world.path().join("home/mine"), skills(&world).join("mine")).unwrap();
    let project = Root { layer: Layer::Project, trusted: false, ..root(skills(&world)) };
    let whole = Root { path: world.path().join("link"), ..project.clone() };
    symlink("home", &whole.path).unwrap();
    let personal = root(world.path().join("home"));
    let store = FileStore::new(vec![whole, project, personal]);
    let found = store.discover(&ScanLimits::default());
    let owners: Vec<_> = found.found.iter().map(|f| (f.name.as_str(), f.root.0)).collect();
    assert_eq!(owners, [("theirs", 1), ("mine", 2)]);
}
