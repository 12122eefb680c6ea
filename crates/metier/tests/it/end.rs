use serde_json::json;

use crate::{frames, hermetic, journal, workshop};

#[test]
fn ending_unwinds_the_stack_from_the_top() {
    // S1
    let world = workshop();
    for name in ["notes", "free", "files"] {
        hermetic(&world, &["use", name]);
    }
    let run = hermetic(&world, &["end"]);
    assert_eq!(run.code, 0);
    assert_eq!(
        run.stdout,
        "released `files`\nreleased `free`\nreleased `notes`\nsession `default` has ended\n"
    );
    let kinds: Vec<String> =
        frames(&world).iter().rev().take(4).map(|f| f["type"].to_string()).collect();
    assert_eq!(kinds[0], "\"session_ended\"");
    assert!(kinds[1..].iter().all(|kind| kind == "\"skill_deactivated\""), "{kinds:?}");
}

#[test]
fn a_session_that_ended_begins_anew_in_the_same_journal() {
    // S1, S6
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["end"]);
    let again = hermetic(&world, &["end", "--json"]).json();
    assert_eq!(again, json!({"session": "default", "ended": false, "released": []}));
    assert_eq!(hermetic(&world, &["use", "notes"]).code, 0);
    let started = frames(&world).iter().filter(|f| f["type"] == "session_started").count();
    assert_eq!(started, 2);
}

#[test]
fn ending_what_never_began_does_nothing() {
    // S1
    let world = workshop();
    let run = hermetic(&world, &["end"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "session `default` is not open\n"));
    assert!(!journal(&world).exists());
}
