use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use metier_serve::agent_hook::HookAgent;
use metier_store::client;

use super::{Environment, OTLP, VARIABLES, Variable, agent_variables, secret_values, table};

fn read(variables: &[(&str, &str)]) -> Environment {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| OsString::from(value))
    };
    Environment::from_lookup(lookup, PathBuf::from("/work"))
}

#[test]
fn every_variable_read_is_in_the_table_and_every_one_in_the_table_is_read() {
    // D1, B4
    let asked = RefCell::new(BTreeSet::new());
    let lookup = |name: &str| {
        asked.borrow_mut().insert(name.to_owned());
        None
    };
    let _ = Environment::from_lookup(lookup, PathBuf::new());
    let own = VARIABLES.iter().map(|variable| variable.name);
    let listed: BTreeSet<String> = own.chain(agent_variables()).map(str::to_owned).collect();
    assert_eq!(asked.into_inner(), listed);
}

#[test]
fn metier_skills_beats_agent_skills_and_empty_still_counts() {
    // D4
    let check = |variables: &[(&str, &str)], expect: Option<(&str, &str)>| {
        let skills = read(variables).skills;
        assert_eq!(skills.as_ref().map(|s| (s.variable, s.list.as_str())), expect);
    };
    check(&[], None);
    check(&[("AGENT_SKILLS", "a,b")], Some(("AGENT_SKILLS", "a,b")));
    check(&[("AGENT_SKILLS", "a"), ("METIER_SKILLS", "all")], Some(("METIER_SKILLS", "all")));
    check(&[("AGENT_SKILLS", "a"), ("METIER_SKILLS", "")], Some(("METIER_SKILLS", "")));
    check(&[("AGENT_SKILLS", "")], Some(("AGENT_SKILLS", "")));
}

#[test]
fn other_empty_variables_count_as_unset_and_xdg_must_be_absolute() {
    // D1
    let environment = read(&[
        ("METIER_CONFIG", ""),
        ("METIER_PROJECT", "sub"),
        ("XDG_CONFIG_HOME", "relative"),
        ("XDG_DATA_HOME", "/data"),
        ("HOME", ""),
        ("COLUMNS", "wide"),
        ("NO_COLOR", ""),
    ]);
    assert_eq!(environment.config, None);
    assert_eq!(environment.project.as_deref(), Some(Path::new("sub")));
    assert_eq!(environment.xdg_config_home, None);
    assert_eq!(environment.xdg_data_home.as_deref(), Some(Path::new("/data")));
    assert_eq!(environment.home, None);
    assert_eq!(environment.columns, None);
    assert!(!environment.plain);
}

#[test]
fn no_color_and_a_dumb_terminal_ask_for_plain_output() {
    // U1
    assert!(read(&[("NO_COLOR", "1")]).plain);
    assert!(read(&[("TERM", "dumb")]).plain);
    assert!(!read(&[("TERM", "xterm")]).plain);
}

#[test]
fn a_tilde_is_the_home_and_other_paths_start_at_the_base() {
    // D1
    let environment = read(&[("HOME", "/home/u")]);
    let check = |path: &str, expect: &str| {
        assert_eq!(environment.resolve(Path::new(path), Path::new("/base")), Path::new(expect));
    };
    check("~", "/home/u");
    check("~/skills", "/home/u/skills");
    check("~other/skills", "/base/~other/skills");
    check("skills", "/base/skills");
    check("/skills", "/skills");
    assert_eq!(read(&[]).resolve(Path::new("~/x"), Path::new("/base")), Path::new("/base/~/x"));
}

#[test]
fn the_table_names_each_variable_on_a_line_of_its_own() {
    // B4
    let text = table();
    assert_eq!(text.lines().count(), VARIABLES.len() + 3);
    for name in agent_variables() {
        assert!(text.contains(name), "{name} is missing");
    }
    for (line, variable) in text.lines().zip(VARIABLES) {
        assert!(line.trim_start().starts_with(variable.name), "{line}");
        assert!(line.len() <= 100, "{line}");
    }
}

#[test]
fn variables_of_other_agents_are_kept_for_the_table_of_agents() {
    // D1
    let environment = read(&[("CODEX_HOME", "/codex"), ("CLAUDE_CONFIG_DIR", "")]);
    assert_eq!(environment.agents.get("CODEX_HOME").map(String::as_str), Some("/codex"));
    assert_eq!(environment.agents.get("CLAUDE_CONFIG_DIR"), None);
}

#[test]
fn values_of_variables_called_like_secrets_are_known_as_secrets() {
    // J2
    let check = |name: &str, secret: bool| {
        let variables = [(OsString::from(name), OsString::from("value"))];
        let found = secret_values(variables.into_iter());
        assert_eq!(!found.is_empty(), secret, "{name}");
    };
    for name in ["GITHUB_TOKEN", "OPENAI_API_KEY", "my_secret", "DB_PASSWORD", "PASSPHRASE"] {
        check(name, true);
    }
    for name in ["HOME", "KEYBOARD", "TOKENS_USED", "PATH", "SECRETARY"] {
        check(name, false);
    }
}

#[test]
fn whose_session_it_is_comes_from_its_own_variables() {
    // J2, S6
    let session = read(&[("METIER_SESSION", "s-1"), ("METIER_AGENT", ""), ("METIER_TASK", "t")]);
    assert_eq!(session.session.session.as_deref(), Some("s-1"));
    assert_eq!(session.session.agent, None);
    assert_eq!(session.session.task.as_deref(), Some("t"));
}

#[test]
fn every_variable_that_decides_something_for_a_hook_is_reported_when_a_project_sets_it() {
    // U5
    let idle = |name: &str| {
        ["CHIBI_", OTLP].iter().any(|start| name.starts_with(start))
            || ["USER", "NO_COLOR", "TERM", "COLUMNS"].contains(&name)
    };
    for Variable { name, .. } in VARIABLES {
        let agent = if *name == "OPENCODE_PURE" { HookAgent::Opencode } else { HookAgent::Codex };
        let decides = metier_serve::hook_setup::is_decisive(agent, name);
        assert_ne!(decides, idle(name), "{name}");
    }
    for name in client::variables() {
        assert!(metier_serve::hook_setup::is_decisive(HookAgent::ClaudeCode, name), "{name}");
    }
}

#[test]
fn a_hook_goes_by_nothing_that_a_project_could_set() {
    // U5
    let all = |name: &str| name.starts_with("METIER_").then(|| "/x".into());
    let seen = Environment::from_lookup(all, "/p".into()).of_a_hook();
    let paths = [&seen.config, &seen.metier_home, &seen.project, &seen.session.journal];
    assert_eq!(paths, [&None; 4]);
    assert_eq!((&seen.skills, &seen.session.session), (&None, &None));
    assert!(seen.session.correlation.is_some(), "what frames are called decides nothing");
}
