//! Random trees, on disk and in memory: both stores must say the same, and loading must agree with
//! finding.

use metier_store::discover::{Discovery, ScanLimits};
use metier_store::store::{LoadError, Location};
use metier_store::{FileStore, Layer, MemoryStore, Root, Store};
use proptest::prelude::*;

use crate::ground::root;

/// Files of one tree: path and text. Directories and files never share a name.
type Files = Vec<(String, String)>;

fn directory() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        6 => "[a-d]".prop_map(String::from),
        1 => Just("node_modules".to_owned()),
        1 => Just(".hidden".to_owned()),
        1 => Just("venv".to_owned()),
    ];
    prop::collection::vec(name, 0..4).prop_map(|names| names.join("/"))
}

fn file() -> impl Strategy<Value = (String, String)> {
    let name = prop_oneof![
        6 => Just("SKILL.md"),
        1 => Just("skill.md"),
        1 => Just("Skill.md"),
        2 => Just("readme.txt"),
    ];
    let text = prop_oneof![
        5 => "[a-d]".prop_map(|n| format!("---\nname: {n}\ndescription: It is {n}.\n---\nBody\n")),
        1 => Just("---\nname: A\ndescription: Upper case.\nversion: 2\n---\n".to_owned()),
        1 => Just("---\nname: a\ndescription: Use: this\n---\n".to_owned()),
        1 => Just("---\nname: a\n".to_owned()),
        1 => Just("nothing".to_owned()),
        1 => Just("---\nname: a\ndescription: b\nallowed-tools: [Read, 'Bash(git:*)']\n---\n".to_owned()),
    ];
    (directory(), name, text).prop_map(|(directory, name, text)| {
        let path =
            if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
        (path, text)
    })
}

fn on_disk(place: &tempfile::TempDir, files: &Files, immediate_only: bool) -> FileStore {
    let at = place.path().join("tree");
    std::fs::create_dir_all(&at).unwrap();
    for (path, text) in files {
        let path = at.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    FileStore::new(vec![Root { immediate_only, ..root(at) }])
}

fn in_memory(files: &Files, immediate_only: bool) -> MemoryStore {
    let root = Root { immediate_only, layer: Layer::Personal, ..root("tree") };
    let add = |store: MemoryStore, (path, text): &(String, String)| {
        store.file(path, text.clone().into_bytes())
    };
    files.iter().fold(MemoryStore::with_root(root), add)
}

/// A discovery without what depends on where the files are.
fn placeless(mut discovery: Discovery) -> Discovery {
    discovery.roots.clear();
    discovery.found.iter_mut().for_each(|found| found.identity = (0, 0));
    discovery.stats = Default::default();
    discovery
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn disk_and_memory_agree_on_any_tree(
        files in prop::collection::vec(file(), 0..12),
        immediate_only in any::<bool>(),
        max_depth in 0usize..5,
        max_directories in 1usize..20,
    ) {
        // D9, D3
        let place = tempfile::TempDir::with_prefix("metier-model-").unwrap();
        let (disk, memory) = (on_disk(&place, &files, immediate_only), in_memory(&files, immediate_only));
        let limits = ScanLimits { max_depth, max_directories, threads: 1, brief: false };
        let found = disk.discover(&limits);
        prop_assert_eq!(placeless(found.clone()), placeless(memory.discover(&limits)));
        agree_on_loading(&disk, &memory, &found);
    }
}

/// What was found loads, in both stores alike; what was skipped does not.
fn agree_on_loading(disk: &FileStore, memory: &MemoryStore, discovery: &Discovery) {
    for found in &discovery.found {
        let at = Location { root: found.root, path: found.path.clone() };
        let (one, other) = (disk.load(&at).unwrap(), memory.load(&at).unwrap());
        assert_eq!(one.manifest.name.value, found.name);
        assert_eq!(*one.manifest.description.value, *found.description);
        assert_eq!((one.manifest, &one.digest), (other.manifest, &other.digest));
        assert_eq!((one.resources, &one.body), (other.resources, &other.body));
        assert_eq!(one.diagnostics, other.diagnostics);
        assert_eq!(&*found.diagnostics, &*one.diagnostics, "found and loaded say the same");
        assert_eq!(disk.tree(&at).unwrap(), memory.tree(&at).unwrap());
    }
    for skipped in &discovery.skipped {
        let at = Location { root: skipped.root, path: skipped.path.parent().unwrap().into() };
        for error in [disk.load(&at).unwrap_err(), memory.load(&at).unwrap_err()] {
            let reasons = match error {
                LoadError::Invalid { diagnostics, .. } => diagnostics,
                LoadError::NotFound(_) | LoadError::Io { .. } => Vec::new(),
            };
            assert_eq!(reasons, skipped.diagnostics);
        }
    }
}
