use super::{Target, percent_decode, resolve, target};

#[test]
fn destinations_are_told_apart_by_their_form() {
    // F5
    let inside = |path: &str| Target::Inside(path.to_owned());
    for (destination, expected) in [
        ("a.md", inside("a.md")),
        ("./a//b/../c.md#x?y", inside("a/c.md")),
        ("a.md?raw=1#x", inside("a.md")),
        ("a%20b.md", inside("a b.md")),
        ("%2e%2e/a.md", Target::Outside),
        ("..", Target::Outside),
        ("a/../..", Target::Outside),
        ("/a", Target::Outside),
        ("\\\\server\\a", Target::Outside),
        ("c:/a", Target::Outside),
        ("FILE:///a", Target::Outside),
        ("", Target::Other),
        ("#a", Target::Other),
        ("?a", Target::Other),
        ("https://example.org", Target::Other),
        ("mcp+x.y-z:a", Target::Other),
        ("data:image/png;base64,AA", Target::Other),
        ("//example.org", Target::Other),
        ("LINK", Target::Other),
        ("docs/path/to/x.md", Target::Other),
        ("a…b", Target::Other),
        (":a", inside(":a")),
        ("1a:b", inside("1a:b")),
    ] {
        assert_eq!(target(destination), expected, "{destination}");
    }
}

#[test]
fn percent_signs_that_encode_nothing_stay() {
    // F5
    for (path, expected) in [
        ("a%20b", "a b"),
        ("100%", "100%"),
        ("%4", "%4"),
        ("%zz%41", "%zzA"),
        ("%ff", "%ff"),
        ("%C3%A9%é", "é%é"),
    ] {
        assert_eq!(percent_decode(path), expected, "{path}");
    }
}

#[test]
fn resolving_never_leaves() {
    // F5
    assert_eq!(resolve("a/./b/../c/"), Some("a/c".to_owned()));
    assert_eq!(resolve("a/../../b"), None);
    assert_eq!(resolve(""), Some(String::new()));
}
