use super::*;
use crate::fixture::{Ground, by, name};
use crate::install::Drift;

#[test]
fn a_removed_skill_leaves_nothing_behind_but_its_kept_copy() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "pdf", 1).unwrap();
        ground.install(&place, "notes", 1).unwrap();
        let outcome = ground.remove(&place, "pdf").unwrap();
        assert!(outcome.done[0].after.is_none());
        assert_eq!(
            (ground.version(&place, "pdf"), ground.version(&place, "notes")),
            (None, Some(1))
        );
        for file in ["skills.lock", "skills.toml"] {
            let text = ground.text(place.base(&ground.home).join(file));
            assert!(!text.contains("pdf") && text.contains("notes"), "{text}");
        }
        ground.rollback(&place, "pdf").unwrap();
        assert_eq!(ground.version(&place, "pdf"), Some(1));
    }
}

#[test]
fn all_that_are_named_are_removed_or_none() {
    // P3
    let ground = Ground::new();
    let by = by();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let request = ground.request(&Place::Personal, &by);
    let error = remove(&request, &[name("pdf"), name("nobody")]).unwrap_err();
    assert!(matches!(error, ChangeError::NotInstalled(_)), "{error}");
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
    let request = Request { drift: Drift::Replace, ..request };
    remove(&request, &[name("pdf")]).unwrap();
    assert_eq!(ground.version(&Place::Personal, "pdf"), None);
}

#[test]
fn a_skill_that_is_gone_already_can_be_removed() {
    // P3
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let skills =
        crate::atomic::Folder::open(&ground.path().join("project/.agents/skills")).unwrap();
    skills.remove("pdf").unwrap();
    ground.remove(&place, "pdf").unwrap();
    assert!(!ground.text("project/skills.lock").contains("pdf"));
}

#[test]
fn going_back_ends_at_the_oldest_version() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        for version in 1..=3 {
            ground.install(&place, "pdf", version).unwrap();
        }
        for version in [2, 1] {
            ground.rollback(&place, "pdf").unwrap();
            assert_eq!(ground.version(&place, "pdf"), Some(version));
        }
        let error = ground.rollback(&place, "pdf").unwrap_err();
        assert!(matches!(error, ChangeError::NoEarlier(_)), "{error}");
        assert_eq!(ground.version(&place, "pdf"), Some(1));
    }
}

#[test]
fn what_somebody_else_put_in_a_skills_place_stays_when_it_is_removed() {
    // P3
    let ground = Ground::new();
    let foreign = || is_foreign(&ground.home, &Place::Personal, &name("pdf")).unwrap();
    assert!(!foreign(), "there is nothing");
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    assert!(!foreign());
    let skills = crate::atomic::Folder::open(&ground.path().join("home/skills")).unwrap();
    skills.unlink("pdf").unwrap();
    rustix::fs::symlink("../../project", ground.path().join("home/skills/pdf")).unwrap();
    assert!(foreign());
    ground.remove(&Place::Personal, "pdf").unwrap();
    assert_eq!(skills.kind("pdf").unwrap(), Some(Kind::Link), "the link is theirs");
    assert!(!ground.text("home/skills.lock").contains("pdf"));
    skills.unlink("pdf").unwrap();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    skills.unlink("pdf").unwrap();
    ground.write("home/skills/pdf/SKILL.md", "theirs");
    assert!(foreign());
    ground.remove(&Place::Personal, "pdf").unwrap();
    assert_eq!(ground.text("home/skills/pdf/SKILL.md"), "theirs");
}

#[test]
fn a_directory_whose_name_is_no_text_does_not_stay_in_the_way() {
    // P2, P5
    use std::os::unix::ffi::OsStrExt as _;
    let ground = Ground::new();
    let place = ground.project();
    ground.install(&place, "pdf", 1).unwrap();
    let directory = place.directory(&ground.home, "pdf");
    let odd = directory.join(std::ffi::OsStr::from_bytes(b"\xff"));
    rustix::fs::mkdir(&odd, rustix::fs::Mode::RWXU).unwrap();
    ground.remove(&place, "pdf").unwrap();
    assert_eq!(crate::atomic::real_path(&directory), None);
    ground.install(&place, "notes", 1).unwrap();
}
