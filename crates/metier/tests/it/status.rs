use serde_json::json;

use crate::{hermetic, journal, metier, transcript, workshop};

#[test]
fn the_stack_the_tools_and_the_counts_are_shown() {
    // S1, S6, U1
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["use", "free"]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "git log"}"#]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "rm -rf x"}"#]);
    let text = transcript(&world, &hermetic(&world, &["status"]));
    // The text a model receives names the world's directory, which is as long as it is.
    let (before, after) = text.split_once(" refused, ").unwrap();
    let (_, after) = after.split_once(" tokens").unwrap();
    insta::assert_snapshot!(format!("{before} refused, [N] tokens{after}"));
}

#[test]
fn json_has_stack_grant_counters_journal_and_policy() {
    // S1, S4, U1
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    world.write("project/.metier/policy.toml", "default = \"allow\"\n");
    let status = hermetic(&world, &["status", "--json", "--profile", "strict"]).json();
    assert_eq!((&status["session"], &status["open"]), (&json!("default"), &json!(true)));
    assert_eq!(status["stack"][0]["name"], "notes");
    assert_eq!(status["grant"], json!([{"skill": "notes", "tools": ["Read", "Bash(git:*)"]}]));
    assert_eq!(status["counters"]["activations"], 1);
    assert!(status["journal"].as_str().unwrap().ends_with("sessions/default.jsonl"));
    assert_eq!(
        (&status["policy"]["profile"], &status["policy"]["error"]),
        (&json!("strict"), &json!(null))
    );
    assert_eq!(status["policy"]["files"][0]["layer"], "project");
}

#[test]
fn a_journal_that_is_gone_is_missed_and_not_taken_for_a_new_session() {
    // J3, S6, U1
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    std::fs::remove_file(journal(&world)).unwrap();
    for args in [&["status"][..], &["events"], &["use", "free"], &["guard", "Read"], &["end"]] {
        let run = hermetic(&world, &[&["--json"], args].concat());
        let said = run.json();
        let gone = said.to_string().contains("is gone, and with it");
        assert!(gone, "{args:?}: {said}");
        assert_eq!(run.code, 3, "{args:?}: {}", run.stderr);
        let denied = args[0] == "guard" && said["verdict"] == "deny";
        assert!(denied || said["error"]["code"] == "journal_gone", "{args:?}: {said}");
        assert!(!journal(&world).exists(), "{args:?} makes no other in its place");
    }
    let other = hermetic(&world, &["--session", "other", "status"]);
    assert_eq!(other.code, 0, "{}", other.stderr);
}

#[test]
fn looking_writes_nothing() {
    // S6, U1
    let world = workshop();
    for args in [&["status"][..], &["events"], &["metrics"], &[], &["end"], &["status", "--json"]] {
        assert_eq!(hermetic(&world, args).code, 0, "{args:?}");
    }
    assert!(!journal(&world).parent().unwrap().exists());
}

#[test]
fn the_overview_says_what_is_active() {
    // U1, S6
    let world = workshop();
    let none = metier(&world, &[]);
    assert!(none.stdout.contains("session `default`: no skill is activated"), "{}", none.stdout);
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["use", "free"]);
    let run = metier(&world, &[]);
    assert!(run.stdout.contains("session `default`: activated: notes > free"), "{}", run.stdout);
    let document = metier(&world, &["--json"]).json();
    assert_eq!(document["session"]["stack"], json!(["notes", "free"]));
    world.write("home/.local/share/metier/sessions/default.jsonl", "nonsense\n");
    let run = metier(&world, &[]);
    assert_eq!(run.code, 0, "the rest is shown all the same");
    assert!(run.stderr.contains("was changed at frame 0"), "{}", run.stderr);
}
