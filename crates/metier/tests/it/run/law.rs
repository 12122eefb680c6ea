//! Whose scripts run at all: names, policy, trust.

use serde_json::json;

use super::{policy, run, world, world_in};
use crate::{frames, hermetic};

#[test]
fn policy_denies_scripts_by_skill_and_by_name_and_the_refusal_is_recorded() {
    // S4, R3
    let world = world(&[("a.sh", "echo a\n"), ("b.sh", "echo b\n")]);
    policy(
        &world,
        "[[rule]]\nid = \"no-b\"\nverdict = \"deny\"\npattern = \"Script\"\n\
         arguments = { script = \"scripts/b.sh\" }\nreason = \"b is broken\"\n",
    );
    assert_eq!(run(&world, "a", &[]).code, 0);
    let denied = run(&world, "b", &["--json"]);
    assert_eq!((denied.code, &denied.json()["error"]), (3, &json!("permission_denied")));
    assert!(denied.json()["message"].as_str().unwrap().contains("b is broken"));
    let last = frames(&world).pop().unwrap();
    assert_eq!(last["type"], "tool_restriction_violated");
    policy(&world, "[[rule]]\nverdict = \"deny\"\npattern = \"Script\"\nskill = \"tool\"\n");
    assert_eq!(run(&world, "a", &[]).code, 3);
    policy(&world, "rule = 1\n");
    assert_eq!(run(&world, "a", &[]).code, 3, "a policy that cannot be read denies");
}

#[test]
fn a_dry_run_ends_as_the_run_would() {
    // R3, R6, S4
    let more = "permissions:\n  network: [api.example.com]\n";
    let world = world_in("bundled", more, &[("a.sh", "echo ran\n")]);
    let check = |law: &str, said: &str| {
        policy(&world, law);
        let (real, dry) = (run(&world, "a", &[]), run(&world, "a", &["--dry-run"]));
        assert_eq!((dry.code, real.code), (3, 3), "{law}: {}", dry.stdout);
        assert!(dry.stdout.starts_with("command "), "{}", dry.stdout);
        assert!(dry.stderr.contains(said) && real.stderr.contains(said), "{}", dry.stderr);
        let shape = run(&world, "a", &["--dry-run", "--json"]).json();
        assert_eq!(shape["success"], false, "{shape}");
        assert_eq!(shape["error"], "permission_denied", "{shape}");
        assert_eq!(shape["script"], "scripts/a.sh", "{shape}");
    };
    check("", "this system cannot enforce network");
    check("[[rule]]\nverdict = \"deny\"\npattern = \"Script\"\n", "policy does not allow");
    policy(&world, "[scripts]\nnetwork = \"off\"\n");
    assert_eq!(run(&world, "a", &["--dry-run"]).code, 0);
}

#[test]
fn every_failure_of_a_run_has_the_envelope_and_a_name_that_leaves_is_refused() {
    // R1, R3, U1
    let world = world(&[("a.sh", "echo a\n")]);
    let check = |script: &str, more: &[&str], code: i32, error: &str| {
        let failed = run(&world, script, &[more, &["--json"]].concat());
        let shape = failed.json();
        assert_eq!((failed.code, shape["success"].as_bool()), (code, Some(false)), "{shape}");
        assert_eq!(shape["error"], error, "{shape}");
        assert!(shape["message"].is_string(), "{shape}");
    };
    check("a", &["--stdin", "/nope"], 1, "execution_failed");
    check("gone", &["--dry-run"], 1, "not_found");
    check("../x", &[], 3, "invalid_name");
    check("../x", &["--dry-run"], 3, "invalid_name");
    let refused = run(&world, "../x", &[]);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
    assert_eq!(refused.code, hermetic(&world, &["read", "tool", "../x"]).code);
}

#[test]
fn what_policy_asks_about_a_model_may_not_run_and_a_person_may() {
    // S4, R3
    let world = world(&[("a.sh", "echo a\n")]);
    policy(&world, "[[rule]]\nverdict = \"ask\"\npattern = \"Script\"\n");
    assert_eq!(run(&world, "a", &[]).code, 0);
    assert_eq!(run(&world, "a", &["--auto"]).code, 3);
    assert_eq!(run(&world, "a", &["--auto", "--yes"]).code, 0);
}

#[test]
fn another_active_skill_has_to_allow_scripts_and_ones_own_does_not() {
    // S3, R3
    let world = world_in("personal", "allowed-tools: Read\n", &[("a.sh", "echo a\n")]);
    let other = "---\nname: other\ndescription: Other.\nallowed-tools: Read\n---\n";
    world.write("roots/personal/other/SKILL.md", other);
    hermetic(&world, &["use", "tool"]);
    assert_eq!(run(&world, "a", &[]).code, 0, "the hint of S5 says to run it");
    hermetic(&world, &["use", "other"]);
    let denied = run(&world, "a", &[]);
    assert_eq!(denied.code, 3);
    assert!(denied.stderr.contains("`other`"), "{}", denied.stderr);
    assert!(denied.stderr.contains("hint: `metier release other`"), "{}", denied.stderr);
}

#[test]
fn policy_may_let_only_active_skills_run_scripts() {
    // R3, S4
    let world = world(&[("a.sh", "echo a\n")]);
    policy(&world, "[scripts]\nonly-active = true\n");
    assert_eq!(run(&world, "a", &[]).code, 3);
    hermetic(&world, &["use", "tool"]);
    assert_eq!(run(&world, "a", &[]).code, 0);
}

#[test]
fn names_that_mean_nothing_something_else_or_too_much_are_refused() {
    // R2, R3
    let world = world(&[("run.py", ""), ("run.sh", "")]);
    std::os::unix::fs::symlink(
        "/etc/passwd",
        world.path().join("roots/personal/tool/scripts/evil.py"),
    )
    .unwrap();
    let check = |skill: &str, script: &str, code: &str, part: &str| {
        let answer = hermetic(&world, &["run", skill, script, "--json"]).json();
        assert_eq!(answer["error"], code, "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(part), "{answer}");
    };
    check("nope", "x", "not_found", "Skill 'nope' not found");
    check("../tool", "x", "invalid_name", "../tool");
    check("tool", "nope", "not_found", "Script 'nope' not found in skill 'tool'");
    check("tool", "../../etc/passwd", "invalid_name", "etc/passwd");
    check("tool", "run", "invalid_name", "`scripts/run.py`, `scripts/run.sh`");
    check("tool", "evil", "permission_denied", "leaves the skill");
    let listed = hermetic(&world, &["scripts", "tool"]);
    assert!(listed.stderr.contains("`scripts/evil.py` is no script"), "{}", listed.stderr);
}

#[test]
fn a_project_nobody_trusts_runs_nothing() {
    // R3, D4
    let world = world_in("project", "", &[("a.sh", "echo a\n")]);
    let refused = run(&world, "a", &["--json"]);
    assert_eq!((refused.code, &refused.json()["error"]), (3, &json!("permission_denied")));
    assert!(
        hermetic(&world, &["scripts", "--json"]).json()["result"].as_object().unwrap().is_empty()
    );
}
