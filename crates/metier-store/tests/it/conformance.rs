//! One suite over every store: the same files in, the same discovery, skills and bytes out.

use std::os::unix::fs::PermissionsExt as _;

use metier_format::Diagnostic;
use metier_store::discover::{Discovery, ScanLimits};
use metier_store::store::{Location, Resource, Skill};
use metier_store::{FileStore, Layer, LayeredStore, MemoryStore, Root, Store, digest};
use metier_testing::World;

use crate::ground::{root, skills};

/// A file of the suite's tree: path, text, whether it can be run.
type Fixture = (String, Vec<u8>, bool);

fn skill(name: &str, more: &str) -> Vec<u8> {
    format!("---\nname: {name}\ndescription: What {name} does.\n{more}---\n# {name}\n").into_bytes()
}

/// Skills good and bad, at several depths, with files of their own.
fn fixtures() -> Vec<Fixture> {
    let file = |path: &str, bytes: &[u8]| (path.to_owned(), bytes.to_vec(), false);
    let mut files = vec![
        file("alpha/SKILL.md", &skill("alpha", "")),
        file("alpha/references/guide.md", b"guide"),
        file("alpha/references/deep/er.md", b"deeper"),
        file("alpha/assets/.hidden", b"hidden"),
        file("alpha/assets/logo", b"\x00\x01"),
        file("alpha/node_modules/x.js", b"left out"),
        file("alpha/nested/beta/SKILL.md", &skill("beta", "")),
        file("group/beta/SKILL.md", &skill("beta", "priority: 3\nversion: 1.10\ntags: [a, b]\n")),
        file("group/beta-2/SKILL.md", &skill("beta-2", "allowed-tools: Read Bash(git:*)\n")),
        file("group/other-name/SKILL.md", &skill("beta-3", "")),
        file("lower/skill.md", &skill("lower", "")),
        file("directory/SKILL.md/x", b""),
        file("empty/SKILL.md", b""),
        file("text/SKILL.md", b"# Only text\n"),
        file("unclosed/SKILL.md", b"---\nname: unclosed\n"),
        file("nameless/SKILL.md", b"---\ndescription: No name.\n---\n"),
        file("latin1/SKILL.md", b"---\nname: latin1\ndescription: caf\xe9\n---\n"),
        file("endless/SKILL.md", format!("---\nname: {}", "x".repeat(80_000)).as_bytes()),
        file("long/SKILL.md", &skill("long", &"# comment\n".repeat(5_000))),
        file(".hidden/gamma/SKILL.md", &skill("gamma", "")),
        file("node_modules/gamma/SKILL.md", &skill("gamma", "")),
        file("a/b/c/d/e/f/too-deep/SKILL.md", &skill("too-deep", "")),
        file("a/b/c/d/e/deep/SKILL.md", &skill("deep", "")),
        file("readme.md", b"not a skill"),
    ];
    files.push(("alpha/scripts/run.py".into(), b"print()".to_vec(), true));
    files
}

fn on_disk(world: &World, files: &[Fixture], immediate_only: bool) -> FileStore {
    for (path, bytes, executable) in files {
        let file = world.write(format!("skills/{path}"), bytes);
        let mode = if *executable { 0o755 } else { 0o644 };
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    FileStore::new(vec![Root { immediate_only, ..root(skills(world)) }])
}

fn in_memory(files: &[Fixture], immediate_only: bool) -> MemoryStore {
    let root = Root { immediate_only, ..root("skills") };
    let add = |store: MemoryStore, (path, bytes, executable): &Fixture| {
        if *executable {
            store.executable(path, bytes.clone())
        } else {
            store.file(path, bytes.clone())
        }
    };
    files.iter().fold(MemoryStore::with_root(root), add)
}

/// Every kind of store over the same files.
fn stores(
    world: &World,
    files: &[Fixture],
    immediate_only: bool,
) -> Vec<(&'static str, Box<dyn Store>)> {
    let empty = MemoryStore::new(Layer::Plugin);
    let disk = on_disk(world, files, immediate_only);
    let memory = in_memory(files, immediate_only);
    let layered = |store: Box<dyn Store>| LayeredStore::new(vec![Box::new(empty.clone()), store]);
    vec![
        ("disk", Box::new(disk.clone())),
        ("memory", Box::new(memory.clone())),
        ("layered disk", Box::new(layered(Box::new(disk)))),
        ("layered memory", Box::new(layered(Box::new(memory)))),
    ]
}

fn codes(diagnostics: &[Diagnostic]) -> String {
    let line = |d: &Diagnostic| format!(" {} {:?} {}", d.code.as_str(), d.position, d.message);
    diagnostics.iter().map(line).collect()
}

/// Everything a discovery says that does not depend on where the files are.
fn told(discovery: &Discovery) -> Vec<String> {
    let found = discovery.found.iter().map(|found| {
        let digest = digest::hex(&found.digest);
        let diagnostics = codes(&found.diagnostics);
        let (name, description, facts) = (&found.name, &found.description, &found.facts);
        format!("{} {name} {description} {digest} {facts:?}{diagnostics}", found.path.display())
    });
    let skipped = discovery
        .skipped
        .iter()
        .map(|file| format!("skipped {}{}", file.path.display(), codes(&file.diagnostics)));
    let notes = discovery.notes.iter().map(|note| {
        format!("note {}{}", note.path.display(), codes(std::slice::from_ref(&note.diagnostic)))
    });
    found.chain(skipped).chain(notes).collect()
}

fn told_of(skill: &Skill) -> String {
    let Skill { manifest, body, digest, source, resources, diagnostics, .. } = skill;
    format!("{manifest:?} {body} {digest} {source:?} {resources:?}{}", codes(diagnostics))
}

#[test]
fn every_store_finds_the_same_skills_and_says_the_same_about_the_rest() {
    // D9, D3
    let world = World::new();
    for (immediate_only, found, skipped) in [(false, 7, 7), (true, 3, 7)] {
        let mut expected = None;
        for (kind, store) in stores(&world, &fixtures(), immediate_only) {
            let discovery = store.discover(&ScanLimits::default());
            assert_eq!(discovery.roots, store.roots(), "{kind}");
            assert_eq!(
                (discovery.found.len(), discovery.skipped.len()),
                (found, skipped),
                "{kind}"
            );
            let told = told(&discovery);
            assert_eq!(&told, expected.get_or_insert_with(|| told.clone()), "{kind}");
        }
    }
}

#[test]
fn every_store_stops_at_the_same_limits() {
    // D1, D9
    let world = World::new();
    for (max_depth, max_directories) in [(0, 99), (1, 99), (2, 99), (6, 5), (6, 15), (6, 1)] {
        let limits = ScanLimits { max_depth, max_directories, threads: 0, brief: false };
        let mut expected = None;
        for (kind, store) in stores(&world, &fixtures(), false) {
            let discovery = store.discover(&limits);
            assert!(discovery.stats.directories <= max_directories as u64 + 1, "{kind}");
            let told = told(&discovery);
            assert_eq!(&told, expected.get_or_insert_with(|| told.clone()), "{kind} {limits:?}");
        }
    }
}

#[test]
fn every_store_loads_reads_and_digests_alike() {
    // D9, R1
    let world = World::new();
    let mut expected: Option<Vec<String>> = None;
    for (kind, store) in stores(&world, &fixtures(), false) {
        let discovery = store.discover(&ScanLimits::default());
        let mut told = Vec::new();
        let paths = discovery.found.iter().map(|found| (found.root, found.path.clone()));
        let bad = discovery.skipped.iter().map(|s| (s.root, s.path.parent().unwrap().into()));
        for (root, path) in paths.chain(bad) {
            let at = Location { root, path };
            told.push(match store.load(&at) {
                Ok(skill) => told_of(&skill),
                Err(error) => format!("{error}").split('`').next_back().unwrap().to_owned(),
            });
            told.push(format!("{:?}", store.tree(&at).map(|tree| digest::hex(&tree.digest()))));
            told.extend(reads(&*store, &at));
        }
        assert_eq!(&told, expected.get_or_insert_with(|| told.clone()), "{kind}");
    }
}

fn reads(store: &dyn Store, at: &Location) -> Vec<String> {
    let paths = [
        "SKILL.md",
        "references/guide.md",
        "./references//guide.md",
        "references",
        "assets/logo",
        "../alpha/SKILL.md",
        "/SKILL.md",
        "",
        "a\\b",
        "scripts/run.py",
        "SKILL.md/x",
        "missing",
    ];
    let read = |path: &&str| match store.read(at, path, 60) {
        Ok(Resource { path, bytes, binary }) => format!("{path} {bytes:?} {binary}"),
        Err(error) => error.to_string(),
    };
    paths.iter().map(read).collect()
}
