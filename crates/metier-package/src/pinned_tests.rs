use super::*;
use crate::fixture::Ground;

#[test]
fn a_pinned_skill_goes_through_records_unchanged() {
    // P3
    let mut pinned = Pinned::of(&Ground::new().staged("pdf", 3)).unwrap();
    pinned.locked.signature = Signature::Good { signer: "SHA256:x".to_owned() };
    let text = serde_json::to_string(&pinned).unwrap();
    assert_eq!(serde_json::from_str::<Pinned>(&text).unwrap(), pinned);
    assert_eq!((pinned.short(), pinned.signer()), ("000000000000", Some("SHA256:x")));
    for (from, to) in [("\"good\"", "\"great\""), ("\"pdf\"", "\"../pdf\"")] {
        assert!(serde_json::from_str::<Pinned>(&text.replacen(from, to, 1)).is_err(), "{from}");
    }
    pinned.locked.commit = None;
    assert_eq!(pinned.short(), &pinned.tree[..12]);
}

#[test]
fn files_have_the_modes_git_has() {
    // P3
    for mode in [FileMode::File, FileMode::Executable, FileMode::Link] {
        assert_eq!(FileMode::parse(mode.as_str()), Some(mode));
    }
    assert_eq!(FileMode::parse("160000"), None);
    assert_eq!(FileMode::of(TreeKind::Link), FileMode::Link);
}

#[test]
fn the_files_of_a_tree_give_its_digest_and_no_others_do() {
    // P3
    let ground = Ground::new();
    let mut staged = ground.staged("pdf", 1);
    rustix::fs::symlink("SKILL.md", staged.directory.join("a-link")).unwrap();
    // Names that sort by components otherwise than by bytes.
    for name in ["b/c", "b.md", "b0", "B", "\u{e9}"] {
        ground.write(&format!("fetched/1/pdf/{name}"), name);
    }
    staged.tree = crate::keep::read_tree(&staged.directory).unwrap();
    let pinned = Pinned::of(&staged).unwrap();
    assert!(pinned.is_consistent());
    assert_eq!(digest_of(&pinned.files), Some(pinned.tree.clone()));
    for digest in ["", "0", "é", &"0".repeat(63), &"+f".repeat(32), &"g".repeat(64)] {
        let mut odd = pinned.clone();
        odd.files[0].sha256 = digest.to_owned();
        assert!(!odd.is_consistent(), "{digest}");
    }
}
