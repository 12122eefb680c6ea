#![expect(clippy::disallowed_methods, reason = "tests change what is on disk behind metier's back")]

use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::collect::{Thoroughness, collect, collectable};
use crate::doctor::{Code, Patient, examine, repair};
use crate::fixture::{Ground, by};
use crate::home::Place;
use crate::sync::{plan, sync};
use crate::{ChangeError, Done};

/// Syncs `place` when the skill `pdf` was edited there, with `fetched` at hand.
fn synced(ground: &Ground, place: &Place) -> Done {
    let planned = plan(&ground.home, place).unwrap();
    let fetched = [ground.staged("pdf", 1)];
    let fetched = if planned.to_fetch.is_empty() { &[][..] } else { &fetched[..] };
    let mut outcome = sync(&ground.request(place, &by()), &planned, fetched).unwrap();
    outcome.done.pop().unwrap()
}

/// Edits `SKILL.md` of `pdf` as somebody does who means it.
fn edit(ground: &Ground, place: &Place, text: &str) {
    let file = place.directory(&ground.home, "pdf").join("SKILL.md");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    std::fs::write(&file, text).unwrap();
}

#[test]
fn an_edit_that_is_replaced_is_named_and_no_repair_removes_it() {
    // P3, P5
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        let mine = format!("mine, {}", place.as_str());
        edit(&ground, &place, &mine);
        let done = synced(&ground, &place);
        assert_eq!(ground.version(&place, "pdf"), Some(1));
        let replaced = done.replaced.expect("it says what it replaced");
        assert_eq!(replaced.differences, ["changed SKILL.md"], "{}", place.as_str());
        let kept = Path::new(&replaced.kept);
        assert_eq!(std::fs::read_to_string(kept.join("SKILL.md")).unwrap(), mine);
        // Neither a repair nor a collection takes it; asked for, it goes.
        let places = [Place::Personal, ground.project()];
        let patient = Patient {
            home: &ground.home,
            places: &places,
            agents: &Default::default(),
            catalog: None,
            programs: &[],
        };
        let findings = examine(&patient);
        assert!(findings.iter().all(|finding| finding.code != Code::Unreferenced), "{findings:?}");
        assert!(repair(&patient, &findings, &by()).is_empty());
        collect(&ground.home, Thoroughness::KeepEarlier).unwrap();
        assert!(kept.exists());
        let asked = collectable(&ground.home, Thoroughness::OnlyInstalled).unwrap();
        assert!(asked.replaced.contains(&replaced.tree), "{asked:?}");
    }
    let gone = collect(&ground.home, Thoroughness::OnlyInstalled).unwrap();
    assert_eq!(gone.replaced.len(), 2);
}

#[test]
fn what_cannot_be_kept_is_not_replaced() {
    // P3, P5
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let directory = place.directory(&ground.home, "pdf");
    std::fs::write(directory.join("SKILL.md"), "mine").unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(directory.join("socket")).unwrap();
    let planned = plan(&ground.home, &place).unwrap();
    let error = sync(&ground.request(&place, &by()), &planned, &[]).unwrap_err();
    assert!(matches!(error, ChangeError::Unkept { .. }), "{error}");
    assert_eq!(ground.text("project/.agents/skills/pdf/SKILL.md"), "mine");
}

#[test]
fn notes_are_taken_once_and_a_damaged_one_stops_every_collection() {
    // P5
    let ground = Ground::new();
    let tree = "a".repeat(64);
    for _ in 0..2 {
        note(&ground.home, &tree, Path::new("/x")).unwrap();
    }
    assert_eq!(trees(&ground.home).unwrap(), std::slice::from_ref(&tree));
    let text = ground.text("home/replaced.jsonl");
    ground.write("home/replaced.jsonl", format!("{text}{{\"tree\":"));
    assert_eq!(trees(&ground.home).unwrap(), [tree], "a line cut short was never finished");
    ground.write("home/replaced.jsonl", format!("{text}{{}}\n"));
    assert!(matches!(trees(&ground.home), Err(RecordError::Damaged { .. })));
}
