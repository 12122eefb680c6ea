use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use metier_format::manifest::{Parts, Text};
use metier_format::span::{Span, Spanned};
use metier_policy::{Policy, PolicyFile, PolicyLayer, ScriptLaw};
use metier_sandbox::{Level, Network};
use metier_store::catalog::Trust;

use super::{Circumstances, Confined, confine};

fn texts(words: &[&str]) -> Vec<Text> {
    let text = |word: &&str| Spanned { value: (*word).to_owned(), span: Span::default() };
    words.iter().map(text).collect()
}

fn law(text: &str) -> ScriptLaw {
    let file = PolicyFile::read(&format!("[scripts]\n{text}"), "policy.toml").unwrap();
    Policy::merge([(PolicyLayer::Personal, file)]).scripts().clone()
}

fn variables() -> Vec<(OsString, OsString)> {
    [
        ("AWS_SECRET_ACCESS_KEY", "canary"),
        ("KALSHI_BASE_URL", "u"),
        ("KALSHI_KEY", "k"),
        ("PATH", "/evil"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .to_vec()
}

/// The walls of a skill that asks for these hosts and variables.
fn walls(law: &ScriptLaw, trust: Trust, network: &[&str], env: &[&str]) -> Confined {
    let parts = Parts { network: texts(network), env: texts(env), ..Parts::default() };
    confine(&Circumstances {
        law,
        parts: &parts,
        trust,
        skill: Path::new("/skills/x"),
        reads: &[PathBuf::from("/opt/node")],
        project: Some(Path::new("/project")),
        project_holds_home: false,
        variables: &variables(),
        timeout: None,
    })
}

fn names(confined: &Confined) -> Vec<String> {
    let list = &confined.confinement.environment;
    list.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
}

#[test]
fn a_skill_nobody_approved_gets_every_wall_whatever_law_and_skill_say() {
    // R5, R6
    let lax = law("level = 'off'\nnetwork = 'any'\nproject = 'write'");
    let confined = walls(&lax, Trust::Present, &["*"], &[]);
    assert_eq!(confined.confinement.level, Level::Require);
    assert_eq!(confined.confinement.network, Network::Off);
    assert_eq!(confined.confinement.write, Vec::<PathBuf>::new());
    assert_eq!(confined.notes.len(), 2, "{:?}", confined.notes);
}

#[test]
fn the_level_of_an_approved_skill_is_the_laws() {
    // R6
    for (text, expect) in
        [("", Level::Prefer), ("level = 'require'", Level::Require), ("level = 'off'", Level::Off)]
    {
        let confined = walls(&law(text), Trust::Approved, &[], &[]);
        assert_eq!(confined.confinement.level, expect, "{text}");
    }
}

#[test]
fn the_network_takes_asking_approval_and_the_law() {
    // R6
    let hosts = || Network::Hosts(vec!["api.example.com".into()]);
    for (text, asked, expect, notes) in [
        ("", &[][..], Network::Off, 0),
        ("", &["*"][..], Network::Full, 0),
        ("", &["api.example.com"][..], hosts(), 0),
        ("network = 'off'", &["*"][..], Network::Off, 1),
        ("network = 'any'", &["api.example.com"][..], Network::Full, 1),
        ("network = 'any'", &[][..], Network::Off, 0),
    ] {
        let confined = walls(&law(text), Trust::Approved, asked, &[]);
        assert_eq!(confined.confinement.network, expect, "{text} {asked:?}");
        assert_eq!(confined.notes.len(), notes, "{text} {asked:?}");
    }
}

#[test]
fn a_variable_takes_the_skill_and_the_law_to_name_it() {
    // R5
    let minimal = names(&walls(&law(""), Trust::Approved, &[], &[]));
    assert!(!minimal.iter().any(|name| name.contains("KALSHI") || name.contains("AWS")));
    let check = |text: &str, asked: &[&str], expect: &[&str]| {
        let given = names(&walls(&law(text), Trust::Approved, &[], asked));
        let more: Vec<&str> =
            given.iter().filter(|n| !minimal.contains(n)).map(String::as_str).collect();
        assert_eq!(more, expect, "{text} {asked:?}");
    };
    check("env = ['KALSHI_*']", &["KALSHI_*"], &["KALSHI_BASE_URL", "KALSHI_KEY"]);
    check("env = ['KALSHI_*']", &["*"], &["KALSHI_BASE_URL", "KALSHI_KEY"]);
    check("env = ['*']", &["KALSHI_BASE_URL"], &["KALSHI_BASE_URL"]);
    check("env = ['*']", &[], &[]);
    check("", &["*"], &[]);
    let held = walls(&law(""), Trust::Approved, &[], &["AWS_*"]);
    assert!(held.notes[0].contains("`AWS_*`"), "{:?}", held.notes);
    assert!(!held.notes[0].contains("SECRET"), "what the caller has is not listed");
    assert!(!held.notes[0].contains("canary"));
}

#[test]
fn files_are_the_skill_its_interpreter_and_the_project_as_the_law_says() {
    // R6
    let check = |text: &str, trust, read: &[&str], write: &[&str]| {
        let confined = walls(&law(text), trust, &[], &[]).confinement;
        let paths = |list: &[PathBuf]| -> Vec<String> {
            list.iter().map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths(&confined.read), read, "{text}");
        assert_eq!(paths(&confined.write), write, "{text}");
    };
    let skill = ["/skills/x", "/opt/node"];
    let with_project = ["/skills/x", "/opt/node", "/project"];
    check("", Trust::Approved, &skill, &[]);
    check("project = 'read'", Trust::Approved, &with_project, &[]);
    check("project = 'read'", Trust::Present, &skill, &[]);
    check("project = 'write'", Trust::Approved, &skill, &["/project"]);
    check("project = 'write'", Trust::Present, &skill, &[]);
}

#[test]
fn a_project_that_is_or_holds_a_home_stays_closed() {
    // R6
    for text in ["project = 'read'", "project = 'write'"] {
        let law = law(text);
        let confined = confine(&Circumstances {
            law: &law,
            parts: &Parts::default(),
            trust: Trust::Approved,
            skill: Path::new("/x"),
            reads: &[],
            project: Some(Path::new("/home/ada")),
            project_holds_home: true,
            variables: &[],
            timeout: None,
        });
        assert_eq!(confined.confinement.read, [Path::new("/x")], "{text}");
        assert_eq!(confined.confinement.write, Vec::<PathBuf>::new(), "{text}");
        assert!(confined.notes[0].contains("home"), "{:?}", confined.notes);
    }
}

#[test]
fn limits_are_the_usual_ones_unless_the_law_has_smaller() {
    // R4
    let wall = |text: &str, asked: Option<u64>| {
        let law = law(text);
        let about = Circumstances {
            law: &law,
            parts: &Parts::default(),
            trust: Trust::Present,
            skill: Path::new("/x"),
            reads: &[],
            project: None,
            project_holds_home: false,
            variables: &[],
            timeout: asked.map(Duration::from_secs),
        };
        confine(&about).confinement.limits.wall_ms
    };
    assert_eq!(wall("", None), 60_000);
    assert_eq!(wall("", Some(120)), 120_000);
    assert_eq!(wall("", Some(100_000)), 600_000);
    assert_eq!(wall("timeout = 30", None), 30_000);
    assert_eq!(wall("timeout = 30", Some(120)), 30_000);
    assert_eq!(wall("timeout = 900", Some(800)), 800_000);
    let small =
        walls(&law("memory-mib = 64\nprocesses = 8\noutput-kib = 4"), Trust::Present, &[], &[]);
    let limits = small.confinement.limits;
    assert_eq!((limits.memory, limits.processes, limits.stdout), (64 << 20, 8, 4 << 10));
    let large =
        walls(&law("memory-mib = 999999999999\nprocesses = 999999"), Trust::Present, &[], &[]);
    assert_eq!(large.confinement.limits.processes, metier_sandbox::limits::PROCESSES);
    assert_eq!(large.confinement.limits.memory, metier_sandbox::limits::MEMORY_BYTES);
}
