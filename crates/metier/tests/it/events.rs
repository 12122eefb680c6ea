use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::{METIER, frames, hermetic, journal, steady, workshop};

#[test]
fn every_frame_is_a_line_people_can_read() {
    // J1, U1
    let world = workshop();
    hermetic(&world, &["use", "notes", "1.4"]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "git log; curl x"}"#]);
    hermetic(&world, &["read", "files", "references/a.md"]);
    hermetic(&world, &["use", "nots"]);
    hermetic(&world, &["end"]);
    insta::assert_snapshot!(steady(&world, &hermetic(&world, &["events"])));
}

#[test]
fn json_is_the_journal_to_the_letter() {
    // J1, J3, U1
    let world = workshop();
    hermetic(&world, &["use", "notes", "\u{1b}[31m \u{202e}"]);
    let run = hermetic(&world, &["events", "--json"]);
    assert_eq!(run.stdout, std::fs::read_to_string(journal(&world)).unwrap());
    assert!(!run.stdout.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn one_session_of_several_is_picked_by_its_name() {
    // J2
    let world = workshop();
    for session in ["a", "b", "a"] {
        hermetic(&world, &["guard", "Read", "{}", "--journal", "j.jsonl", "--session", session]);
    }
    let count = |args: &[&str]| {
        let run = hermetic(&world, &[&["events", "--json", "--journal", "j.jsonl"], args].concat());
        run.stdout.lines().count()
    };
    assert_eq!(count(&[]), 5, "two sessions began, three calls were ruled on");
    assert_eq!((count(&["--session", "a"]), count(&["--session", "b"])), (3, 2));
    assert_eq!(count(&["--session", "c"]), 0);
}

#[test]
fn following_shows_what_another_process_writes() {
    // J1, U1
    let world = workshop();
    let mut child = world
        .command(METIER)
        .args(["events", "--follow", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    hermetic(&world, &["use", "notes"]);
    let mut seen = Vec::new();
    while seen.last().is_none_or(|kind| kind != "\"skill_activated\"") {
        let line = lines.next().expect("the follower goes on").unwrap();
        let frame: serde_json::Value = serde_json::from_str(&line).unwrap();
        seen.push(frame["type"].to_string());
    }
    hermetic(&world, &["end"]);
    let next = lines.next().unwrap().unwrap();
    assert!(next.contains("skill_deactivated"), "{next}");
    assert!(child.try_wait().unwrap().is_none(), "it follows until it is stopped");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(seen.len(), frames(&world).len() - 2);
}

#[test]
fn a_frame_somebody_changed_ends_the_list_with_three() {
    // J3
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    let text = std::fs::read_to_string(journal(&world)).unwrap();
    std::fs::write(journal(&world), text.replace("\"skill_loaded\"", "\"skill_lost\"")).unwrap();
    let run = hermetic(&world, &["events", "--json"]);
    assert_eq!(run.code, 3);
    let before = text.lines().take_while(|line| !line.contains("skill_loaded")).count();
    let shown = run.stdout.lines().filter(|line| line.contains("timestamp_ms")).count();
    assert_eq!(shown, before, "what came before it is shown");
    assert!(run.stderr.contains(&format!("was changed at frame {before}")), "{}", run.stderr);
}

#[test]
fn some_frames_are_picked_by_their_numbers() {
    // J1, U7
    let world = workshop();
    hermetic(&world, &["use", "notes"]);
    hermetic(&world, &["release"]);
    let numbers = |args: &[&str]| -> Vec<u64> {
        let run = hermetic(&world, &[&["events", "--json"], args].concat());
        let number = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        run.stdout.lines().map(|line| number(line)["seq"].as_u64().unwrap()).collect()
    };
    let all = numbers(&[]);
    assert_eq!(numbers(&["--after", "1", "--limit", "2"]), [2, 3]);
    assert_eq!(numbers(&["--after", "2"]), all[3..]);
    // One that is followed ends once there are enough.
    assert_eq!(numbers(&["--follow", "--limit", "3"]), [0, 1, 2]);
    assert_eq!(numbers(&["--limit", "0"]), [0; 0]);
}
