use std::path::{Path, PathBuf};

use metier_format::manifest::Parts;
use metier_format::span::{Span, Spanned};
use metier_policy::{ScriptDependencies, ScriptLaw, ScriptNetwork};
use metier_store::catalog::Trust;

use super::{Metadata, Preparation, ScriptGround, Wanted, may_fetch};

static NOTHING: Metadata = Metadata {
    dependencies: Vec::new(),
    requires_python: None,
    exclude_newer: None,
    wheels: Vec::new(),
};

fn wanted() -> Wanted<'static> {
    Wanted {
        uv: Path::new("/opt/uv"),
        tree: "a",
        script: "scripts/go.py",
        trust: Trust::Approved,
        online: false,
        locked: false,
        metadata: &NOTHING,
    }
}

fn plan(wanted: Wanted<'_>) -> Preparation {
    let variables =
        [("HTTPS_PROXY", "canary"), ("UV_INDEX", "canary")].map(|(n, v)| (n.into(), v.into()));
    let ground = ScriptGround {
        home: Some(PathBuf::from("/home/ada/metier")),
        variables: variables.to_vec(),
        ..ScriptGround::default()
    };
    Preparation::plan(&ground, wanted).unwrap()
}

#[test]
fn what_one_content_was_given_is_never_used_for_another() {
    // R6
    let place = |wanted: Wanted<'_>| plan(wanted).kept.place().to_owned();
    let own = place(wanted());
    assert_eq!(own, place(wanted()), "the same again");
    assert!(own.starts_with("/home/ada/metier/cache/uv"));
    for (what, other) in [
        ("content", Wanted { tree: "b", ..wanted() }),
        ("script", Wanted { script: "scripts/other.py", ..wanted() }),
        ("trust", Wanted { trust: Trust::Present, ..wanted() }),
        ("uv", Wanted { uv: Path::new("/usr/bin/uv"), ..wanted() }),
    ] {
        assert_ne!(place(other), own, "{what}");
    }
}

#[test]
fn packages_are_fetched_for_approved_skills_that_ask_or_where_the_law_says_so() {
    // R6
    use ScriptDependencies::{Declared, Fetch, Never};
    let check = |dependencies, network, asks: bool, trust, expect: bool| {
        let mut law = ScriptLaw::default();
        (law.dependencies, law.network) = (dependencies, network);
        let host = Spanned { value: "*".to_owned(), span: Span::default() };
        let network = if asks { vec![host] } else { Vec::new() };
        let parts = Parts { network, ..Parts::default() };
        assert_eq!(may_fetch(&law, &parts, trust), expect, "{law:?} {asks} {trust:?}");
    };
    let usual = ScriptNetwork::Declared;
    check(Declared, usual, true, Trust::Approved, true);
    check(Declared, usual, false, Trust::Approved, false);
    check(Declared, ScriptNetwork::Any, false, Trust::Approved, false);
    check(Fetch, usual, false, Trust::Approved, true);
    check(Fetch, usual, true, Trust::Present, false);
    check(Fetch, ScriptNetwork::Off, true, Trust::Approved, false);
    check(Never, usual, true, Trust::Approved, false);
}

#[test]
fn uv_sees_the_callers_ways_to_packages_only_when_it_may_fetch() {
    // R5, R6
    let names = |online: bool| {
        let plan = plan(Wanted { online, ..wanted() });
        let walls = plan.confinement(&metier_sandbox::Confinement::default());
        assert_eq!(walls.write, [plan.kept.made()], "one directory, and not what says it is whole");
        let names = walls.environment.iter().map(|(name, _)| name.to_string_lossy().into_owned());
        (names.collect::<Vec<_>>(), walls.network.to_string())
    };
    let has = |names: &[String], name: &str| names.iter().any(|found| found == name);
    let (offline, network) = names(false);
    assert!(!has(&offline, "HTTPS_PROXY") && !has(&offline, "UV_INDEX"), "{offline:?}");
    assert!(has(&offline, "UV_OFFLINE"));
    let (online, full) = names(true);
    assert!(has(&online, "HTTPS_PROXY") && has(&online, "UV_INDEX"), "{online:?}");
    assert_ne!(network, full);
}
