//! Content that frames refer to by digest.

use std::collections::BTreeSet;

use metier_runtime::journal::Artifacts;

#[test]
fn content_is_kept_once_and_comes_back_as_it_was() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Artifacts::at(&folder.path().join("artifacts"));
    let digest = artifacts.keep(b"a body").unwrap();
    assert_eq!(artifacts.keep(b"a body").unwrap(), digest);
    assert_eq!(artifacts.get(&digest).as_deref(), Some(&b"a body"[..]));
    assert_eq!(artifacts.get("../../etc/passwd"), None);
    assert_eq!(artifacts.get(&"0".repeat(64)), None);
}

#[test]
fn content_that_was_changed_is_not_given_back() {
    // J3
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Artifacts::at(folder.path());
    let digest = artifacts.keep(b"a body").unwrap();
    std::fs::write(folder.path().join(&digest[..2]).join(&digest), b"another").unwrap();
    assert_eq!(artifacts.get(&digest), None);
}

#[test]
fn a_sweep_takes_only_what_nothing_refers_to() {
    // J2
    let folder = tempfile::tempdir().unwrap();
    let artifacts = Artifacts::at(folder.path());
    let kept = artifacts.keep(b"kept").unwrap();
    let gone = artifacts.keep(b"gone").unwrap();
    let swept = artifacts.sweep(&BTreeSet::from([kept.clone()])).unwrap();
    assert_eq!((swept.kept, swept.removed), (1, 1));
    assert!(artifacts.get(&kept).is_some() && artifacts.get(&gone).is_none());
    let nowhere = Artifacts::at(&folder.path().join("nowhere"));
    assert_eq!(nowhere.sweep(&BTreeSet::new()).unwrap().removed, 0);
}
