use super::*;
use crate::fixture::Ground;

fn compared(ground: &Ground, old: u32, new: u32) -> Vec<FileChange> {
    let (old, new) = (ground.staged("pdf", old), ground.staged("pdf", new));
    let pinned = (Pinned::of(&old).unwrap(), Pinned::of(&new).unwrap());
    let scripts = BTreeSet::from(["tool.py".to_owned()]);
    changes(
        Version { pinned: &pinned.0, directory: &old.directory },
        Version { pinned: &pinned.1, directory: &new.directory },
        &scripts,
    )
}

#[test]
fn every_file_that_is_not_the_same_is_named_what_can_be_run_first() {
    // P3, P4
    let ground = Ground::new();
    ground.staged("pdf", 1);
    ground.staged("pdf", 2);
    ground.write("fetched/1/pdf/old.md", "gone\n");
    ground.write("fetched/1/pdf/same.md", "same\n");
    ground.write("fetched/2/pdf/same.md", "same\n");
    ground.write("fetched/2/pdf/a.bin", b"\xff\x00");
    ground.write("fetched/2/pdf/tool.py", "print(1)\n");
    let found = compared(&ground, 1, 2);
    let shown: Vec<_> = found.iter().map(|one| (one.kind.as_str(), one.path.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("changed", "scripts/run.sh"),
            ("added", "tool.py"),
            ("changed", "SKILL.md"),
            ("added", "a.bin"),
            ("removed", "old.md"),
            ("changed", "references/notes.md"),
        ],
    );
    let texts = |at: usize| found[at].texts.clone();
    assert_eq!(texts(0), Some(("echo 1\n".to_owned(), "echo 2\n".to_owned())));
    assert_eq!(texts(1), Some((String::new(), "print(1)\n".to_owned())));
    assert_eq!(texts(3), None, "it is not text");
    assert_eq!(texts(4), Some(("gone\n".to_owned(), String::new())));
    assert_eq!(compared(&ground, 1, 1), []);
}

#[test]
fn a_file_that_can_be_executed_now_is_named_too() {
    // P3, P4
    let ground = Ground::new();
    let plain = ground.staged("pdf", 1);
    let old = Pinned::of(&plain).unwrap();
    let mut new = old.clone();
    for file in &mut new.files {
        file.mode = FileMode::Executable;
    }
    let version = |pinned| Version { pinned, directory: &plain.directory };
    let found = changes(version(&old), version(&new), &BTreeSet::new());
    assert_eq!(found.len(), 2, "the script could be executed before");
    assert!(found.iter().all(|one| one.kind == ChangeKind::Mode && one.texts.is_none()));
}

#[test]
fn two_directories_are_compared_like_two_versions() {
    // P4
    let ground = Ground::new();
    let old = ground.staged("pdf", 1).directory;
    let new = ground.staged("pdf", 2).directory;
    ground.write("fetched/2/pdf/more.md", "more\n");
    let changes = between(&old, &new, &BTreeSet::new()).unwrap();
    let told: Vec<(&str, &str)> =
        changes.iter().map(|change| (change.kind.as_str(), change.path.as_str())).collect();
    let expected = [
        ("changed", "scripts/run.sh"),
        ("changed", "SKILL.md"),
        ("added", "more.md"),
        ("changed", "references/notes.md"),
    ];
    assert_eq!(told, expected);
    assert!(between(&old, &ground.path().join("gone"), &BTreeSet::new()).is_none());
}
