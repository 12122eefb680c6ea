//! What is said when something is not there, cannot be used or is not what was meant.

use metier_testing::World;
use serde_json::json;

use crate::{hermetic, metier};

#[test]
fn arguments_that_are_no_object_are_denied() {
    // S4, U7
    let world = World::new();
    for (tool, arguments) in [("Read", "[]"), ("Bash", "[]"), ("Bash", "\"ls\""), ("Read", "7")] {
        let denied = metier(&world, &["guard", tool, arguments, "--json"]);
        assert_eq!((denied.code, &denied.json()["verdict"]), (3, &json!("deny")), "{arguments}");
        let reasons = denied.json()["reasons"].to_string();
        assert!(reasons.contains("have to be a JSON object"), "{reasons}");
    }
}

#[test]
fn nothing_recorded_and_a_journal_that_is_not_there_are_said_plainly() {
    // J3, U1
    let world = World::new();
    let fresh = metier(&world, &["replay"]);
    assert_eq!(fresh.code, 0, "{}", fresh.stderr);
    assert!(fresh.stderr.contains("nothing is recorded yet"), "{}", fresh.stderr);
    let gone = metier(&world, &["replay", "gone.jsonl"]);
    assert_eq!(gone.code, 1);
    assert!(gone.stderr.contains("`gone.jsonl`: it is not there\nhint: "), "{}", gone.stderr);
}

#[test]
fn a_policy_that_cannot_be_used_is_what_is_wrong() {
    // S4, P7, H5
    let world = World::new();
    world.write("home/.config/metier/policy.toml", "rule = 1\n");
    let doctor = metier(&world, &["doctor", "--json"]);
    assert_eq!(doctor.code, 1, "{}", doctor.stdout);
    let found = doctor.json()["findings"].to_string();
    assert!(found.contains("policy-unusable") && found.contains("policy.toml"), "{found}");
    let check = metier(&world, &["check"]);
    assert!(check.stderr.contains("warning: everything is denied: "), "{}", check.stderr);
}

#[test]
fn a_skill_that_cannot_be_loaded_is_named_in_the_same_words_by_every_command() {
    // F3, H5
    let world = World::new();
    world.write("roots/personal/broken/SKILL.md", "no frontmatter\n");
    let said = |args: &[&str]| {
        let run = hermetic(&world, args);
        assert_eq!(run.code, 1, "{args:?}: {}", run.stderr);
        run.stderr.lines().next().unwrap().to_owned()
    };
    let words = said(&["show", "broken"]);
    assert!(words.contains("cannot be loaded"), "{words}");
    assert_eq!(said(&["use", "broken"]), words);
    assert_eq!(said(&["run", "broken", "x"]), words);
}

#[test]
fn lint_of_this_directory_is_the_same_named_or_not() {
    // F3
    let world = World::new();
    let (unnamed, named) = (metier(&world, &["lint"]), metier(&world, &["lint", "."]));
    assert_eq!((unnamed.code, &unnamed.stdout), (named.code, &named.stdout));
    assert_eq!(unnamed.stderr, named.stderr);
}

#[test]
fn where_nobody_can_listen_it_is_said_what_to_type() {
    // U3
    let world = World::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let refused = metier(&world, &["serve", "--listen", &format!("localhost:{port}")]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("hint: another program listens there"), "{}", refused.stderr);
    let wrong = metier(&world, &["serve", "--listen", "here"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("such as `127.0.0.1:7777`"), "{}", wrong.stderr);
}

#[test]
fn a_folder_that_is_not_there_is_not_asked_about() {
    // P4
    let world = World::new();
    let missing = metier(&world, &["trust", "/missing/"]);
    assert_eq!(missing.code, 1, "{}", missing.stderr);
    assert!(missing.stderr.contains("there is no directory `/missing`"), "{}", missing.stderr);
}

#[test]
fn an_index_beside_this_directory_is_found_from_everywhere() {
    // P6
    let world = World::new();
    assert!(metier(&world, &["index", "refresh"]).stdout.contains("there are no indexes"));
    world.skill("project/src", "pdf", "Reads PDF files. Use when somebody sends one.");
    let added = metier(&world, &["index", "add", "here", "./src"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    let listed = metier(&world, &["index", "list", "--json"]).json();
    let source = listed["indexes"][0]["source"].as_str().unwrap().to_owned();
    assert!(source.contains(&world.project().display().to_string()), "{source}");
}
