use std::path::{Path, PathBuf};

use metier_policy::Profile;

use super::{ClientPolicy, MAX_CLIENTS, MAX_NAME, section};
use crate::config::Config;
use crate::env::Environment;

fn parse(text: &str) -> Result<Config, String> {
    let environment = Environment { directory: "/here".into(), ..Environment::default() };
    Config::parse(text, Path::new("/etc/metier/config.toml"), &environment)
        .map_err(|error| error.to_string())
}

#[test]
fn a_section_names_skills_for_and_against_a_policy_and_a_token() {
    // U2, U1
    let config = parse(
        "[clients.editor]\nskills = ['a', 'b']\ndisabled = ['b']\npolicy = 'strict'\ntoken-file = 'editor.token'\n\
         [clients.ci_bot]\nskills = 'none'\npolicy = 'ci.toml'\n[clients.open]\n",
    );
    let clients = config.unwrap().clients;
    let editor = &clients["editor"];
    assert_eq!(editor.skills.as_deref(), Some("a,b"));
    assert_eq!(editor.disabled, ["b"]);
    assert_eq!(editor.policy, Some(ClientPolicy::Profile(Profile::Strict)));
    assert_eq!(editor.token_file, Some(PathBuf::from("/etc/metier/editor.token")));
    let file = ClientPolicy::File("/etc/metier/ci.toml".into());
    assert_eq!(clients["ci_bot"].policy, Some(file));
    assert_eq!(clients["open"], super::ClientConfig::default());
    assert_eq!(section(&clients, "CI-Bot"), Some("ci_bot"), "names are spelled loosely");
    assert_eq!(section(&clients, "other"), None);
}

#[test]
fn a_section_that_cannot_be_meant_is_refused_at_its_place() {
    // U2, U1
    let check = |text: &str, says: &str| {
        let error = parse(text).unwrap_err();
        assert!(error.contains(says), "{error}");
    };
    check("clients = 1", "a table of clients");
    check("clients.a = 1", "a table with `skills`");
    check("[clients.'a.b']\n", "`a.b` cannot name a client");
    check("[clients.'']\n", "cannot name a client");
    check(&format!("[clients.{}]\n", "x".repeat(MAX_NAME + 1)), "cannot name a client");
    check("[clients.a]\n[clients.A]\n", "the same client");
    check("[clients.a]\nskill = 'x'\n", "unknown key `skill` in a client");
    check("[clients.a]\ndisabled = 1\n", "expected");
    check("[clients.a]\npolicy = ''\n", "the path is empty");
    check("[clients.a]\npolicy = 1\n", "expected text");
    let many: String = (0..=MAX_CLIENTS).map(|n| format!("[clients.c{n}]\n")).collect();
    check(&many, "more than 64 clients");
}

#[test]
fn a_client_with_a_token_is_not_called_like_an_agent_whose_sessions_it_would_have() {
    // U2, U3
    for name in ["codex", "Claude-Code", "gemini-cli", "opencode", "chibi-1"] {
        let error = parse(&format!("[clients.{name}]\ntoken-file = 'x.token'\n")).unwrap_err();
        assert!(error.contains(&format!("`{name}` cannot name a client with a token")), "{error}");
        assert!(error.contains("an agent's own"), "{error}");
        // Without one it is who says so of itself, and has sessions as everybody.
        assert!(parse(&format!("[clients.{name}]\nskills = 'none'\n")).is_ok(), "{name}");
    }
    for name in ["my-codex", "codex2", "chibi"] {
        assert!(parse(&format!("[clients.{name}]\ntoken-file = 'x.token'\n")).is_ok(), "{name}");
    }
}
