use super::*;
use crate::fixture::{Ground, bases, by, name};
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

/// Installs version `version` of `pdf` as `requested`.
fn install_as(ground: &Ground, place: &Place, version: u32, requested: &str) {
    let mut candidate = ground.candidate("pdf", version);
    candidate.staged.locked.requested = Some(requested.to_owned());
    candidate.want.as_mut().unwrap().requested = Some(requested.to_owned());
    crate::install(&ground.request(place, &by()), &[candidate]).unwrap();
}

#[test]
fn what_was_gone_back_to_is_what_is_wanted() {
    // P3
    let ground = Ground::new();
    for place in [Place::Personal, ground.project()] {
        ground.install(&place, "notes", 1).unwrap();
        install_as(&ground, &place, 1, "v1");
        install_as(&ground, &place, 2, "v2");
        ground.rollback(&place, "pdf").unwrap();
        let settled = || {
            let plan = crate::sync::plan(&ground.home, &place, &bases()).unwrap();
            assert!(plan.is_empty(), "{}: {plan:?}", place.as_str());
            assert_eq!(ground.version(&place, "pdf"), Some(1));
        };
        settled();
        // So is what was removed and came back.
        ground.remove(&place, "pdf").unwrap();
        ground.rollback(&place, "pdf").unwrap();
        settled();
        // What is wanted the same way stays as somebody wrote it.
        let wanted = place.base(&ground.home).join("skills.toml");
        let text = ground.text(&wanted).replace("https://git.", "https://GIT.");
        ground.write(wanted.to_str().unwrap(), &text);
        install_as(&ground, &place, 3, "v1");
        ground.write(wanted.to_str().unwrap(), &text);
        ground.rollback(&place, "pdf").unwrap();
        assert_eq!(ground.text(&wanted), text);
        settled();
    }
}

/// Changes `SKILL.md` of the personal skill `pdf` as somebody does who means it.
fn edit(ground: &Ground, text: &str) {
    let file = Place::Personal.directory(&ground.home, "pdf").join("SKILL.md");
    let folder = crate::atomic::Folder::open(file.parent().unwrap()).unwrap();
    folder.set_mode(0o755).unwrap();
    folder.set_mode_of("SKILL.md", 0o644).unwrap();
    ground.write(file.to_str().unwrap(), text);
}

#[test]
fn what_somebody_made_of_a_personal_skill_is_neither_updated_nor_removed_unasked() {
    // P2, P3
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    edit(&ground, "mine");
    let by = by();
    let refuse = ground.request(&Place::Personal, &by);
    for result in
        [ground.install(&Place::Personal, "pdf", 2), ground.remove(&Place::Personal, "pdf")]
    {
        assert!(matches!(result.unwrap_err(), ChangeError::Drifted(_)));
        assert_eq!(ground.text("home/skills/pdf/SKILL.md"), "mine");
    }
    // Asked for, it is kept as what it is, and what was installed can be gone back to.
    let replace = Request { drift: Drift::Replace, ..refuse.clone() };
    let outcome = remove(&replace, &[name("pdf")]).unwrap();
    let replaced = outcome.done[0].replaced.as_ref().unwrap();
    assert_eq!(replaced.differences, ["changed SKILL.md"]);
    assert_eq!(ground.text(format!("{}/SKILL.md", replaced.kept)), "mine");
    let error = rollback(&refuse, &name("pdf"), &[]).unwrap_err();
    assert!(matches!(error, ChangeError::NotKept(_)), "{error}");
    rollback(&refuse, &name("pdf"), &[ground.staged("pdf", 1)]).unwrap();
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
    edit(&ground, "mine again");
    crate::install(&replace, &[ground.candidate("pdf", 2)]).unwrap();
    rollback(&refuse, &name("pdf"), &[ground.staged("pdf", 1)]).unwrap();
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
    let noted = crate::replaced::trees(&ground.home).unwrap();
    let texts: Vec<String> =
        noted.iter().map(|tree| ground.text(ground.home.kept(tree).join("SKILL.md"))).collect();
    assert_eq!(texts, ["mine", "mine again"]);
}

#[test]
fn a_kept_copy_that_somebody_changed_is_put_right_and_the_change_is_kept() {
    // P3
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    ground.install(&Place::Personal, "pdf", 2).unwrap();
    let by = by();
    let request = ground.request(&Place::Personal, &by);
    let first = metier_store::digest::hex(&ground.staged("pdf", 1).tree.digest());
    let kept = crate::atomic::Folder::open(&ground.home.kept(&first)).unwrap();
    kept.set_mode_of("SKILL.md", 0o644).unwrap();
    ground.write(&format!("home/store/{first}/SKILL.md"), "mine");
    rollback(&request, &name("pdf"), &[ground.staged("pdf", 1)]).unwrap();
    assert_eq!(ground.version(&Place::Personal, "pdf"), Some(1));
    let noted = crate::replaced::trees(&ground.home).unwrap();
    assert_eq!(ground.text(ground.home.kept(&noted[0]).join("SKILL.md")), "mine");
}
