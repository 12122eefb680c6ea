use std::path::PathBuf;

use super::*;
use crate::catalog::{Trust, Visibility};
use crate::fixture::found;
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
