//! Git trees, written object by object so that git does not look at them first.

use std::collections::BTreeMap;

use metier_testing::{GitServer, RepoBuilder};

use super::tables::{LAYOUTS, LINKS, MANIFESTS, NAMES, PAIRS};
use super::{around, code};
use crate::fetching::SKILL;
use crate::place::Place;

/// A line of a tree: mode, path, object.
type Line = (&'static str, Vec<u8>, String);

#[test]
fn every_hostile_git_tree_is_refused_with_its_code() {
    // P1, P2
    let server = GitServer::start();
    let repo = server.repo("evil/trees");
    let blob = |bytes: &[u8]| repo.git(&["hash-object", "-w", "--stdin"], bytes);
    let (manifest, x) = (blob(SKILL.as_bytes()), blob(b"x"));
    let mut expect: Vec<(String, &str)> = Vec::new();
    let mut root: Vec<(String, String)> = Vec::new();
    let mut add = |entries: &[(&'static str, &[u8], &str)], code: &'static str| {
        let directory = format!("s{:03}", root.len());
        let mut all = vec![("100644", b"SKILL.md".to_vec(), manifest.clone())];
        all.extend(entries.iter().map(|(mode, path, id)| (*mode, path.to_vec(), (*id).to_owned())));
        root.push((directory.clone(), tree(&repo, all)));
        expect.push((directory, code));
    };
    for (name, code) in NAMES {
        // What git itself refuses has a test of its own; a slash cannot be in a name of a tree.
        let refused =
            matches!(*code, "PK101" | "PK102" | "PK103" | "PK112") && !name.contains(&b'\\');
        let refused =
            refused || [&b"ONE/.git"[..], b"ONE/.g\xe2"].iter().any(|git| name.starts_with(git));
        if let (Some(inner), false) = (name.strip_prefix(b"ONE/"), refused) {
            add(&[("100644", inner, &x)], code);
        }
    }
    for (first, second, code) in
        PAIRS.iter().filter(|(_, _, code)| matches!(*code, "PK202" | "PK203"))
    {
        let mut both = vec![("100644", second.as_bytes(), &*x)];
        if *first != "SKILL.md" {
            both.push(("100644", first.as_bytes(), &*x));
        }
        add(&both, code);
    }
    for (link, target, code) in LINKS.iter().filter(|(_, target, _)| !target.is_empty()) {
        let target = blob(target.as_bytes());
        add(&[("120000", link.as_bytes(), &target)], code);
    }
    for layout in LAYOUTS {
        let entries: Vec<_> = layout.iter().map(|path| ("100644", path.as_bytes(), &*x)).collect();
        add(&entries, "PK307");
    }
    add(&[("160000", b"sub", "1234567812345678123456781234567812345678")], "PK306");
    for (text, code) in MANIFESTS {
        let manifest = blob(text.as_bytes());
        let directory = format!("s{:03}", root.len());
        root.push((
            directory.clone(),
            tree(&repo, vec![("100644", b"SKILL.md".to_vec(), manifest)]),
        ));
        expect.push((directory, code));
    }
    let listing: String =
        root.iter().map(|(name, id)| format!("040000 tree {id}\t{name}\n")).collect();
    let whole = repo.git(&["mktree"], listing.as_bytes());
    let commit = repo.git(&["commit-tree", &whole, "-m", "evil"], b"");
    let _ = repo.git(&["update-ref", "refs/heads/main", &commit], b"");
    let place = Place::new();
    place.write("canary/file", "untouched");
    let fetched = place.fetch(&server.url("evil/trees")).unwrap();
    assert!(fetched.skills.is_empty(), "{:?}", fetched.skills);
    let got: Vec<(String, &str)> =
        fetched.refused.iter().map(|refused| (refused.path.clone(), refused.code)).collect();
    let reasons: Vec<_> = fetched.refused.iter().map(|refused| &refused.reason).collect();
    assert_eq!(got, expect, "{reasons:#?}");
    assert!(expect.len() >= 90, "{} trees", expect.len());
    assert_eq!(around(&place).1, Vec::<String>::new());
}

/// Writes a tree with these paths, whatever git would think of their names.
fn tree(repo: &RepoBuilder, mut entries: Vec<Line>) -> String {
    let mut inner: BTreeMap<Vec<u8>, Vec<Line>> = Default::default();
    let mut here: Vec<Line> = Vec::new();
    for (mode, path, id) in entries.drain(..) {
        match path.iter().position(|byte| *byte == b'/') {
            Some(slash) => {
                let rest = path[slash + 1..].to_vec();
                inner.entry(path[..slash].to_vec()).or_default().push((mode, rest, id));
            }
            None => here.push((mode, path, id)),
        }
    }
    for (name, entries) in inner {
        here.push(("40000", name, tree(repo, entries)));
    }
    // Git sorts directories as if a slash stood behind them.
    let key = |(mode, name, _): &Line| {
        let slash: &[u8] = if *mode == "40000" { b"/" } else { b"" };
        [name, slash].concat()
    };
    here.sort_by_key(key);
    let mut bytes = Vec::new();
    for (mode, name, id) in here {
        bytes.extend(mode.bytes());
        bytes.push(b' ');
        bytes.extend(name);
        bytes.push(0);
        bytes.extend(
            (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
        );
    }
    repo.git(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes)
}

#[test]
fn trees_that_git_refuses_are_refused() {
    // P1, P2
    let server = GitServer::start();
    let place = Place::new();
    let names: &[&[u8]] = &[b"..", b".", b".git", b".GIT", b"git~1", b"a/b"];
    for (index, name) in names.iter().enumerate() {
        let repo = server.repo(&format!("evil/git{index}"));
        let x = repo.git(&["hash-object", "-w", "--stdin"], b"x");
        let manifest = repo.git(&["hash-object", "-w", "--stdin"], SKILL.as_bytes());
        let mut bytes = Vec::new();
        let mut sorted = [(*name, &x), (b"SKILL.md", &manifest)];
        sorted.sort();
        for (name, id) in sorted {
            bytes.extend([b"100644 ", name, b"\0"].concat());
            bytes.extend(
                (0..40).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
            );
        }
        let tree = repo.git(&["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &bytes);
        let commit = repo.git(&["commit-tree", &tree, "-m", "evil"], b"");
        let _ = repo.git(&["update-ref", "refs/heads/main", &commit], b"");
        let got = code(&place.fetch(&server.url(&format!("evil/git{index}"))));
        assert_eq!(got, "PK507", "{:?}", String::from_utf8_lossy(name));
        assert_eq!(around(&place).1, Vec::<String>::new());
    }
}
