use std::path::PathBuf;

use super::*;
use crate::catalog::{Trust, Visibility};
use crate::fixture::found;
use crate::memory_store::MemoryStore;
use crate::store::{Location, Store as _};
use crate::{Catalog, Enabled, Precedence, Root, RootId, Selection};

/// Somebody who knows skills by the last word of their name.
struct Somebody;

impl Vouch for Somebody {
    fn vouch(&self, name: &SkillName, directory: &Path, _depth: Depth) -> Vouched {
        assert_eq!(directory.file_name().unwrap().to_string_lossy(), name.as_str());
        let standing = match name.as_str().rsplit('-').next() {
            Some("approved") => Standing::Approved,
            Some("changed") => Standing::Changed,
            _ => Standing::Unknown,
        };
        Vouched { standing, ..Vouched::default() }
    }

    fn recorded(&self, name: &SkillName, _directory: &Path) -> Vouched {
        let source = match name.as_str().split('-').next() {
            Some("personal") => Some("mcp:shop".to_owned()),
            Some("plugin") => Some("mcp+https://shop.example/mcp".to_owned()),
            _ => Some("https://git.example/mcp".to_owned()),
        };
        Vouched { source, ..Vouched::default() }
    }

    fn recorded_standing(&self, _name: &SkillName, _directory: &Path) -> Standing {
        Standing::Approved
    }
}

fn catalog(enabled: Enabled) -> Catalog {
    let roots: Vec<Root> = Layer::ALL.map(|l| Root::given(l, PathBuf::from(l.as_str()))).to_vec();
    let mut discovery = Discovery { roots, ..Discovery::default() };
    for (id, layer) in (0..).zip(Layer::ALL) {
        for word in ["approved", "changed", "plain"] {
            let name = format!("{}-{word}", layer.as_str());
            discovery.found.push(found(RootId(id), &name, &name, "x"));
        }
    }
    attest(&mut discovery, &Somebody, Depth::Stamps);
    Catalog::build(discovery, &Precedence::DEFAULT, &Selection { enabled, ..Selection::default() })
}

#[test]
fn trust_follows_from_the_root_and_from_who_vouches() {
    // D4, P4
    let catalog = catalog(Enabled::Unset);
    let check = |name: &str, trust: Trust, visibility: Visibility| {
        let entry = catalog.entries.iter().find(|entry| entry.name().as_str() == name).unwrap();
        assert_eq!((entry.trust, entry.visibility), (trust, visibility), "{name}");
    };
    for layer in ["enterprise", "personal", "plugin"] {
        check(&format!("{layer}-plain"), Trust::Present, Visibility::Model);
    }
    for layer in ["enterprise", "personal", "plugin", "project"] {
        check(&format!("{layer}-approved"), Trust::Approved, Visibility::Model);
        check(&format!("{layer}-changed"), Trust::Untrusted, Visibility::Untrusted);
    }
    check("project-plain", Trust::Untrusted, Visibility::Untrusted);
    for word in ["approved", "changed", "plain"] {
        check(&format!("bundled-{word}"), Trust::Approved, Visibility::Model);
    }
}

#[test]
fn asking_for_untrusted_skills_does_not_bring_changed_ones_back() {
    // D4, P4
    let catalog = catalog(Enabled::AllUntrusted);
    let visible: Vec<&str> = catalog.visible().map(|entry| entry.name().as_str()).collect();
    assert!(visible.contains(&"project-plain"));
    assert!(!visible.iter().any(|name| name.ends_with("-changed") && *name != "bundled-changed"));
}

#[test]
fn nobody_knows_nothing() {
    // P4
    let name = SkillName::parse("x").unwrap();
    let vouched = Nobody.vouch(&name, Path::new("x"), Depth::Bytes);
    assert_eq!(vouched, Vouched { standing: Standing::Unknown, ..Vouched::default() });
}

#[test]
fn whoever_is_concerned_with_one_skill_has_no_other_looked_at() {
    // D4, P4, N1
    let roots = vec![Root::given(Layer::Personal, PathBuf::from("p"))];
    let mut discovery = Discovery { roots, ..Discovery::default() };
    for name in ["a-changed", "A-Changed", "b-changed", "c-plain"] {
        discovery.found.push(found(RootId(0), name, name, "x"));
    }
    attest_named(&mut discovery, &Somebody, &[NameKey::of("a-changed")]);
    let standings: Vec<Standing> = discovery.found.iter().map(|found| found.standing).collect();
    // The second spells its standing otherwise; it was asked for all the same.
    let [changed, unknown, approved] = [Standing::Changed, Standing::Unknown, Standing::Approved];
    assert_eq!(standings, [changed, unknown, approved, approved]);
}

#[test]
fn what_a_server_gave_is_known_by_that_server_and_nothing_else_is() {
    // U2, D5
    let catalog = catalog(Enabled::Unset);
    let origin = |name: &str| {
        let entry = catalog.entries.iter().find(|entry| entry.name().as_str() == name).unwrap();
        entry.found.origin.clone()
    };
    assert_eq!(origin("personal-plain").as_deref(), Some("mcp:shop"));
    assert_eq!(origin("plugin-approved").as_deref(), Some("mcp+https://shop.example/mcp"));
    assert_eq!(origin("enterprise-plain"), None, "a repository is no server");
    assert_eq!(origin("bundled-plain"), None);
}

/// The files of a skill as a store has them: a path, whether it can be executed, and bytes.
type Files<'a> = &'a [(&'a str, bool, &'a str)];

const TEXT: &str = "---\nname: x\ndescription: Does x. Use when asked.\n---\n\nGOOD\n";

const APPROVED: Files<'_> = &[
    ("SKILL.md", false, TEXT),
    ("node_modules/dep/index.js", false, "left out"),
    ("references/a.md", false, "GOOD"),
    ("scripts/run.sh", true, "echo GOOD"),
];

fn store_of(files: Files<'_>) -> MemoryStore {
    files.iter().fold(MemoryStore::new(Layer::Personal), |store, (path, executable, text)| {
        let (path, bytes) = (format!("x/{path}"), text.as_bytes().to_vec());
        if *executable { store.executable(&path, bytes) } else { store.file(&path, bytes) }
    })
}

fn vouched_for(files: Files<'_>) -> Vouched {
    let at = Location { root: RootId(0), path: Path::new("x").into() };
    let tree = store_of(files).tree(&at).unwrap();
    Vouched { files: Some(Arc::new(tree)), ..Vouched::default() }
}

#[test]
fn bytes_are_held_against_the_file_they_are_of() {
    // P4, R1
    let vouched = vouched_for(APPROVED);
    let check = |path: &str, bytes: &str, expect: bool| {
        assert_eq!(vouched.holds(path, bytes.as_bytes()), expect, "{path}: {bytes}");
        assert!(Vouched::default().holds(path, bytes.as_bytes()), "nobody knows what it should be");
    };
    check("references/a.md", "GOOD", true);
    check("references/a.md", "EVIL", false);
    check("references/a.md", "echo GOOD", false);
    check("references/b.md", "GOOD", false);
    check("references", "", false);
}

#[test]
fn a_loaded_skill_is_held_against_the_approved_one_file_by_file() {
    // P4, S1
    let check = |files: Files<'_>, expect: Option<&str>| {
        let at = Location { root: RootId(0), path: Path::new("x").into() };
        let skill = store_of(files).load(&at).unwrap();
        assert_eq!(vouched_for(APPROVED).differs_from(&skill).as_deref(), expect);
        assert_eq!(vouched_for(files).differs_from(&skill), None);
        assert_eq!(Vouched::default().differs_from(&skill), None);
    };
    let with = |index: usize, file: (&'static str, bool, &'static str)| {
        let mut files = APPROVED.to_vec();
        match files.get_mut(index) {
            Some(old) => *old = file,
            None => files.push(file),
        }
        files
    };
    let evil = TEXT.replace("GOOD", "EVIL");
    let mut other = APPROVED.to_vec();
    other[0].2 = &evil;
    check(APPROVED, None);
    check(&other, Some("SKILL.md"));
    check(&with(9, ("evil.md", false, "EVIL")), Some("evil.md"));
    check(&with(3, ("scripts/run.sh", false, "echo GOOD")), Some("scripts/run.sh"));
    check(&APPROVED[..3], Some("scripts/run.sh"));
    check(&with(1, ("node_modules/dep/index.js", false, "EVIL")), None);
    let lower = with(0, ("skill.md", false, TEXT));
    check(&lower, None);
    let at = Location { root: RootId(0), path: Path::new("x").into() };
    let skill = store_of(&other).load(&at).unwrap();
    assert_eq!(vouched_for(&lower).differs_from(&skill).as_deref(), Some("skill.md"));
}
