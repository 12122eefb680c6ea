use metier_store::client::Places;

use super::super::{join, part, targets};
use super::*;

fn start(program: &str) -> Start {
    let pin = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Start {
        program: program.to_owned(),
        flags: vec!["--home".to_owned(), "/my home/it's".to_owned()],
        variables: vec![pin("HOME", "/my home"), pin("XDG_DATA_HOME", "")],
    }
}

fn files(agent: HookAgent, texts: Vec<Option<String>>) -> Vec<Present> {
    let places = Places { home: Some("/h".into()), ..Places::default() };
    let targets = targets(agent, &places).expect("targets");
    let texts = texts.into_iter().chain(std::iter::repeat(None));
    targets.into_iter().zip(texts).map(|(target, text)| Present { target, text }).collect()
}

#[test]
fn what_metier_wrote_says_how_it_starts_metier() {
    // U5
    for agent in HookAgent::ALL {
        for program in ["/opt/metier", "/opt/my tools/it's=metier"] {
            let none = files(agent, Vec::new());
            assert_eq!(found(agent, &none), Found::default());
            let joined = join(agent, &none, &start(program)).expect("joined");
            let joined = files(agent, joined.into_iter().map(Some).collect());
            let found = found(agent, &joined);
            assert_eq!(found.starts, [start(program)], "{}", agent.title());
            assert!(found.entries > 0);
            // And so everything of it is taken out again.
            let parted = part(agent, &joined, &found.starts, &[]).expect("parted");
            assert!(parted.iter().all(Option::is_none), "{parted:?}");
        }
    }
}

#[test]
fn entries_of_another_metier_and_edited_ones_are_found_by_their_mark() {
    // U5
    let check = |command: &str, expected: Option<&str>| {
        let text = serde_json::json!({"hooks": {"PreToolUse": [
            {"hooks": [{"type": "command", "command": "mine"}, {"type": "command", "command": command}]},
        ]}});
        let files = files(HookAgent::ClaudeCode, vec![Some(text.to_string())]);
        let found = found(HookAgent::ClaudeCode, &files);
        let programs: Vec<&str> = found.starts.iter().map(|start| start.program.as_str()).collect();
        assert_eq!(programs, expected.into_iter().collect::<Vec<_>>(), "{command}");
        let parted = part(HookAgent::ClaudeCode, &files, &found.starts, &[]).expect("parted");
        let parted = parted.into_iter().next().flatten().expect("something is left");
        assert!(parted.contains("mine"), "{parted}");
        assert_eq!(!parted.contains("metier"), found.entries == 1, "{parted}");
        found.entries
    };
    let old = "/old/metier hook claude-code || { echo gone >&2; exit 2; } # written by metier";
    assert_eq!(check(old, Some("/old/metier")), 1);
    assert_eq!(check("/old/metier hook claude-code; true # written by metier", None), 1);
    assert_eq!(check("/old/metier hook claude-code || exit 2", None), 0);
}

#[test]
fn what_is_not_metiers_is_not_touched_to_the_byte() {
    // U5
    for (agent, texts) in [
        (HookAgent::ClaudeCode, vec!["{ }", "{\"mcpServers\": {}, \"hooks\": {}}"]),
        (HookAgent::Codex, vec!["{\"hooks\": {\"Stop\": []}}", "[hooks.state]\n\n[mcp_servers]\n"]),
        (HookAgent::GeminiCli, vec!["\n"]),
        (
            HookAgent::Opencode,
            vec!["// my own plugin\n", "{\"mcp\":{\"metier\":{\"type\":\"remote\"}}}"],
        ),
    ] {
        let texts: Vec<Option<String>> =
            texts.into_iter().map(|text| Some(text.to_owned())).collect();
        let files = files(agent, texts.clone());
        let parted = part(agent, &files, &[start("/opt/metier")], &[]).expect("parted");
        assert_eq!(parted, texts, "{}", agent.title());
    }
}
