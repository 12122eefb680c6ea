use super::*;
use crate::fixture::{Ground, by, name};
use crate::source::Signature;

#[test]
fn several_skills_are_installed_at_once() {
    // P2
    let ground = Ground::new();
    let place = ground.project();
    let by = by();
    let many: Vec<Candidate> =
        (0..40).map(|n| ground.candidate(&format!("skill-{n}"), 1)).collect();
    let outcome = install(&ground.request(&place, &by), &many).unwrap();
    assert_eq!((outcome.done.len(), outcome.repaired), (40, None));
    assert!(
        crate::verify::verify(&ground.home, &place, None).unwrap().iter().all(|v| v.is_sound())
    );
}

#[test]
fn one_that_cannot_be_installed_keeps_all_out() {
    // P2
    let ground = Ground::new();
    ground.write("home/skills/notes/SKILL.md", "mine");
    let by = by();
    let both = [ground.candidate("pdf", 1), ground.candidate("notes", 1)];
    install(&ground.request(&Place::Personal, &by), &both).unwrap_err();
    assert_eq!(ground.version(&Place::Personal, "pdf"), None);
    assert_eq!(ground.text("home/skills.lock"), "");
    assert_eq!(ground.text("home/approvals.jsonl"), "");
}

#[test]
fn what_is_installed_already_changes_no_file() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let stat = |path: &str| {
        let stat = rustix::fs::stat(ground.path().join(path)).unwrap();
        (stat.st_ino, stat.st_mtime_nsec)
    };
    let files = ["project/skills.lock", "project/skills.toml", "project/.agents/skills/pdf"];
    let before = files.map(stat);
    assert_eq!(ground.install(&place, "pdf", 1).unwrap(), Outcome::default());
    assert_eq!(files.map(stat), before);
}

#[test]
fn an_update_keeps_what_was_there() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        for version in 1..=3 {
            ground.install(&place, "pdf", version).unwrap();
        }
        let earlier = crate::installed::earlier(&ground.home, &place, &name("pdf")).unwrap();
        assert_eq!(earlier.len(), 2);
        let mut versions = Vec::new();
        for _ in 0..2 {
            ground.rollback(&place, "pdf").unwrap();
            versions.push(ground.version(&place, "pdf").unwrap());
        }
        assert_eq!(versions, [2, 1], "further back each time");
    }
}

#[test]
fn a_yes_is_recorded_once_and_again_for_another_signer() {
    // P4
    let ground = Ground::new();
    let by = by();
    let mut signed = ground.candidate("pdf", 1);
    signed.staged.locked.signature = Signature::Good { signer: "SHA256:a".to_owned() };
    install(&ground.request(&Place::Personal, &by), &[signed]).unwrap();
    let lines = || ground.text("home/approvals.jsonl").lines().count();
    assert_eq!(lines(), 1);
    let mut other = ground.candidate("pdf", 1);
    other.staged.locked.signature = Signature::Good { signer: "SHA256:b".to_owned() };
    install(&ground.request(&Place::Personal, &by), &[other]).unwrap();
    assert_eq!(lines(), 2);
    assert!(ground.text("home/skills.lock").contains("SHA256:b"));
}

#[test]
fn without_a_yes_nothing_is_approved() {
    // P4
    let ground = Ground::new();
    let by = by();
    let one = Candidate { approved: false, ..ground.candidate("pdf", 1) };
    install(&ground.request(&Place::Personal, &by), &[one]).unwrap();
    assert_eq!(ground.text("home/approvals.jsonl"), "");
    assert!(ground.text("home/registry.json").contains("\"trusted\": false"));
}

#[test]
fn a_name_that_would_hide_is_not_installed() {
    // P2
    let ground = Ground::new();
    let by = by();
    let mut hidden = ground.candidate("pdf", 1);
    hidden.staged.name = name(".pdf");
    install(&ground.request(&Place::Personal, &by), &[hidden]).unwrap_err();
}

#[test]
fn a_project_cannot_lead_an_installation_elsewhere() {
    // P2
    let ground = Ground::new();
    ground.write("outside/keep", "x");
    rustix::fs::symlink("../outside", ground.path().join("project/.agents")).unwrap();
    let error = ground.install(&ground.project(), "pdf", 1).unwrap_err();
    assert!(matches!(error, ChangeError::Disk(_)), "{error}");
    assert_eq!(Folder::open(&ground.path().join("outside")).unwrap().names().unwrap(), ["keep"]);
}

#[test]
fn a_tree_that_changed_since_it_was_fetched_is_not_installed() {
    // P2
    let ground = Ground::new();
    let by = by();
    let candidate = ground.candidate("pdf", 1);
    ground.write("fetched/1/pdf/SKILL.md", "swapped");
    let error = install(&ground.request(&Place::Personal, &by), &[candidate]).unwrap_err();
    assert!(matches!(error, ChangeError::Copy(_)), "{error}");
    assert!(Folder::open(&ground.home.store()).unwrap().names().unwrap().is_empty());
}
