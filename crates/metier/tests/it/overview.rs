use metier_testing::World;
use serde_json::json;

use crate::{hermetic, metier, sample, transcript};

#[test]
fn one_screen_says_what_is_here_and_what_to_type() {
    // U1
    let world = sample();
    let run = hermetic(&world, &[]);
    insta::assert_snapshot!(transcript(&world, &run));
}

#[test]
fn it_is_never_longer_than_a_screen() {
    // U1
    let world = sample();
    for layer in ["enterprise", "bundled"] {
        for number in 0..50 {
            let name = format!("skill-{number:02}");
            world.skill(format!("roots/{layer}/group-{number}"), &name, "One of many. Use it.");
        }
    }
    let run = hermetic(&world, &[]);
    assert!(run.stdout.lines().count() <= 20, "{}", run.stdout);
}

#[test]
fn a_machine_without_skills_still_has_the_bundled_ones() {
    // D1, B1
    let world = World::new();
    let run = metier(&world, &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert!(run.stdout.contains("bundled"), "{}", run.stdout);
    assert!(run.stdout.contains("inside metier"), "{}", run.stdout);
    let listed = metier(&world, &["list", "--json"]).json();
    let skills = listed["skills"].as_array().unwrap();
    assert!(!skills.is_empty());
    assert!(skills.iter().all(|s| s["trust"] == "approved" && s["layer"] == "bundled"), "{listed}");
}

#[test]
fn json_counts_the_same() {
    // U1
    let world = sample();
    let document = hermetic(&world, &["--json"]).json();
    assert_eq!((&document["active"], &document["untrusted"]), (&json!(3), &json!(1)));
    assert_eq!((&document["shadowed"], &document["skipped"]), (&json!(1), &json!(1)));
    let roots = document["roots"].as_array().unwrap();
    let roots: Vec<_> = roots.iter().map(|r| (r["layer"].as_str(), r["skills"].as_u64())).collect();
    let expect = [("personal", 2), ("project", 1), ("plugin", 1)];
    assert_eq!(roots, expect.map(|(layer, skills)| (Some(layer), Some(skills))));
    let empty = metier(&world, &["--json"]).json();
    assert_eq!(empty["roots"].as_array().unwrap().len(), 1, "only roots that hold skills: {empty}");
}

#[test]
fn the_directories_agents_use_are_found_without_being_named() {
    // D1
    let world = World::new();
    world.skill("home/.agents/skills", "shared", "For all agents. Use it.");
    world.skill("home/.claude/skills", "claudes", "For one agent. Use it.");
    world.skill("project/.codex/skills", "codexes", "Of the project. Use it.");
    let document = metier(&world, &["list", "--json"]).json();
    let found: Vec<(String, String)> = document["skills"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|s| s["layer"] != "bundled")
        .map(|s| (s["name"].to_string(), s["layer"].to_string()))
        .collect();
    let expect = [("claudes", "personal"), ("codexes", "project"), ("shared", "personal")];
    let expect = expect.map(|(name, layer)| (format!("\"{name}\""), format!("\"{layer}\"")));
    assert_eq!(found, expect);
}

#[test]
fn a_variable_moves_an_agents_directory() {
    // D1
    let mut world = World::new();
    world.skill("elsewhere/skills", "moved", "Was moved. Use it there.");
    world.env("CLAUDE_CONFIG_DIR", world.path().join("elsewhere").to_str().unwrap());
    let document = metier(&world, &["list", "--json"]).json();
    assert!(document["skills"].to_string().contains("\"moved\""), "{document}");
}
