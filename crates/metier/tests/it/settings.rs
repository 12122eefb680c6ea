use metier_testing::World;
use serde_json::json;

use crate::{metier, transcript};

#[test]
fn an_unknown_key_ends_with_two_its_place_and_a_suggestion() {
    // U1
    let world = World::new();
    world.write("home/.config/metier/config.toml", "color = \"auto\"\n\n[scan]\nmax-dept = 2\n");
    insta::assert_snapshot!(transcript(&world, &metier(&world, &["list"])));
}

#[test]
fn a_settings_file_named_by_hand_must_exist() {
    // U1
    let mut world = World::new();
    let flag = metier(&world, &["list", "--config", "gone.toml"]);
    assert_eq!(flag.code, 2);
    assert!(flag.stderr.contains("cannot read the settings file"), "{}", flag.stderr);
    world.env("METIER_CONFIG", "gone.toml");
    assert_eq!(metier(&world, &["list"]).code, 2);
}

#[test]
fn roots_precedence_and_limits_come_from_the_file() {
    // D1, D3
    let world = World::new();
    world.skill("home/mine", "pdf", "The personal one. Use when at home.");
    world.skill("home/theirs", "pdf", "The project's one. Use when at work.");
    world.skill("home/theirs/a/b/c", "deep", "A deep one. Use when below.");
    let config = |precedence: &str, depth: usize| {
        world.write(
            "home/.config/metier/config.toml",
            format!(
                "default-roots = false\nprecedence = \"{precedence}\"\nscan.max-depth = {depth}\n\
                 trusted-folders = [\"~/theirs\"]\n\
                 roots = [{{layer = \"personal\", path = \"~/mine\"}},\n\
                 {{layer = \"project\", path = \"../../theirs\"}}]\n"
            ),
        );
        let document = metier(&world, &["list", "--json"]).json();
        let skills = document["skills"].as_array().unwrap().clone();
        skills.iter().map(|s| format!("{} {}", s["name"], s["layer"])).collect::<Vec<_>>()
    };
    assert_eq!(config("default", 6), ["\"deep\" \"project\"", "\"pdf\" \"personal\""]);
    assert_eq!(config("project-first", 6), ["\"deep\" \"project\"", "\"pdf\" \"project\""]);
    assert_eq!(config("default", 2), ["\"pdf\" \"personal\""]);
}

#[test]
fn a_project_cannot_trust_itself() {
    // D4
    let world = World::new();
    world.skill("project/.agents/skills", "evil", "Does evil. Use never.");
    let own = format!("trusted-folders = [\"{}\"]", world.project().display());
    for file in ["config.toml", ".metier/config.toml", ".config/metier/config.toml"] {
        world.write(format!("project/{file}"), &own);
    }
    let root = format!("project={}", world.project().join(".agents/skills").display());
    let document =
        metier(&world, &["list", "--json", "--no-default-roots", "--root", &root]).json();
    assert_eq!(document["skills"][0]["trust"], "untrusted");
    assert_eq!(document["skills"][0]["active"], false);
}

#[test]
fn the_hint_how_to_trust_a_project_does_so_when_followed() {
    // D4, H5
    let world = World::new();
    world.write("project/.git/HEAD", "");
    world.skill("project/.agents/skills", "deploy", "Deploys the site. Use for a release.");
    let hint = metier(&world, &["check"]).stdout;
    let (_, hint) = hint.split_once("hint: `metier trust ").unwrap();
    let (folder, _) = hint.split_once("` trusts this project's skills").unwrap();
    assert_eq!(world.redact(folder), "[WORLD]/project");
    assert_eq!(metier(&world, &["trust", folder, "--yes"]).code, 0);
    let trusted = metier(&world, &["list", "--json"]).json();
    assert_eq!(trusted["skills"][0]["name"], "deploy");
    assert_eq!(trusted["skills"][0]["active"], true);
}

#[test]
fn scope_is_held_against_the_agent_tenant_environment_and_version_of_the_file() {
    // D4
    let world = World::new();
    world.write(
        "project/skills/scoped/SKILL.md",
        "---\nname: scoped\ndescription: For one agent. Use there.\nmin-host-version: 2.0\n\
         scope:\n  agents: [codex]\n  tenants: [acme]\n  environments: [production]\n---\nX\n",
    );
    let listed = |config: &str| {
        world.write("scope.toml", config);
        let args = ["list", "--json", "--no-default-roots", "--root", "personal=skills"];
        let document = metier(&world, &[&args[..], &["--config", "../scope.toml"]].concat()).json();
        document["skills"].as_array().unwrap().len()
    };
    assert_eq!(listed(""), 1);
    assert_eq!(listed("agent = \"codex\""), 1);
    assert_eq!(listed("agent = \"claude-code\""), 0);
    assert_eq!(listed("tenant = \"acme\""), 1);
    assert_eq!(listed("tenant = \"other\""), 0);
    assert_eq!(listed("environment = \"production\""), 1);
    assert_eq!(listed("environment = \"staging\""), 0);
    assert_eq!(listed("host-version = \"2.1\""), 1);
    assert_eq!(listed("host-version = \"1.9\""), 0);
}

#[test]
fn only_immediate_directories_count_where_a_root_says_so() {
    // D1
    let world = World::new();
    world.skill("home/flat", "top", "On top. Use it.");
    world.skill("home/flat/group", "below", "Below. Use it.");
    let config = |immediate: bool| {
        world.write(
            "home/.config/metier/config.toml",
            format!(
                "default-roots = false\n\
                 roots = [{{layer = \"personal\", path = \"~/flat\", immediate-only = {immediate}}}]"
            ),
        );
        metier(&world, &["list", "--json"]).json()["skills"].as_array().unwrap().len()
    };
    assert_eq!((config(false), config(true)), (2, 1));
    assert_eq!(metier(&world, &["list", "--json"]).json()["skipped"], json!([]));
}

#[test]
fn a_settings_file_that_is_no_file_is_refused_and_waited_for_by_nobody() {
    // N1, U1
    let world = World::new();
    let fifo = world.path().join("fifo");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    for path in [fifo.to_str().unwrap(), "/dev/zero", "/"] {
        let run = metier(&world, &["list", "--config", path]);
        assert_eq!(run.code, 2, "{path}");
        assert!(run.stderr.contains("it is not a file"), "{path}: {}", run.stderr);
    }
}
