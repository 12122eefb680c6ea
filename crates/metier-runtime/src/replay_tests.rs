use std::path::Path;

use super::{Probe, drift, replay};
use crate::clock::Moment;
use crate::event::{
    Event, ResourceRead, SessionEnded, SkillActivated, SkillDeactivated, SkillLoaded,
};
use crate::journal::{Frame, Ids};

fn frame(session: &str, seq: u64, event: &Event) -> Frame {
    let mut frame = Frame {
        seq,
        ids: Ids { session: session.to_owned(), ..Ids::default() },
        time: Moment(seq),
        kind: event.name().to_owned(),
        payload: event.payload(),
        extra: serde_json::Map::new(),
        prev: Frame::origin(),
        digest: String::new(),
    };
    let line = frame.seal();
    Frame::parse(line.as_bytes()).unwrap()
}

fn activated(name: &str) -> Event {
    Event::SkillActivated(SkillActivated {
        name: name.to_owned(),
        tokens: 10,
        ..Default::default()
    })
}

fn released(name: &str) -> Event {
    Event::SkillDeactivated(SkillDeactivated { name: name.to_owned(), reason: "released".into() })
}

#[test]
fn replay_keeps_sessions_apart_and_the_stack_in_order() {
    // J3, S1
    let frames = [
        frame("a", 0, &activated("pdf")),
        frame("b", 0, &activated("xlsx")),
        frame("a", 1, &activated("docx")),
        frame("a", 2, &released("pdf")),
        frame("b", 1, &Event::SessionEnded(SessionEnded { reason: "end".into() })),
    ];
    let states = replay(&frames);
    let names = |session: &str| -> Vec<String> {
        states[session].stack.iter().map(|active| active.skill.name.clone()).collect()
    };
    assert_eq!(names("a"), ["docx"]);
    assert_eq!(names("b"), Vec::<String>::new());
    assert_eq!(states["a"].counters.tokens, 20);
    assert_eq!(states["a"].frames, 3);
}

#[test]
fn only_a_release_pops_the_stack() {
    // S6, J3
    let frames = [
        frame("a", 0, &activated("pdf")),
        frame("a", 1, &released("never-active")),
        frame("a", 2, &Event::Other { kind: "crash".into(), payload: serde_json::Map::new() }),
    ];
    assert_eq!(replay(&frames)["a"].stack.len(), 1);
}

struct Disk;

impl Probe for Disk {
    fn digest(&self, directory: &Path, path: &str) -> Option<String> {
        match (directory.to_str(), path) {
            (Some("/s/pdf"), "SKILL.md") => Some("same".into()),
            (Some("/s/pdf"), "references/a.md") => Some("new".into()),
            _ => None,
        }
    }
}

#[test]
fn verify_names_what_drifted_since() {
    // J3
    let loaded = |name: &str, digest: &str| {
        Event::SkillLoaded(SkillLoaded {
            name: name.to_owned(),
            path: format!("/s/{name}"),
            digest: digest.to_owned(),
            ..Default::default()
        })
    };
    let read = ResourceRead {
        name: "pdf".into(),
        path: "references/a.md".into(),
        digest: "old".into(),
        ..Default::default()
    };
    let frames = [
        frame("a", 0, &loaded("pdf", "older")),
        frame("a", 1, &loaded("pdf", "same")),
        frame("a", 2, &Event::ResourceRead(read)),
        frame("a", 3, &loaded("gone", "x")),
    ];
    let found: Vec<(String, Option<String>)> =
        drift(&frames, &Disk).into_iter().map(|d| (d.path, d.now)).collect();
    assert_eq!(
        found,
        [("SKILL.md".to_owned(), None), ("references/a.md".to_owned(), Some("new".to_owned()))]
    );
}
