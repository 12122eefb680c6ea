use super::*;
use crate::fixture::{Ground, by, name};
use crate::tampers::{Dice, tamper};

#[test]
fn what_was_installed_is_sound_and_what_is_missing_is_named() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        ground.install(&place, "notes", 1).unwrap();
        let all = verify(&ground.home, &place, None).unwrap();
        assert_eq!(all.len(), 2);
        assert!(all.iter().all(Verified::is_sound), "{all:?}");
        let one = verify(&ground.home, &place, Some(&name("pdf"))).unwrap();
        assert_eq!(one.len(), 1);
    }
    let project = ground.project();
    let skills =
        crate::atomic::Folder::open(&ground.path().join("project/.agents/skills")).unwrap();
    skills.remove("pdf").unwrap();
    let gone = verify(&ground.home, &project, Some(&name("pdf"))).unwrap();
    assert_eq!(gone[0].differences.len(), 3);
    assert_eq!(gone[0].differences[0].kind, DifferenceKind::Missing);
}

#[test]
fn a_link_that_leads_elsewhere_is_not_sound() {
    // P3, P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let same = ground.staged("pdf", 1).directory;
    let skills = crate::atomic::Folder::open(&ground.home.path().join("skills")).unwrap();
    skills.point("pdf", same.to_str().unwrap()).unwrap();
    let found = &verify(&ground.home, &Place::Personal, None).unwrap()[0];
    assert!(found.differences.is_empty() && found.fault.is_some(), "{found:?}");
}

#[test]
fn something_that_is_no_file_is_named() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let fifo = place.directory(&ground.home, "pdf").join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from(0o644),
        0,
    )
    .unwrap();
    let found = &verify(&ground.home, &place, None).unwrap()[0];
    assert_eq!(found.differences[0].to_string(), "kind pipe");
}

#[test]
fn ten_thousand_random_tampers_are_all_found() {
    // P3, P4
    let ground = Ground::new();
    let mut dice = Dice(7);
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        let pinned = crate::installed::list(&ground.home, &place).unwrap().remove(0);
        let directory = place.directory(&ground.home, "pdf");
        for round in 0..5000 {
            let (what, undo) = tamper(&directory, &mut dice);
            let found = look(&ground.home, &place, &pinned);
            assert!(!found.is_sound(), "{} {round}: {what}", place.as_str());
            undo();
            if round % 500 == 0 {
                assert!(look(&ground.home, &place, &pinned).is_sound(), "{round}: undone");
            }
        }
    }
}

#[test]
fn what_was_approved_is_held_against_what_is_kept_of_it() {
    // P4
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    let seen = crate::approve::digest(&directory).unwrap();
    let look = |tree: &str| against_approval(&ground.home, &name("pdf"), &directory, tree);
    crate::approve::approve(&ground.home, &directory, &seen, &by()).unwrap();
    assert!(look(&seen).is_sound());
    ground.write("fetched/1/pdf/SKILL.md", "edited");
    let kinds: Vec<String> = look(&seen).differences.iter().map(ToString::to_string).collect();
    assert_eq!(kinds, ["changed SKILL.md"]);
    let unknown = look(&"0".repeat(64));
    assert_eq!(unknown.fault.as_deref(), Some("it is not what was approved"));
}
