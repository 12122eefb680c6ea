use metier_testing::{Run, World};
use serde_json::json;

use crate::{frames, hermetic, journal, transcript, workshop};

/// A world whose session has a little of everything in it.
fn lived() -> World {
    let world = workshop();
    hermetic(&world, &["use", "notes", "1.4"]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "git log"}"#]);
    hermetic(&world, &["guard", "Bash", r#"{"command": "curl x"}"#]);
    hermetic(&world, &["read", "files", "references/a.md"]);
    hermetic(&world, &["use", "free"]);
    world
}

fn replay(world: &World, args: &[&str]) -> Run {
    let file = journal(world).display().to_string();
    hermetic(world, &[&["replay", &file], args].concat())
}

fn edit(world: &World, change: impl Fn(&[&str]) -> Vec<String>) {
    let text = std::fs::read_to_string(journal(world)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(journal(world), change(&lines).join("\n") + "\n").unwrap();
}

#[test]
fn the_state_of_each_session_is_rebuilt() {
    // J3, U1
    let world = lived();
    let file = journal(&world).display().to_string();
    for session in ["other", "default"] {
        hermetic(&world, &["guard", "Read", "{}", "--journal", &file, "--session", session]);
    }
    hermetic(&world, &["end", "--journal", &file, "--session", "other"]);
    insta::assert_snapshot!(transcript(&world, &replay(&world, &["--verify"])));
}

#[test]
fn replayed_and_live_are_the_same_and_so_is_the_stream() {
    // J3, S6
    let world = lived();
    let document = replay(&world, &["--json", "--verify"]).json();
    let status = hermetic(&world, &["status", "--json"]).json();
    let state = &document["sessions"]["default"];
    assert_eq!((&state["stack"], &state["counters"]), (&status["stack"], &status["counters"]));
    assert_eq!(document["frames"], json!(frames(&world)));
    let quiet = [&document["fault"], &document["torn"]];
    assert_eq!(quiet, [&json!(null), &json!(null)]);
    assert_eq!((&document["drift"], &document["verified"]), (&json!([]), &json!(true)));
    let stream = replay(&world, &["--stream"]);
    assert_eq!(stream.stdout, std::fs::read_to_string(journal(&world)).unwrap());
}

#[test]
fn an_edited_removed_moved_inserted_or_cut_frame_is_named() {
    // J3
    let owned = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    let check = |frame: u64, change: &dyn Fn(Vec<String>) -> Vec<String>| {
        let world = lived();
        edit(&world, |lines| change(owned(lines)));
        for args in [&["--json"][..], &["--json", "--verify"]] {
            let run = replay(&world, args);
            let document = run.json();
            assert_eq!((run.code, document["fault"]["frame"].as_u64()), (3, Some(frame)));
            assert_eq!(document["frames"].as_array().unwrap().len() as u64, frame);
        }
        let run = replay(&world, &[]);
        let line = format!("frame {frame} is not as it was written");
        assert!(run.stdout.contains(&line), "{}", run.stdout);
    };
    let count = frames(&lived()).len();
    check(3, &|mut lines| {
        lines[3] = lines[3].replace("notes", "notez");
        lines
    });
    check(2, &|mut lines| {
        lines.remove(2);
        lines
    });
    check(4, &|mut lines| {
        lines.swap(4, 5);
        lines
    });
    check(6, &|mut lines| {
        lines.insert(6, lines[1].clone());
        lines
    });
    check(count as u64 - 2, &|mut lines| {
        lines.truncate(count - 2);
        lines
    });
    check(0, &|_| vec!["nonsense".to_owned()]);
}

#[test]
fn a_torn_tail_is_reported_and_is_no_fault() {
    // J3
    let world = lived();
    let mut bytes = std::fs::read(journal(&world)).unwrap();
    bytes.extend_from_slice(b"{\"v\":1,\"id\":\"half a fra");
    std::fs::write(journal(&world), bytes).unwrap();
    let run = replay(&world, &["--verify"]);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("23 bytes that was never finished"), "{}", run.stderr);
    assert_eq!(replay(&world, &["--json"]).json()["torn"], 23);
    let next = hermetic(&world, &["release"]);
    assert_eq!(next.code, 0, "it is cut off and work goes on: {}", next.stderr);
    assert!(next.stderr.contains("never finished"), "{}", next.stderr);
    assert_eq!(replay(&world, &["--json"]).json()["torn"], json!(null));
}

#[test]
fn what_drifted_on_disk_is_named_when_asked() {
    // J3, J2
    let world = lived();
    world.write("roots/personal/files/references/a.md", "# B\n");
    std::fs::remove_file(world.path().join("roots/personal/free/SKILL.md")).unwrap();
    assert_eq!(replay(&world, &[]).code, 0, "the journal itself is sound");
    let run = replay(&world, &["--verify", "--json"]);
    assert_eq!(run.code, 3);
    let drift = run.json()["drift"].clone();
    let found: Vec<(&str, &str, bool)> = drift
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["skill"].as_str().unwrap(), d["path"].as_str().unwrap(), d["now"].is_null()))
        .collect();
    assert_eq!(found, [("files", "references/a.md", false), ("free", "SKILL.md", true)]);
    let run = replay(&world, &["--verify"]);
    assert!(run.stdout.contains("`references/a.md` of `files`"), "{}", run.stdout);
    assert!(run.stdout.contains("has changed since frame default:"), "{}", run.stdout);
    assert!(run.stdout.contains("is gone or cannot be read"), "{}", run.stdout);
    let original = drift[0]["original"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(original).unwrap(), "# A\n");
    assert!(run.stdout.contains("as it was it is kept in "), "{}", run.stdout);
    std::fs::remove_file(original).unwrap();
    let run = replay(&world, &["--verify"]);
    assert!(run.stdout.contains("as it was it is not kept"), "{}", run.stdout);
}

#[test]
fn a_journal_that_is_not_there_is_a_failure() {
    // U1
    let world = workshop();
    let run = hermetic(&world, &["replay", "gone.jsonl"]);
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(run.stderr.contains("cannot read the journal"), "{}", run.stderr);
}
