//! What processes that live for one call rely on.

use std::path::Path;
use std::sync::Arc;

use metier_format::text::is_live;
use metier_policy::{ToolCall, Verdict};
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
