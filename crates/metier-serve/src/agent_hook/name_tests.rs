use super::*;

#[test]
fn an_id_that_can_be_a_name_is_one() {
    // U5
    let name = session(HookAgent::Codex, "0199-ab_CD");
    assert_eq!(name, "codex.0199-ab_CD");
}

#[test]
fn no_two_ids_share_a_session() {
    // U5
    let long = "x".repeat(97);
    let hex = digest::hex(&digest::sha256(b"a/b"));
    let forged = format!("sha256-{hex}");
    let ids = ["a", "A", "a/b", "a b", "..", "", "é", &long, &forged, "sha256-", "x"];
    let mut names: Vec<String> = ids.iter().map(|id| session(HookAgent::ClaudeCode, id)).collect();
    names.extend(ids.iter().map(|id| session(HookAgent::Codex, id)));
    let usual = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    for name in &names {
        assert!(name.len() <= 128 && !name.starts_with('.') && name.chars().all(usual), "{name}");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn sessions_of_agents_are_told_from_others() {
    // U3, U5
    for agent in HookAgent::ALL {
        assert!(is_of_an_agent(&session(agent, "a/b")) && is_of_an_agent(&session(agent, "x")));
    }
    assert!(is_of_an_agent("chibi-1-2-3-4-5"));
    for name in
        ["default", "claude-code", "claude-codex.1", "team.claude-code.1", "chibi", "x.codex.1"]
    {
        assert!(!is_of_an_agent(name), "{name}");
    }
}
