#![expect(clippy::disallowed_methods, reason = "tests change what is on disk behind metier's back")]

use std::os::unix::fs::PermissionsExt;

use rustix::io::Errno;

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::collect::{Thoroughness, collect, collectable};
use crate::doctor::{Code, Patient, examine, repair};
use crate::fixture::{Ground, bases, by};
use crate::home::Place;
use crate::keep::read_tree;
use crate::sync::{plan, sync};
use crate::{ChangeError, Done};

/// Syncs `place` when the skill `pdf` was edited there, with `fetched` at hand.
fn synced(ground: &Ground, place: &Place) -> Done {
    let planned = plan(&ground.home, place, &bases()).unwrap();
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
            bases: &bases(),
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
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        edit(&ground, &place, "mine");
        let directory = place.directory(&ground.home, "pdf");
        std::fs::set_permissions(&directory, PermissionsExt::from_mode(0o755)).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(directory.join("socket")).unwrap();
        let planned = plan(&ground.home, &place, &bases()).unwrap();
        let fetched = [ground.staged("pdf", 1)];
        let fetched = if planned.to_fetch.is_empty() { &[][..] } else { &fetched[..] };
        let error = sync(&ground.request(&place, &by()), &planned, fetched).unwrap_err();
        assert!(matches!(error, ChangeError::Unkept { .. }), "{error}");
        assert_eq!(ground.text(directory.join("SKILL.md")), "mine", "{}", place.as_str());
        // Without what is in the way, all is well.
        std::fs::remove_file(directory.join("socket")).unwrap();
        assert!(synced(&ground, &place).replaced.is_some());
    }
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
    assert_eq!(
        trees(&ground.home).unwrap(),
        [tree.as_str()],
        "a line cut short was never finished"
    );
    let next = "b".repeat(64);
    note(&ground.home, &next, Path::new("/y")).unwrap();
    assert_eq!(trees(&ground.home).unwrap(), [tree, next], "nor does the next one finish it");
    ground.write("home/replaced.jsonl", text.trim_end());
    assert_eq!(trees(&ground.home).unwrap().len(), 1, "a line that only lacks its end is one");
    ground.write("home/replaced.jsonl", format!("{text}{{}}\n"));
    assert!(matches!(trees(&ground.home), Err(RecordError::Damaged { .. })));
}

/// Syncs the home when `pdf` was edited in it.
fn resync(ground: &Ground) -> Result<(), ChangeError> {
    let planned = plan(&ground.home, &Place::Personal, &bases())?;
    let fetched = [ground.staged("pdf", 1)];
    let fetched = if planned.is_empty() { &[][..] } else { &fetched[..] };
    sync(&ground.request(&Place::Personal, &by()), &planned, fetched).map(drop)
}

/// Whether a tree has this `SKILL.md` under a name that no sweep takes.
fn is_kept(ground: &Ground, text: &str) -> bool {
    let store = Folder::open(&ground.home.store()).unwrap();
    let named = store.names().unwrap().into_iter().filter(|name| is_digest(name));
    named.into_iter().any(|name| ground.text(format!("home/store/{name}/SKILL.md")) == text)
}

#[test]
fn what_cannot_be_noted_is_not_replaced() {
    // P3, P5
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    edit(&ground, &Place::Personal, "mine");
    ground.write("home/replaced.jsonl", "{}\n");
    let error = resync(&ground).unwrap_err();
    assert!(matches!(error, ChangeError::Record(RecordError::Damaged { .. })), "{error}");
    assert_eq!(ground.text("home/skills/pdf/SKILL.md"), "mine");
    ground.write("home/replaced.jsonl", "");
    resync(&ground).unwrap();
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
    assert!(is_kept(&ground, "mine"));
}

#[test]
fn no_fault_of_the_disk_loses_what_somebody_wrote() {
    // P3, P5
    let ready = || {
        let ground = Ground::new();
        ground.install(&Place::Personal, "pdf", 1).unwrap();
        edit(&ground, &Place::Personal, "mine");
        ground
    };
    let whole = ready();
    let (_, calls) = faults::with(None, || resync(&whole).unwrap());
    for (at, call) in calls.iter().enumerate() {
        for fault in [Fault::Gone, Fault::Fails(Errno::NOSPC)] {
            let ground = ready();
            let _ = faults::with(Some((at, fault)), || resync(&ground));
            assert!(is_kept(&ground, "mine"), "{fault:?} at {at}, {call}");
            resync(&ground).unwrap();
            assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1), "{fault:?} at {at}");
            collect(&ground.home, Thoroughness::KeepEarlier).unwrap();
            assert!(is_kept(&ground, "mine"), "collected, {fault:?} at {at}, {call}");
        }
    }
}

#[test]
fn what_stands_where_an_edit_is_to_be_kept_is_kept_too() {
    // P3
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    edit(&ground, &Place::Personal, "mine");
    let tree = |text: &str| {
        let at = ground.write(&format!("{text}/SKILL.md"), text);
        metier_store::digest::hex(&read_tree(at.parent().unwrap()).unwrap().digest())
    };
    let directory = Place::Personal.directory(&ground.home, "pdf");
    let mine = metier_store::digest::hex(&read_tree(&directory).unwrap().digest());
    ground.write(&format!("home/store/{mine}/SKILL.md"), "not mine");
    resync(&ground).unwrap();
    assert_eq!(ground.text(format!("home/store/{mine}/SKILL.md")), "mine");
    assert_eq!(ground.text(format!("home/store/{}/SKILL.md", tree("not mine"))), "not mine");
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
}
