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
