//! What happens to files reaches the catalog.

#![expect(clippy::panic, reason = "a test whose change never arrives stops")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use metier_store::discover::ScanLimits;
use metier_store::index::{CatalogIndex, IndexSettings, Subscription};
use metier_store::watch::{Watch, WatchError, WatchSettings, Watching};
use metier_store::{Catalog, FileStore, Layer, LayeredStore, Root};
use metier_testing::{Layout, World, generate_skills};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// How long a change may take before a test gives up. Far longer than it ever takes.
const PATIENCE: usize = 400;
const TICK: Duration = Duration::from_millis(25);

/// A world whose skills are watched.
struct Scene {
    world: World,
    index: Arc<CatalogIndex>,
    watch: Watch,
    updates: Subscription,
}

impl Scene {
    fn new(world: World, roots: Vec<Root>) -> Self {
        Self::with(world, roots, WatchSettings::default())
    }

    fn with(world: World, roots: Vec<Root>, settings: WatchSettings) -> Self {
        let files = FileStore::new(roots);
        let store = Arc::new(files.clone());
        let index = Arc::new(CatalogIndex::new(store, IndexSettings::default(), Duration::ZERO));
        let watch = Watch::start(&index, files, settings).unwrap();
        let updates = index.subscribe();
        Self { world, index, watch, updates }
    }

    /// One root, `skills`, with the skills `a` and `b`.
    fn usual() -> Self {
        let world = World::new();
        world.skill("skills", "a", "First.");
        world.skill("skills", "b", "Second.");
        let roots = vec![root(&world, "skills")];
        Self::new(world, roots)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.world.path().join(path)
    }

    /// Waits until the catalog is as wanted.
    fn until(&mut self, what: &str, wanted: impl Fn(&Catalog) -> bool) -> Arc<Catalog> {
        for _ in 0..PATIENCE {
            let catalog = self.index.latest();
            if wanted(&catalog) {
                return catalog;
            }
            self.updates.recv_timeout(TICK).unwrap();
        }
        panic!("{what} did not arrive; there are {:?}", names(&self.index.latest()));
    }

    fn until_names(&mut self, expect: &[&str]) -> Arc<Catalog> {
        self.until(&format!("{expect:?}"), |catalog| names(catalog) == expect)
    }

    /// Waits until the catalog is what a scan of everything gives.
    fn until_settled(&mut self) {
        let store = Arc::clone(self.index.store());
        self.until("what is on disk", |catalog| {
            let fresh = store.discover(&ScanLimits::default());
            let settings = IndexSettings::default();
            let fresh = Catalog::build(fresh, &settings.precedence, &settings.selection);
            same(catalog, &fresh)
        });
    }
}

fn root(world: &World, path: &str) -> Root {
    Root { optional: true, ..Root::given(Layer::Personal, world.path().join(path)) }
}

fn names(catalog: &Catalog) -> Vec<&str> {
    catalog.entries.iter().map(|entry| entry.name().as_str()).collect()
}

/// Equal but for how much was read to get there.
fn same(one: &Catalog, two: &Catalog) -> bool {
    one.entries == two.entries
        && one.shadowed == two.shadowed
        && one.hidden == two.hidden
        && one.skipped == two.skipped
        && one.notes == two.notes
}

fn description(catalog: &Catalog, name: &str) -> String {
    let entry = catalog.entries.iter().find(|entry| entry.name().as_str() == name);
    entry.map(|entry| entry.found.description.to_string()).unwrap_or_default()
}

fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\nBody.\n")
}

#[test]
fn a_skill_that_is_written_or_deleted_comes_and_goes() {
    // D7
    let mut scene = Scene::usual();
    scene.world.skill("skills", "c", "Third.");
    scene.until_names(&["a", "b", "c"]);
    fs::remove_dir_all(scene.path("skills/a")).unwrap();
    scene.until_names(&["b", "c"]);
    fs::remove_file(scene.path("skills/b/SKILL.md")).unwrap();
    scene.until_names(&["c"]);
    scene.world.skill("skills", "b", "Again.");
    let catalog = scene.until_names(&["b", "c"]);
    assert_eq!(description(&catalog, "b"), "Again.");
}

#[test]
fn an_edit_in_place_and_by_renaming_arrives_and_reads_only_that_skill() {
    // D7, D2
    let mut scene = Scene::usual();
    fs::write(scene.path("skills/a/SKILL.md"), text("a", "In place.")).unwrap();
    let arrived = |catalog: &Catalog, expect: &str| description(catalog, "a") == expect;
    let catalog = scene.until("the edit", |catalog| arrived(catalog, "In place."));
    assert_eq!((catalog.stats.files, catalog.stats.directories), (1, 1));
    fs::write(scene.path("skills/a/.SKILL.md.tmp"), text("a", "Renamed.")).unwrap();
    fs::rename(scene.path("skills/a/.SKILL.md.tmp"), scene.path("skills/a/SKILL.md")).unwrap();
    let catalog = scene.until("the rename", |catalog| arrived(catalog, "Renamed."));
    assert_eq!(catalog.stats.files, 1);
}

#[test]
fn a_subscriber_hears_what_changed_by_name() {
    // D7
    let mut scene = Scene::usual();
    fs::write(scene.path("skills/a/SKILL.md"), text("a", "New.")).unwrap();
    let update = scene.updates.recv_timeout(TICK * 400).unwrap().expect("an update");
    assert_eq!(update.change.changed.len(), 1);
    assert_eq!(update.change.changed[0].as_str(), "a");
    assert!(update.change.added.is_empty() && update.change.removed.is_empty());
    assert_eq!(description(&update.catalog, "a"), "New.");
}

#[test]
fn a_renamed_skill_and_a_renamed_directory_of_skills_arrive() {
    // D7
    let mut scene = Scene::usual();
    fs::rename(scene.path("skills/a"), scene.path("skills/z")).unwrap();
    scene
        .until("the new directory", |c| c.entries.iter().any(|e| &*e.found.path == Path::new("z")));
    scene.world.skill("skills/group", "c", "In a group.");
    scene.until_names(&["a", "b", "c"]);
    fs::rename(scene.path("skills/group"), scene.path("skills/other")).unwrap();
    scene.until("the renamed group", |catalog| {
        catalog.entries.iter().any(|entry| &*entry.found.path == Path::new("other/c"))
    });
    // What is moved out is gone, what is moved in is there, and both are watched from then on.
    fs::rename(scene.path("skills/other"), scene.path("outside")).unwrap();
    scene.until_names(&["a", "b"]);
    fs::rename(scene.path("outside"), scene.path("skills/back")).unwrap();
    scene.until_names(&["a", "b", "c"]);
    scene.world.skill("skills/back", "d", "Later.");
    scene.until_names(&["a", "b", "c", "d"]);
}

#[test]
fn directories_made_later_are_watched_at_any_depth() {
    // D7
    let mut scene = Scene::usual();
    fs::create_dir_all(scene.path("skills/one/two/three")).unwrap();
    scene.until_settled();
    scene.world.skill("skills/one/two/three", "deep", "Found.");
    scene.until_names(&["a", "b", "deep"]);
    // A directory that becomes a skill hides what lies in it, until it no longer is one.
    scene.world.write("skills/one/SKILL.md", text("one", "A leaf."));
    scene.until_names(&["a", "b", "one"]);
    fs::remove_file(scene.path("skills/one/SKILL.md")).unwrap();
    scene.until_names(&["a", "b", "deep"]);
    scene.world.skill("skills/one/two", "side", "Found too.");
    scene.until_names(&["a", "b", "deep", "side"]);
}

#[test]
fn what_happens_inside_a_skill_and_in_hidden_directories_changes_nothing() {
    // D7
    let mut scene = Scene::usual();
    let before = scene.index.latest();
    scene.world.write("skills/a/scripts/run.py", "print()");
    scene.world.write("skills/a/notes.md", "notes");
    scene.world.skill("skills/.git", "hidden", "Not seen.");
    scene.world.write("skills/README.md", "not a skill");
    // A change that does count, made after them, arrives after them.
    scene.world.skill("skills", "c", "Third.");
    let catalog = scene.until_names(&["a", "b", "c"]);
    assert_eq!(before.entries[..], catalog.entries[..2]);
}

#[test]
fn a_file_that_breaks_is_skipped_and_comes_back_mended() {
    // D7, D3
    let mut scene = Scene::usual();
    fs::write(scene.path("skills/a/SKILL.md"), "no frontmatter").unwrap();
    let catalog = scene.until_names(&["b"]);
    assert_eq!(catalog.skipped.len(), 1);
    fs::write(scene.path("skills/a/SKILL.md"), text("a", "Mended.")).unwrap();
    let catalog = scene.until_names(&["a", "b"]);
    assert!(catalog.skipped.is_empty());
}

#[test]
fn a_root_that_appears_later_disappears_and_appears_again_is_noticed() {
    // D7, D1
    let world = World::new();
    let roots = vec![root(&world, "home/.agents/skills"), root(&world, "home/.other/skills")];
    let mut scene = Scene::new(world, roots);
    scene.until_names(&[]);
    scene.world.skill("home/.agents/skills", "a", "First.");
    scene.until_names(&["a"]);
    scene.world.skill("home/.agents/skills", "b", "Second.");
    scene.until_names(&["a", "b"]);
    fs::rename(scene.path("home/.agents"), scene.path("home/.away")).unwrap();
    scene.until_names(&[]);
    scene.world.skill("home/.agents/skills", "c", "Third.");
    scene.until_names(&["c"]);
    fs::remove_dir_all(scene.path("home/.agents/skills")).unwrap();
    scene.until_names(&[]);
    fs::rename(scene.path("home/.away/skills"), scene.path("home/.agents/skills")).unwrap();
    scene.until_names(&["a", "b"]);
}

#[test]
fn a_root_that_is_a_link_is_watched_where_it_leads() {
    // D7, D1
    let world = World::new();
    world.skill("real/one", "a", "First.");
    world.skill("real/two", "b", "Second.");
    symlink(world.path().join("real/one"), world.path().join("skills")).unwrap();
    let roots = vec![root(&world, "skills")];
    let mut scene = Scene::new(world, roots);
    scene.world.skill("real/one", "c", "Third.");
    let catalog = scene.until_names(&["a", "c"]);
    assert_eq!(catalog.directory(&catalog.entries[0].found), scene.path("skills/a"));
    // The link is turned elsewhere, the way a new version is put in place of an old one.
    symlink(scene.path("real/two"), scene.path("next")).unwrap();
    fs::rename(scene.path("next"), scene.path("skills")).unwrap();
    scene.until_names(&["b"]);
    scene.world.skill("real/two", "d", "Fourth.");
    scene.until_names(&["b", "d"]);
}

#[test]
fn linked_skills_are_watched_where_they_lie_and_count_once() {
    // D7, D1
    let world = World::new();
    world.skill("store", "a", "First.");
    world.skill("skills", "b", "Second.");
    fs::create_dir_all(world.path().join("other")).unwrap();
    symlink(world.path().join("store/a"), world.path().join("skills/a")).unwrap();
    symlink(world.path().join("store/a"), world.path().join("other/a")).unwrap();
    let roots = vec![root(&world, "skills"), root(&world, "other")];
    let mut scene = Scene::new(world, roots);
    scene.world.write("store/a/SKILL.md", text("a", "Edited at home."));
    let catalog = scene.until("the edit", |c| description(c, "a") == "Edited at home.");
    assert!(catalog.shadowed.is_empty());
    assert_eq!(catalog.stats.files, 1);
    fs::remove_file(scene.path("skills/a")).unwrap();
    // The other way to it counts from now on.
    scene.until("the other way", |catalog| {
        catalog.entries.iter().any(|entry| entry.found.root.0 == 1)
    });
    scene.until_settled();
    fs::remove_dir_all(scene.path("store/a")).unwrap();
    let catalog = scene.until_names(&["b"]);
    assert!(catalog.entries.len() == 1);
    scene.until_settled();
}

#[test]
fn a_link_to_nowhere_is_followed_once_it_leads_somewhere() {
    // D7
    let mut scene = Scene::usual();
    symlink(scene.path("later/c"), scene.path("skills/c")).unwrap();
    let catalog = scene.until("the note", |catalog| catalog.notes.len() == 1);
    assert_eq!(names(&catalog), ["a", "b"]);
    scene.world.skill("later", "c", "Third.");
    scene.until_names(&["a", "b", "c"]);
    scene.until_settled();
    fs::remove_dir_all(scene.path("later")).unwrap();
    scene.until_names(&["a", "b"]);
    scene.world.skill("later", "c", "Again.");
    scene.until_names(&["a", "b", "c"]);
}

#[test]
fn a_storm_of_files_ends_in_one_change_for_whoever_asks_then() {
    // D7
    let mut scene = Scene::usual();
    let mut late = scene.index.subscribe();
    generate_skills(&scene.path("skills"), 1000, Layout::Nested);
    scene.until("all of them", |catalog| catalog.entries.len() == 1002);
    let update = late.try_recv().unwrap().unwrap();
    assert_eq!((update.change.added.len(), update.change.changed.len()), (1000, 0));
    assert!(late.try_recv().unwrap().is_none());
    scene.until_settled();
    fs::remove_dir_all(scene.path("skills")).unwrap();
    scene.until_names(&[]);
    let update = late.try_recv().unwrap().expect("an update");
    assert_eq!(update.change.removed.len(), 1002);
}

#[test]
fn a_limit_of_the_walk_is_counted_over_the_whole_root() {
    // D7
    let mut scene = Scene::usual();
    scene.world.skill("skills/1/2/3/4/5/6", "too-deep", "Not looked at.");
    scene.until("the note", |catalog| catalog.notes.len() == 1);
    scene.world.skill("skills/1/2/3/4/5/6", "more", "Not looked at either.");
    scene.until_settled();
    scene.world.skill("skills/1/2/3/4/5", "deep", "Deep enough.");
    scene.until_names(&["a", "b", "deep"]);
    scene.until_settled();
    fs::remove_dir_all(scene.path("skills/1/2/3/4/5/6")).unwrap();
    scene.until("no note", |catalog| catalog.notes.is_empty());
}

#[test]
fn roots_of_a_store_among_others_keep_their_numbers() {
    // D7, D9
    let world = World::new();
    world.skill("first", "a", "First.");
    world.skill("second", "b", "Second.");
    let before = FileStore::new(vec![root(&world, "first")]);
    let files = FileStore::new(vec![root(&world, "second")]);
    let store = LayeredStore::new(vec![Box::new(before), Box::new(files.clone())]);
    let index =
        Arc::new(CatalogIndex::new(Arc::new(store), IndexSettings::default(), Duration::ZERO));
    let watch = Watch::start(&index, files, WatchSettings::default()).unwrap();
    let updates = index.subscribe();
    let mut scene = Scene { world, index, watch, updates };
    scene.world.skill("second", "c", "Third.");
    let catalog = scene.until_names(&["a", "b", "c"]);
    assert_eq!(catalog.entries.iter().map(|e| e.found.root.0).collect::<Vec<_>>(), [0, 1, 1]);
    scene.until_settled();
}

#[test]
fn where_the_system_cannot_watch_files_are_looked_at_in_intervals() {
    // D7
    let world = World::new();
    world.skill("skills", "a", "First.");
    let roots = vec![root(&world, "skills")];
    let poll = Duration::from_millis(20);
    let settings = WatchSettings { max_watches: 1, poll, ..WatchSettings::default() };
    let mut scene = Scene::with(world, roots, settings);
    let why = WatchError::TooMany { limit: 1 };
    assert_eq!(why.to_string(), "more than 1 directories would have to be watched");
    assert_eq!(scene.watch.watching(), Watching::Polling { why, every: poll });
    scene.world.skill("skills", "b", "Second.");
    scene.until_names(&["a", "b"]);
}

#[test]
fn a_link_of_a_project_nobody_trusts_is_watched_for_a_skill_and_not_behind() {
    // D7, D4
    let world = World::new();
    world.skill("skills", "a", "First.");
    for number in 0..20 {
        fs::create_dir_all(world.path().join(format!("machine/{number}"))).unwrap();
    }
    symlink("../machine", world.path().join("skills/machine")).unwrap();
    let roots = vec![Root { layer: Layer::Project, trusted: false, ..root(&world, "skills") }];
    let mut scene = Scene::new(world, roots);
    // The root, what lies above it, the skill, and what the link leads to.
    assert_eq!(scene.watch.watching(), Watching::Live { directories: 4 });
    scene.world.write("machine/SKILL.md", text("machine", "A skill now."));
    scene.until_names(&["a", "machine"]);
    scene.until_settled();
}

#[test]
fn a_watch_that_grows_past_the_limit_goes_on_in_intervals() {
    // D7
    let world = World::new();
    world.skill("skills", "a", "First.");
    let roots = vec![root(&world, "skills")];
    let poll = Duration::from_millis(20);
    let settings = WatchSettings { max_watches: 4, poll, ..WatchSettings::default() };
    let mut scene = Scene::with(world, roots, settings);
    // The root, what lies above it, and the skill.
    assert_eq!(scene.watch.watching(), Watching::Live { directories: 3 });
    for name in ["b", "c", "d"] {
        scene.world.skill("skills", name, "More.");
    }
    scene.until_names(&["a", "b", "c", "d"]);
    let why = WatchError::TooMany { limit: 4 };
    for _ in 0..PATIENCE {
        if scene.watch.watching() == (Watching::Polling { why: why.clone(), every: poll }) {
            break;
        }
        std::thread::sleep(TICK);
    }
    assert_eq!(scene.watch.watching(), Watching::Polling { why, every: poll });
    scene.world.skill("skills", "e", "Still noticed.");
    scene.until_names(&["a", "b", "c", "d", "e"]);
}

#[test]
fn a_dropped_watch_is_over_and_leaves_the_index_as_it_was() {
    // D7
    let scene = Scene::usual();
    let Scene { world, index, watch, mut updates } = scene;
    drop(watch);
    world.skill("skills", "c", "Third.");
    // Nothing keeps the index but this test: the thread is gone.
    assert_eq!(Arc::strong_count(&index), 1);
    assert_eq!(names(&index.latest()), ["a", "b"]);
    assert!(updates.try_recv().unwrap().is_none());
    index.invalidate();
    assert_eq!(names(&index.get(Duration::ZERO)), ["a", "b", "c"]);
}

/// One thing that can happen to the files of a root.
#[derive(Clone, Debug)]
enum Act {
    Write(String, u8),
    Break(String),
    Remove(String),
    Move(String, String),
    Link(String, String),
}

fn act() -> impl Strategy<Value = Act> {
    const PLACES: &[&str] = &[
        "one/x", "one/y", "one/g/x", "one/g", "one/g/h", "two/x", "two/z", "two", "away", "away/x",
    ];
    let place = || prop::sample::select(PLACES).prop_map(str::to_owned);
    prop_oneof![
        4 => (place(), 0u8..3).prop_map(|(place, what)| Act::Write(place, what)),
        1 => place().prop_map(Act::Break),
        2 => place().prop_map(Act::Remove),
        2 => (place(), place()).prop_map(|(from, to)| Act::Move(from, to)),
        1 => (place(), place()).prop_map(|(from, to)| Act::Link(from, to)),
    ]
}

/// Does it, if it can be done.
fn perform(world: &Path, act: &Act) {
    let write = |place: &str, text: String| {
        let directory = world.join(place);
        let _ = fs::create_dir_all(&directory);
        let _ = fs::write(directory.join("SKILL.md"), text);
    };
    match act {
        Act::Write(place, what) => {
            let name = place.rsplit('/').next().unwrap_or_default();
            write(place, text(name, &format!("Number {what}.")));
        }
        Act::Break(place) => write(place, "broken".to_owned()),
        Act::Remove(place) => {
            let path = world.join(place);
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path));
        }
        Act::Move(from, to) => drop(fs::rename(world.join(from), world.join(to))),
        Act::Link(from, to) => drop(symlink(world.join(from), world.join(to))),
    }
}

#[test]
fn whatever_happens_the_catalog_becomes_what_a_scan_of_everything_gives() {
    // D7, D3
    let batches = prop::collection::vec(prop::collection::vec(act(), 1..5), 1..6);
    let mut runner =
        TestRunner::new(Config { cases: 12, failure_persistence: None, ..Config::default() });
    runner
        .run(&batches, |batches| {
            let world = World::new();
            let roots = ["one", "two", "three"].map(|path| root(&world, path)).to_vec();
            let mut scene = Scene::new(world, roots);
            for batch in &batches {
                batch.iter().for_each(|act| perform(scene.world.path(), act));
                scene.until_settled();
            }
            // Whatever was still on its way has arrived when this has.
            scene.world.skill("three", "last", "The end.");
            scene.until("the last one", |catalog| names(catalog).contains(&"last"));
            scene.until_settled();
            Ok(())
        })
        .unwrap();
}
