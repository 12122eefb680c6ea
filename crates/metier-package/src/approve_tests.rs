use super::*;
use crate::fixture::{Ground, by};
use crate::records::RecordError;

fn approve_now(ground: &Ground, directory: &Path) -> Approval {
    approve(&ground.home, directory, &digest(directory).unwrap(), &by()).unwrap()
}

#[test]
fn what_changed_while_it_was_looked_at_is_not_approved() {
    // P4
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    let seen = digest(&directory).unwrap();
    ground.write("fetched/1/pdf/scripts/run.sh", "rm -rf /\n");
    let error = approve(&ground.home, &directory, &seen, &by()).unwrap_err();
    let now = digest(&directory).unwrap();
    assert!(matches!(&error, ApproveError::Changed { found, .. } if *found == now), "{error}");
    assert_eq!(ground.text("home/approvals.jsonl"), "");
}

#[test]
fn a_yes_is_to_exactly_what_is_there() {
    // P4
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    let first = approve_now(&ground, &directory);
    assert_eq!((first.by.who.as_str(), first.source.as_deref()), ("ada", None));
    assert!(ground.home.kept(&first.tree).join("SKILL.md").as_path().starts_with(ground.path()));
    ground.write("fetched/1/pdf/SKILL.md", "other");
    let second = approve_now(&ground, &directory);
    assert_ne!(first.tree, second.tree);
    assert_eq!(ground.text("home/approvals.jsonl").lines().count(), 2, "nothing is taken out");
    assert!(revoke(&ground.home, &directory).unwrap());
    assert_eq!(ground.text("home/approvals.jsonl").lines().count(), 3);
}

#[test]
fn a_yes_that_was_cut_short_never_becomes_one_by_the_next() {
    // P4, P5
    let line = {
        let ground = Ground::new();
        approve_now(&ground, &ground.staged("pdf", 1).directory).line().unwrap()
    };
    for end in [1, line.len() / 2, line.len() - 1] {
        let ground = Ground::new();
        ground.write("home/approvals.jsonl", &line[..end]);
        approve_now(&ground, &ground.staged("notes", 1).directory);
        let known = crate::records::approvals(&ground.home).unwrap();
        let whole = end == line.len() - 1;
        assert_eq!(known.iter().count(), 1 + usize::from(whole), "{end}");
        assert_eq!((known.unreadable, known.torn), (0, false), "{end}");
        let kept = ground.text("home/approvals.jsonl.torn");
        assert_eq!(kept, if whole { String::new() } else { format!("{}\n", &line[..end]) });
    }
}

#[test]
fn what_was_taken_back_stays_so_without_the_end_of_its_line() {
    // P4, P5
    let ground = Ground::new();
    let directory = ground.staged("pdf", 1).directory;
    let approval = approve_now(&ground, &directory);
    assert!(revoke(&ground.home, &directory).unwrap());
    let text = ground.text("home/approvals.jsonl");
    ground.write("home/approvals.jsonl", text.trim_end());
    let approved = || {
        let known = crate::records::approvals(&ground.home).unwrap();
        known.get(&approval.directory).is_some()
    };
    assert!(!approved());
    approve_now(&ground, &ground.staged("notes", 1).directory);
    assert!(!approved(), "nor is it taken out by the next");
    assert!(ground.text("home/approvals.jsonl").starts_with(&text));
}

#[test]
fn an_installed_skill_is_approved_with_where_it_is_from() {
    // P4
    let ground = Ground::new();
    ground.install(&Place::Personal, "pdf", 1).unwrap();
    let directory = Place::Personal.directory(&ground.home, "pdf");
    revoke(&ground.home, &directory).unwrap();
    let approval = approve_now(&ground, &directory);
    assert_eq!(approval.source.as_deref(), Some("https://git.example/skills"));
    assert_eq!(approval.commit.unwrap().len(), 40);
}

#[test]
fn what_cannot_be_read_whole_cannot_be_approved() {
    // P4
    let ground = Ground::new();
    let nowhere = ground.path().join("nowhere/pdf");
    let error = approve(&ground.home, &nowhere, "", &by()).unwrap_err();
    assert!(matches!(error, ApproveError::NoDirectory(_)), "{error}");
    let missing = ground.path().join("pdf");
    let error = approve(&ground.home, &missing, "", &by()).unwrap_err();
    assert!(matches!(error, ApproveError::Tree { .. }), "{error}");
    ground.write("home/pending.json", "{");
    let error = approve(&ground.home, &missing, "", &by()).unwrap_err();
    assert!(matches!(error, ApproveError::Change(_)), "{error}");
}

#[test]
fn folders_are_trusted_by_where_they_really_are() {
    // P4, D4
    let ground = Ground::new();
    rustix::fs::symlink("project", ground.path().join("way")).unwrap();
    let way = ground.path().join("way");
    assert!(trust_folder(&ground.home, &way, &by()).unwrap());
    assert!(!trust_folder(&ground.home, &ground.path().join("project"), &by()).unwrap());
    let real = real_path(&ground.path().join("project")).unwrap();
    assert_eq!(trusted_folders(&ground.home).unwrap(), [real]);
    assert!(untrust_folder(&ground.home, &way).unwrap());
    assert!(!untrust_folder(&ground.home, &way).unwrap());
    let error = trust_folder(&ground.home, &ground.path().join("none"), &by()).unwrap_err();
    assert!(matches!(error, ApproveError::NoDirectory(_)), "{error}");
    ground.write("home/folders.json", "[");
    let error = trusted_folders(&ground.home).unwrap_err();
    assert!(matches!(error, ChangeError::Record(RecordError::Damaged { .. })), "{error}");
}
