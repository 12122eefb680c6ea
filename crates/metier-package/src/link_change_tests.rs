//! The crash tables of links: every call that changes the disk is the last one or fails.

#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use rustix::io::Errno;

use super::*;
use crate::atomic::faults::{self, Fault};
use crate::machine::Machine;
use crate::records::RecordError;

struct Act {
    name: &'static str,
    prepare: fn(&Machine),
    run: fn(&Machine) -> Result<(), ChangeError>,
}

const HOME: Place = Place::Personal;

const ACTS: &[Act] = &[
    Act {
        name: "link",
        prepare: |_| {},
        run: |machine| machine.link(&HOME, &["claude-code", "crush"]).map(drop),
    },
    Act {
        name: "unlink",
        prepare: |machine| drop(machine.link(&HOME, &["claude-code", "crush"]).unwrap()),
        run: |machine| machine.unlink(&HOME, &["crush"]).map(drop),
    },
    Act {
        name: "relink",
        prepare: |machine| {
            machine.link_as(&HOME, &["claude-code"], How::Copy).unwrap();
            machine.install(&HOME, "pdf", 2);
            machine.ground.remove(&HOME, "notes").unwrap();
        },
        run: |machine| machine.relink(&HOME).map(drop),
    },
    Act {
        name: "link in a project",
        prepare: |machine| machine.install(&machine.ground.project(), "pdf", 1),
        run: |machine| machine.link(&machine.ground.project(), &["claude-code"]).map(drop),
    },
];

fn prepared(act: &Act) -> Machine {
    let machine = Machine::with(&["claude-code"]);
    machine.install(&HOME, "pdf", 1);
    machine.install(&HOME, "notes", 1);
    machine.ground.write("user/.claude/skills/mine/SKILL.md", "mine");
    (act.prepare)(&machine);
    machine
}

/// Everything there is, with this run's own directory taken out.
fn state(machine: &Machine) -> String {
    let projects = Links::read(&machine.ground.home, &machine.ground.project()).unwrap();
    let text = format!(
        "{}\n{}\n{}",
        machine.listing(),
        machine.ground.text("home/links.json"),
        projects.text().unwrap()
    );
    text.replace(&machine.ground.path().display().to_string(), "")
}

/// Runs `act` with `fault` at each call in turn; gives how many calls there are.
fn table(act: &Act, fault: Fault, stride: usize) -> usize {
    let machine = prepared(act);
    let before = state(&machine);
    let (done, calls) = faults::with(None, || (act.run)(&machine));
    done.unwrap();
    let after = state(&machine);
    assert_ne!(before, after, "{}", act.name);
    let mut ends = [0, 0];
    for at in (0..calls.len()).step_by(stride) {
        let context = format!("{} {fault:?} at {at}, {}", act.name, calls[at]);
        let machine = prepared(act);
        let (done, _) = faults::with(Some((at, fault)), || (act.run)(&machine));
        crate::link::repair(&machine.ground.home).unwrap();
        let seen = state(&machine);
        assert!(seen == before || seen == after, "{context}\n{seen}\n\nnot\n{before}\n\n{after}");
        assert!(done.is_err() || seen == after, "{context}: what was reported as done is done");
        ends[usize::from(seen == after)] += 1;
        (act.run)(&machine).unwrap();
        assert_eq!(state(&machine), after, "{context}: trying again helps");
    }
    assert!(ends[0] > 0 && (stride > 1 || ends[1] > 0), "{}: {ends:?}", act.name);
    calls.len()
}

#[test]
fn whichever_call_is_the_last_one_links_are_as_before_or_as_asked_for() {
    // P5, P7
    for act in ACTS {
        let calls = table(act, Fault::Gone, 1);
        assert!(calls >= 10, "{}: {calls}", act.name);
    }
}

#[test]
fn whichever_call_fails_links_are_as_before_or_as_asked_for() {
    // P5, P7
    for act in ACTS {
        for errno in [Errno::NOSPC, Errno::IO, Errno::ACCESS] {
            table(act, Fault::Fails(errno), stride());
        }
    }
}

/// 1 to look at every call, more to look at every so-manieth: the whole table is for a run of its
/// own.
fn stride() -> usize {
    if std::env::var_os("METIER_WHOLE_TABLES").is_some() { 1 } else { 5 }
}

#[test]
fn where_no_links_can_be_there_are_copies() {
    // P7
    let machine = prepared(&ACTS[0]);
    let (_, calls) = faults::with(None, || machine.link(&HOME, &["claude-code"]));
    let first = calls.iter().position(|call| *call == "symlink").unwrap();
    let machine = prepared(&ACTS[0]);
    let fault = Some((first, Fault::Fails(Errno::PERM)));
    let (done, _) = faults::with(fault, || machine.link(&HOME, &["claude-code"]));
    assert_eq!(done.unwrap().made.len(), 2);
    let path = machine.user(".claude/skills/pdf");
    assert!(!path.is_symlink() && path.join("SKILL.md").exists());
    assert_eq!(machine.relink(&HOME).unwrap().made, [""; 0], "that is remembered");
}

#[test]
fn what_was_left_unfinished_is_said_by_whoever_comes_next() {
    // P5, P7
    let act = &ACTS[0];
    let machine = prepared(act);
    let (_, calls) = faults::with(None, || (act.run)(&machine));
    let mut said = 0;
    for at in 0..calls.len() {
        let machine = prepared(act);
        let _ = faults::with(Some((at, Fault::Gone)), || (act.run)(&machine));
        if let Some(repaired) = machine.link(&HOME, &["claude-code"]).unwrap().repaired {
            assert_eq!((repaired.act.as_str(), repaired.finished), ("link", true));
            assert_eq!(repaired.names, ["claude-code", "crush"]);
            said += 1;
        }
    }
    assert!(said > 3, "{said}");
}

#[test]
fn what_somebody_puts_there_while_a_change_is_unfinished_is_theirs() {
    // P5, P7
    let act = &ACTS[1];
    let machine = prepared(act);
    let (_, calls) = faults::with(None, || (act.run)(&machine));
    for (at, call) in calls.iter().enumerate() {
        let machine = prepared(act);
        let _ = faults::with(Some((at, Fault::Gone)), || (act.run)(&machine));
        let folder = machine.user(".config/crush/skills");
        std::fs::create_dir_all(&folder).unwrap();
        let _ = std::fs::remove_file(folder.join("pdf"));
        std::fs::write(folder.join("pdf"), "mine").unwrap();
        machine.unlink(&HOME, &[]).unwrap();
        let text = std::fs::read_to_string(folder.join("pdf")).unwrap();
        assert_eq!(text, "mine", "{at}, {call}");
    }
}

#[test]
fn a_project_that_is_gone_stands_in_nobodys_way() {
    // P5, P7
    let act = &ACTS[3];
    let machine = prepared(act);
    let (_, calls) = faults::with(None, || (act.run)(&machine));
    let machine = prepared(act);
    let late = Some((calls.len() - 3, Fault::Gone));
    let _ = faults::with(late, || (act.run)(&machine));
    assert!(note(&machine.ground.home).unwrap().is_some());
    std::fs::remove_dir_all(machine.in_project("")).unwrap();
    let repaired = crate::link::repair(&machine.ground.home).unwrap().unwrap();
    assert!(!repaired.finished);
}

#[test]
fn any_number_may_link_and_install_at_once_and_nothing_is_lost() {
    // P5, P7
    let machine = Machine::with(&[]);
    let agents = ["claude-code", "crush", "adal", "kode"];
    std::thread::scope(|scope| {
        for agent in agents {
            let machine = &machine;
            scope.spawn(move || drop(machine.link(&HOME, &[agent]).unwrap()));
        }
        for number in 0..4 {
            machine.install(&HOME, &format!("skill-{number}"), 1);
            machine.relink(&HOME).unwrap();
        }
    });
    machine.relink(&HOME).unwrap();
    let links = Links::read(&machine.ground.home, &HOME).unwrap();
    assert_eq!(links.agents.len(), 4);
    assert_eq!(links.made.len(), 16);
    for made in &links.made {
        let path = std::path::Path::new(&made.folder).join(&made.name).join("SKILL.md");
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn links_in_a_project_whose_path_is_no_text_are_refused_before_any_is_made() {
    // P5, P7, F4
    let machine = Machine::with(&["claude-code"]);
    let place = machine.ground.unspellable();
    let error = machine.link(&place, &["claude-code"]).unwrap_err();
    assert!(matches!(error, ChangeError::Record(RecordError::Unwritable { .. })), "{error}");
    assert_eq!(note(&machine.ground.home).unwrap(), None);
    machine.link(&HOME, &["claude-code"]).unwrap();
}
