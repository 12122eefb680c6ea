use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_policy::ToolCall;
use metier_policy::own::is_kept;
use metier_runtime::journal::files_of;
use metier_testing::World;

use super::{
    ARTIFACTS, DEFAULT_SESSION, PACKAGES_SESSION, SessionArgs, Stream, ids, look, open,
    session_name,
};
use crate::args::Global;
use crate::env::Environment;
use crate::error::Kind;
use crate::session::Purpose;
use crate::settings::Settings;
use crate::ui::Ui;

fn settings(world: &World, args: SessionArgs, variables: &[(&str, &str)]) -> Settings {
    let home = world.home().into_os_string();
    let lookup = |name: &str| {
        let found = variables.iter().find(|(key, _)| *key == name);
        let found = found.map(|(_, value)| OsString::from(value));
        found.or_else(|| (name == "HOME").then(|| home.clone()))
    };
    let environment = Environment::from_lookup(lookup, world.project());
    let global = Global { session: args, ..Global::default() };
    Settings::load(&global, &environment).unwrap()
}

fn named(session: &str) -> SessionArgs {
    SessionArgs { session: Some(session.to_owned()), ..SessionArgs::default() }
}

#[test]
fn a_flag_beats_a_variable_beats_the_default() {
    // S6, U1
    let world = World::new();
    let check = |args: SessionArgs, variables: &[(&str, &str)], expect: (&str, bool, &str)| {
        let stream = Stream::of(&settings(&world, args, variables)).unwrap();
        let journal = stream.journal.strip_prefix(world.path()).unwrap().to_str().unwrap();
        assert_eq!((stream.session.as_str(), stream.named, journal), expect);
    };
    let home = "home/.local/share/metier/sessions";
    check(SessionArgs::default(), &[], ("default", false, &format!("{home}/default.jsonl")));
    let variable = [("METIER_SESSION", "v")];
    check(SessionArgs::default(), &variable, ("v", true, &format!("{home}/v.jsonl")));
    check(named("f"), &variable, ("f", true, &format!("{home}/f.jsonl")));
    let journal = SessionArgs { journal: Some(PathBuf::from("j.jsonl")), ..named("f") };
    check(journal, &[("METIER_JOURNAL", "k.jsonl")], ("f", true, "project/j.jsonl"));
    let variable = [("METIER_JOURNAL", "~/k.jsonl")];
    check(SessionArgs::default(), &variable, ("default", false, "home/k.jsonl"));
}

#[test]
fn a_session_is_a_name_and_never_a_path() {
    // S6
    for good in ["a", "A-1_b.c", "0", &"x".repeat(128)] {
        assert!(session_name(good).is_ok(), "{good}");
    }
    let long = "x".repeat(129);
    for bad in ["", ".", "..", ".hidden", "a/b", "../x", "a b", "é", "a\n", "a\0", "~", &long] {
        assert_eq!(session_name(bad).unwrap_err().kind, Kind::Usage, "{bad:?}");
    }
}

#[test]
fn a_machine_without_a_home_must_be_told_where_the_journal_is() {
    // S6
    let world = World::new();
    let environment = Environment::from_lookup(|_| None, world.project());
    let settings = Settings::load(&Global::default(), &environment).unwrap();
    let error = Stream::of(&settings).unwrap_err();
    assert_eq!((error.kind, error.hints.len()), (Kind::Usage, 1));
}

#[test]
fn frames_name_whoever_the_environment_names() {
    // J2
    let world = World::new();
    world.write("home/.config/metier/config.toml", "agent = \"kind\"\ntenant = \"acme\"\n");
    let variables = [("METIER_AGENT", "agent-7"), ("METIER_CORRELATION", "c-1")];
    let found =
        ids(&settings(&world, named("s"), &variables), &session_name("s").unwrap()).unwrap();
    assert_eq!(found.agent.as_deref(), Some("agent-7"), "the variable beats the file");
    assert_eq!(found.tenant.as_deref(), Some("acme"));
    assert_eq!((found.task, found.correlation.as_deref()), (None, Some("c-1")));
    let long = "x".repeat(129);
    for bad in ["a\nb", long.as_str()] {
        let settings = settings(&world, named("s"), &[("METIER_TASK", bad)]);
        let error = ids(&settings, &session_name("s").unwrap()).unwrap_err();
        assert_eq!(error.kind, Kind::Usage);
        assert!(error.message().contains("METIER_TASK"), "{}", error.message());
    }
}

#[test]
fn looking_writes_nothing_and_sees_what_acting_wrote() {
    // S6
    let world = World::new();
    let settings = settings(&world, named("s"), &[]);
    let before = look(&settings).unwrap();
    assert!(!before.state.open && before.reading.frames.is_empty());
    assert!(!world.home().join(".local").try_exists().unwrap());
    let mut ui = Ui::plain(None);
    let mut session = open(&settings, Purpose::with(None, &settings), &mut ui).unwrap();
    assert!(!look(&settings).unwrap().state.open, "nothing was done yet");
    session.guard(&ToolCall::new("Read", serde_json::json!({}))).unwrap();
    let after = look(&settings).unwrap();
    assert_eq!(&after.state, session.state());
    assert!(after.state.open);
    assert_eq!(ui.messages(), "");
    assert!(after.stream.journal.ends_with(Path::new("sessions/s.jsonl")));
}

#[test]
fn the_guard_knows_whatever_metier_keeps_by_its_name() {
    // S3, S4, U5
    let digest = "0f".repeat(32);
    let settings = [crate::law::FILE, "config.toml"];
    for name in metier_package::home::FILES.into_iter().chain(settings) {
        assert!(is_kept(name), "{name}");
        assert!(is_kept(&format!("projects/{}/{name}", "0f".repeat(16))), "{name}");
    }
    let own = [crate::memory::FOLDER, ARTIFACTS, "cache/indexes"];
    for folder in metier_package::home::DIGESTED.into_iter().chain(own) {
        assert!(is_kept(&format!("{folder}/{digest}")), "{folder}");
        assert!(is_kept(&format!("{folder}/{digest}/SKILL.md")), "{folder}");
        assert!(!is_kept(&format!("{folder}/x")), "{folder}");
    }
    let agents = metier_serve::agent_hook::HookAgent::ALL.map(|agent| agent.as_str());
    let sessions = agents.iter().map(|agent| format!("{agent}.0e1"));
    let common = [DEFAULT_SESSION, PACKAGES_SESSION, "chibi-a-b-1-2-3"].map(str::to_owned);
    for session in sessions.chain(common) {
        for file in files_of(Path::new(&format!("{session}.jsonl"))) {
            let file = file.to_str().unwrap();
            assert!(is_kept(file) && is_kept(&format!("sessions/{file}")), "{file}");
        }
    }
    for agent in agents {
        assert!(is_kept(&format!("hooks/{agent}.json")), "{agent}");
    }
    for other in ["a.jsonl", "store", "store/index.ts", "package.json", "hooks/x.json", "a/stamps"]
    {
        assert!(!is_kept(other), "{other}");
    }
}
