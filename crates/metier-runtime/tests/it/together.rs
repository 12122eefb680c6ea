//! Several sessions open on one journal at the same time, as a server and its hooks are.

use std::path::Path;
use std::sync::Arc;

use metier_policy::{ToolCall, Verdict};
use metier_runtime::clock::TickingClock;
use metier_runtime::journal::{Durability, FileJournal, read};
use metier_runtime::{ActivationError, Session, replay};
use serde_json::json;

use crate::ground::{by_hand, setup};

/// A session with a file of its own open, as another process would have.
fn session(path: &Path) -> Session {
    let clock = Arc::new(TickingClock::starting_at(1));
    let journal = FileJournal::open(path, Durability::System, clock).unwrap();
    Session::open(setup(), Box::new(journal)).unwrap()
}

fn verdict(session: &mut Session, command: &str) -> Verdict {
    let call = ToolCall::new("Bash", json!({ "command": command }));
    session.guard(&call).unwrap().ruling.verdict
}

#[test]
fn what_one_process_activates_binds_the_others_at_once() {
    // S6, S3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let (mut one, mut two) = (session(&path), session(&path));
    assert_eq!(verdict(&mut two, "ls"), Verdict::Allow);
    by_hand(&mut one, "git-helper").unwrap();
    assert_eq!(verdict(&mut two, "ls"), Verdict::Deny);
    assert_eq!(verdict(&mut two, "git status"), Verdict::Allow);
    by_hand(&mut two, "reader").unwrap();
    assert_eq!(verdict(&mut one, "git status"), Verdict::Deny);
    assert!(matches!(by_hand(&mut one, "reader"), Err(ActivationError::AlreadyActive(_))));
    two.release(Some("reader")).unwrap();
    assert_eq!(verdict(&mut one, "git status"), Verdict::Allow);
    assert_eq!(one.end().unwrap(), ["git-helper"]);
    assert_eq!(verdict(&mut two, "ls"), Verdict::Allow);
    one.catch_up().unwrap();
    assert_eq!(one.state(), two.state());
}

#[test]
fn a_session_that_another_process_ended_begins_anew() {
    // S6, J1
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let (mut one, mut two) = (session(&path), session(&path));
    one.end().unwrap();
    two.catch_up().unwrap();
    assert!(!two.state().open, "looking begins nothing");
    verdict(&mut two, "ls");
    let kinds: Vec<String> = read(&path).unwrap().frames.into_iter().map(|f| f.kind).collect();
    let expect = ["session_ended", "session_started", "tool_execution_in_skill"];
    assert_eq!(kinds[kinds.len() - 3..], expect);
}

#[test]
fn a_crowd_on_one_journal_never_rules_by_a_stack_that_is_over() {
    // S6, S3, J3
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    drop(session(&path));
    std::thread::scope(|scope| {
        for seed in 0..6_usize {
            let path = &path;
            scope.spawn(move || {
                let mut session = session(path);
                for step in 0..40 {
                    match (seed + step) % 5 {
                        0 => drop(by_hand(&mut session, "reader")),
                        1 => drop(session.release(Some("reader"))),
                        _ => drop(verdict(&mut session, "ls")),
                    }
                }
            });
        }
    });
    let reading = read(&path).unwrap();
    assert_eq!((reading.fault, reading.torn), (None, None));
    // What was ruled is what the frames before it demand: `ls` only while `reader` is not active.
    let mut state = metier_runtime::State::default();
    let mut both = [0; 2];
    for frame in &reading.frames {
        match frame.kind.as_str() {
            "tool_execution_in_skill" => assert_eq!(state.stack, [], "frame {}", frame.seq),
            "tool_restriction_violated" => assert_eq!(state.stack.len(), 1, "frame {}", frame.seq),
            _ => {}
        }
        both[0] += u32::from(frame.kind == "tool_execution_in_skill");
        both[1] += u32::from(frame.kind == "skill_activated");
        state.apply(frame.seq, &frame.event());
    }
    assert!(both.iter().all(|count| *count > 0), "{both:?}");
    assert_eq!(replay::replay(&reading.frames)["s"], state);
}
