use super::*;

fn places() -> Places {
    Places {
        home: Some("/home".into()),
        project: Some("/work".into()),
        metier_home: Some("/home/.local/share/metier".into()),
        ..Places::default()
    }
}

fn with(name: &str, value: &str) -> Places {
    Places { variables: BTreeMap::from([(name.to_owned(), value.to_owned())]), ..places() }
}

fn find<'a>(roots: &'a [Root], path: &str) -> Option<&'a Root> {
    roots.iter().find(|root| root.path == *path)
}

#[test]
fn the_directories_people_use_are_searched_in_their_layer() {
    // D1
    let roots = default_roots(&places());
    let check = |path: &str, layer: Layer| {
        let root = find(&roots, path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(root.layer, layer, "{path}");
        assert!(root.optional && !root.immediate_only, "{path}");
    };
    check("/etc/metier/skills", Layer::Enterprise);
    check("/etc/claude-code/.claude/skills", Layer::Enterprise);
    check("/etc/codex/skills", Layer::Enterprise);
    check("/home/.local/share/metier/skills", Layer::Personal);
    check("/home/.agents/skills", Layer::Personal);
    check("/home/.claude/skills", Layer::Personal);
    check("/home/.codex/skills", Layer::Personal);
    check("/home/.gemini/skills", Layer::Personal);
    check("/home/.config/opencode/skills", Layer::Personal);
    check("/home/.config/goose/skills", Layer::Personal);
    check("/home/.copilot/skills", Layer::Personal);
    check("/home/.cursor/skills", Layer::Personal);
    check("/home/.agent/skills", Layer::Personal);
    check("/work/.metier/skills", Layer::Project);
    check("/work/.agents/skills", Layer::Project);
    check("/work/.claude/skills", Layer::Project);
    check("/work/.codex/skills", Layer::Project);
    check("/work/.github/skills", Layer::Project);
    check("/work/.opencode/skill", Layer::Project);
}

#[test]
fn names_that_may_be_anything_are_not_searched() {
    // D1
    let roots = default_roots(&places());
    for path in ["/work/skills", "/work/data/skills", "/work/agent/skills"] {
        assert_eq!(find(&roots, path), None, "{path}");
    }
    assert!(find(&roots, "/home/.openclaw/skills").is_some(), "the agent's own is");
}

#[test]
fn a_project_is_trusted_only_when_somebody_said_so() {
    // D1, D4
    for trusted in [false, true] {
        for root in default_roots(&Places { trusted, ..places() }) {
            assert_eq!(root.trusted, trusted || root.layer != Layer::Project, "{root:?}");
        }
    }
}

#[test]
fn every_directory_is_searched_once_in_the_order_of_clients() {
    // D1, D3
    let roots = default_roots(&places());
    let paths: BTreeSet<_> = roots.iter().map(|root| &root.path).collect();
    assert_eq!(paths.len(), roots.len());
    for layer in [Layer::Enterprise, Layer::Personal, Layer::Project] {
        let orders: Vec<_> =
            roots.iter().filter(|r| r.layer == layer).map(|r| r.client_order).collect();
        assert!(orders.is_sorted_by(|a, b| a < b), "{layer:?} {orders:?}");
    }
    let order = |path: &str| find(&roots, path).unwrap().client_order;
    let first = [
        "/work/.metier/skills",
        "/work/.agents/skills",
        "/work/.claude/skills",
        "/work/.codex/skills",
        "/work/.gemini/skills",
        "/work/.opencode/skills",
        "/work/.goose/skills",
        "/work/.github/skills",
        "/work/.cursor/skills",
        "/work/.adal/skills",
    ];
    assert!(first.is_sorted_by(|a, b| order(a) < order(b)));
    assert!(order("/work/.metier/skills") > 0, "roots given by hand come before");
}

#[test]
fn places_that_are_unknown_leave_their_directories_out() {
    // D1
    let roots = default_roots(&Places::default());
    assert!(roots.iter().all(|root| root.layer == Layer::Enterprise), "{roots:?}");
    let no_project = default_roots(&Places { project: None, ..places() });
    assert!(no_project.iter().all(|root| root.layer != Layer::Project));
}

#[test]
fn variables_move_the_directories_they_name() {
    // D1
    let check = |places: &Places, directory: &str, expect: Option<&str>| {
        assert_eq!(places.resolve(directory), expect.map(PathBuf::from), "{directory}");
    };
    let codex = "{CODEX_HOME|~/.codex}/skills";
    check(&places(), codex, Some("/home/.codex/skills"));
    check(&with("CODEX_HOME", "/data/codex"), codex, Some("/data/codex/skills"));
    check(&with("CODEX_HOME", "relative"), codex, Some("/home/.codex/skills"));
    check(&with("CODEX_HOME", ""), codex, Some("/home/.codex/skills"));
    let goose = "{XDG_CONFIG_HOME|~/.config}/goose/skills";
    check(&places(), goose, Some("/home/.config/goose/skills"));
    check(&with("XDG_CONFIG_HOME", "/xdg"), goose, Some("/xdg/goose/skills"));
    let config_home =
        Places { config_home: Some("/cfg".into()), ..with("XDG_CONFIG_HOME", "/xdg") };
    check(&config_home, goose, Some("/cfg/goose/skills"));
    check(&Places::default(), goose, None);
    check(&Places::default(), "/etc/x", Some("/etc/x"));
    check(&places(), ".x/skills", Some("/work/.x/skills"));
}

#[test]
fn the_variables_to_pass_in_are_listed() {
    // D1
    let names = variables();
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "GROK_HOME", "VIBE_HOME"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(names.is_sorted());
}

#[test]
fn the_table_is_in_order_and_well_formed() {
    // D1
    let ids: BTreeSet<_> = AGENTS.iter().map(|agent| agent.id).collect();
    assert_eq!(ids.len(), AGENTS.len(), "ids are unique");
    assert!(AGENTS.len() >= 79);
    assert!(AGENTS[8..].is_sorted_by_key(|agent| agent.id));
    let first: Vec<_> = AGENTS[..8].iter().map(|agent| agent.id).collect();
    let expect = [
        "universal",
        "claude-code",
        "codex",
        "gemini-cli",
        "opencode",
        "goose",
        "github-copilot",
        "cursor",
    ];
    assert_eq!(first, expect);
    for agent in AGENTS {
        assert!(!agent.title.is_empty());
        for layer in Layer::ALL {
            let directories = agent.directories(layer);
            assert!(directories.len() <= usize::from(DIRECTORIES_PER_AGENT), "{}", agent.id);
            for directory in directories {
                let path = places().resolve(directory).unwrap();
                let prefix = match layer {
                    Layer::Project => "/work",
                    Layer::Personal => "/home",
                    _ => "/etc",
                };
                assert!(path.starts_with(prefix), "{} {directory}", agent.id);
                let last = path.file_name().unwrap().to_string_lossy().into_owned();
                assert!(["skills", "skill", ".skills"].contains(&last.as_str()), "{directory}");
            }
        }
        for directory in agent.also {
            assert!(places().resolve(directory).is_some());
        }
    }
}

#[test]
fn an_agent_is_found_by_its_id() {
    // D1
    assert_eq!(Agent::find("claude-code").unwrap().title, "Claude Code");
    assert_eq!(Agent::find("claude"), None);
    assert_eq!(Agent::profile("nobody"), None);
}

#[test]
fn every_agent_but_the_one_that_stands_for_all_can_be_told_to_be_there() {
    // P7
    for agent in AGENTS {
        assert_eq!(agent.detected.is_empty(), agent.id == "universal", "{}", agent.id);
        for path in agent.detected {
            assert!(!path.starts_with("./") && !path.contains('$'), "{path}");
            assert!(places().resolve(path).is_some(), "{path}");
        }
    }
    let codex = Agent::find("codex").unwrap().detected;
    let check = |places: &Places, expect: &str| {
        assert_eq!(places.resolve(codex[0]).unwrap().to_str(), Some(expect));
    };
    check(&places(), "/home/.codex");
    check(&with("CODEX_HOME", "/data/codex"), "/data/codex");
}
