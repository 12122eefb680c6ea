use super::*;
use std::path::PathBuf;

fn sample() -> Confinement {
    Confinement {
        read: vec![PathBuf::from("/skills/pdf")],
        write: vec![PathBuf::from("/project")],
        ..Confinement::default()
    }
}

#[test]
fn a_profile_refuses_all_it_does_not_name() {
    // R6
    let text = profile(&sample(), Some(Path::new("/private/tmp/x"))).unwrap();
    assert!(text.starts_with("(version 1)\n(deny default)\n"));
    assert!(text.contains("    (subpath \"/skills/pdf\")\n"));
    assert!(text.ends_with(
        "(allow file-write*\n    (subpath \"/project\")\n    (subpath \"/private/tmp/x\"))\n"
    ));
    assert!(!text.contains("network"));
    assert_eq!(text.matches('(').count(), text.matches(')').count());
}

#[test]
fn nothing_is_writable_that_was_not_granted() {
    // R6
    let text = profile(&Confinement::default(), None).unwrap();
    assert!(!text.contains("file-write*"));
}

#[test]
fn a_network_is_open_or_off_and_nothing_between_is_pretended() {
    // R6
    let with = |network| profile(&Confinement { network, ..sample() }, None);
    assert!(with(Network::Full).unwrap().contains("(allow network*)"));
    assert_eq!(with(Network::Loopback), None);
    assert_eq!(with(Network::Hosts(vec!["a".into()])), None);
}

#[test]
fn no_path_can_end_its_string_early() {
    // R6
    let hostile = |path: &str| {
        profile(&Confinement { read: vec![path.into()], ..Confinement::default() }, None)
    };
    let text = hostile("/a\")(allow default)(\"").unwrap();
    assert!(text.contains(r#"(subpath "/a\")(allow default)(\"")"#));
    let text = hostile("/a\\").unwrap();
    assert!(text.contains(r#"(subpath "/a\\")"#));
    assert_eq!(hostile("/a\n(allow default)"), None);
}
