use std::path::PathBuf;

use super::*;
use crate::client::Agent;
use crate::fixture::Fixture;

fn places(trusted: bool) -> Places {
    Places {
        home: Some("/home".into()),
        project: Some("/work".into()),
        trusted,
        ..Places::default()
    }
}

#[test]
fn the_agents_people_ask_about_are_known() {
    // D3
    for id in ["claude-code", "codex", "gemini-cli", "opencode", "goose"] {
        let emulation = Agent::profile(id).unwrap();
        assert!(Agent::find(id).is_some(), "{id} is in the table");
        assert!(!emulation.sources.is_empty());
        assert!(!emulation.caveat.ends_with('.'), "{id}");
    }
}

#[test]
fn each_agent_searches_its_own_directories_in_its_own_order() {
    // D1, D3
    let check = |id: &str, expect: &[(&str, Layer)]| {
        let roots = roots_for(Agent::profile(id).unwrap(), &places(true));
        let found: Vec<_> = roots.iter().map(|root| (root.path.clone(), root.layer)).collect();
        let expect: Vec<_> = expect.iter().map(|(p, layer)| (PathBuf::from(p), *layer)).collect();
        assert_eq!(found, expect, "{id}");
        assert!(roots.is_sorted_by_key(|root| root.client_order));
        assert!(roots.iter().all(|root| root.optional && root.trusted));
    };
    check(
        "claude-code",
        &[
            ("/etc/claude-code/.claude/skills", Layer::Enterprise),
            ("/home/.claude/skills", Layer::Personal),
            ("/work/.claude/skills", Layer::Project),
        ],
    );
    check(
        "gemini-cli",
        &[
            ("/work/.agents/skills", Layer::Project),
            ("/work/.gemini/skills", Layer::Project),
            ("/home/.agents/skills", Layer::Personal),
            ("/home/.gemini/skills", Layer::Personal),
        ],
    );
    check(
        "codex",
        &[
            ("/work/.agents/skills", Layer::Project),
            ("/work/.codex/skills", Layer::Project),
            ("/home/.agents/skills", Layer::Personal),
            ("/home/.codex/skills", Layer::Personal),
            ("/home/.codex/skills/.system", Layer::Bundled),
            ("/etc/codex/skills", Layer::Enterprise),
        ],
    );
    check(
        "opencode",
        &[
            ("/work/.opencode/skills", Layer::Project),
            ("/work/.opencode/skill", Layer::Project),
            ("/home/.config/opencode/skills", Layer::Personal),
            ("/home/.config/opencode/skill", Layer::Personal),
            ("/work/.agents/skills", Layer::Project),
            ("/work/.claude/skills", Layer::Project),
            ("/home/.agents/skills", Layer::Personal),
            ("/home/.claude/skills", Layer::Personal),
        ],
    );
    check(
        "goose",
        &[
            ("/work/.goose/skills", Layer::Project),
            ("/work/.claude/skills", Layer::Project),
            ("/work/.agents/skills", Layer::Project),
            ("/home/.agents/skills", Layer::Personal),
            ("/home/.config/goose/skills", Layer::Personal),
            ("/home/.claude/skills", Layer::Personal),
            ("/home/.config/agents/skills", Layer::Personal),
        ],
    );
}

#[test]
fn only_agents_that_gate_on_trust_mark_a_project_untrusted() {
    // D3, D4
    for emulation in Emulation::ALL {
        for root in roots_for(emulation, &places(false)) {
            let gated = emulation.skips_untrusted && root.layer == Layer::Project;
            assert_eq!(root.trusted, !gated, "{} {root:?}", emulation.agent);
        }
    }
}

#[test]
fn a_directory_named_twice_is_searched_once_where_it_ranks_higher() {
    // D3
    let home_is_project =
        Places { home: Some("/same".into()), project: Some("/same".into()), ..Places::default() };
    let roots = roots_for(Agent::profile("claude-code").unwrap(), &home_is_project);
    let layers: Vec<_> = roots.iter().map(|root| root.layer).collect();
    assert_eq!(layers, [Layer::Enterprise, Layer::Personal]);
}

#[test]
fn equal_ranks_are_told_apart_by_path() {
    // D3
    let discovery = Fixture::new()
        .root(Layer::Personal, "/z")
        .with_root(|root| root.client_order = 2)
        .skill("pdf")
        .root(Layer::Personal, "/a")
        .with_root(|root| root.client_order = 2)
        .skill("pdf")
        .root(Layer::Project, "/zz")
        .with_root(|root| root.client_order = 1)
        .skill("pdf")
        .discovery;
    let codex = Agent::profile("codex").unwrap();
    let order: Vec<_> = codex.order(&discovery).iter().map(|f| discovery.directory(f)).collect();
    assert_eq!(order, ["/zz/pdf", "/a/pdf", "/z/pdf"].map(PathBuf::from));
}
