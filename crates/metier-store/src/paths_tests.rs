use std::cmp::Ordering;
use std::path::Path;

use proptest::prelude::*;

use super::{bytes_of, joined, last, path_of, path_order, shown};

#[test]
fn paths_are_ordered_by_component() {
    // D3
    let check = |a: &str, b: &str, expect: Ordering| {
        assert_eq!(path_order(a.as_bytes(), b.as_bytes()), expect, "{a} {b}");
        assert_eq!(path_order(b.as_bytes(), a.as_bytes()), expect.reverse(), "{b} {a}");
    };
    check("a/b", "a-b", Ordering::Less);
    check("a", "a/b", Ordering::Less);
    check("", "a", Ordering::Less);
    check("a/b", "a/b", Ordering::Equal);
    check("b", "a/z", Ordering::Greater);
    check("B", "a", Ordering::Less);
}

proptest! {
    #[test]
    fn the_order_is_that_of_the_standard_library(
        a in "[ab./-]{0,6}(/[ab\u{1}-]{1,3}){0,3}",
        b in "[ab./-]{0,6}(/[ab\u{1}-]{1,3}){0,3}",
    ) {
        // D3
        let clean = |path: &str| {
            let parts = path.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
            parts.collect::<Vec<_>>().join("/")
        };
        let (a, b) = (clean(&a), clean(&b));
        prop_assert_eq!(path_order(a.as_bytes(), b.as_bytes()), Path::new(&a).cmp(Path::new(&b)));
    }
}

#[test]
fn names_are_joined_split_and_shown() {
    // D3
    assert_eq!(joined(b"", b"x"), b"x");
    assert_eq!(joined(b"a/b", b"x"), b"a/b/x");
    assert_eq!(last(b"a/b"), b"b");
    assert_eq!(last(b"a"), b"a");
    assert_eq!(last(b""), b"");
    assert_eq!(shown(b""), ".");
    assert_eq!(shown(b"a\xff\x1b[2J\nb"), "a\u{fffd}\\u{1b}[2J b");
    assert_eq!(bytes_of(&path_of(b"a\xffb")), b"a\xffb");
}
