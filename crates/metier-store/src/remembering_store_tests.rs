#![expect(clippy::disallowed_methods, reason = "tests change files")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use metier_testing::{Layout, World, generate_skills};
use proptest::prelude::*;

use super::*;
use crate::layer::{Layer, Precedence};
use crate::memo::Part;
use crate::{Catalog, Selection};

/// Memos in memory, at a time at which every file is old.
#[derive(Default)]
struct Shelf {
    memos: Mutex<BTreeMap<(PathBuf, Part), Vec<u8>>>,
    /// Seconds that have passed since the files were written.
    later: i128,
    kept: Mutex<usize>,
}

impl Memory for Shelf {
    fn recall(&self, root: &Path, part: Part) -> Option<Vec<u8>> {
        self.memos.lock().expect("no panic").get(&(root.to_owned(), part)).cloned()
    }

    fn keep(&self, root: &Path, part: Part, bytes: &[u8]) {
        *self.kept.lock().expect("no panic") += usize::from(part == Part::Marks);
        self.memos.lock().expect("no panic").insert((root.to_owned(), part), bytes.to_vec());
    }

    fn maker(&self) -> String {
        "a test".to_owned()
    }

    fn now(&self) -> i128 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        i128::try_from(since.expect("after 1970").as_nanos()).expect("a time")
            + self.later * 1_000_000_000
    }
}

const COUNT: usize = 40;

fn store(world: &World, later: i128) -> (FileStore, RememberingStore, Arc<Shelf>) {
    let roots = ["a", "b"].map(|name| {
        fs::create_dir_all(world.path().join(name)).expect("a directory");
        Root { trusted: true, ..Root::given(Layer::Personal, world.path().join(name)) }
    });
    let files = FileStore::new(roots.to_vec());
    let shelf = Arc::new(Shelf { later, ..Shelf::default() });
    (files.clone(), RememberingStore::new(files, shelf.clone()), shelf)
}

/// What both stores find, which must be the same but for how much was read.
fn agree(files: &FileStore, remembering: &RememberingStore) -> (u64, u64) {
    let plain = files.discover(&ScanLimits::default());
    let mut known = remembering.discover(&ScanLimits::default());
    let opened = (plain.stats.files, known.stats.files);
    known.stats = plain.stats;
    assert_eq!(known, plain);
    let catalog = |found| Catalog::build(found, &Precedence::DEFAULT, &Selection::default());
    let plain = catalog(plain);
    assert_eq!(catalog(known), plain);
    let brief = remembering.discover(&ScanLimits { brief: true, ..ScanLimits::default() });
    assert_eq!(catalog(brief).digest(), plain.digest());
    opened
}

#[test]
fn a_second_scan_opens_nothing() {
    // D7, N1
    let world = World::new();
    generate_skills(&world.path().join("a"), COUNT, Layout::Nested);
    let (files, remembering, shelf) = store(&world, 60);
    assert_eq!(agree(&files, &remembering), (COUNT as u64, COUNT as u64));
    assert_eq!(agree(&files, &remembering), (COUNT as u64, 0));
    assert_eq!(*shelf.kept.lock().unwrap(), 1, "nothing new, nothing kept");
    world.skill("a", "one-more", "Another.");
    assert_eq!(agree(&files, &remembering), (COUNT as u64 + 1, 1));
    assert_eq!(agree(&files, &remembering), (COUNT as u64 + 1, 0));
    fs::remove_dir_all(world.path().join("a/one-more")).unwrap();
    assert_eq!(agree(&files, &remembering), (COUNT as u64, 0));
    assert_eq!(*shelf.kept.lock().unwrap(), 3);
}

#[test]
fn whoever_is_after_names_alone_costs_nobody_else_a_text() {
    // D7, N1
    let world = World::new();
    generate_skills(&world.path().join("a"), COUNT, Layout::Flat);
    let odd = "---\nname: odd\ndescription: An odd one.\nallowed-tools: Read\n---\n";
    world.write("a/odd/SKILL.md", odd);
    let (files, remembering, shelf) = store(&world, 60);
    let count = COUNT as u64 + 1;
    let brief = || {
        let found = remembering.discover(&ScanLimits { brief: true, ..ScanLimits::default() });
        let odd = found.found.iter().find(|found| found.name.as_str() == "odd").cloned().unwrap();
        (found.stats.files, odd.description.into_string(), odd.facts.is_some())
    };
    assert_eq!(brief(), (count, "An odd one.".to_owned(), true), "they were read");
    assert_eq!(agree(&files, &remembering), (count, 0), "and remembered with all they say");
    assert_eq!(brief(), (0, String::new(), false), "a choice needs no more");
    world.write("a/odd/SKILL.md", odd.replace("An odd", "Another odd"));
    assert_eq!(brief().0, 1, "what changed is read");
    assert_eq!(agree(&files, &remembering), (count, 0));
    shelf.memos.lock().unwrap().retain(|(_, part), _| *part == Part::Marks);
    assert_eq!(brief().0, 0);
    assert_eq!(agree(&files, &remembering), (count, count), "without its texts a memo is none");
    assert_eq!(agree(&files, &remembering), (count, 0));
}

#[test]
fn files_as_young_as_the_scan_are_read_again() {
    // D7
    let world = World::new();
    generate_skills(&world.path().join("a"), COUNT, Layout::Flat);
    let (files, remembering, shelf) = store(&world, 0);
    for _ in 0..2 {
        assert_eq!(agree(&files, &remembering), (COUNT as u64, COUNT as u64));
    }
    assert_eq!(*shelf.kept.lock().unwrap(), 0);
}

#[test]
fn findings_links_and_other_spellings_are_never_remembered() {
    // D2, D7
    let world = World::new();
    generate_skills(&world.path().join("a"), COUNT, Layout::Flat);
    world.write(
        "a/odd/SKILL.md",
        "---\nname: even\ndescription: Its name is not its directory's.\n---\n",
    );
    world.write("a/small/skill.md", "---\nname: small\ndescription: Small letters.\n---\n");
    world.write("a/link/real.md", "---\nname: link\ndescription: A link.\n---\nBody.\n");
    std::os::unix::fs::symlink("real.md", world.path().join("a/link/SKILL.md")).unwrap();
    world.write("a/broken/SKILL.md", "nothing");
    let (files, remembering, _) = store(&world, 60);
    assert_eq!(agree(&files, &remembering).1, COUNT as u64 + 4);
    assert_eq!(agree(&files, &remembering).1, 4);
    // A link put in the place of a remembered file is not taken for it.
    let file = world.path().join("a/sort-ledger-00000/SKILL.md");
    fs::rename(&file, file.with_file_name("real.md")).unwrap();
    std::os::unix::fs::symlink("real.md", &file).unwrap();
    assert_eq!(agree(&files, &remembering).1, 5);
}

#[test]
fn a_link_is_taken_to_lead_where_it_led_only_while_that_is_so() {
    // D3, D7
    let world = World::new();
    fs::create_dir_all(world.path().join("kept")).unwrap();
    generate_skills(&world.path().join("kept"), COUNT, Layout::Flat);
    let (files, remembering, _) = store(&world, 60);
    let link = |target: &str, name: &str| {
        // A directory has no length by which two of one tick could be told apart.
        std::thread::sleep(std::time::Duration::from_millis(if target == name { 0 } else { 12 }));
        let at = world.path().join("a").join(name);
        let _ = fs::remove_file(&at);
        std::os::unix::fs::symlink(world.path().join("kept").join(target), at).unwrap();
    };
    let names: Vec<String> = fs::read_dir(world.path().join("kept"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.iter().for_each(|name| link(name, name));
    assert_eq!(agree(&files, &remembering).1, COUNT as u64);
    assert_eq!(agree(&files, &remembering).1, 0, "all are remembered");
    // One leads elsewhere, to a directory that another one leads to as well.
    link(&names[1], &names[2]);
    agree(&files, &remembering);
    // One leads to another directory with the very same file.
    let twin = world.path().join("kept/twin");
    fs::create_dir(&twin).unwrap();
    fs::hard_link(
        world.path().join("kept").join(&names[3]).join("SKILL.md"),
        twin.join("SKILL.md"),
    )
    .unwrap();
    for _ in 0..2 {
        agree(&files, &remembering);
    }
    link("twin", &names[3]);
    agree(&files, &remembering);
    // One leads nowhere, and one to a directory whose place another one has taken.
    fs::rename(world.path().join("kept").join(&names[4]), world.path().join("kept/moved")).unwrap();
    agree(&files, &remembering);
    fs::rename(
        world.path().join("kept").join(&names[5]),
        world.path().join("kept").join(&names[4]),
    )
    .unwrap();
    agree(&files, &remembering);
    agree(&files, &remembering);
}

#[test]
fn what_a_link_says_is_known_to_be_a_link_as_soon_as_it_is_one() {
    // D3, D7, N1
    let world = World::new();
    let kept = world.path().join("kept");
    fs::create_dir_all(&kept).unwrap();
    generate_skills(&kept, COUNT, Layout::Flat);
    let (files, remembering, _) = store(&world, 60);
    let mut names: Vec<_> =
        fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    for name in &names {
        let target = Path::new("../kept").join(name);
        std::os::unix::fs::symlink(target, world.path().join("a").join(name)).unwrap();
    }
    let crooked = || -> Vec<PathBuf> {
        let found = remembering.discover(&ScanLimits::default()).found;
        found.iter().filter(|found| !found.straight).map(|found| found.path.to_path_buf()).collect()
    };
    for _ in 0..2 {
        agree(&files, &remembering);
        assert_eq!(crooked(), Vec::<PathBuf>::new());
    }
    // The directory goes elsewhere and leaves a link: nothing in the root or in the skill tells.
    std::thread::sleep(std::time::Duration::from_millis(12));
    let elsewhere = world.path().join("elsewhere");
    fs::rename(kept.join(&names[6]), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, kept.join(&names[6])).unwrap();
    for _ in 0..2 {
        assert_eq!(crooked(), [PathBuf::from(&names[6])]);
        agree(&files, &remembering);
    }
}

#[test]
fn a_root_of_remembered_skills_alone_is_not_listed_and_nothing_new_is_missed() {
    // D3, D7, N1
    let world = World::new();
    generate_skills(&world.path().join("a"), COUNT, Layout::Flat);
    let (files, remembering, shelf) = store(&world, 60);
    let wait = || std::thread::sleep(std::time::Duration::from_millis(12));
    agree(&files, &remembering);
    assert_eq!(agree(&files, &remembering).1, 0);
    let root = world.path().join("a");
    let read = |shelf: &Shelf| {
        let memo = shelf.recall(&root, Part::Marks).unwrap();
        let memo = crate::memo::Memo::read(memo, &root, "a test").unwrap();
        let stat = rustix::fs::stat(&root).unwrap();
        memo.lists(&crate::memo::Stamp::of_any(&stat))
    };
    assert!(read(&shelf), "the root has nothing but remembered skills");
    wait();
    world.write("a/notes.txt", "A file is no directory.");
    assert!(!read(&shelf));
    agree(&files, &remembering);
    assert!(read(&shelf), "it is remembered anew");
    wait();
    fs::create_dir(root.join("empty")).unwrap();
    agree(&files, &remembering);
    agree(&files, &remembering);
    assert!(!read(&shelf), "what becomes of an empty directory, the root does not tell");
    world.write("a/empty/SKILL.md", "---\nname: empty\ndescription: No more.\n---\n");
    agree(&files, &remembering);
    wait();
    std::os::unix::fs::symlink("nowhere", root.join("link")).unwrap();
    agree(&files, &remembering);
    world.skill("a", "nowhere", "It came.");
    agree(&files, &remembering);
    wait();
    fs::remove_file(root.join("link")).unwrap();
    fs::remove_dir_all(root.join("nowhere")).unwrap();
    agree(&files, &remembering);
    agree(&files, &remembering);
    assert!(read(&shelf));
}

#[test]
fn a_root_that_is_remembered_is_still_walked_as_it_is_asked_to() {
    // D3, D7
    let check = |own: Option<&str>, limits: ScanLimits| {
        let world = World::new();
        let path = world.path().join("a");
        generate_skills(&path, COUNT, Layout::Flat);
        if let Some(own) = own {
            world.write(format!("a/{own}"), "---\nname: a\ndescription: The root itself.\n---\n");
        }
        let shelf = Arc::new(Shelf { later: 60, ..Shelf::default() });
        for (immediate_only, limits) in [(true, ScanLimits::default()), (false, limits)] {
            let root = Root::given(Layer::Personal, &path);
            let files = FileStore::new(vec![Root { immediate_only, trusted: true, ..root }]);
            let remembering = RememberingStore::new(files.clone(), shelf.clone());
            let mut known = remembering.discover(&limits);
            let plain = files.discover(&limits);
            known.stats = plain.stats;
            assert_eq!(known, plain, "{own:?} {immediate_only} {limits:?}");
        }
    };
    let limits = ScanLimits::default();
    for own in [None, Some("SKILL.md"), Some("skill.md")] {
        check(own, limits);
    }
    for max_directories in [1, 10, COUNT, COUNT + 1] {
        check(None, ScanLimits { max_directories, ..limits });
    }
    check(None, ScanLimits { max_depth: 0, ..limits });
}

#[test]
fn it_does_everything_else_as_the_files_do() {
    // D9
    let world = World::new();
    world.skill("a", "one", "First.");
    let (files, remembering, _) = store(&world, 60);
    let at = Location { root: crate::layer::RootId(0), path: Path::new("one").into() };
    assert_eq!(remembering.load(&at).unwrap().digest, files.load(&at).unwrap().digest);
    assert_eq!(remembering.directory(&at), files.directory(&at));
    assert_eq!(remembering.tree(&at).unwrap().digest(), files.tree(&at).unwrap().digest());
    let read = |store: &dyn Store| store.read(&at, "SKILL.md", 9999).unwrap();
    assert_eq!(read(&remembering), read(&files));
}

/// One thing that happens to a world; numbers say to which skill.
#[derive(Clone, Copy, Debug)]
enum Change {
    Write(usize, usize),
    Break(usize),
    Remove(usize),
    Move(usize, usize),
    Link(usize, usize),
    Respell(usize),
    Exchange(usize, usize),
    Relink(usize, usize),
    Twin(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let one = || 0..COUNT + 4;
    prop_oneof![
        (one(), one()).prop_map(|(at, name)| Change::Write(at, name)),
        one().prop_map(Change::Break),
        one().prop_map(Change::Remove),
        (one(), one()).prop_map(|(from, to)| Change::Move(from, to)),
        (one(), one()).prop_map(|(from, to)| Change::Link(from, to)),
        one().prop_map(Change::Respell),
        (one(), one()).prop_map(|(one, other)| Change::Exchange(one, other)),
        (one(), one()).prop_map(|(from, to)| Change::Relink(from, to)),
        (one(), one()).prop_map(|(from, to)| Change::Twin(from, to)),
    ]
}

/// Does it, as far as it can be done. `step` makes every text longer than those before, since this
/// world's clock does not tell young files from old ones.
fn apply(world: &World, step: usize, change: Change) {
    let at = |number: usize| {
        let root = if number.is_multiple_of(5) { "b" } else { "a" };
        world.path().join(root).join(format!("Skill-{number}"))
    };
    let longer = "long ".repeat(step + 30);
    let file = |number: usize| at(number).join("SKILL.md");
    let put = |number: usize, text: String| {
        let _ = fs::create_dir_all(at(number));
        let _ = fs::write(file(number), text);
    };
    match change {
        Change::Write(number, name) => {
            let name = ["skill", "SKILL", "other"][name % 3].to_owned() + &format!("-{name}");
            let more =
                ["", "priority: 7\n", "scope:\n  agents: [x]\n", "tags: [a, b]\nversion: 1\n"];
            let more = more[number % 4];
            put(number, format!("---\nname: {name}\ndescription: A {longer}.\n{more}---\nBody.\n"));
        }
        Change::Break(number) => put(number, format!("---\nname: [{longer}\n---\n")),
        Change::Remove(number) => drop(fs::remove_dir_all(at(number))),
        Change::Move(from, to) => drop(fs::rename(at(from), at(to))),
        Change::Link(from, to) => drop(std::os::unix::fs::symlink(at(from), at(to))),
        Change::Respell(number) => {
            drop(fs::rename(file(number), file(number).with_file_name("Skill.md")))
        }
        Change::Exchange(one, other) => {
            let aside = world.path().join("aside");
            let _ = fs::rename(file(one), &aside);
            let _ = fs::rename(file(other), file(one));
            let _ = fs::rename(&aside, file(other));
        }
        Change::Relink(from, to) => {
            let _ = fs::remove_dir_all(at(to));
            let _ = fs::remove_file(at(to));
            drop(std::os::unix::fs::symlink(at(from), at(to)));
        }
        Change::Twin(from, to) => {
            let _ = fs::remove_file(file(to));
            drop(fs::hard_link(file(from), file(to)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_to_the_files_a_memory_changes_nothing_that_is_found(
        steps in proptest::collection::vec(proptest::collection::vec(change(), 1..6), 1..8)
    ) {
        // D3, D7
        let world = World::new();
        let (files, remembering, _) = store(&world, 60);
        for number in 0..COUNT {
            apply(&world, 0, Change::Write(number, number));
            fs::write(
                world.path().join(if number.is_multiple_of(5) { "b" } else { "a" }).join(format!("Skill-{number}/SKILL.md")),
                format!("---\nname: Skill-{number}\ndescription: Number {number}.\n---\nBody.\n"),
            ).unwrap();
        }
        agree(&files, &remembering);
        for (step, changes) in steps.into_iter().enumerate() {
            // A directory has no length by which two of one tick could be told apart.
            std::thread::sleep(std::time::Duration::from_millis(12));
            for (index, change) in changes.into_iter().enumerate() {
                apply(&world, 1 + step * 8 + index, change);
            }
            agree(&files, &remembering);
        }
    }
}

#[test]
fn a_file_is_told_apart_by_its_stamp_as_without_a_memory() {
    // D7, D9
    let world = World::new();
    let (files, remembering, _) = store(&world, 60);
    world.write("a/pdf/SKILL.md", "---\nname: pdf\ndescription: Does it.\n---\n");
    let at = Location { root: crate::RootId(0), path: Path::new("pdf").into() };
    let stamp = remembering.stamp(&at, "SKILL.md");
    assert!(stamp.is_some());
    assert_eq!(stamp, files.stamp(&at, "SKILL.md"), "read whole, it would be another");
    assert_eq!(remembering.stamp(&at, "gone.md"), None);
}
