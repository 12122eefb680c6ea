use super::*;

#[test]
fn trees_are_read_as_git_lists_them() {
    // P1
    let id = "1111111111111111111111111111111111111111";
    let line = |mode: &str, kind: &str, path: &str| format!("{mode} {kind} {id}\t{path}\0");
    let bytes = [
        line("100755", "blob", "b/run"),
        line("100644", "blob", "a\nb"),
        line("120000", "blob", "link"),
        line("160000", "commit", "sub"),
        line("100600", "blob", "odd"),
    ]
    .concat();
    let entries = listing(bytes.as_bytes()).unwrap();
    let got: Vec<_> = entries.iter().map(|(e, _)| (&*e.path, &e.kind)).collect();
    let special = Kind::Refused(Hazard::Special("git object of an unknown kind"));
    let expect: [(&[u8], &Kind); 5] = [
        (b"a\nb", &Kind::File { executable: false }),
        (b"b/run", &Kind::File { executable: true }),
        (b"link", &Kind::Link(None)),
        (b"odd", &special),
        (b"sub", &Kind::Refused(Hazard::Submodule)),
    ];
    assert_eq!(got, expect);
    for broken in ["100644 blob", "x\0", "\t\0"] {
        assert_eq!(listing(broken.as_bytes()).map(|_| ()), Err(Unreadable), "{broken:?}");
    }
}

#[test]
fn objects_are_read_one_after_the_other() {
    // P1
    let mut batch = Batch(b"id blob 3\nabc\nid blob 0\n\nid missing\n");
    assert_eq!(batch.next(), Some(&b"abc"[..]));
    assert_eq!(batch.next(), Some(&b""[..]));
    assert_eq!(batch.next(), None);
    for broken in ["id blob 9\nabc\n", "id blob x\n", "id blob 18446744073709551615\n", ""] {
        assert_eq!(Batch(broken.as_bytes()).next(), None, "{broken:?}");
    }
    let got = checks(b"id blob 3\nid:a b missing\nid tree 7\n");
    assert_eq!(got, [Some(("blob".to_owned(), 3)), None, Some(("tree".to_owned(), 7))]);
}
