//! What processes that live for one call rely on.

use std::path::Path;
use std::sync::Arc;

use metier_format::text::is_live;
use metier_policy::{ToolCall, Verdict};
use metier_runtime::event::Trigger;
use metier_runtime::replay::{Probe, drift};
use metier_runtime::session::Status;
use metier_runtime::{Session, replay};
use serde_json::json;

use crate::ground::{by_hand, journal, open, setup};

fn resume(journal: &metier_runtime::journal::MemoryJournal) -> Session {
    let mut parts = setup();
    parts.catalog = Arc::default();
    Session::resume(parts, Box::new(journal.clone())).unwrap()
}

#[test]
fn a_guard_without_a_catalog_knows_the_stack_and_records_no_catalog() {
    // S6, J1
    let journal = journal();
    let mut first = open(&journal);
    by_hand(&mut first, "git-helper").unwrap();
    let mut second = resume(&journal);
    let call = ToolCall::new("Bash", json!({"command": "rm -rf x"}));
    let ruling = second.guard(&call).unwrap().ruling;
    assert_eq!(ruling.verdict, Verdict::Deny);
    assert_eq!(ruling.skill.as_ref().map(|name| name.as_str()), Some("git-helper"));
    let catalogs = journal.all().iter().filter(|f| f.kind == "skill_catalog_updated").count();
    assert_eq!(catalogs, 1, "only the session that has one records it");
    assert!(by_hand(&mut second, "reader").is_err(), "there is nothing to look up");
}

fn kinds(journal: &metier_runtime::journal::MemoryJournal) -> Vec<String> {
    journal.all().into_iter().map(|frame| frame.kind).collect()
}

#[test]
fn who_only_looks_begins_nothing_and_the_first_act_begins_it_all() {
    // J1, S6
    let journal = journal();
    let mut session = Session::prepare(setup(), Box::new(journal.clone())).unwrap();
    assert!(!session.status().open);
    assert!(session.scripts(None, Trigger::Manual).is_ok());
    assert_eq!(session.release(None).unwrap_err().code(), "skill_not_active");
    session.set_catalog(Arc::clone(session.shared_catalog())).unwrap();
    assert_eq!(kinds(&journal), [""; 0], "a catalog nobody uses is nobody's news");
    by_hand(&mut session, "free").unwrap();
    let begun = kinds(&journal);
    assert_eq!(begun[..3], ["session_started", "skill_catalog_updated", "skill_invoked"]);
    session.end().unwrap();
    assert_eq!(session.release(Some("free")).unwrap_err().code(), "skill_not_active");
    assert_eq!(kinds(&journal).len(), begun.len() + 2, "what has ended stays so");
    let mut again = Session::prepare(setup(), Box::new(journal.clone())).unwrap();
    by_hand(&mut again, "free").unwrap();
    let catalogs = kinds(&journal).iter().filter(|kind| *kind == "skill_catalog_updated").count();
    assert_eq!(catalogs, 1, "it is the same catalog");
}

#[test]
fn a_call_that_cannot_be_read_is_denied_and_recorded() {
    // S4, J1
    let journal = journal();
    let mut session = resume(&journal);
    let call = ToolCall::new("Bash", json!(null));
    let guarded = session.refuse(&call, "the arguments are not JSON").unwrap();
    assert_eq!(guarded.ruling.verdict, Verdict::Deny);
    let last = journal.all().pop().unwrap();
    assert_eq!((last.kind.as_str(), last.seq), ("tool_restriction_violated", guarded.seq));
    assert_eq!(last.payload["reasons"][0], "the arguments are not JSON");
    assert_eq!(session.state().counters.denied, 1);
}

#[test]
fn a_secret_where_a_frame_is_cut_leaves_no_half_of_itself() {
    // J2
    let journal = journal();
    let mut session = resume(&journal);
    for before in 4080..4100 {
        let text = format!("{}canary-7731 and more", "x".repeat(before));
        let call = ToolCall::new(text.clone(), json!({ "text": text }));
        session.guard(&call).unwrap();
    }
    for frame in journal.all() {
        let text = serde_json::Value::Object(frame.payload).to_string();
        assert!(!text.contains("canary"), "{text}");
    }
}

#[test]
fn a_secret_behind_others_that_were_removed_leaves_no_half_of_itself() {
    // J2
    let journal = journal();
    let mut session = resume(&journal);
    for before in 4100..4240 {
        // What is redacted first makes room for what stands at the end of the part looked at.
        let key = format!("-----BEGIN KEY\n{}\n-----END KEY\n", "k".repeat(2000));
        let text = format!("{key}{}canary-7731 and more", "x".repeat(before - key.len()));
        session.guard(&ToolCall::new("Write", json!({ "content": text.repeat(3) }))).unwrap();
    }
    for frame in journal.all() {
        let text = serde_json::Value::Object(frame.payload).to_string();
        assert!(!text.contains("canary"), "{text}");
    }
}

#[test]
fn a_call_of_any_size_is_ruled_on_as_it_is_and_recorded_in_part() {
    // S4, J1, J2
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let clock = Arc::new(metier_runtime::clock::TickingClock::default());
    let durability = metier_runtime::journal::Durability::System;
    let file = metier_runtime::journal::FileJournal::open(&path, durability, clock).unwrap();
    let mut parts = setup();
    parts.policy = crate::ground::policy(
        "profile = \"full-auto\"\n[[rule]]\nverdict = \"deny\"\npattern = \"Write(/etc/**)\"\n",
    );
    let mut session = Session::open(parts, Box::new(file)).unwrap();
    let hostile = "\u{1}\u{1b}".repeat(3000);
    let many: Vec<String> = (0..400).map(|n| format!("{n}{hostile}")).collect();
    let numbers: Vec<u64> = (0..60_000).map(|n| u64::MAX - n).collect();
    let nested = (0..100).fold(json!(many), |inner, _| json!([inner.clone(), [1, 2, 3]]));
    let wide: serde_json::Map<String, serde_json::Value> =
        (0..400).map(|n| (format!("{n}{hostile}"), json!({ "a": [n] }))).collect();
    for extra in [json!(many), json!(numbers), nested, json!(wide), json!(hostile.repeat(200))] {
        for (target, expect) in [("/tmp/x", Verdict::Allow), ("/etc/passwd", Verdict::Deny)] {
            let arguments = json!({ "a": extra, "file_path": target, "content": extra });
            let guarded = session.guard(&ToolCall::new("Write", arguments)).unwrap();
            assert_eq!(guarded.ruling.verdict, expect);
        }
    }
    let long: String = (0..100).map(|n| format!("echo {n} > /etc/{n}; ")).collect();
    let call = ToolCall::new("Bash", json!({ "command": long }));
    let ruling = session.guard(&call).unwrap().ruling;
    assert_eq!(ruling.verdict, Verdict::Deny, "{}", ruling.explanation());
    let reading = metier_runtime::journal::read(&path).unwrap();
    assert_eq!(reading.fault, None);
    let rulings = reading.frames.iter().filter(|frame| frame.payload.contains_key("verdict"));
    assert_eq!(rulings.clone().count(), 11);
    for frame in rulings.take(10) {
        let said = serde_json::Value::Object(frame.payload.clone()).to_string();
        assert!(said.contains(" more"), "what is left out is said: {said}");
    }
}

#[test]
fn a_journals_lines_are_harmless_on_a_terminal_and_say_the_same() {
    // J1, D5
    let journal = journal();
    let mut session = resume(&journal);
    let hostile = "a\u{1b}]0;t\u{7}\u{9b}2J\u{202e}b\u{200b}\u{e0041}";
    session.guard(&ToolCall::new(hostile, json!({ hostile: hostile }))).unwrap();
    let mut last = journal.all().pop().unwrap();
    let line = last.seal();
    assert!(!line.chars().any(is_live), "{line}");
    let read = metier_runtime::Frame::parse(line.as_bytes()).unwrap();
    assert_eq!(read.payload["tool"], hostile);
    assert_eq!(read.payload["arguments"][hostile], hostile);
}

struct Nothing;

impl Probe for Nothing {
    fn digest(&self, _: &Path, _: &str) -> Option<String> {
        None
    }
}

#[test]
fn a_file_read_without_loading_its_skill_is_found_again() {
    // J3, R1
    let journal = journal();
    let mut session = open(&journal);
    session.read("git-helper", "references/a.md", 100).unwrap();
    let drifted = drift(&journal.all(), &Nothing);
    let [only] = drifted.as_slice() else { panic!("{drifted:?}") };
    assert!(only.directory.ends_with("git-helper"), "{only:?}");
    assert_eq!(only.path, "references/a.md");
}

#[test]
fn whoever_only_looks_sees_the_status_of_the_session() {
    // S6
    let journal = journal();
    let mut session = open(&journal);
    by_hand(&mut session, "reader").unwrap();
    let states = replay::replay(&journal.all());
    let looked = Status::of("s", &states["s"]);
    let live = session.status();
    assert_eq!(json!(looked), json!(live));
    assert_eq!((looked.open, looked.grant.len()), (true, 1));
}
