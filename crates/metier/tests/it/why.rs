use metier_testing::World;
use serde_json::json;

use crate::{hermetic, metier, sample, transcript};

#[test]
fn every_candidate_is_named_with_the_rule_that_decided() {
    // D3, U1
    let world = sample();
    insta::assert_snapshot!(transcript(&world, &hermetic(&world, &["why", "PDF"])));
}

#[test]
fn json_has_the_sentence_and_every_candidate() {
    // D3, U1
    let world = sample();
    let run = hermetic(&world, &["why", "pdf", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let document = run.json();
    assert!(
        document["sentence"].as_str().unwrap().contains("personal beats project"),
        "{document}"
    );
    let outcomes: Vec<&serde_json::Value> =
        document["candidates"].as_array().unwrap().iter().map(|c| &c["outcome"]).collect();
    assert_eq!(outcomes, [&json!("wins"), &json!("shadowed")]);
}

#[test]
fn a_skill_that_cannot_be_loaded_or_is_switched_off_is_explained() {
    // D3, D4
    let world = sample();
    let broken = hermetic(&world, &["why", "broken"]);
    assert_eq!(broken.code, 0);
    assert!(broken.stdout.contains("SK111"), "{}", broken.stdout);
    let off = hermetic(&world, &["why", "sheets", "--skills", "pdf"]);
    assert!(off.stdout.contains("is not among the enabled skills"), "{}", off.stdout);
    let untrusted = hermetic(&world, &["why", "deploy"]);
    assert!(untrusted.stdout.contains("until you trust the folder"), "{}", untrusted.stdout);
}

#[test]
fn other_agents_answer_by_their_own_rules() {
    // D3, D1
    let world = World::new();
    world.write("project/.git/HEAD", "");
    world.skill("home/.claude/skills", "pdf", "The user's. Use it at home.");
    world.skill("project/.claude/skills", "pdf", "The project's. Use it at work.");
    world.skill("project/.agents/skills", "pdf", "Of all agents. Use it anywhere.");
    let winner = |agent: &str| {
        let run = metier(&world, &["why", "pdf", "--as", agent, "--json"]);
        assert_eq!(run.code, 0, "{agent}: {}", run.stderr);
        let path = run.json()["candidates"][0]["path"].as_str().unwrap().to_owned();
        world.redact(&path)
    };
    assert_eq!(winner("claude-code"), "[WORLD]/home/.claude/skills/pdf");
    assert_eq!(winner("codex"), "[WORLD]/project/.agents/skills/pdf");
    assert_eq!(winner("opencode"), "[WORLD]/project/.agents/skills/pdf");
    let run = metier(&world, &["why", "pdf", "--as", "claude-code"]);
    insta::assert_snapshot!(transcript(&world, &run));
}

#[test]
fn an_unknown_agent_or_name_is_said() {
    // D8, U1
    let world = sample();
    let agent = hermetic(&world, &["why", "pdf", "--as", "emacs"]);
    assert_eq!(agent.code, 2);
    assert!(agent.stderr.contains("claude-code, codex, gemini-cli"), "{}", agent.stderr);
    let name = hermetic(&world, &["why", "shets"]);
    assert_eq!(name.code, 1);
    assert_eq!(name.stderr, "error: there is no skill `shets`\nhint: did you mean `sheets`?\n");
    let nothing = hermetic(&world, &["why", "pdf", "--as", "codex"]);
    assert_eq!(nothing.code, 1);
    let expect = "error: for Codex, there is no skill called `pdf`\nhint: without `--as`, ";
    assert!(nothing.stderr.starts_with(expect), "{}", nothing.stderr);
    assert_eq!(hermetic(&world, &["why", "../pdf"]).code, 1);
}
