//! The crash tables: every call that changes the disk, of every act, is the last one or fails.

use rustix::io::Errno;

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::fixture::{Ground, bases, by, name, to_be_killed};
use crate::install::{Drift, Request};
use crate::ledger::Ledger;
use crate::sync::{plan, sync};
use crate::verify::verify;
use metier_store::vouch::{Depth, Standing, Vouch as _};

/// An act and what is there before and after it: versions of `pdf`.
struct Act {
    name: &'static str,
    before: Option<u32>,
    after: Option<u32>,
    prepare: fn(&Ground, &Place),
    run: fn(&Ground, &Place) -> Result<(), ChangeError>,
}

const ACTS: &[Act] = &[
    Act {
        name: "add",
        before: None,
        after: Some(1),
        prepare: |ground, place| drop(ground.install(place, "notes", 7).unwrap()),
        run: |ground, place| ground.install(place, "pdf", 1).map(drop),
    },
    Act {
        name: "update",
        before: Some(1),
        after: Some(2),
        prepare: |ground, place| drop(ground.install(place, "pdf", 1).unwrap()),
        run: |ground, place| ground.install(place, "pdf", 2).map(drop),
    },
    Act {
        name: "remove",
        before: Some(1),
        after: None,
        prepare: |ground, place| drop(ground.install(place, "pdf", 1).unwrap()),
        run: |ground, place| ground.remove(place, "pdf").map(drop),
    },
    Act {
        name: "rollback",
        before: Some(2),
        after: Some(1),
        prepare: |ground, place| {
            ground.install(place, "pdf", 1).unwrap();
            ground.install(place, "pdf", 2).unwrap();
        },
        run: |ground, place| ground.rollback(place, "pdf").map(drop),
    },
    Act {
        name: "sync",
        before: None,
        after: Some(1),
        prepare: |ground, place| {
            ground.install(place, "pdf", 1).unwrap();
            let skills = Folder::open(&place.base(&ground.home).join(place.skills())).unwrap();
            skills.remove("pdf").unwrap();
        },
        run: |ground, place| {
            let plan = plan(&ground.home, place, &bases())?;
            sync(&ground.request(place, &by()), &plan, &[]).map(drop)
        },
    },
];

fn places(ground: &Ground) -> [Place; 2] {
    [Place::Personal, ground.project()]
}

/// A ground on which `act` can be done.
fn prepared(act: &Act, which: usize) -> (Ground, Place) {
    let ground = Ground::new();
    let place = places(&ground)[which].clone();
    (act.prepare)(&ground, &place);
    // What is fetched lies there before; only what the act changes counts.
    for version in [1, 2] {
        ground.staged("pdf", version);
    }
    (ground, place)
}

/// What a reader sees must be one version whole, or none where there may be none, and vouched for.
fn read(act: &Act, ground: &Ground, place: &Place, context: &str) -> Option<u32> {
    let seen = ground.version(place, "pdf");
    assert!(seen == act.before || seen == act.after, "{context}: {seen:?}");
    if seen.is_some() {
        let ledger = Ledger::open(&ground.home, Some(&ground.path().join("project")), 0);
        let directory = place.directory(&ground.home, "pdf");
        let vouched = ledger.vouch(&name("pdf"), &directory, Depth::Bytes);
        assert_eq!(vouched.standing, Standing::Approved, "{context}: {vouched:?}");
    }
    seen
}

/// After the next command everything is one state, and no trace of the other is left but what can
/// be gone back to.
fn check_settled(act: &Act, ground: &Ground, place: &Place, context: &str) -> Option<u32> {
    let hand = Hand::take(&ground.home).unwrap();
    let repaired = hand.repaired.clone();
    drop(hand);
    assert!(pending(&ground.home).unwrap().is_none(), "{context}");
    let seen = read(act, ground, place, context);
    let records = Records::read(&ground.home, place).unwrap();
    let locked = records.lock.get(&name("pdf")).map(|pinned| pinned.short().to_owned());
    let expected = seen.map(|version| format!("{version:040}")[..12].to_owned());
    if act.name != "sync" {
        assert_eq!(locked, expected, "{context}: the lock says what is there");
    }
    let receipt = records.receipts.get("pdf").map(|receipt| receipt.commit_sha.clone());
    assert_eq!(
        receipt.is_some(),
        locked.is_some(),
        "{context}: there is a receipt for what is there"
    );
    assert_eq!(records.wanted.get(&name("pdf")).is_some(), locked.is_some(), "{context}");
    for verified in verify(&ground.home, place, None).unwrap() {
        let missing = act.name == "sync" && seen.is_none();
        assert!(verified.is_sound() || missing, "{context}: {verified:?}");
    }
    if let Some(repaired) = repaired {
        assert_eq!(repaired.names, ["pdf"], "{context}: what was repaired is said");
    }
    seen
}

/// Runs `act` with `fault` at each call in turn; gives how many calls there are.
fn table(act: &Act, which: usize, fault: Fault, stride: usize) -> usize {
    let (ground, place) = prepared(act, which);
    let (done, calls) = faults::with(None, || (act.run)(&ground, &place));
    done.unwrap();
    assert_eq!(check_settled(act, &ground, &place, act.name), act.after);
    let mut ends = [0, 0];
    for at in (0..calls.len()).step_by(stride) {
        let context = format!("{} {} {fault:?} at {at}, {}", act.name, place.as_str(), calls[at]);
        let (ground, place) = prepared(act, which);
        let (done, _) = faults::with(Some((at, fault)), || (act.run)(&ground, &place));
        read(act, &ground, &place, &context);
        let seen = check_settled(act, &ground, &place, &context);
        if done.is_ok() {
            assert_eq!(seen, act.after, "{context}: what was reported as done is done");
        }
        ends[usize::from(seen == act.after)] += 1;
        // Nothing stands in the way of trying again.
        if seen == act.before {
            (act.run)(&ground, &place).unwrap();
            assert_eq!(check_settled(act, &ground, &place, &context), act.after, "{context}");
        }
    }
    assert!(ends[0] > 0, "{}: some calls are before the point of no return", act.name);
    calls.len()
}

/// 1 to look at every call, more to look at every so-manieth: the whole table is for a run of its
/// own.
fn stride() -> usize {
    #[expect(clippy::disallowed_methods, reason = "the whole table is run on demand")]
    let whole = std::env::var_os("METIER_WHOLE_TABLES").is_some();
    if whole { 1 } else { 3 }
}

#[test]
fn whichever_call_is_the_last_one_there_is_the_old_state_or_the_new_one() {
    // P2, P5
    for act in ACTS {
        for which in [0, 1] {
            let calls = table(act, which, Fault::Gone, 1);
            assert!(calls >= 10, "{}: {calls} calls", act.name);
        }
    }
}

#[test]
fn whichever_call_fails_there_is_the_old_state_or_the_new_one() {
    // P2, P5
    for act in ACTS {
        for which in [0, 1] {
            for errno in [Errno::NOSPC, Errno::IO, Errno::ACCESS] {
                table(act, which, Fault::Fails(errno), stride());
            }
        }
    }
}

#[test]
fn a_process_that_is_killed_leaves_the_old_state_or_the_new_one() {
    // P5
    let update = &ACTS[1];
    if let Some((ground, at)) = to_be_killed() {
        let fault = Some((at, Fault::Killed));
        let _ = faults::with(fault, || (update.run)(&ground, &Place::Personal));
        return;
    }
    let (ground, place) = prepared(update, 0);
    let (_, calls) = faults::with(None, || (update.run)(&ground, &place));
    for at in (0..calls.len()).step_by(2 * stride()) {
        let (ground, place) = prepared(update, 0);
        let itself = "change::tests::a_process_that_is_killed_leaves_the_old_state_or_the_new_one";
        ground.kill(itself, at);
        let context = format!("killed at {at}, {}", calls[at]);
        read(update, &ground, &place, &context);
        check_settled(update, &ground, &place, &context);
    }
}

#[test]
fn what_was_left_unfinished_is_said() {
    // P5
    let act = &ACTS[1];
    let mut said = 0;
    let (ground, place) = prepared(act, 0);
    let (_, calls) = faults::with(None, || (act.run)(&ground, &place));
    for at in 0..calls.len() {
        let (ground, place) = prepared(act, 0);
        let _ = faults::with(Some((at, Fault::Gone)), || (act.run)(&ground, &place));
        let hand = Hand::take(&ground.home).unwrap();
        if let Some(repaired) = &hand.repaired {
            assert_eq!((repaired.act.as_str(), repaired.finished), ("add", true));
            said += 1;
        }
    }
    assert!(said > 3, "{said}");
}

#[test]
fn a_project_that_is_gone_stands_in_nobodys_way() {
    // P5
    let act = &ACTS[1];
    let (ground, place) = prepared(act, 1);
    let (_, calls) = faults::with(None, || (act.run)(&ground, &place));
    let (ground, place) = prepared(act, 1);
    let late = calls.len() - 3;
    let _ = faults::with(Some((late, Fault::Gone)), || (act.run)(&ground, &place));
    assert!(pending(&ground.home).unwrap().is_some());
    Folder::open(ground.path()).unwrap().remove("project").unwrap();
    let hand = Hand::take(&ground.home).unwrap();
    assert!(!hand.repaired.as_ref().unwrap().finished);
}

#[test]
fn a_note_that_is_not_as_it_was_written_is_not_guessed_at() {
    // P5
    let ground = Ground::new();
    ground.write("home/pending.json", "{\"act\":");
    let error = Hand::take(&ground.home).unwrap_err();
    assert!(matches!(error, ChangeError::Record(RecordError::Damaged { .. })), "{error}");
}

#[test]
fn a_home_that_is_no_directory_is_said() {
    // P5
    let ground = Ground::new();
    ground.write("home", "a file");
    assert!(matches!(Hand::take(&ground.home), Err(ChangeError::Turn(_))));
}

#[test]
fn only_what_metier_installed_is_touched() {
    // P2
    let ground = Ground::new();
    ground.write("home/skills/pdf/SKILL.md", "mine");
    let error = ground.install(&Place::Personal, "pdf", 1).unwrap_err();
    assert!(matches!(error, ChangeError::Occupied(_)), "{error}");
    ground.write("project/.agents/skills/pdf/SKILL.md", "mine");
    let error = ground.install(&ground.project(), "pdf", 1).unwrap_err();
    assert!(matches!(error, ChangeError::Occupied(_)), "{error}");
    assert_eq!(ground.text("home/skills/pdf/SKILL.md"), "mine");
    let error = ground.remove(&Place::Personal, "pdf").unwrap_err();
    assert!(matches!(error, ChangeError::NotInstalled(_)), "{error}");
    let error = ground.rollback(&Place::Personal, "pdf").unwrap_err();
    assert!(matches!(error, ChangeError::NoEarlier(_)), "{error}");
    assert_eq!(ground.text("home/skills.lock"), "");
}

#[test]
fn a_skill_somebody_changed_is_neither_updated_nor_removed() {
    // P2
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    ground.write("project/.agents/skills/pdf/SKILL.md", "edited");
    for result in [ground.install(&place, "pdf", 2), ground.remove(&place, "pdf")] {
        assert!(matches!(result.unwrap_err(), ChangeError::Drifted(_)));
    }
    let by = by();
    let request = Request { drift: Drift::Replace, ..ground.request(&place, &by) };
    crate::install(&request, &[ground.candidate("pdf", 2)]).unwrap();
    assert_eq!(ground.version(&place, "pdf"), Some(2));
    let kept = Keep::open(&ground.home).unwrap().trees().unwrap();
    assert_eq!(kept.len(), 3, "what was edited is kept");
}

#[test]
fn going_back_needs_a_sound_copy() {
    // P3
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    ground.install(&Place::Personal, "pdf", 2).unwrap();
    let keep = Keep::open(&ground.home).unwrap();
    let first = metier_store::digest::hex(&ground.staged("pdf", 1).tree.digest());
    Folder::open(&ground.home.store()).unwrap().remove(&first).unwrap();
    assert!(!keep.holds(&first));
    let error = ground.rollback(&Place::Personal, "pdf").unwrap_err();
    assert!(matches!(error, ChangeError::NotKept(_)), "{error}");
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(2));
}

/// Skills that together have more files than are flushed one by one.
const MANY: u32 = 30;

fn many() -> impl Iterator<Item = String> {
    (0..MANY).map(|number| format!("skill-{number}"))
}

fn install_many(ground: &Ground, place: &Place) -> Result<(), ChangeError> {
    let candidates: Vec<_> = many().map(|skill| ground.candidate(&skill, 1)).collect();
    crate::install::install(&ground.request(place, &by()), &candidates).map(drop)
}

/// How many of the many are installed, sound and approved.
fn sound(ground: &Ground, place: &Place) -> usize {
    let project = if let Place::Project(project) = place { Some(project.as_path()) } else { None };
    let ledger = Ledger::open(&ground.home, project, 0);
    let is_sound = |skill: &String| {
        let directory = place.directory(&ground.home, skill);
        let vouched = ledger.vouch(&name(skill), &directory, Depth::Bytes);
        vouched.standing == Standing::Approved && ground.version(place, skill) == Some(1)
    };
    many().filter(is_sound).count()
}

#[test]
fn many_skills_are_flushed_together_and_are_there_all_or_not_at_all() {
    // P5
    for which in 0..2 {
        let ground = Ground::new();
        let place = places(&ground)[which].clone();
        let (done, calls) = faults::with(None, || install_many(&ground, &place));
        done.unwrap();
        assert_eq!(sound(&ground, &place), MANY as usize);
        let count = |call| calls.iter().filter(|made| **made == call).count();
        // Copies for a project are flushed on their own, beside the kept ones.
        assert_eq!(count("syncfs"), 1 + which);
        assert!(count("fsync") < MANY as usize, "{} flushes", count("fsync"));
        for at in (0..calls.len()).step_by(37) {
            for fault in [Fault::Gone, Fault::Fails(Errno::NOSPC)] {
                let ground = Ground::new();
                let place = places(&ground)[which].clone();
                let (done, _) = faults::with(Some((at, fault)), || install_many(&ground, &place));
                drop(Hand::take(&ground.home).unwrap());
                let found = sound(&ground, &place);
                let whole = found == 0 || found == MANY as usize;
                assert!(whole, "{found} at call {at}, {fault:?}");
                assert!(done.is_err() || found == MANY as usize, "call {at}, {fault:?}");
            }
        }
    }
}

#[test]
fn a_project_whose_path_is_no_text_is_refused_before_anything_is_done() {
    // P2, P5, F4
    let ground = Ground::new();
    let place = ground.unspellable();
    let error = ground.install(&place, "pdf", 1).unwrap_err();
    assert!(matches!(error, ChangeError::Record(RecordError::Unwritable { .. })), "{error}");
    assert_eq!(ground.version(&place, "pdf"), None);
    assert_eq!(pending(&ground.home).unwrap(), None);
    // Nothing is in the way of who comes next.
    ground.install(&ground.project(), "pdf", 1).unwrap();
    assert_eq!(ground.version(&ground.project(), "pdf"), Some(1));
}
