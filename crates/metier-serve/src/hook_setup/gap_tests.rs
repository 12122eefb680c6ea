use metier_store::client::Places;

use super::super::{join, targets};
use super::*;

fn start() -> Start {
    Start { program: "/opt/metier".to_owned(), flags: Vec::new(), variables: Vec::new() }
}

/// The gaps of an agent with metier's hooks and this server, where the server is what is asked about.
fn check(agent: HookAgent, server: &str, expected: Option<&Missing>) {
    let places = Places { home: Some("/h".into()), ..Places::default() };
    let targets = targets(agent, &places).expect("targets");
    let none = |target| Present { target, text: None };
    let files: Vec<Present> = targets.into_iter().map(none).collect();
    let joined = join(agent, &files, &start()).expect("joined");
    let mut files: Vec<Present> =
        files.into_iter().zip(joined).map(|(f, text)| Present { text: Some(text), ..f }).collect();
    assert_eq!(gaps(agent, &files, &start()), []);
    let last = files.last_mut().expect("one");
    last.text = match agent {
        HookAgent::Codex => {
            let mut document: DocumentMut = last.text.clone().expect("text").parse().expect("TOML");
            document.remove("mcp_servers");
            Some(document.to_string() + server)
        }
        _ => {
            let text = last.text.clone().expect("text");
            let mut root: Value = serde_json::from_str(&text).expect("JSON");
            let servers: Value = serde_json::from_str(server).expect("JSON");
            root.as_object_mut().expect("an object").shift_remove(json::servers(agent));
            root[json::servers(agent)] = servers;
            Some(root.to_string())
        }
    };
    let path = last.target.path.clone();
    let found = gaps(agent, &files, &start());
    let expected = expected.map(|what| Gap { path, what: what.clone() });
    assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{} {server}", agent.title());
}

#[test]
fn a_server_of_that_name_that_starts_something_else_is_not_metiers() {
    // U5
    use HookAgent::{ClaudeCode, Codex, GeminiCli, Opencode};
    for agent in [ClaudeCode, GeminiCli] {
        check(agent, "{}", Some(&Missing::Server));
        check(agent, r#"{"metier": {"command": "mine"}}"#, Some(&Missing::ForeignServer));
        check(agent, r#"{"metier": {"url": "http://a"}}"#, Some(&Missing::ForeignServer));
        check(agent, r#"{"metier": {"command": "metier", "args": ["mcp"], "env": {}}}"#, None);
        check(
            agent,
            r#"{"metier": {"command": "/usr/bin/metier", "args": ["--home", "/x", "mcp"]}}"#,
            None,
        );
        let other = r#"{"metier": {"command": "metier", "args": ["serve"]}}"#;
        check(agent, other, Some(&Missing::ForeignServer));
    }
    let foreign = r#"{"metier": {"type": "local", "command": ["mine", "mcp"]}}"#;
    check(Opencode, foreign, Some(&Missing::ForeignServer));
    check(Opencode, r#"{"metier": {"type": "local", "command": ["metier", "mcp"]}}"#, None);
    check(Opencode, "{}", Some(&Missing::Server));
    check(Codex, "", Some(&Missing::Server));
    check(Codex, "\n[mcp_servers.metier]\ncommand = \"mine\"\n", Some(&Missing::ForeignServer));
    check(Codex, "\n[mcp_servers.metier]\ncommand = \"/x/metier\"\nargs = [\"mcp\"]\n", None);
}
