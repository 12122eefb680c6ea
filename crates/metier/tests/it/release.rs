use serde_json::json;

use crate::{hermetic, journal, workshop};

#[test]
fn skills_leave_in_the_reverse_of_the_order_they_came() {
    // S1
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["use", "free"]);
    let wrong = hermetic(&world, &["release", "notes"]);
    assert_eq!(wrong.code, 1);
    assert!(wrong.stderr.contains("release `free` first"), "{}", wrong.stderr);
    let first = hermetic(&world, &["release", "FREE"]);
    assert_eq!((first.code, first.stdout.as_str()), (0, "released `free`\n"));
    assert_eq!(first.stderr, "`notes` is active still\n");
    let second = hermetic(&world, &["release", "--json"]).json();
    assert_eq!(second, json!({"released": ["notes"], "active": []}));
}

#[test]
fn nothing_to_release_is_a_failure_that_writes_nothing() {
    // S1, U1
    let world = workshop();
    for (args, message, hint) in [
        (&["release"][..], "error: no skill is active\n", "hint: `metier use NAME`"),
        (&["release", "notes"], "error: `notes` is not active\n", "hint: `metier status`"),
    ] {
        let run = hermetic(&world, args);
        assert_eq!((run.code, run.stdout.as_str()), (1, ""));
        assert!(run.stderr.starts_with(message), "{}", run.stderr);
        assert!(run.stderr.contains(hint), "{}", run.stderr);
    }
    assert!(!journal(&world).exists(), "asking does not begin a session");
    hermetic(&world, &["use", "notes"]);
    let run = hermetic(&world, &["release", "free", "--json"]);
    assert_eq!((run.code, run.json()["error"]["code"].as_str()), (1, Some("skill_not_active")));
    hermetic(&world, &["use", "free"]);
    let run = hermetic(&world, &["release", "notes", "--json"]);
    assert_eq!(run.json()["error"]["code"], "skill_stack_violation");
}

#[test]
fn a_released_restriction_restricts_no_longer() {
    // S1, S6
    let world = workshop();
    let guard = || hermetic(&world, &["guard", "Bash", r#"{"command": "ls"}"#]).code;
    assert_eq!(guard(), 0);
    hermetic(&world, &["use", "notes"]);
    assert_eq!(guard(), 3);
    hermetic(&world, &["use", "free"]);
    assert_eq!(guard(), 3, "an unrestricted skill on top lifts nothing");
    hermetic(&world, &["release"]);
    assert_eq!(guard(), 3);
    hermetic(&world, &["release"]);
    assert_eq!(guard(), 0);
}
