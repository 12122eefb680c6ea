use std::collections::BTreeSet;

use metier_format::Code;
use proptest::prelude::*;

use super::{Harvest, Plan, is_hidden, may_be_listed, unreadable, walk};
use crate::discover::ScanLimits;
use crate::layer::{Layer, RootId};
use crate::limits::{MAX_DIRECTORIES_SETTING, MAX_THREADS};
use crate::memory_store::MemoryStore;
use crate::paths::path_order;

fn store(directories: &BTreeSet<String>, skills: &BTreeSet<String>) -> MemoryStore {
    let mut store = MemoryStore::new(Layer::Personal);
    for directory in directories {
        store = store.file(&format!("{directory}/readme"), &b""[..]);
    }
    for skill in skills {
        let name = skill.rsplit('/').next().unwrap_or_default();
        let text = format!("---\nname: {name}\ndescription: At {skill}.\n---\nBody\n");
        store = store.file(&format!("{skill}/SKILL.md"), text.into_bytes());
    }
    store
}

fn run(store: &MemoryStore, limits: ScanLimits) -> Harvest {
    walk(store, &Plan::new(RootId(0), false, &limits), (0, 0))
}

fn found(harvest: &Harvest) -> Vec<String> {
    harvest.found.iter().map(|found| found.path.to_string_lossy().into_owned()).collect()
}

fn noted(harvest: &Harvest, code: Code) -> Option<(String, &str)> {
    let note = harvest.notes.iter().find(|note| note.diagnostic.code == code)?;
    Some((note.path.to_string_lossy().into_owned(), &note.diagnostic.message))
}

/// Every directory above and including each path, in the order of levels and then of paths.
fn by_level(paths: &BTreeSet<String>) -> Vec<String> {
    let mut all = BTreeSet::from([String::new()]);
    for path in paths {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        all.extend(ends.map(|end| path[..end].to_owned()));
    }
    let depth = |path: &String| if path.is_empty() { 0 } else { path.split('/').count() };
    let mut list: Vec<String> = all.into_iter().collect();
    list.sort_by(|a, b| {
        depth(a).cmp(&depth(b)).then_with(|| path_order(a.as_bytes(), b.as_bytes()))
    });
    list
}

/// What a walk has to find, said as plainly as possible: of all directories, those that lie below
/// no skill and within both limits; of those, the skills.
fn expected(
    paths: &BTreeSet<String>,
    skills: &BTreeSet<String>,
    limits: &ScanLimits,
) -> (Vec<String>, usize) {
    let inside_a_skill = |path: &str| {
        skills
            .iter()
            .any(|skill| path.strip_prefix(&**skill).is_some_and(|rest| rest.starts_with('/')))
    };
    let depth = |path: &str| if path.is_empty() { 0 } else { path.split('/').count() };
    let mut looked: Vec<String> = Vec::new();
    for path in by_level(paths) {
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned();
        let reached = path.is_empty() || looked.contains(&parent);
        if reached && !inside_a_skill(&path) && depth(&path) <= limits.max_depth {
            looked.push(path);
        }
        looked.truncate(limits.max_directories);
    }
    let mut kept: Vec<String> =
        looked.iter().filter(|path| skills.contains(*path)).cloned().collect();
    kept.sort_by(|a, b| path_order(a.as_bytes(), b.as_bytes()));
    (kept, looked.len())
}

fn path() -> impl Strategy<Value = String> {
    "[a-c](-[a-c])?(/[a-c](-[a-c])?){0,4}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn a_walk_finds_what_the_rules_say_within_any_limits(
        directories in prop::collection::btree_set(path(), 0..12),
        skills in prop::collection::btree_set(path(), 0..12),
        max_depth in 0usize..6,
        max_directories in 1usize..40,
    ) {
        // D1, D3 (ruling 4)
        let limits = ScanLimits { max_depth, max_directories, threads: 1, brief: false };
        let all: BTreeSet<String> = directories.union(&skills).cloned().collect();
        let harvest = run(&store(&directories, &skills), limits);
        let (kept, looked) = expected(&all, &skills, &limits);
        prop_assert_eq!(found(&harvest), kept);
        prop_assert_eq!(harvest.stats.directories, looked as u64);
    }
}

#[test]
fn a_walk_on_many_threads_finds_the_same_in_the_same_order() {
    // D3
    let paths = |range: std::ops::Range<usize>| {
        range.map(|n| format!("group-{}/{}/skill-{}", n % 7, n % 40, n * 7919 % 1009)).collect()
    };
    let (directories, skills): (BTreeSet<String>, BTreeSet<String>) =
        (paths(0..80), paths(90..900));
    let store = store(&directories, &skills);
    let one = run(&store, ScanLimits { threads: 1, ..ScanLimits::default() });
    assert_eq!(one.found.len(), skills.len());
    for threads in [2, 3, 8, 16] {
        let many = run(&store, ScanLimits { threads, ..ScanLimits::default() });
        assert_eq!(many.found, one.found, "{threads} threads");
        assert_eq!(many.stats, one.stats, "{threads} threads");
    }
}

#[test]
fn reaching_a_limit_names_the_first_directory_and_counts_the_others() {
    // D1
    let set = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
    let store = store(&set(&["a/b/c", "a/b/d", "a/e/f"]), &BTreeSet::new());
    let deep = |max_depth| {
        let harvest = run(&store, ScanLimits { max_depth, ..ScanLimits::default() });
        noted(&harvest, Code::WalkTooDeep).map(|(path, message)| format!("{path}: {message}"))
    };
    let below = |levels| format!("more than {levels} levels below the root, not looked into");
    assert_eq!(deep(3), None);
    assert_eq!(deep(2), Some(format!("a/b/c: `a/b/c` and 2 more directories lie {}", below(2))));
    assert_eq!(deep(1), Some(format!("a/b: `a/b` and 1 more directory lie {}", below(1))));
    assert_eq!(deep(0), Some(format!("a: `a` lies {}", below(0))));
    let wide = run(&store, ScanLimits { max_directories: 4, ..ScanLimits::default() });
    let (path, message) = noted(&wide, Code::WalkTooWide).expect("a note");
    assert_eq!(path, "a/b/c");
    assert!(message.contains("past the limit of 4 directories"), "{message}");
}

#[test]
fn settings_past_reason_are_brought_back() {
    // D1
    let limits =
        ScanLimits { max_depth: 9, max_directories: usize::MAX, threads: 10_000, brief: false };
    let plan = Plan::new(RootId(3), false, &limits);
    assert_eq!((plan.max_depth, plan.max_directories), (9, MAX_DIRECTORIES_SETTING));
    assert_eq!((plan.threads, plan.root), (MAX_THREADS, RootId(3)));
    assert_eq!(Plan::new(RootId(0), true, &limits).max_depth, 1);
    let none = ScanLimits { max_depth: 0, max_directories: 0, threads: 0, brief: false };
    assert_eq!(Plan::new(RootId(0), true, &none).max_depth, 0);
    assert_eq!(Plan::new(RootId(0), false, &none).threads, 1);
}

#[test]
fn some_directories_are_passed_over_and_some_never_listed() {
    // D1
    for hidden in [".git", ".venv", ".disabled", "."] {
        assert!(is_hidden(hidden.as_bytes()), "{hidden}");
    }
    assert!(!is_hidden(b"a.b") && !is_hidden(b""));
    for never in ["node_modules", "a/__pycache__", "a/b/venv"] {
        assert!(!may_be_listed(never.as_bytes()), "{never}");
    }
    for listed in ["", "node_modules_2", "target", "venv/a", "a/vendor"] {
        assert!(may_be_listed(listed.as_bytes()), "{listed}");
    }
}

#[test]
fn a_directory_that_cannot_be_read_is_shown_safely() {
    // D1, F4
    let note = unreadable(RootId(2), b"a/\x1b[2J\xff", "it is closed");
    assert_eq!(note.diagnostic.code, Code::DirectoryUnreadable);
    let message = "`a/\\u{1b}[2J\u{fffd}` cannot be read: it is closed";
    assert_eq!(note.diagnostic.message, message);
    assert_eq!(note.root, RootId(2));
}

#[test]
fn threads_are_started_for_what_has_to_be_read() {
    // N1
    let limits = ScanLimits { threads: 4, ..ScanLimits::default() };
    let threads = |directories, remembered| {
        Plan::new(RootId(0), false, &limits).recalling(remembered).threads_for(directories)
    };
    for (directories, remembered, expect) in [
        (0, 0, 1),
        (127, 0, 1),
        (128, 0, 2),
        (10_000, 0, 4),
        (801, 800, 2),
        (799, 799, 1),
        (1_001, 40, 4),
        (1_001, 1_000, 2),
        (2_048, 2_048, 4),
        (10_000, 20_000, 4),
    ] {
        assert_eq!(threads(directories, remembered), expect, "{remembered} of {directories}");
    }
}
