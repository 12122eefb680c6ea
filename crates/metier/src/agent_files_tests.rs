#![expect(clippy::disallowed_methods, reason = "tests plant files and look at them")]

use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

#[test]
fn a_file_is_replaced_with_its_mode_where_its_link_leads() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let (real, link) = (space.path().join("dotfiles.json"), space.path().join("settings.json"));
    std::fs::write(&real, "{}").expect("write");
    std::fs::set_permissions(&real, Permissions::from_mode(0o640)).expect("mode");
    symlink(&real, &link).expect("link");
    put(&link, Some("{\"a\":1}")).expect("put");
    assert_eq!(read(&real).expect("read").as_deref(), Some("{\"a\":1}"));
    assert_eq!(std::fs::metadata(&real).expect("there").permissions().mode() & 0o777, 0o640);
    assert!(link.symlink_metadata().expect("there").is_symlink());
}

#[test]
fn what_was_not_there_is_made_private_and_removed_again() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let path = space.path().join("a/b/c.json");
    assert_eq!(read(&path).expect("read"), None);
    put(&path, Some("x")).expect("put");
    assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
    put(&path, None).expect("remove");
    put(&path, None).expect("remove what is gone");
    assert_eq!(read(&path).expect("read"), None);
}

#[test]
fn what_is_no_text_file_is_refused() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let error: AgentFileError = read(space.path()).expect_err("a directory");
    assert!(error.to_string().starts_with("cannot read"));
    let path = space.path().join("x");
    std::fs::write(&path, [0xff, 0xfe]).expect("write");
    assert!(read(&path).is_err());
}

#[test]
fn what_somebody_else_has_written_since_is_not_lost() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let path = space.path().join("state.json");
    put(&path, Some("{\"seen\":2}")).expect("put");
    for (old, new, expected) in [
        (Some("{\"seen\":1}"), Some("{}"), Replaced::Changed),
        (None, Some("{}"), Replaced::Changed),
        (Some("{\"seen\":1}"), None, Replaced::Changed),
        (Some("{\"seen\":2}"), Some("{\"seen\":3}"), Replaced::Done),
        (Some("{\"seen\":3}"), None, Replaced::Done),
        (Some("{\"seen\":3}"), None, Replaced::Changed),
        (None, Some("{}"), Replaced::Done),
    ] {
        let before = read(&path).expect("read");
        assert_eq!(replace(&path, old, new).expect("replace"), expected, "{old:?}");
        let after = if expected == Replaced::Done { new } else { before.as_deref() };
        assert_eq!(read(&path).expect("read").as_deref(), after);
    }
    let left = std::fs::read_dir(space.path()).expect("there").count();
    assert_eq!(left, 1, "no draft stays");
}

#[test]
fn what_a_killed_process_left_beside_a_file_goes_and_nothing_else_does() {
    // U5, P5
    let space = tempfile::tempdir().expect("a directory");
    let path = space.path().join("settings.json");
    let Owner { pid, start, .. } = Owner::this();
    let gone = format!("{DRAFT}{pid}-{}-Ab3xYz", start + 1);
    let others = [
        format!("{DRAFT}{pid}-{start}-Ab3xYz"),
        format!("{DRAFT}notes"),
        ".metier-AbC123".to_owned(),
        "settings.json".to_owned(),
    ];
    for name in others.iter().chain([&gone]) {
        std::fs::write(space.path().join(name), "{}").expect("write");
    }
    std::fs::create_dir(space.path().join(format!("{DRAFT}{pid}-1-x"))).expect("a directory");
    assert_eq!((clear_drafts(&path), clear_drafts(&path)), (1, 0));
    assert!(!space.path().join(gone).exists());
    assert!(others.iter().all(|name| space.path().join(name).exists()));
    assert_eq!(clear_drafts(&space.path().join("nowhere/settings.json")), 0);
}

#[test]
fn a_link_that_leads_nowhere_is_refused_and_stays() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let link = space.path().join("settings.json");
    symlink("dotfiles/settings.json", &link).expect("link");
    let told = |error: &AgentFileError| error.source.to_string();
    assert_eq!(told(&read(&link).expect_err("nothing")), "it is a link that leads nowhere");
    assert_eq!(
        told(&put(&link, Some("{}")).expect_err("nowhere")),
        "it is a link that leads nowhere"
    );
    assert_eq!(std::fs::read_link(&link).expect("a link"), Path::new("dotfiles/settings.json"));
}

#[test]
fn what_agents_would_see_in_a_file_is_seen() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let path = space.path().join("x");
    assert_eq!((look(&path), look(space.path())), (Looked::Nothing, Looked::Nothing));
    std::fs::write(&path, b"a\xffb").expect("write");
    assert_eq!(look(&path), Looked::Text("a\u{fffd}b".to_owned()));
    let file = File::create(&path).expect("made");
    file.set_len(MAX_SETTINGS_BYTES + 1).expect("long");
    assert_eq!(look(&path), Looked::TooLong);
}

#[test]
fn directories_that_were_made_are_known_and_go_when_they_are_empty() {
    // U5
    let space = tempfile::tempdir().expect("a directory");
    let path = space.path().join("a/b/c.json");
    let made = missing_folders(&path);
    assert_eq!(made, [space.path().join("a"), space.path().join("a/b")]);
    put(&path, Some("x")).expect("put");
    assert_eq!(missing_folders(&path), [] as [PathBuf; 0]);
    remove_empty(&made);
    assert!(path.is_file(), "what is in them stays");
    put(&path, None).expect("removed");
    std::fs::write(space.path().join("a/mine"), "").expect("write");
    remove_empty(&made);
    assert!(!space.path().join("a/b").exists() && space.path().join("a/mine").is_file());
}
