//! What somebody wrote where a copy is being changed is there afterwards, whatever happens when.

#![expect(clippy::disallowed_methods, reason = "tests write where metier writes, as people do")]

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::change::pending;
use crate::fixture::{Ground, by, name, to_be_killed};
use crate::home::Place;
use crate::install::{Drift, Outcome, Request};
use crate::records::Records;
use crate::{install, remove};

/// What the person writes.
const MINE: &str = "what I wrote myself\n";

type Run = fn(&Ground, &Place, Drift) -> Result<Outcome, ChangeError>;

const ACTS: [(&str, Run); 2] = [("remove", run_remove), ("update", run_update)];

fn run_remove(ground: &Ground, place: &Place, drift: Drift) -> Result<Outcome, ChangeError> {
    remove(&Request { drift, ..ground.request(place, &by()) }, &[name("pdf")])
}

fn run_update(ground: &Ground, place: &Place, drift: Drift) -> Result<Outcome, ChangeError> {
    let by = by();
    let request = Request { drift, ..ground.request(place, &by) };
    install(&request, &[ground.candidate("pdf", 2)])
}

/// A project with version 1 of `pdf`.
fn ready() -> (Ground, Place) {
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.staged("pdf", 2);
    (ground, place)
}

/// Writes into the skill as a person does; false when there is none.
fn write_into(skill: &Path) -> bool {
    let there = skill.is_dir();
    if there {
        std::fs::write(skill.join("notes.md"), MINE).unwrap();
    }
    there
}

/// Where what the person wrote is: in the skill, or in a kept tree that no collection takes.
fn found(ground: &Ground, place: &Place) -> Option<PathBuf> {
    let noted = replaced::trees(&ground.home).unwrap();
    let kept = noted.iter().map(|tree| ground.home.kept(tree));
    let mut places = kept.chain([place.directory(&ground.home, "pdf")]);
    places.find(|at| std::fs::read_to_string(at.join("notes.md")).is_ok_and(|text| text == MINE))
}

/// Nothing is left beside the skills.
fn check_tidy(place: &Place, ground: &Ground, context: &str) {
    let skills = Folder::open(&place.base(&ground.home).join(place.skills())).unwrap();
    let names = skills.names().unwrap();
    assert!(names.iter().all(|name| !name.starts_with(DRAFT)), "{context}: {names:?}");
    assert!(pending(&ground.home).unwrap().is_none(), "{context}");
}

#[test]
fn what_is_written_after_an_interrupted_change_is_not_lost() {
    // P2, P5
    for (act, run) in ACTS {
        for drift in [Drift::Refuse, Drift::Replace] {
            let (ground, place) = ready();
            let (_, calls) = faults::with(None, || run(&ground, &place, drift).unwrap());
            let mut written = 0;
            for (at, call) in calls.iter().enumerate() {
                let context = format!("{act} {drift:?} gone at {at}, {call}");
                let (ground, place) = ready();
                let _ = faults::with(Some((at, Fault::Gone)), || run(&ground, &place, drift));
                if !write_into(&place.directory(&ground.home, "pdf")) {
                    continue;
                }
                let unfinished = pending(&ground.home).unwrap().is_some();
                let repaired = Hand::take(&ground.home).unwrap().repaired.clone();
                let at = found(&ground, &place).unwrap_or_else(|| panic!("{context}"));
                check_tidy(&place, &ground, &context);
                let stays = at == place.directory(&ground.home, "pdf");
                assert!(stays || drift == Drift::Replace, "{context}: {at:?}");
                if !unfinished {
                    continue;
                }
                written += 1;
                let repaired = repaired.unwrap();
                assert_eq!(repaired.finished, drift == Drift::Replace, "{context}");
                let kept = if stays { vec![] } else { vec![at.to_str().unwrap().to_owned()] };
                assert_eq!(repaired.kept, kept, "{context}: where it is is said");
                let why = repaired.reason.unwrap_or_default();
                assert_eq!(why.contains("was changed"), drift == Drift::Refuse, "{context}: {why}");
            }
            assert!(written > 1, "{act} {drift:?}: {written} times after the note was written");
        }
    }
}

thread_local! {
    static SKILL: RefCell<PathBuf> = const { RefCell::new(PathBuf::new()) };
}

/// Somebody else writes into the skill right now.
fn meanwhile() {
    SKILL.with_borrow(|skill| write_into(skill));
}

#[test]
fn what_is_written_while_a_change_is_made_is_not_lost() {
    // P2, P5
    for (act, run) in ACTS {
        for drift in [Drift::Refuse, Drift::Replace] {
            let (ground, place) = ready();
            let (_, calls) = faults::with(None, || run(&ground, &place, drift).unwrap());
            // From where the new copy is made beside the old one, if one is made.
            let swap = calls.iter().rposition(|call| *call == "mkdir").unwrap_or(0);
            let mut ends = [0, 0];
            for (at, call) in calls.iter().enumerate().skip(swap) {
                let context = format!("{act} {drift:?} at {at}, {call}");
                let (ground, place) = ready();
                SKILL.set(place.directory(&ground.home, "pdf"));
                let fault = Some((at, Fault::Meanwhile(meanwhile)));
                let (done, _) = faults::with(fault, || run(&ground, &place, drift));
                check_tidy(&place, &ground, &context);
                let Some(at) = found(&ground, &place) else {
                    // Nobody found a skill to write into: it was gone already.
                    assert!(act == "remove" && done.is_ok(), "{context}: {done:?}");
                    continue;
                };
                let stays = at == place.directory(&ground.home, "pdf");
                match done {
                    Err(error) => {
                        ends[0] += 1;
                        assert!(matches!(error, ChangeError::Drifted(_)), "{context}: {error}");
                        let records = Records::read(&ground.home, &place).unwrap();
                        let locked = records.lock.get(&name("pdf")).unwrap().short().to_owned();
                        assert!(stays && locked.ends_with('0'), "{context}: nothing was done");
                    }
                    Ok(outcome) if !stays => {
                        ends[1] += 1;
                        let replaced = outcome.done[0].replaced.as_ref().expect(&context);
                        assert_eq!(replaced.kept, at.to_str().unwrap(), "{context}");
                        assert_eq!(replaced.differences, ["extra notes.md"], "{context}");
                    }
                    // It was written into what is there now.
                    Ok(_) => assert_eq!(act, "update", "{context}"),
                }
            }
            let which = usize::from(drift == Drift::Replace);
            assert!(ends[which] > 0 && ends[1 - which] == 0, "{act} {drift:?}: {ends:?}");
        }
    }
}

/// A project in which `run` wrote its note and nothing else.
fn noted(run: Run, drift: Drift) -> (Ground, Place) {
    for at in 0.. {
        let (ground, place) = ready();
        let _ = faults::with(Some((at, Fault::Gone)), || run(&ground, &place, drift));
        if pending(&ground.home).unwrap().is_some() {
            return (ground, place);
        }
    }
    unreachable!()
}

#[test]
fn what_cannot_be_kept_or_is_no_directory_stays_where_it_is() {
    // P2, P5
    for (act, run) in ACTS {
        for drift in [Drift::Refuse, Drift::Replace] {
            let (ground, place) = noted(run, drift);
            let skill = place.directory(&ground.home, "pdf");
            write_into(&skill);
            let _socket = std::os::unix::net::UnixListener::bind(skill.join("socket")).unwrap();
            let repaired = Hand::take(&ground.home).unwrap().repaired.clone().unwrap();
            assert!(!repaired.finished, "{act} {drift:?}");
            assert_eq!(std::fs::read_to_string(skill.join("notes.md")).unwrap(), MINE);
            check_tidy(&place, &ground, act);
            // A link to elsewhere is not followed, and not taken away.
            let (ground, place) = noted(run, drift);
            let skill = place.directory(&ground.home, "pdf");
            let elsewhere = ground.path().join("elsewhere");
            std::fs::rename(&skill, &elsewhere).unwrap();
            std::os::unix::fs::symlink(&elsewhere, &skill).unwrap();
            write_into(&elsewhere);
            let repaired = Hand::take(&ground.home).unwrap().repaired.clone().unwrap();
            assert!(!repaired.finished, "{act} {drift:?}");
            assert_eq!(std::fs::read_link(&skill).unwrap(), elsewhere, "{act} {drift:?}");
            check_tidy(&place, &ground, act);
        }
    }
}

#[test]
fn an_exchange_that_took_more_than_one_step_is_undone_or_finished() {
    // P2, P5
    let mine = |directory: &Path| std::fs::write(directory.join("notes.md"), MINE).unwrap();
    for (at, drift) in [("between", Drift::Refuse), ("aside", Drift::Refuse)] {
        let (ground, place) = noted(run_update, drift);
        let skill = place.directory(&ground.home, "pdf");
        mine(&skill);
        std::fs::rename(&skill, skill.with_file_name(format!("{DRAFT}{at}-pdf"))).unwrap();
        let repaired = Hand::take(&ground.home).unwrap().repaired.clone().unwrap();
        assert!(!repaired.finished, "{at}");
        assert_eq!(found(&ground, &place), Some(skill), "{at}");
        check_tidy(&place, &ground, at);
    }
    // Two things that somebody wrote: the one in its place stays, the other is kept.
    for drift in [Drift::Refuse, Drift::Replace] {
        let (ground, place) = noted(run_remove, drift);
        let skill = place.directory(&ground.home, "pdf");
        mine(&skill);
        std::fs::rename(&skill, skill.with_file_name(format!("{DRAFT}between-pdf"))).unwrap();
        ground.write("project/.agents/skills/pdf/SKILL.md", "another");
        drop(Hand::take(&ground.home).unwrap());
        let at = found(&ground, &place).unwrap();
        assert_ne!(at, skill, "{drift:?}");
        let stays = ground.text(skill.join("SKILL.md")) == "another";
        assert_eq!(stays, drift == Drift::Refuse, "{drift:?}");
        assert_eq!(replaced::trees(&ground.home).unwrap().len(), 2 - usize::from(stays));
        check_tidy(&place, &ground, "two");
    }
}

#[test]
fn what_is_written_after_a_process_was_killed_is_not_lost() {
    // P5
    if let Some((ground, at)) = to_be_killed() {
        let fault = Some((at, Fault::Killed));
        let _ = faults::with(fault, || run_remove(&ground, &ground.project(), Drift::Refuse));
        return;
    }
    let (ground, place) = ready();
    let (_, calls) = faults::with(None, || run_remove(&ground, &place, Drift::Refuse).unwrap());
    for at in (0..calls.len()).step_by(2) {
        let (ground, place) = ready();
        let itself = "copies::tests::what_is_written_after_a_process_was_killed_is_not_lost";
        ground.kill(itself, at);
        if write_into(&place.directory(&ground.home, "pdf")) {
            drop(Hand::take(&ground.home).unwrap());
            assert!(found(&ground, &place).is_some(), "killed at {at}, {}", calls[at]);
        }
    }
}
